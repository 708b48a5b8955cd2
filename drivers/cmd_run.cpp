#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "archive/archive.hpp"
#include "archive/journal.hpp"
#include "base/text.hpp"
#include "build_info.hpp"
#include "commands.hpp"
#include "load_sweep.hpp"
#include "parallel/agree.hpp"
#include "print_plan.hpp"
#include "stop_signal.hpp"
#include "sweep/launch.hpp"
#include "sweep/progress.hpp"
#include "sweep/run.hpp"
#include "sweep/time_limit.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::int64_t shown_failures = 5;

/// Calls `work` on rank 0; an error there is thrown on every rank. Collective.
template <class Work>
void on_root(const parallel::Comm& world, Work&& work) {
  parallel::agree(world, "", [&] {
    if (world.is_root()) std::forward<Work>(work)();
  });
}

void refuse_singletons(const parallel::Comm& world) {
  parallel::agree(world, "", [&] {
    const auto complaint = sweep::singleton_complaint(world.size(), sweep::process_environment);
    if (complaint) throw base::InputError(*complaint);
  });
}

/// Rank 0 reads the file, so that every rank plans from the same bytes. Collective.
std::unique_ptr<Sweep> load_everywhere(const Call& call) {
  const auto path = call.values["CONFIG"].as<std::string>();
  std::string text;
  on_root(call.world, [&] { text = base::read_file(path); });
  text = parallel::broadcast(call.world, 0, std::move(text));
  std::unique_ptr<Sweep> sweep;
  parallel::agree(call.world, "", [&] {
    sweep = std::make_unique<Sweep>(load_sweep(text, path, overrides_of(call.values)));
  });
  return sweep;
}

std::string output_path(const Call& call) {
  if (call.values.count("output") > 0) return call.values["output"].as<std::string>();
  const std::filesystem::path config = call.values["CONFIG"].as<std::string>();
  return config.stem().string() + ".h5";
}

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

std::int64_t count_failed(const archive::Content& content) {
  return std::count(content.tasks.status.begin(), content.tasks.status.end(),
                    archive::TaskStatus::failed);
}

void print_failures(const archive::Content& content) {
  std::int64_t shown = 0;
  for (std::size_t i = 0; i < content.tasks.status.size() && shown < shown_failures; ++i) {
    if (content.tasks.status[i] != archive::TaskStatus::failed) continue;
    fmt::print(stderr, "fairfront: task {} ({}) failed: {}\n", i, content.tasks.method[i],
               content.tasks.message[i]);
    ++shown;
  }
  const std::int64_t more = count_failed(content) - shown;
  if (more > 0) fmt::print(stderr, "fairfront: {} more tasks failed\n", more);
}

std::string front_sizes(const archive::Content& content) {
  std::vector<std::string> texts;
  for (const archive::FrontGroup& group : content.fronts) {
    const auto fronts = std::count_if(group.hypervolume.begin(), group.hypervolume.end(),
                                      [](double value) { return value == value; });
    texts.push_back(fmt::format("{} {} points in {} front{}", group.name, group.task.size(), fronts,
                                fronts == 1 ? "" : "s"));
  }
  return texts.empty() ? "no fronts" : base::join(texts, ", ");
}

void print_summary(const std::string& path, const archive::Content& content) {
  const std::int64_t failed = count_failed(content);
  const auto tasks = static_cast<std::int64_t>(content.tasks.status.size());
  fmt::print("{}: {} tasks done, {} failed; {}; digest {}\n", path, tasks - failed, failed,
             front_sizes(content), archive::results_digest(content));
}

base::ExitCode dry_run(const Call& call, const Sweep& sweep, const std::string& output) {
  on_root(call.world, [&] {
    fmt::print("{}\nDry run: nothing was run; {} would be written.\n",
               plan_text(sweep, context_of(call.values), call.world.size()), output);
  });
  return base::ExitCode::done;
}

/// Writes and reports on rank 0; every rank returns the same code. Collective.
base::ExitCode publish(const Call& call, const std::string& output, archive::Content content) {
  archive::Provenance build = build_provenance();
  build.command_line = call.command_line;
  content.provenance = sweep::describe_launch(call.world, std::move(build));
  on_root(call.world, [&] {
    const bool replace = call.values.count("force") > 0 || call.values.count("extend") > 0;
    archive::write(output, content, replace);
    archive::remove_journal(archive::journal_path(output));
    print_failures(content);
    if (call.values.count("quiet") == 0) print_summary(output, content);
  });
  const std::int64_t failed = parallel::all_reduce_max(call.world, count_failed(content));
  return failed > 0 ? base::ExitCode::some_tasks_failed : base::ExitCode::done;
}

sweep::Continuation continuation_of(const Call& call) {
  if (call.values.count("extend") > 0) return sweep::Continuation::extend;
  if (call.values.count("resume") > 0) return sweep::Continuation::resume;
  return sweep::Continuation::fresh;
}

