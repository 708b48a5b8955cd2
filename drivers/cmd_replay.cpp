#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "archive/archive.hpp"
#include "base/file.hpp"
#include "base/printable.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "compare_records.hpp"
#include "data/catalogue/data_folder.hpp"
#include "data/readers/data_file.hpp"
#include "journal/journal.hpp"
#include "load_sweep.hpp"
#include "moved_files.hpp"
#include "output.hpp"
#include "parallel/agree.hpp"
#include "results/content.hpp"
#include "results/digest.hpp"
#include "results/records.hpp"
#include "results/task_record.hpp"
#include "run_support.hpp"
#include "sweep/launch.hpp"
#include "sweep/ledger.hpp"
#include "sweep/run.hpp"
#include "sweep/stored_config.hpp"
#include "sweep/write_archive.hpp"

namespace fairfront::drivers {
namespace {

/// The archive that is replayed; its content is on rank 0 only.
struct Original {
  std::string path;
  archive::Stored stored;
  std::unique_ptr<Sweep> sweep;
  std::set<std::int64_t> tasks;  ///< to be run again
};

/// What rank 0 has, on every rank. Collective.
sweep::StoredConfig share(const parallel::Comm& world, const sweep::StoredConfig& config) {
  return {parallel::broadcast(world, 0, config.text),
          parallel::broadcast(world, 0, config.assignments)};
}

/// Those that --task names, or all that the archive has a result of.
std::set<std::int64_t> chosen_tasks(const Call& call, const results::TaskTable& table) {
  const std::int64_t tasks = std::ssize(table.key);
  std::set<std::int64_t> chosen;
  const auto has_run = [&](std::int64_t task) {
    return table.status[static_cast<std::size_t>(task)] != results::TaskStatus::missing;
  };
  if (call.values.count("task") == 0) {
    for (std::int64_t i = 0; i < tasks; ++i) {
      if (has_run(i)) chosen.insert(i);
    }
    return chosen;
  }
  for (const std::int64_t task : call.values["task"].as<std::vector<std::int64_t>>()) {
    if (task < 0 || task >= tasks) {
      throw base::InputError(
          fmt::format("replay: --task {}: the archive has the tasks 0 .. {}", task, tasks - 1));
    }
    if (!has_run(task)) {
      throw base::InputError(
          fmt::format("replay: name another task than {}: the archive has no result of it", task));
    }
    chosen.insert(task);
  }
  return chosen;
}

/// Data, options and solvers must be those of the archive, or no result could be the same. Rank 0.
void require_same_sweep(const Original& original, const sweep::RunContext& context) {
  const Sweep& sweep = *original.sweep;
  const auto problems = sweep::forecast_problems(sweep.experiment, sweep.plan, context, 1);
  const auto difference = results::first_difference(results::sweep_of(original.stored.content),
                                                    sweep::header_of(sweep.plan, problems, ""));
  if (!difference) return;
  throw base::InputError(fmt::format("'{}' cannot be replayed with this program and data: {}",
                                     original.path, *difference));
}

/// Collective: rank 0 reads the archive, every rank makes the plan and knows the tasks.
/// @param context  is told where data files have moved to.
Original open_original(const Call& call, sweep::RunContext& context) {
  const base::StopScope scope = stop_at_signals();
  Original original;
  original.path = call.values["ARCHIVE"].as<std::string>();
  sweep::StoredConfig config;
  std::vector<std::string> moved;
  on_root(call.world, [&] {
    original.stored = archive::read(original.path);
    config = sweep::stored_config(original.stored.content.config, original.stored.content.axes);
    original.tasks = chosen_tasks(call, original.stored.content.tasks);
    moved = moved_files(original.stored.content, context.data_dir.path);
  });
  moved = parallel::broadcast(call.world, 0, moved);
  for (std::size_t i = 0; i + 1 < moved.size(); i += 2)
    context.data_dir.moved[moved[i]] = moved[i + 1];
  config = share(call.world, config);
  parallel::agree(call.world, "", [&] {
    original.sweep =
        std::make_unique<Sweep>(load_sweep(config.text, original.path, config.assignments));
    if (call.world.is_root()) require_same_sweep(original, context);
  });
  return original;
}

bool may_write_in(const std::string& folder) { return ::access(folder.c_str(), W_OK | X_OK) == 0; }

/// Beside the archive, or, for reviewers who may only read it, in the temporary folder, under a
/// name that --resume finds again. Rank 0.
/// @param hosts  of all ranks. @throws base::InputError  several, which do not share that folder.
std::string journal_of(const Call& call, const Original& original,
                       const std::set<std::string>& hosts) {
  const std::filesystem::path archive = original.path;
  const std::string name = archive.filename().string() + ".replay";
  if (call.values.count("work-dir") > 0) {
    return journal::journal_path(call.values["work-dir"].as<std::string>() + "/" + name);
  }
  const std::string beside = journal::journal_path(original.path + ".replay");
  if (may_write_in(base::folder_of(original.path)) || journal::journal_exists(beside)) {
    return beside;
  }
  if (hosts.size() > 1) {
    throw base::InputError(fmt::format(
        "replay: the folder of '{}' may not be written, and the ranks are on {} machines ({}), "
        "which do not share a temporary one: give a folder that all of them see by --work-dir",
        original.path, hosts.size(), base::list_some(std::vector(hosts.begin(), hosts.end()))));
  }
  const std::string temporary = sweep::process_environment("TMPDIR").value_or("/tmp");
  return journal::journal_path(fmt::format("{}/fairfront-{}-{}-{}", temporary, ::geteuid(), name,
                                           original.stored.digest.substr(0, 16)));
}

sweep::RunSettings settings_of(const Call& call, const Original& original) {
  sweep::RunSettings settings = common_settings(call);
  settings.replace_journal = call.values.count("force") > 0;
  const bool resume = call.values.count("resume") > 0;
  settings.continuation = resume ? sweep::Continuation::resume : sweep::Continuation::fresh;
  settings.selected = [&original](std::int64_t task) { return original.tasks.contains(task); };
  return settings;
}

/// On rank 0.
base::ExitCode report(const Original& original, const results::Content& replayed) {
  std::vector<results::TaskRecord> there = results::records_of(original.stored.content);
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (original.tasks.contains(static_cast<std::int64_t>(i))) continue;
    there[i].status = results::TaskStatus::missing;
  }
  const Comparison result =
      compare_records(there, results::records_of(replayed), original.sweep->plan, 0);
  print("{}", result.text);
  const std::string digest = results::results_digest(replayed);
  if (result.different + result.only_there + result.only_here > 0) {
    print("{}: {} of {} tasks give other results\n", original.path, result.different,
          original.tasks.size());
    return base::ExitCode::some_tasks_failed;
  }
  print("{}: {} tasks replayed, every bit is the same{}\n", original.path, original.tasks.size(),
        digest == original.stored.digest ? fmt::format(", digest {}", digest) : "");
  return base::ExitCode::done;
}

base::ExitCode execute_replay(const Call& call) {
  refuse_singletons(call.world);
  sweep::RunContext context;
  parallel::agree(call.world, "", [&] { context = context_of(call.values); });
  const Original original = open_original(call, context);
  sweep::RunSettings settings;
  parallel::agree(call.world, "", [&] { settings = settings_of(call, original); });
  const std::vector<std::string> names = parallel::gather(call.world, base::host_name());
  on_root(call.world, [&] {
    settings.journal = journal_of(call, original, {names.begin(), names.end()});
  });
  settings.journal = parallel::broadcast(call.world, 0, std::move(settings.journal));
  const sweep::RunOutcome outcome = run_and_warn(call, *original.sweep, context, settings);
  if (outcome.end == sweep::RunEnd::interrupted) {
    return report_interruption(call, settings.journal, outcome);
  }
  base::ExitCode code = base::ExitCode::done;
  on_root(call.world, [&] { code = report(original, outcome.content); });
  sweep::remove_journal(call.world, outcome);
  return static_cast<base::ExitCode>(parallel::all_reduce_max(call.world, static_cast<int>(code)));
}

}  // namespace

