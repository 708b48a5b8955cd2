#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>

#include "archive/archive.hpp"
#include "base/printable.hpp"
#include "base/publish.hpp"
#include "base/text.hpp"
#include "build_info.hpp"
#include "commands.hpp"
#include "journal/journal.hpp"
#include "load_sweep.hpp"
#include "output.hpp"
#include "parallel/agree.hpp"
#include "print_plan.hpp"
#include "results/content.hpp"
#include "results/records.hpp"
#include "results/sweep_identity.hpp"
#include "run_support.hpp"
#include "sweep/forecast.hpp"
#include "sweep/launch.hpp"
#include "sweep/ledger.hpp"
#include "sweep/leftover.hpp"
#include "sweep/run.hpp"
#include "sweep/write_archive.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::int64_t shown_failures = 5;

/// Rank 0 reads the file, so that every rank plans from the same bytes. Collective.
std::unique_ptr<Sweep> load_everywhere(const Call& call) {
  const base::StopScope scope = stop_at_signals();
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

std::int64_t count(const results::Content& content, results::TaskStatus status) {
  return std::ranges::count(content.tasks.status, status);
}

std::int64_t count_failed(const results::Content& content) {
  return count(content, results::TaskStatus::failed);
}

void print_failures(const results::Content& content) {
  constexpr std::size_t most_shown = 600;  // of one message: five of them make 4,000 bytes
  std::int64_t shown = 0;
  for (std::size_t i = 0; i < content.tasks.status.size() && shown < shown_failures; ++i) {
    if (content.tasks.status[i] != results::TaskStatus::failed) continue;
    log("fairfront: task {} ({}) failed: {}\n", i, content.tasks.method[i],
        base::printable(content.tasks.message[i], most_shown));
    ++shown;
  }
  const std::int64_t more = count_failed(content) - shown;
  if (more > 0) log("fairfront: {} more tasks failed\n", more);
}

std::string front_sizes(const results::Content& content) {
  std::vector<std::string> texts;
  for (const results::FrontGroup& group : content.fronts) {
    const auto fronts = std::count_if(group.hypervolume.begin(), group.hypervolume.end(),
                                      [](double value) { return value == value; });
    texts.push_back(fmt::format("{} {} points in {} front{}", group.name, group.task.size(), fronts,
                                fronts == 1 ? "" : "s"));
  }
  return texts.empty() ? "no fronts" : base::join(texts, ", ");
}

void print_summary(const std::string& path, const results::Content& content,
                   const std::string& digest) {
  const std::int64_t missing = count(content, results::TaskStatus::missing);
  print("{}: {} tasks done, {} failed{}; {}; digest {}\n", path,
        count(content, results::TaskStatus::done), count_failed(content),
        missing > 0 ? fmt::format(", {} of other slices missing", missing) : "",
        front_sizes(content), digest);
}

base::ExitCode dry_run(const Call& call, const Sweep& sweep, const std::string& output) {
  const base::StopScope scope = stop_at_signals();
  on_root(call.world, [&] {
    print("{}\nDry run: nothing was run; {} would be written.\n",
          plan_text(sweep, context_of(call.values), call.world.size()), output);
  });
  return base::ExitCode::done;
}

sweep::Continuation continuation_of(const Call& call) {
  if (call.values.count("extend") > 0) return sweep::Continuation::extend;
  if (call.values.count("resume") > 0) return sweep::Continuation::resume;
  return sweep::Continuation::fresh;
}

/// There is an archive, and the run goes on with it instead of making a new one.
bool continues_archive(const Call& call, const std::string& output) {
  return continuation_of(call) != sweep::Continuation::fresh && call.values.count("force") == 0 &&
         std::filesystem::is_regular_file(output);
}

/// @return  on rank 0, the digest. Collective.
/// @throws parallel::CollectiveError  the journal is still there, and the message says so.
std::string write_archive(const parallel::Comm& world, const std::string& output, bool replace,
                          const sweep::RunOutcome& outcome) {
  on_root(world, [&] { base::remove_drafts(output); });
  std::string digest;
  try {
    digest = sweep::write_archive(world, output, outcome.content, replace);
  } catch (const parallel::CollectiveError& error) {
    if (error.exit_code() != base::ExitCode::bad_input) throw;
    throw parallel::CollectiveError(
        fmt::format("{}; all results are safe in '{}': go on with --resume when that is mended",
                    error.what(), journal::journal_path(output)),
        error.failed_rank(), error.exit_code(), error.fault());
  }
  sweep::remove_journal(world, outcome);
  return digest;
}

/// The exit code of an archive, whoever made it.
base::ExitCode code_of(std::int64_t failed) {
  return failed > 0 ? base::ExitCode::some_tasks_failed : base::ExitCode::done;
}

/// Writes and reports on rank 0; every rank returns the same code. Collective.
base::ExitCode publish(const Call& call, const std::string& output, bool replace,
                       sweep::RunOutcome outcome) {
  results::Content& content = outcome.content;
  results::LaunchFacts build = build_provenance();
  build.command_line = call.command_line;
  content.provenance = sweep::describe_launch(call.world, std::move(build));
  const std::string digest = write_archive(call.world, output, replace, outcome);
  on_root(call.world, [&] {
    print_failures(content);
    if (call.values.count("quiet") == 0) print_summary(output, content, digest);
  });
  return code_of(parallel::all_reduce_max(call.world, count_failed(content)));
}

/// The part of the tasks that --slice I/N names: task i belongs to slice i modulo N.
std::function<bool(std::int64_t)> selection_of(const Call& call) {
  if (call.values.count("slice") == 0) return {};
  const auto text = call.values["slice"].as<std::string>();
  const auto slash = text.find('/');
  const auto slice = base::parse_int64(text.substr(0, slash));
  const auto slices = base::parse_int64(slash == std::string::npos ? "" : text.substr(slash + 1));
  if (!slice || !slices || *slice < 0 || *slice >= *slices) {
    throw base::InputError(
        fmt::format("--slice = '{}', must be I/N with 0 <= I < N, such as 0/8", text));
  }
  return [slice = *slice, slices = *slices](std::int64_t task) { return task % slices == slice; };
}

/// Reads the archive that is to be continued. Rank 0.
sweep::EarlierResults earlier_results(const std::string& path) {
  const results::Content content = archive::read(path).content;
  return {results::sweep_of(content), results::records_of(content)};
}

sweep::RunSettings settings_of(const Call& call, const std::string& output) {
  sweep::RunSettings settings = common_settings(call);
  settings.journal = journal::journal_path(output);
  settings.continuation = continuation_of(call);
  settings.retry_failed = call.values.count("retry-failed") > 0;
  if (settings.retry_failed && settings.continuation == sweep::Continuation::fresh) {
    throw base::InputError(
        "add --resume or --extend: --retry-failed runs the failed tasks of an earlier run again");
  }
  settings.replace_journal = call.values.count("force") > 0;
  settings.selected = selection_of(call);
  if (continues_archive(call, output)) {
    settings.earlier = [output] { return earlier_results(output); };
  }
  return settings;
}

/// Local. @throws base::InputError  the archive is another sweep's, and this one is not to extend
/// it.
bool is_same_sweep(const results::SweepIdentity& there, const results::SweepIdentity& here,
                   const sweep::RunSettings& settings, const std::string& output) {
  const auto difference = results::first_difference(there, here);
  if (!difference) return true;
  if (settings.continuation == sweep::Continuation::extend) return false;
  throw base::InputError(fmt::format(
      "'{}' is the archive of another sweep: {} (--extend widens axes, --force replaces it)",
      output, *difference));
}

/// Does the archive have every selected task of the config? Local.
/// @throws base::InputError  the config is another sweep's.
bool has_every_task(const results::Content& there, const Sweep& sweep,
                    const sweep::RunSettings& settings, const std::string& output) {
  results::SweepIdentity here = results::sweep_of(there);
  here.config = config::config_entries(sweep.plan.config());
  if (!is_same_sweep(results::sweep_of(there), here, settings, output)) return false;
  for (std::size_t i = 0; i < there.tasks.status.size(); ++i) {
    if (settings.selected && !settings.selected(static_cast<std::int64_t>(i))) continue;
    if (there.tasks.status[i] == results::TaskStatus::missing) return false;
    const bool failed = there.tasks.status[i] == results::TaskStatus::failed;
    if (failed && settings.retry_failed) return false;
  }
  return true;
}

/// Looks at a journal beside an archive that needs no more tasks. One that a run leaves that is
/// killed between publishing its archive and tidying up is removed, if `tidy`. One of another
/// sweep, or that is in use, stays. Local.
/// @returns whether it holds results that the archive lacks.
bool has_unstored_results(const std::string& journal, const results::Content& archive,
                          bool tidy) try {
  if (!journal::journal_exists(journal)) {
    std::error_code ignored;
    if (tidy) std::filesystem::remove(journal, ignored);  // only if it is empty
    return false;
  }
  const journal::JournalLock lock(journal);
  const sweep::Leftover leftover = sweep::judge_leftover(journal, archive);
  if (leftover == sweep::Leftover::stored && tidy) {
    journal::remove_journal(lock.folder());
  }
  return leftover == sweep::Leftover::unstored;
} catch (const base::InputError& error) {
  log("fairfront: warning: the journal stays as it is: {}\n", error.what());
  return false;
}

/// What is known of the output before anything is run.
struct OutputState {
  bool complete = false;    ///< nothing is left to do
  std::int64_t failed = 0;  ///< of its tasks
};

/// Are data and solvers still those of the archive? Reads the data, as a run with tasks to do does.
/// Local. @throws base::InputError  they are not, or the data cannot be read.
bool has_same_data(const results::Content& there, const Call& call, const Sweep& sweep,
                   const sweep::RunSettings& settings, const std::string& output) {
  const auto problems = sweep::forecast_problems(sweep.experiment, sweep.plan,
                                                 context_of(call.values), call.world.size());
  return is_same_sweep(results::sweep_of(there), sweep::header_of(sweep.plan, problems, ""),
                       settings, output);
}

OutputState state_of_archive(const Call& call, const Sweep& sweep,
                             const sweep::RunSettings& settings, const std::string& output) {
  const results::Content there = archive::read(output).content;
  const bool dry = call.values.count("dry-run") > 0;
  OutputState state;
  state.failed = count_failed(there);
  state.complete = has_every_task(there, sweep, settings, output) &&
                   has_same_data(there, call, sweep, settings, output) &&
                   !has_unstored_results(settings.journal, there, !dry);
  return state;
}

/// Looks at what is there already. Collective.
OutputState prepare_output(const Call& call, const Sweep& sweep, const sweep::RunSettings& settings,
                           const std::string& output) {
  const base::StopScope scope = stop_at_signals();
  OutputState state;
  on_root(call.world, [&] {
    if (settings.earlier) {
      state = state_of_archive(call, sweep, settings, output);
    } else {
      archive::check_output(output, call.values.count("force") > 0);
    }
  });
  state.complete = parallel::all_reduce_max(call.world, state.complete ? 1 : 0) > 0;
  state.failed = parallel::all_reduce_max(call.world, state.failed);
  return state;
}

base::ExitCode report_complete(const Call& call, const std::string& output, std::int64_t failed) {
  if (call.world.is_root()) {
    print("{}: complete, nothing to do{}\n", output,
          failed > 0 ? fmt::format("; {} tasks failed (--retry-failed runs them again)", failed)
                     : "");
  }
  return code_of(failed);
}

base::ExitCode execute_run(const Call& call) {
  refuse_singletons(call.world);
  const std::unique_ptr<Sweep> sweep = load_everywhere(call);
  const std::string output = output_path(call);
  sweep::RunSettings settings;
  sweep::RunContext context;
  parallel::agree(call.world, "", [&] {
    settings = settings_of(call, output);
    context = context_of(call.values);
  });
  const OutputState there = prepare_output(call, *sweep, settings, output);
  if (there.complete) return report_complete(call, output, there.failed);
  if (call.values.count("dry-run") > 0) return dry_run(call, *sweep, output);
  sweep::RunOutcome outcome = run_and_warn(call, *sweep, context, settings);
  if (outcome.end == sweep::RunEnd::interrupted) {
    return report_interruption(call, settings.journal, outcome);
  }
  const bool replace = call.values.count("force") > 0 || settings.earlier;
  return publish(call, output, replace, std::move(outcome));
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
  command.leaves_files = true;
  command.execute = execute_run;
  namespace options = boost::program_options;
  command.options.add_options()(
      "output,o", options::value<std::string>()->value_name("FILE"),
      "The archive is written to this file (default: the config's name with .h5, in this folder).");
  add_sweep_options(command.options);
  command.options.add_options()("resume",
                                "The run goes on where the journal or the archive of an earlier "
                                "run ends; without this it begins.")(
      "extend",
      "As with --resume, but the axes of the config have got more values, and only what is new is "
      "run.")("retry-failed", "With --resume or --extend, failed tasks are run again.")(
      "slice", options::value<std::string>()->value_name("I/N"),
      "Only the tasks i with i modulo N = I are run, for job arrays; see merge.");
  add_run_options(command);
  command.options.add_options()(
      "force", "An archive that is there is replaced, and a journal is discarded.")(
      "dry-run", "Everything is checked and the plan is shown, but nothing is run.");
  return command;
}

}  // namespace fairfront::drivers
