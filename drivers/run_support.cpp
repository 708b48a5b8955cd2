#include "run_support.hpp"

#include <fmt/format.h>

#include <boost/program_options/value_semantic.hpp>
#include <cstdio>

#include "base/printable.hpp"
#include "build_info.hpp"
#include "output.hpp"
#include "stop_signal.hpp"
#include "sweep/launch.hpp"
#include "sweep/progress.hpp"
#include "sweep/time_limit.hpp"
#include "terminal.hpp"

namespace fairfront::drivers {
namespace {

sweep::ProgressStyle progress_style(const Call& call, bool on_terminal) {
  using enum sweep::ProgressStyle;
  const bool quiet = call.values.count("quiet") > 0 || !call.world.is_root();
  return quiet ? silent : on_terminal ? terminal : log;
}

void print_warning(const std::string& text) {
  log("fairfront: warning: {}\n", base::printable(text));
}

void print_progress(std::string_view text) { log_text(text, Patience::none); }

}  // namespace

void refuse_singletons(const parallel::Comm& world) {
  parallel::agree(world, "", [&] {
    const auto complaint = sweep::singleton_complaint(world.size(), sweep::process_environment);
    if (complaint) throw base::InputError(*complaint);
  });
}

void add_run_options(Command& command) {
  namespace options = boost::program_options;
  command.options.add_options()(
      "time-limit", options::value<std::string>()->value_name("[[D-]H:]M:S"),
      "No task is begun that would end later, and the exit code is 3 then "
      "(default: the end of the SLURM job).")(
      "team-size", options::value<std::int64_t>()->value_name("N")->default_value(0),
      "So many ranks share a coupled task; with 0 the number of tasks decides.")(
      "checkpoint", options::value<double>()->value_name("SECONDS")->default_value(30, "30"),
      "So many seconds lie between two checkpoints of a long task.")(
      "quiet,q", "Nothing but warnings and errors is printed.");
  command.numbers.push_back({"team-size", "a whole number >= 0"});
  command.numbers.push_back({"checkpoint", "a finite number >= 0", false});
}

sweep::RunSettings common_settings(const Call& call) {
  sweep::RunSettings settings;
  settings.team_size = call.values["team-size"].as<std::int64_t>();
  settings.checkpoint_seconds = call.values["checkpoint"].as<double>();
  std::string limit;
  if (call.values.count("time-limit") > 0) {
    limit = call.values["time-limit"].as<std::string>();
    (void)sweep::parse_time_limit(limit);  // also where it is empty, which means none below
  }
  settings.seconds = sweep::allowed_seconds(limit, sweep::process_environment);
  settings.stop_wanted = stop_signal_has_come;
  settings.warn = print_warning;
  settings.program_version = build_provenance().program_version;
  return settings;
}

base::StopScope stop_at_signals() { return base::StopScope(stop_signal_has_come); }

sweep::RunOutcome run_and_warn(const Call& call, const Sweep& sweep,
                               const sweep::RunContext& context,
                               const sweep::RunSettings& settings) {
  if (call.world.is_root()) {
    for (const std::string& warning : sweep.plan.config().warnings) print_warning(warning);
  }
  set_run_phase(RunPhase::running);
  const auto columns = terminal_columns();
  sweep::Progress progress(progress_style(call, columns.has_value()), print_progress,
                           columns.value_or(0));
  sweep::RunOutcome outcome =
      sweep::run(call.world, sweep.experiment, sweep.plan, context, settings, progress);
  if (outcome.end == sweep::RunEnd::complete) set_run_phase(RunPhase::ending);
  if (call.world.is_root()) {
    for (const std::string& warning : outcome.warnings) print_warning(warning);
  }
  return outcome;
}

base::ExitCode report_interruption(const Call& call, const std::string& journal,
                                   const sweep::RunOutcome& outcome) {
  if (call.world.is_root()) {
    log("fairfront: interrupted with {} task{} done, {} failed, {} to do; '{}' keeps them: "
        "go on with --resume\n",
        outcome.done, outcome.done == 1 ? "" : "s", outcome.failed, outcome.missing, journal);
  }
  return base::ExitCode::interrupted;
}

}  // namespace fairfront::drivers