Command replay_command() {
  Command command;
  command.name = "replay";
  command.summary = "Run the tasks of an archive again and compare every bit.";
  command.arguments = {{"ARCHIVE"}};
  command.details =
      "Example:\n"
      "  mpirun -n 4 fairfront replay adult.h5 --data-dir data\n"
      "Exit status 0 when all results are the same, 1 when one is not. Finished tasks are kept in "
      "a\n"
      "journal beside the archive until the end; where its folder cannot be written, in the\n"
      "temporary one ($TMPDIR). Ranks on several machines do not share that: they need "
      "--work-dir.\n"
      "A file of your own that is not where the config says is found in the data directory, or "
      "below,\n"
      "by its name and its SHA-256.\n";
  command.collective = true;
  command.leaves_files = true;
  command.execute = execute_replay;
  namespace options = boost::program_options;
  command.options.add_options()(
      "task", options::value<std::vector<std::int64_t>>()->composing()->value_name("K"),
      "Only this task is run (a row of /tasks, from 0); it may be repeated.")(
      "resume", "A replay that was interrupted goes on.")(
      "force", "What an interrupted replay has left is discarded.")(
      "work-dir", options::value<std::string>()->value_name("DIR"),
      "The journal is put into this folder (default: that of the archive).");
  add_data_options(command.options);
  add_run_options(command);
  command.numbers.push_back({"task", "a whole number >= 0, as `fairfront show` counts the tasks"});
  return command;
}

}  // namespace fairfront::drivers
