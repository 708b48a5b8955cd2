#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>

#include "archive/archive.hpp"
#include "archive/journal.hpp"
#include "archive/records.hpp"
#include "base/text.hpp"
#include "build_info.hpp"
#include "commands.hpp"
#include "load_sweep.hpp"
#include "parallel/agree.hpp"
#include "print_plan.hpp"
#include "run_support.hpp"
#include "sweep/launch.hpp"
#include "sweep/run.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::int64_t shown_failures = 5;

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

std::int64_t count(const archive::Content& content, archive::TaskStatus status) {
  return std::ranges::count(content.tasks.status, status);
}

std::int64_t count_failed(const archive::Content& content) {
  return count(content, archive::TaskStatus::failed);
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
  const std::int64_t missing = count(content, archive::TaskStatus::missing);
  fmt::print("{}: {} tasks done, {} failed{}; {}; digest {}\n", path,
             count(content, archive::TaskStatus::done), count_failed(content),
             missing > 0 ? fmt::format(", {} of other slices missing", missing) : "",
             front_sizes(content), archive::results_digest(content));
}

base::ExitCode dry_run(const Call& call, const Sweep& sweep, const std::string& output) {
  on_root(call.world, [&] {
    fmt::print("{}\nDry run: nothing was run; {} would be written.\n",
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

/// Local. @throws base::InputError  the journal is still there, and the message says so.
void write_archive(const std::string& output, bool replace, const archive::Content& content) {
  const std::string journal = archive::journal_path(output);
  archive::remove_drafts(output);
  try {
    archive::write(output, content, replace);
  } catch (const base::InputError& error) {
    throw base::InputError(
        fmt::format("{}; all results are safe in '{}': go on with --resume when that is mended",
                    error.what(), journal));
  }
  archive::remove_journal(journal);
}

/// Writes and reports on rank 0; every rank returns the same code. Collective.
base::ExitCode publish(const Call& call, const std::string& output, bool replace,
                       archive::Content content) {
  archive::Provenance build = build_provenance();
  build.command_line = call.command_line;
  content.provenance = sweep::describe_launch(call.world, std::move(build));
  on_root(call.world, [&] {
    write_archive(output, replace, content);
    print_failures(content);
    if (call.values.count("quiet") == 0) print_summary(output, content);
  });
  const std::int64_t failed = parallel::all_reduce_max(call.world, count_failed(content));
  return failed > 0 ? base::ExitCode::some_tasks_failed : base::ExitCode::done;
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
  const archive::Content content = archive::read(path).content;
  return {archive::sweep_of(content), archive::records_of(content)};
}

sweep::RunSettings settings_of(const Call& call, const std::string& output) {
  sweep::RunSettings settings = common_settings(call);
  settings.journal = archive::journal_path(output);
  settings.continuation = continuation_of(call);
  settings.retry_failed = call.values.count("retry-failed") > 0;
  if (settings.retry_failed && settings.continuation == sweep::Continuation::fresh) {
    throw base::InputError("--retry-failed goes with --resume or --extend");
  }
  settings.selected = selection_of(call);
  if (continues_archive(call, output)) {
    settings.earlier = [output] { return earlier_results(output); };
  }
  return settings;
}

/// Is there nothing to do, because the archive of this sweep has every task? Local.
/// @throws base::InputError  the archive is another sweep's.
bool has_every_task(const Sweep& sweep, const sweep::RunSettings& settings,
                    const std::string& output) {
  const archive::Content there = archive::read(output).content;
  archive::JournalHeader here = archive::sweep_of(there);
  here.config = sweep::config_entries(sweep.plan.config());
  if (const auto difference = archive::first_difference(archive::sweep_of(there), here)) {
    if (settings.continuation == sweep::Continuation::extend) return false;
    throw base::InputError(fmt::format(
        "'{}' is the archive of another sweep: {} (--extend widens axes, --force replaces it)",
        output, *difference));
  }
  for (std::size_t i = 0; i < there.tasks.status.size(); ++i) {
    if (settings.selected && !settings.selected(static_cast<std::int64_t>(i))) continue;
    if (there.tasks.status[i] == archive::TaskStatus::missing) return false;
    const bool failed = there.tasks.status[i] == archive::TaskStatus::failed;
    if (failed && settings.retry_failed) return false;
  }
  return true;
}

/// Removes the journal that a run leaves that is killed between publishing its archive and tidying
/// up. One that holds more, such as an extended sweep's, or that is in use, stays. Local.
void remove_leftover(const std::string& journal, const Sweep& sweep) try {
  if (archive::journal_exists(journal)) {
    const archive::JournalLock lock(journal);
    const auto header = archive::read_journal_header(journal);
    if (header.config != sweep::config_entries(sweep.plan.config())) return;
    archive::remove_journal(journal);
  } else {
    std::error_code ignored;
    std::filesystem::remove(journal, ignored);  // only if it is empty
  }
} catch (const base::InputError&) {
  return;  // it does no harm: the archive stands
}

/// Checks the output and makes room for it; says whether it is complete already. Collective.
bool prepare_output(const Call& call, const Sweep& sweep, const sweep::RunSettings& settings,
                    const std::string& output) {
  bool done = false;
  on_root(call.world, [&] {
    const bool force = call.values.count("force") > 0;
    const bool dry = call.values.count("dry-run") > 0;
    if (settings.earlier) {
      done = has_every_task(sweep, settings, output);
      if (done && !dry) remove_leftover(settings.journal, sweep);
    } else {
      archive::check_writable(output, force);
    }
    const bool fresh = settings.continuation == sweep::Continuation::fresh;
    if (force && fresh && !dry) discard_journal(settings.journal);
  });
  return parallel::all_reduce_max(call.world, done ? 1 : 0) > 0;
}

base::ExitCode execute_run(const Call& call) {
  refuse_singletons(call.world);
  const std::unique_ptr<Sweep> sweep = load_everywhere(call);
  const std::string output = output_path(call);
  sweep::RunSettings settings;
  parallel::agree(call.world, "", [&] { settings = settings_of(call, output); });
  if (prepare_output(call, *sweep, settings, output)) {
    if (call.world.is_root()) fmt::print("{}: complete, nothing to do\n", output);
    return base::ExitCode::done;
  }
  if (call.values.count("dry-run") > 0) return dry_run(call, *sweep, output);
  sweep::RunOutcome outcome = run_and_warn(call, *sweep, context_of(call.values), settings);
  if (outcome.end == sweep::RunEnd::interrupted) {
    return report_interruption(call, settings.journal, outcome);
  }
  const bool replace = call.values.count("force") > 0 || settings.earlier;
  return publish(call, output, replace, std::move(outcome.content));
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
      "resume", "go on where the journal or the archive of an earlier run ends; without, begin")(
      "extend", "as --resume, for a config whose axes have got more values")(
      "retry-failed", "with --resume or --extend: run failed tasks again")(
      "slice", options::value<std::string>()->value_name("I/N"),
      "only the tasks i with i modulo N = I, for job arrays; see merge");
  add_run_options(command.options);
  command.options.add_options()("force", "replace an archive, discard a journal")(
      "dry-run", "check everything, show the plan, run nothing");
  return command;
}

}  // namespace fairfront::drivers
