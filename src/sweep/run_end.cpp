#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "journal/journal.hpp"
#include "parallel/agree.hpp"
#include "parallel/texts.hpp"
#include "solvers/common/packing.hpp"
#include "sweep/columns_of_tasks.hpp"
#include "sweep/join_columns.hpp"
#include "sweep/ledger.hpp"
#include "sweep/runner.hpp"
#include "sweep/task_key.hpp"

namespace fairfront::sweep {
namespace {

using base::at;
using solvers::Packer;
using solvers::Unpacker;

/// What a rank tells of the records of a log: the log's place among all, then each record.
/// @param own  tasks that it has run itself.
void put_found(Packer& packer, std::size_t log, const std::vector<results::TaskRecord>& records,
               const std::unordered_map<TaskKey, std::int64_t, HashOfKey>& own) {
  packer.number(static_cast<std::uint64_t>(log));
  packer.number(static_cast<std::uint64_t>(records.size()));
  for (const results::TaskRecord& record : records) {
    const TaskKey key = TaskKey::of(record.key);
    const auto known = own.find(key);
    packer.number(known == own.end() ? std::int64_t{-1} : known->second);
    if (known == own.end()) packer.number(key);
    packer.number(record.status);
  }
}

/// What all ranks have told, by log.
std::vector<std::vector<FoundRecord>> take_found(const std::vector<std::string>& texts,
                                                 std::size_t logs) {
  std::vector<std::vector<FoundRecord>> found(logs);
  for (const std::string& text : texts) {
    Unpacker unpacker(text);
    while (!unpacker.at_end()) {
      std::vector<FoundRecord>& log = found.at(unpacker.number<std::uint64_t>());
      for (auto left = unpacker.number<std::uint64_t>(); left > 0; --left) {
        FoundRecord& record = log.emplace_back();
        record.task = unpacker.number<std::int64_t>();
        if (record.task < 0) record.key = unpacker.number<TaskKey>();
        record.status = unpacker.number<results::TaskStatus>();
      }
    }
  }
  return found;
}

/// Each rank reads every so manieth log: where each launch had as many ranks, its own ones, which
/// its node may still hold in memory.
template <class Use>
void for_each_log_of(const parallel::Comm& world, std::size_t logs, Use&& use) {
  for (std::size_t log = at(world.rank()); log < logs; log += at(world.size())) use(log);
}

/// The answers to what each rank has told, in its order.
std::vector<std::string> answers_of(const parallel::Comm& world,
                                    const std::vector<std::vector<Choice>>& of_logs) {
  std::vector<Packer> answers(at(world.size()));
  for (std::size_t log = 0; log < of_logs.size(); ++log) {
    Packer& answer = answers[log % at(world.size())];
    for (const Choice& choice : of_logs[log]) answer.number(choice);
  }
  std::vector<std::string> texts;
  for (Packer& answer : answers) texts.push_back(answer.take());
  return texts;
}

/// With both sides in the order of the tasks.
TaskOutcomes in_order(TaskOutcomes some) {
  std::vector<std::size_t> places(some.tasks.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::sort(places, {}, [&](std::size_t place) { return some.tasks[place]; });
  TaskOutcomes ordered;
  for (const std::size_t place : places) {
    ordered.tasks.push_back(some.tasks[place]);
    ordered.outcomes.push_back(std::move(some.outcomes[place]));
  }
  return ordered;
}

}  // namespace

/// @throws base::InputError  what has gone wrong with the journal, now or before.
/// @throws base::InternalError  what else has ended this rank's part.
void Runner::close_journal() {
  try {
    if (error_) std::rethrow_exception(error_);
    journal_->close();
    note_restored_log();
  } catch (const journal::LostJournal&) {
    throw;  // it says what is safe, and where
  } catch (...) {
    const std::exception_ptr failure = std::current_exception();
    const std::string message =
        fmt::format("{}. What '{}' holds is safe. Fix the problem, then continue with --resume.",
                    base::message_of(failure), settings_.journal);
    if (base::fault_of(failure) == base::Fault::program) throw base::InternalError(message);
    throw base::InputError(message);
  }
}

/// The records of this rank's share of the logs; and of every record, in their order, which task's
/// result it is. Collective.
std::pair<std::vector<results::TaskRecord>, std::vector<Choice>> Runner::read_share(
    std::vector<results::TaskStatus>& status) {
  std::vector<std::string> logs;
  parallel::agree(world_, "", [&] {
    if (ledger_) logs = journal::names_of_logs(ledger_->lock()->folder());
  });
  logs = parallel::broadcast(world_, 0, std::move(logs));
  Packer found;
  std::vector<results::TaskRecord> records;
  parallel::agree(world_, "", [&] {
    const auto check = [&](const results::TaskRecord& record) {
      require_storable(schema_, record);
    };
    for_each_log_of(world_, logs.size(), [&](std::size_t log) {
      std::vector<results::TaskRecord> of_log =
          journal::read_log_records(journal_->folder(), logs[log], check);
      put_found(found, log, of_log, own_tasks_);
      std::ranges::move(of_log, std::back_inserter(records));
    });
  });
  const std::vector<std::string> told = parallel::gather(world_, found.take());
  std::vector<std::string> answers;
  parallel::agree(world_, "", [&] {
    if (!ledger_) return;
    Choices choices = ledger_->choose(take_found(told, logs.size()));
    answers = answers_of(world_, choices.of_logs);
    status = std::move(choices.status);
  });
  const std::string answer = parallel::scatter(world_, answers);
  std::vector<Choice> choices;
  for (Unpacker unpacker(answer); !unpacker.at_end();) {
    choices.push_back(unpacker.number<Choice>());
  }
  return {std::move(records), std::move(choices)};
}

/// The results that this rank has read; on rank 0 also the tasks that have none. Collective.
/// @param status  on rank 0: of every task.
TaskOutcomes Runner::collect(std::vector<results::TaskStatus>& status) {
  auto [records, choices] = read_share(status);
  TaskOutcomes mine;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto [task, from_before] = choices.at(i);
    if (task < 0) continue;
    // Of this run's tasks, who has run one has its front already.
    if (from_before != 0) fronts_.add(task, records[i].result.front);
    mine.tasks.push_back(task);
    mine.outcomes.push_back(std::move(records[i]));
  }
  for (std::size_t i = 0; i < status.size(); ++i) {
    if (status[i] != results::TaskStatus::missing) continue;
    mine.tasks.push_back(static_cast<std::int64_t>(i));
    mine.outcomes.emplace_back().key = ledger_->key(mine.tasks.back());
  }
  return in_order(std::move(mine));
}

/// Of the selected tasks; the same on every rank. Collective.
void Runner::count(const std::vector<results::TaskStatus>& status, RunOutcome& outcome) const {
  for (std::size_t i = 0; i < status.size(); ++i) {
    if (!ledger_->is_selected(static_cast<std::int64_t>(i))) continue;
    ++(status[i] == results::TaskStatus::done     ? outcome.done
       : status[i] == results::TaskStatus::failed ? outcome.failed
                                                  : outcome.missing);
  }
  outcome.done = parallel::all_reduce_max(world_, outcome.done);
  outcome.failed = parallel::all_reduce_max(world_, outcome.failed);
  outcome.missing = parallel::all_reduce_max(world_, outcome.missing);
  outcome.ran = parallel::all_reduce_sum(world_, ran_);
  outcome.end = outcome.missing > 0 ? RunEnd::interrupted : RunEnd::complete;
}

/// Collective.
RunOutcome Runner::finish() {
  parallel::agree(world_, "", [&] { close_journal(); });
  phases_.end("tasks");
  RunOutcome outcome;
  if (ledger_) {
    progress_.end();
    outcome.warnings = ledger_->warnings();
  }
  std::vector<results::TaskStatus> status;
  TaskOutcomes mine = collect(status);
  count(status, outcome);
  phases_.end("reading the journal");
  if (outcome.end == RunEnd::interrupted) return outcome;
  outcome.log = {journal_->folder(), launch_, world_.rank()};
  outcome.content = join_columns(world_, plan_, schema_, std::move(mine));
  phases_.end("columns");
  outcome.content.merged = fronts_.reduce(world_, outcome.content);
  if (ledger_) {
    outcome.content.datasets = datasets_of(problems_);
    outcome.lock = ledger_->lock();
  }
  phases_.end("merged fronts");
  outcome.phases = phases_.phases();
  return outcome;
}

}  // namespace fairfront::sweep