sweep::RunSettings settings_of(const Call& call, const std::string& output) {
  sweep::RunSettings settings;
  settings.journal = archive::journal_path(output);
  settings.continuation = continuation_of(call);
  settings.retry_failed = call.values.count("retry-failed") > 0;
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

/// Is the sweep's archive there already, complete? Then there is nothing to do. Local.
/// @throws base::InputError  the archive is there, but is another sweep's, or is not to be
///         continued.
bool already_done(const Call& call, const Sweep& sweep, const std::string& output) {
  const bool force = call.values.count("force") > 0;
  if (continuation_of(call) != sweep::Continuation::resume || force ||
      !std::filesystem::is_regular_file(output)) {
    archive::check_writable(output, force);
    return false;
  }
  const archive::Content there = archive::read(output).content;
  if (there.config == sweep::config_entries(sweep.plan.config())) return true;
  throw base::InputError(
      fmt::format("'{}' is the finished archive of another sweep (--force replaces it)", output));
}

/// A journal that is to be discarded must not be in use. Local.
void discard_journal(const std::string& journal) {
  if (!archive::journal_exists(journal)) return;
  { const archive::JournalLock lock(journal); }
  archive::remove_journal(journal);
}

/// Whether rank 0 found the archive complete. Collective.
bool prepare_output(const Call& call, const Sweep& sweep, const std::string& output) {
  bool done = false;
  on_root(call.world, [&] {
    done = already_done(call, sweep, output);
    const bool discard = call.values.count("force") > 0 &&
                         continuation_of(call) == sweep::Continuation::fresh &&
                         call.values.count("dry-run") == 0;
    if (discard) discard_journal(archive::journal_path(output));
  });
  return parallel::all_reduce_max(call.world, done ? 1 : 0) > 0;
}

base::ExitCode report_interruption(const Call& call, const std::string& output,
                                   const sweep::RunOutcome& outcome) {
  if (call.world.is_root()) {
    fmt::print(stderr,
               "fairfront: interrupted with {} tasks done, {} failed, {} to do; '{}' keeps them: "
               "go on with --resume\n",
               outcome.done, outcome.failed, outcome.missing, archive::journal_path(output));
  }
  return base::ExitCode::interrupted;
}

base::ExitCode execute_run(const Call& call) {
  refuse_singletons(call.world);
  const std::unique_ptr<Sweep> sweep = load_everywhere(call);
  const std::string output = output_path(call);
  sweep::RunSettings settings;
  parallel::agree(call.world, "", [&] { settings = settings_of(call, output); });
  if (prepare_output(call, *sweep, output)) {
    if (call.world.is_root()) fmt::print("{}: complete, nothing to do\n", output);
    return base::ExitCode::done;
  }
  if (call.values.count("dry-run") > 0) return dry_run(call, *sweep, output);
  catch_stop_signals();
  sweep::Progress progress(progress_style(call), print_progress, terminal_columns());
  sweep::RunOutcome outcome = sweep::run(call.world, sweep->experiment, sweep->plan,
                                         context_of(call.values), settings, progress);
  if (call.world.is_root()) {
    for (const std::string& warning : outcome.warnings) {
      fmt::print(stderr, "fairfront: warning: {}\n", warning);
    }
  }
  if (outcome.end == sweep::RunEnd::interrupted) return report_interruption(call, output, outcome);
  return publish(call, output, std::move(outcome.content));
}

}  // namespace

Command run_command() {
  Command command;
  command.name = "run";
  command.summary = "Run an experiment and leave one archive.";
  command.arguments = {{"CONFIG"}};
  command.details =
      "Examples:\n"
      "  mpirun -n 4 fairfront run configs/quickstart.ini -o quickstart.h5\n"
      "  fairfront run configs/quickstart.ini --set seed=1..5 --dry-run\n";
  command.collective = true;
  command.execute = execute_run;
  namespace options = boost::program_options;
  command.options.add_options()(
      "output,o", options::value<std::string>()->value_name("FILE"),
      "the archive (default: the config's name with .h5, in this folder)");
  add_sweep_options(command.options);
  command.options.add_options()(
      "resume", "go on where the journal of an earlier run ends; without one, begin")(
      "extend", "as --resume, for a config whose axes have got more values")(
      "retry-failed", "with --resume or --extend: run failed tasks again")(
      "time-limit", options::value<std::string>()->value_name("[[D-]H:]M:S"),
      "begin no task that would end later, and leave with exit code 3 (default: the end of the "
      "SLURM job)")("team-size", options::value<std::int64_t>()->value_name("N")->default_value(0),
                    "ranks that share a coupled task; 0: by the number of tasks")(
      "checkpoint", options::value<double>()->value_name("SECONDS")->default_value(30, "30"),
      "time between two checkpoints of a coupled task")("force",
                                                        "replace an archive, discard a journal")(
      "dry-run", "check everything, show the plan, run nothing")("quiet,q",
                                                                 "print nothing but errors");
  return command;
}

}  // namespace fairfront::drivers
