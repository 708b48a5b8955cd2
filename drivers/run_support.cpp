#include "run_support.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <boost/program_options/value_semantic.hpp>
#include <cstdio>

#include "archive/journal.hpp"
#include "build_info.hpp"
#include "stop_signal.hpp"
#include "sweep/launch.hpp"
#include "sweep/progress.hpp"
#include "sweep/time_limit.hpp"

namespace fairfront::drivers {
namespace {

std::size_t terminal_columns() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

sweep::ProgressStyle progress_style(const Call& call) {
  using enum sweep::ProgressStyle;
  const bool quiet = call.values.count("quiet") > 0 || !call.world.is_root();
  return quiet ? silent : isatty(STDERR_FILENO) != 0 ? terminal : log;
}

void print_progress(std::string_view text) {
  fmt::print(stderr, "{}", text);
  std::fflush(stderr);
}

}  // namespace

void refuse_singletons(const parallel::Comm& world) {
  parallel::agree(world, "", [&] {
    const auto complaint = sweep::singleton_complaint(world.size(), sweep::process_environment);
    if (complaint) throw base::InputError(*complaint);
  });
}

void add_run_options(boost::program_options::options_description& description) {
  namespace options = boost::program_options;
  description.add_options()(
      "time-limit", options::value<std::string>()->value_name("[[D-]H:]M:S"),
      "begin no task that would end later, and leave with exit code 3 (default: the end of the "
      "SLURM job)")("team-size", options::value<std::int64_t>()->value_name("N")->default_value(0),
                    "ranks that share a coupled task; 0: by the number of tasks")(
      "checkpoint", options::value<double>()->value_name("SECONDS")->default_value(30, "30"),
      "time between two checkpoints of a long task")("quiet,q", "print nothing but errors");
}

sweep::RunSettings common_settings(const Call& call) {
  sweep::RunSettings settings;
  settings.team_size = call.values["team-size"].as<std::int64_t>();
  if (settings.team_size < 0) throw base::InputError("--team-size must be >= 0");
  settings.checkpoint_seconds = call.values["checkpoint"].as<double>();
  settings.seconds = sweep::allowed_seconds(
      call.values.count("time-limit") > 0 ? call.values["time-limit"].as<std::string>() : "",
      sweep::process_environment);
  settings.stop_wanted = stop_signal_has_come;
  settings.program_version = build_provenance().program_version;
  return settings;
}

sweep::RunOutcome run_and_warn(const Call& call, const Sweep& sweep,
                               const sweep::RunContext& context,
                               const sweep::RunSettings& settings) {
  catch_stop_signals();
  sweep::Progress progress(progress_style(call), print_progress, terminal_columns());
  sweep::RunOutcome outcome =
      sweep::run(call.world, sweep.experiment, sweep.plan, context, settings, progress);
  if (call.world.is_root()) {
    for (const std::string& warning : outcome.warnings) {
      fmt::print(stderr, "fairfront: warning: {}\n", warning);
    }
  }
  return outcome;
}

base::ExitCode report_interruption(const Call& call, const std::string& journal,
                                   const sweep::RunOutcome& outcome) {
  if (call.world.is_root()) {
    fmt::print(stderr,
               "fairfront: interrupted with {} tasks done, {} failed, {} to do; '{}' keeps them: "
               "go on with --resume\n",
               outcome.done, outcome.failed, outcome.missing, journal);
  }
  return base::ExitCode::interrupted;
}

void discard_journal(const std::string& journal) {
  if (!archive::journal_exists(journal)) return;
  { const archive::JournalLock lock(journal); }
  archive::remove_journal(journal);
}

}  // namespace fairfront::drivers
