/// @file
/// Where the time of a whole run goes, from its config to its archive, on rank 0: under mpirun.
///
///     mpirun -n 2 phase_bench CONFIG DATA_DIR ARCHIVE [KEY=VALUE ...]
///
/// Runs the config anew and prints one JSON object: for every phase its wall clock, the CPU of rank
/// 0 and that of the rank that has taken most, what the tasks themselves have taken, and rank 0's
/// peak of memory. The archive is verified; the exit status says so.
/// tests/bench/simulate_schedule.py takes the constants of its model from here.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <string>
#include <vector>

#include "archive/archive.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "config/config.hpp"
#include "config/config_text.hpp"
#include "experiments/registry.hpp"
#include "journal/journal.hpp"
#include "parallel/agree.hpp"
#include "parallel/comm.hpp"
#include "results/digest.hpp"
#include "sweep/phase_clock.hpp"
#include "sweep/plan.hpp"
#include "sweep/run.hpp"
#include "sweep/write_archive.hpp"

namespace fairfront::bench {
namespace {

sweep::Plan plan_of(const sweep::Experiment& experiment, const config::ConfigText& config) {
  return {config::resolve(config, experiment.name(), experiment.sections()), experiment};
}

const sweep::Experiment& experiment_of(const config::ConfigText& config) {
  std::vector<std::string> names;
  for (const auto& experiment : experiments::registry()) names.push_back(experiment->name());
  return *experiments::registry()[config::choose_experiment(config, names)];
}

/// Of the rank that has taken most. Collective.
double busiest(const parallel::Comm& world, double seconds) {
  return 1e-6 * static_cast<double>(
                    parallel::all_reduce_max(world, static_cast<std::int64_t>(1e6 * seconds)));
}

/// Collective.
std::string json_of(const parallel::Comm& world, const std::vector<sweep::Phase>& phases) {
  std::string text;
  for (const sweep::Phase& phase : phases) {
    text += fmt::format(R"({}"{}": [{:.6f}, {:.6f}, {:.6f}])", text.empty() ? "" : ", ", phase.name,
                        phase.seconds, phase.cpu_seconds, busiest(world, phase.cpu_seconds));
  }
  return text;
}

/// Of one run: what is the same on any number of ranks, and what it took.
void report(const parallel::Comm& world, const sweep::Plan& plan, const results::Content& content,
            const std::string& phases) {
  const std::vector<double>& seconds = content.timing.seconds;
  fmt::print(
      "{{\"ranks\": {}, \"tasks\": {}, \"problems\": {}, \"task_seconds\": {:.6f}, "
      "\"longest\": {:.6f}, \"peak_mb\": {:.1f}, \"phases\": {{{}}}, \"digest\": \"{}\"}}\n",
      world.size(), plan.num_tasks(), plan.num_problems(),
      std::accumulate(seconds.begin(), seconds.end(), 0.0), *std::ranges::max_element(seconds),
      base::memory_in_use().peak / 1e6, phases, results::results_digest(content));
}

/// Whether the archive is sound; on rank 0. Collective.
bool run(const parallel::Comm& world, const std::vector<std::string>& words) {
  sweep::PhaseClock clock;
  config::ConfigText config = config::scan_config(base::read_file(words.at(0)), words.at(0));
  for (std::size_t i = 3; i < words.size(); ++i) config::add_override(config, words[i]);
  const sweep::Experiment& experiment = experiment_of(config);
  const sweep::Plan plan = plan_of(experiment, config);
  clock.end("plan");
  sweep::RunContext context;
  context.data_dir = words.at(1);
  sweep::Progress progress(sweep::ProgressStyle::silent, [](std::string_view) {});
  const std::string& archive = words.at(2);
  sweep::RunSettings settings;
  settings.journal = journal::journal_path(archive);
  settings.replace_journal = true;
  const sweep::RunOutcome outcome =
      sweep::run(world, experiment, plan, context, settings, progress);
  sweep::PhaseClock end;
  (void)sweep::write_archive(world, archive, outcome.content, true);
  end.end("writing");
  sweep::remove_journal(world, outcome);
  end.end("removing the journal");
  std::vector<sweep::Phase> phases = clock.phases();
  phases.insert(phases.end(), outcome.phases.begin(), outcome.phases.end());
  phases.insert(phases.end(), end.phases().begin(), end.phases().end());
  const std::string told = json_of(world, phases);
  if (!world.is_root()) return true;
  report(world, plan, outcome.content, told);
  return archive::verify(archive).empty();
}

}  // namespace
}  // namespace fairfront::bench

int main(int argc, char** argv) {
  const fairfront::parallel::Session session(argc, argv);
  const fairfront::parallel::Comm world(MPI_COMM_WORLD);
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 3) {
    fmt::print(stderr, "phase_bench CONFIG DATA_DIR ARCHIVE [KEY=VALUE ...]\n");
    return EXIT_FAILURE;
  }
  bool good = false;
  fairfront::parallel::agree(world, "", [] {});  // all ranks have come up
  try {
    good = fairfront::bench::run(world, words);
  } catch (const std::exception& error) {
    fmt::print(stderr, "phase_bench: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
