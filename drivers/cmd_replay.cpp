#include <fmt/format.h>

#include <boost/program_options/value_semantic.hpp>
#include <cstdio>
#include <memory>
#include <set>
#include <utility>

#include "archive/archive.hpp"
#include "archive/journal.hpp"
#include "archive/records.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "compare_records.hpp"
#include "load_sweep.hpp"
#include "parallel/agree.hpp"
#include "run_support.hpp"
#include "sweep/ledger.hpp"
#include "sweep/reopen.hpp"
#include "sweep/run.hpp"

namespace fairfront::drivers {
namespace {

/// The archive that is replayed; its content is on rank 0 only.
struct Original {
  std::string path;
  archive::Stored stored;
  std::unique_ptr<Sweep> sweep;
  std::set<std::int64_t> tasks;  ///< to be run again
};

/// One text with all of a config, for a broadcast: no value has a line break.
std::string packed(const sweep::StoredConfig& config) {
  return base::join(config.assignments, "\n") + "\n\n" + config.text;
}

std::unique_ptr<Sweep> unpacked(const std::string& text, const std::string& file) {
  const std::size_t end = text.find("\n\n");
  std::vector<std::string> assignments =
      base::split_outside_parentheses(std::string_view{text}.substr(0, end), '\n');
  return std::make_unique<Sweep>(load_sweep(text.substr(end + 2), file, assignments));
}

/// Those that --task names, or all that the archive has a result of.
std::set<std::int64_t> chosen_tasks(const Call& call, const archive::TaskTable& table) {
  const std::int64_t tasks = std::ssize(table.key);
  std::set<std::int64_t> chosen;
  const auto has_run = [&](std::int64_t task) {
    return table.status[static_cast<std::size_t>(task)] != archive::TaskStatus::missing;
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
      throw base::InputError(fmt::format("replay: --task {}: the archive has no result", task));
    }
    chosen.insert(task);
  }
  return chosen;
}

/// Data, options and solvers must be those of the archive, or no result could be the same. Rank 0.
void require_same_sweep(const Original& original, const sweep::RunContext& context) {
  const Sweep& sweep = *original.sweep;
  const auto problems = sweep::forecast_problems(sweep.experiment, sweep.plan, context, 1);
  const auto difference = archive::first_difference(archive::sweep_of(original.stored.content),
                                                    sweep::header_of(sweep.plan, problems, ""));
  if (!difference) return;
  throw base::InputError(fmt::format("'{}' cannot be replayed with this program and data: {}",
                                     original.path, *difference));
}

/// Collective: rank 0 reads the archive, every rank makes the plan and knows the tasks.
Original open_original(const Call& call, const sweep::RunContext& context) {
  Original original;
  original.path = call.values["ARCHIVE"].as<std::string>();
  std::string config;
  on_root(call.world, [&] {
    original.stored = archive::read(original.path);
    config =
        packed(sweep::stored_config(original.stored.content.config, original.stored.content.axes));
    original.tasks = chosen_tasks(call, original.stored.content.tasks);
  });
  config = parallel::broadcast(call.world, 0, std::move(config));
  parallel::agree(call.world, "", [&] {
    original.sweep = unpacked(config, original.path);
    if (call.world.is_root()) require_same_sweep(original, context);
  });
  return original;
}

sweep::RunSettings settings_of(const Call& call, const Original& original) {
  sweep::RunSettings settings = common_settings(call);
  settings.journal = archive::journal_path(original.path + ".replay");
  const bool resume = call.values.count("resume") > 0;
  settings.continuation = resume ? sweep::Continuation::resume : sweep::Continuation::fresh;
  settings.selected = [&original](std::int64_t task) { return original.tasks.contains(task); };
  return settings;
}

/// On rank 0.
base::ExitCode report(const Original& original, const archive::Content& replayed) {
  std::vector<archive::TaskRecord> there = archive::records_of(original.stored.content);
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (original.tasks.contains(static_cast<std::int64_t>(i))) continue;
    there[i].status = archive::TaskStatus::missing;
  }
  const Comparison result =
      compare_records(there, archive::records_of(replayed), original.sweep->plan, 0);
  fmt::print("{}", result.text);
  const std::string digest = archive::results_digest(replayed);
  if (result.different + result.only_there + result.only_here > 0) {
    fmt::print("{}: {} of {} tasks give other results\n", original.path, result.different,
               original.tasks.size());
    return base::ExitCode::some_tasks_failed;
  }
  fmt::print("{}: {} tasks replayed, every bit is the same{}\n", original.path,
             original.tasks.size(),
             digest == original.stored.digest ? fmt::format(", digest {}", digest) : "");
  return base::ExitCode::done;
}

base::ExitCode execute_replay(const Call& call) {
  refuse_singletons(call.world);
  const sweep::RunContext context = context_of(call.values);
  const Original original = open_original(call, context);
  sweep::RunSettings settings;
  parallel::agree(call.world, "", [&] { settings = settings_of(call, original); });
  on_root(call.world, [&] {
    if (settings.continuation == sweep::Continuation::fresh) discard_journal(settings.journal);
  });
  const sweep::RunOutcome outcome = run_and_warn(call, *original.sweep, context, settings);
  if (outcome.end == sweep::RunEnd::interrupted) {
    return report_interruption(call, settings.journal, outcome);
  }
  base::ExitCode code = base::ExitCode::done;
  on_root(call.world, [&] {
    code = report(original, outcome.content);
    archive::remove_journal(settings.journal);
  });
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
      "Exit status 0 when all results are the same, 1 when one is not.\n";
  command.collective = true;
  command.execute = execute_replay;
  namespace options = boost::program_options;
  command.options.add_options()(
      "task", options::value<std::vector<std::int64_t>>()->composing()->value_name("K"),
      "only this task (a row of /tasks, from 0); may be repeated")(
      "resume", "go on with a replay that was interrupted");
  add_data_options(command.options);
  add_run_options(command.options);
  return command;
}

}  // namespace fairfront::drivers
