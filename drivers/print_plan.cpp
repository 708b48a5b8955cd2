#include "print_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/memory.hpp"
#include "base/shared_pages.hpp"
#include "base/text.hpp"
#include "config/config.hpp"
#include "results/content.hpp"
#include "results/enum_names.hpp"
#include "sweep/forecast.hpp"
#include "table.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::int64_t most_tasks = 10;

std::string options_text(const config::Config& config) {
  Table table({"option", "value", "unit", "from"});
  for (const config::ConfigOption& option : config.options) {
    const std::string value = option.is_axis() ? format_list(option.values) : option.text();
    table.add({option.name(), value, option.info.unit, option.origin});
  }
  return "options\n" + table.text();
}

std::string axes_text(const sweep::Plan& plan) {
  if (plan.axes().empty()) return "axes: none\n";
  Table table({"axis", "role", "values", ""});
  for (const results::Axis& axis : plan.axes()) {
    table.add({axis.name, results::name_of(axis.role), std::to_string(axis.values.size()),
               format_list(axis.values)});
  }
  return "axes\n" + table.text();
}

std::string tasks_text(const sweep::Plan& plan) {
  std::string text = fmt::format("tasks: {}\n", plan.num_tasks());
  for (std::int64_t i = 0; i < std::min(plan.num_tasks(), most_tasks); ++i) {
    text += fmt::format("  {:>3}  {}\n", i, plan.label(plan.task(i)));
  }
  if (plan.num_tasks() > most_tasks) {
    text += fmt::format("  ... and {} more\n", plan.num_tasks() - most_tasks);
  }
  return text;
}

std::string problem_text(const sweep::PlannedProblem& problem) {
  const sweep::TaskForecast& forecast = problem.forecast;
  const std::string files = forecast.data.files.empty() ? std::string{"generated"}
                                                        : base::join(forecast.data.files, ", ");
  std::string text =
      fmt::format("  [{}] on {} ({}), {} tasks\n    {}\n", problem.first_task.method,
                  forecast.data.name, files, problem.amounts.size(), forecast.problem);
  if (!forecast.data.recipe.empty()) text += fmt::format("    {}\n", forecast.data.recipe);
  text += fmt::format("    a task takes {} beside the data",
                      format_bytes(forecast.work.bytes_per_rank));
  if (forecast.work.amount > 0) {
    text += fmt::format(", at most {:.3g} {}", forecast.work.amount, forecast.work.unit);
  }
  text += '\n';
  for (const std::string& warning : forecast.warnings) {
    text += fmt::format("    warning: {}\n", warning);
  }
  return text;
}

/// What the ranks of one node take.
struct NodeMemory {
  double reading = 0;     ///< of one rank at its peak, while the others wait
  double once = 0;        ///< what all of them share
  double of_task = 0;     ///< of a rank that runs one, beside
  double results = 0;     ///< of rank 0 when it makes the archive
  std::int64_t busy = 1;  ///< ranks that run one at the same time, at most

  [[nodiscard]] double of(std::int64_t ranks) const {
    const auto tasks = static_cast<double>(std::min(ranks, busy));
    const double idle = static_cast<double>(ranks) * of_idle_rank;
    return idle + std::max({reading - of_idle_rank, once + tasks * of_task, once + results});
  }
  static constexpr double of_idle_rank = 6e6;  // MPI's buffers and tables, measured
};

/// How many ranks run a task at the same time, at most: of one that ranks share, all of them do.
std::int64_t most_busy(const std::vector<sweep::PlannedProblem>& problems) {
  std::int64_t tasks = 0;
  for (const auto& problem : problems) {
    if (std::ranges::count(problem.shared, 0) < std::ssize(problem.shared)) {
      return std::numeric_limits<std::int64_t>::max();
    }
    tasks += std::ssize(problem.amounts);
  }
  return tasks;
}

/// After all problems were made, as this process then holds them.
/// @param before  what it held before that.
NodeMemory node_memory(const base::MemoryInUse& before, const sweep::RunContext& context,
                       const std::vector<sweep::PlannedProblem>& problems) {
  base::give_back_freed_pages();
  const base::MemoryInUse held = base::memory_in_use();
  const auto own = static_cast<double>(context.cache->own_bytes());
  constexpr double copies = 2;  // of a result, while it is written or read
  double of_task = 0;
  double results = 0;
  for (const auto& problem : problems) {
    const sweep::Work& work = problem.forecast.work;
    of_task = std::max(of_task, work.bytes_per_rank);
    results += copies * work.result_bytes * static_cast<double>(problem.amounts.size());
  }
  return {.reading = held.peak,
          .once = held.own - before.own - own + held.of_files,
          .of_task = own + of_task,
          .results = results,
          .busy = most_busy(problems)};
}

std::string memory_text(const NodeMemory& memory, std::int64_t ranks) {
  std::string text = fmt::format(
      "memory of a node\n  {} once for all its ranks, {} while one of them reads; a task takes {} "
      "beside\n  1 rank {}",
      format_bytes(memory.once), format_bytes(memory.reading), format_bytes(memory.of_task),
      format_bytes(memory.of(1)));
  if (ranks > 1) text += fmt::format("; {} ranks on it {}", ranks, format_bytes(memory.of(ranks)));
  return text + '\n';
}

}  // namespace

std::string plan_text(const Sweep& sweep, const sweep::RunContext& context, std::int64_t ranks) {
  const sweep::Plan& plan = sweep.plan;
  std::string text = fmt::format("{}: {} ({})\n\n", plan.config().file, plan.config().experiment,
                                 sweep.experiment.title());
  for (const std::string& warning : plan.config().warnings) {
    text += fmt::format("warning: {}\n", warning);
  }
  text +=
      fmt::format("{}\n{}\n{}\n", options_text(plan.config()), axes_text(plan), tasks_text(plan));
  text += fmt::format("problems, forecast for {} rank{}\n", ranks, ranks == 1 ? "" : "s");
  const base::MemoryInUse before = base::memory_in_use();
  const auto problems = sweep::forecast_problems(sweep.experiment, plan, context, ranks);
  for (const auto& problem : problems) text += problem_text(problem);
  return text + memory_text(node_memory(before, context, problems), ranks);
}

}  // namespace fairfront::drivers
