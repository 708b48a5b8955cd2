#include "print_probe.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/memory.hpp"
#include "base/printable.hpp"
#include "base/shared_pages.hpp"
#include "sweep/forecast.hpp"
#include "sweep/probe.hpp"
#include "sweep_status.hpp"
#include "table.hpp"

namespace fairfront::drivers {
namespace {

/// "H:MM:00" for a batch system: with half as much again, and a minute to begin and to end, in
/// steps of five minutes.
std::string time_limit(double seconds) {
  const auto minutes = static_cast<std::int64_t>(5 * std::ceil((1.5 * seconds / 60 + 1) / 5));
  return fmt::format("{}:{:02}:00", minutes / 60, minutes % 60);
}

std::string about(double seconds) {
  return seconds < 10 ? fmt::format("{:.2g} s", seconds) : format_seconds(seconds);
}

std::string probes_table(const sweep::Plan& plan, const std::vector<sweep::Probe>& probes) {
  Table table({"the shortest task of each kind", "CPU seconds", "tasks", "longest", "all of them"});
  std::string failures;
  for (const sweep::Probe& probe : probes) {
    const std::string name = fmt::format("task {}: {}", probe.task.index, plan.label(probe.task));
    if (!probe.failure.empty()) {
      table.add({name, "failed", std::to_string(probe.tasks), "-", "-"});
      failures += fmt::format("  {}: {}\n", name, base::printable(probe.failure, 300));
      continue;
    }
    table.add({name, fmt::format("{:.3g}", probe.seconds), std::to_string(probe.tasks),
               about(probe.longest_seconds), about(probe.all_seconds)});
  }
  return table.text() + failures;
}

}  // namespace

std::string probe_text(const parallel::Comm& world, const Sweep& sweep,
                       const sweep::RunContext& context, std::int64_t ranks) {
  const auto problems = sweep::forecast_problems(sweep.experiment, sweep.plan, context, 1);
  base::give_back_freed_pages();
  base::forget_peak_memory();
  const base::MemoryInUse before = base::memory_in_use();
  const auto probes = sweep::probe_kinds(world, sweep.experiment, sweep.plan, context, problems);
  const double of_tasks = base::memory_in_use().peak - before.own - before.of_files;
  const double one_rank = sweep::seconds_of_all(probes, 1);
  const double all_ranks = sweep::seconds_of_all(probes, ranks);
  std::string text = "\nprobe\n" + probes_table(sweep.plan, probes);
  if (std::ranges::any_of(probes, [](const auto& probe) { return !probe.failure.empty(); })) {
    text += "  kinds whose task has failed are in none of what follows\n";
  }
  return text + fmt::format(
                    "  {:.3g} core hours of CPU time; {} memory a task beside the data; on {} "
                    "rank{} {} at best\n"
                    "  a time limit with a margin, for cores of their own: --time={}; what does "
                    "not fit is resumed\n",
                    one_rank / 3600, format_bytes(std::max(of_tasks, 0.0)), ranks,
                    ranks == 1 ? "" : "s", about(all_ranks), time_limit(all_ranks));
}

}  // namespace fairfront::drivers
