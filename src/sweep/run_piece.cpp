#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "base/cpu_time.hpp"
#include "base/error.hpp"
#include "base/shared_pages.hpp"
#include "journal/journal.hpp"
#include "sweep/archiving.hpp"
#include "sweep/columns_of_tasks.hpp"
#include "sweep/runner.hpp"

namespace fairfront::sweep {
namespace {

using Clock = std::chrono::steady_clock;

/// Tasks that are shorter say nothing of how far they are.
constexpr std::chrono::milliseconds first_advance{250};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// By the clock of this host.
double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

/// The tasks up to the first that was interrupted. Collective over the team.
std::vector<parallel::Finished> Runner::run_claimed(const parallel::Comm& team,
                                                    const std::vector<Task>& tasks) {
  prepared_ = context_.cache->seconds();  // forecasts and trials have prepared, too
  std::vector<parallel::Finished> finished;
  begin_to_count();
  if (tasks.size() > 1) {
    if (const std::optional<Records> records = run_abreast(team, tasks)) {
      const double each = cpu_of_task() / static_cast<double>(tasks.size());
      for (std::size_t i = 0; i < records->size(); ++i) {
        finished.push_back(take(team, tasks[i].index, (*records)[i], each));
      }
      return finished;
    }
  }
  for (const Task& task : tasks) {
    if (world_.is_root()) progress_.begin_task(plan_.label(task));
    begin_to_count();
    const std::optional<results::TaskRecord> record = run_task(team, task);
    if (!record) break;
    finished.push_back(take(team, task.index, *record, cpu_of_task()));
  }
  return finished;
}

/// What follows is done by a task.
void Runner::begin_to_count() {
  begun_ = Clock::now();
  cpu_before_ = base::cpu_seconds() - context_.cache->cpu_seconds();
}

/// CPU seconds, but for what other tasks of this rank need not do again.
double Runner::cpu_of_task() const {
  return base::cpu_seconds() - context_.cache->cpu_seconds() - cpu_before_;
}

/// Puts what a task came to where it is kept.
/// @param cpu_seconds  see cpu_of_task().
parallel::Finished Runner::take(const parallel::Comm& team, std::int64_t index,
                                const results::TaskRecord& record, double cpu_seconds) {
  if (team.is_root()) {
    fronts_.add(index, record.result.front);
    own_tasks_.emplace(TaskKey::of(record.key), index);
    keep(record);
  }
  const double prepared = context_.cache->seconds();
  return {index,
          record.seconds,
          record.status == results::TaskStatus::failed,
          prepared - std::exchange(prepared_, prepared),
          seconds_to_archive(record.result, world_.size()),
          cpu_seconds};
}

/// None when they were interrupted. Nothing when any of them fails: alone, it says how and why.
std::optional<Runner::Records> Runner::run_abreast(const parallel::Comm& team,
                                                   const std::vector<Task>& tasks) {
  const auto begin = Clock::now();
  const double started = unix_time();
  if (world_.is_root()) {
    progress_.begin_task(
        fmt::format("{} and {} beside it", plan_.label(tasks.front()), tasks.size() - 1));
  }
  RunContext context = context_of(team, {});
  context.save_checkpoint = nullptr;
  context.load_checkpoint = nullptr;
  std::vector<TaskResult> found;
  const Ending ending = attempt(world_, team, [&] {
    found = experiment_.run_abreast(team, tasks, context);
    for (const TaskResult& result : found) check_result(schema_, result);
  });
  if (ending.interrupted) return Records{};
  if (ending.failure) return std::nullopt;
  Records records;
  const double each = seconds_since(begin) / static_cast<double>(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    records.push_back(record_of(tasks[i], std::move(found[i]), {}));
    records.back().started = started;
    records.back().seconds = each;
  }
  return records;
}

/// Nothing when the task stopped before its end, or for a reason that is not its own. Collective
/// over the team.
std::optional<results::TaskRecord> Runner::run_task(const parallel::Comm& team, const Task& task) {
  const auto begin = Clock::now();
  const double started = unix_time();
  const Piece piece{task.key, fmt::format("task {} ({})", task.index, plan_.label(task)),
                    task.index};
  TaskResult result;
  const std::optional<Ending> ending = run_piece(team, piece, [&](const RunContext& context) {
    return try_task(team, task, context, result);
  });
  if (!ending) return std::nullopt;
  results::TaskRecord record = record_of(task, std::move(result), ending->failure);
  record.started = started;
  record.seconds = seconds_since(begin);
  constexpr double worth_it = 0.5;  // seconds: pages come back in milliseconds
  if (record.seconds > worth_it) base::give_back_freed_pages();
  return record;
}

/// Without its times.
results::TaskRecord Runner::record_of(const Task& task, TaskResult result,
                                      const std::optional<Failure>& failure) const {
  results::TaskRecord record;
  record.key = task.key;
  record.status = failure ? results::TaskStatus::failed : results::TaskStatus::done;
  if (!failure) record.result = std::move(result);
  record.message = failure ? failure->message : std::exchange(record.result.remark, {});
  record.model = std::exchange(record.result.model, {});
  record.rank = world_.rank();
  record.attempt = launch_ + 1;
  return record;
}

/// From its checkpoint, or anew where that cannot be used. Nothing when it stopped before its end,
/// or for a reason that is not its own. Collective over the team.
std::optional<Ending> Runner::run_piece(const parallel::Comm& team, const Piece& piece,
                                        const Work& work) {
  RunContext context = context_of(team, piece);
  Ending ending = work(context);
  if (ending.failure && ending.failure->fault == base::Fault::checkpoint) {
    if (team.is_root()) warn_of_checkpoint(piece, ending.failure->message);
    context.load_checkpoint = nullptr;
    ending = work(context);
  }
  if (ending.interrupted) return std::nullopt;
  if (ending.failure && ending.failure->fault != base::Fault::input) {
    give_up(piece, *ending.failure);
    return std::nullopt;
  }
  return ending;
}

/// Collective over the team.
Ending Runner::try_task(const parallel::Comm& team, const Task& task, const RunContext& context,
                        TaskResult& result) const {
  Ending ending = attempt(world_, team, [&] { result = experiment_.run(team, task, context); });
  if (ending.interrupted) return ending;
  if (!ending.failure && team.is_root()) ending.failure = failure_of_result(result);
  ending.failure = share_failure(team, ending.failure);
  return ending;
}

/// On the team's rank 0.
void Runner::warn_of_checkpoint(const Piece& piece, const std::string& reason) {
  warn(fmt::format("the checkpoint '{}' cannot be used, {} starts anew: {}",
                   journal::checkpoint_path(settings_.journal, piece.key), piece.name, reason));
}

/// Nothing when the result is what the experiment has promised.
std::optional<Failure> Runner::failure_of_result(const TaskResult& result) const {
  try {
    check_result(schema_, result);
    return std::nullopt;
  } catch (...) {
    return Failure{base::message_of(std::current_exception()),
                   base::fault_of(std::current_exception())};
  }
}

/// A failure that says nothing about the task: nothing is recorded for it, this team takes no other
/// one, and the run ends in order when the others have finished theirs.
void Runner::give_up(const Piece& piece, const Failure& failure) {
  const std::string reason =
      failure.fault == base::Fault::data
          ? "; before the run, rank 0 could read these data, so it is no result of the task"
          : "";
  error_ = std::make_exception_ptr(base::InternalError(
      fmt::format("{} has no result: {}{}", piece.name, failure.message, reason)));
}

RunContext Runner::context_of(const parallel::Comm& team, const Piece& piece) {
  RunContext context = context_;
  if (team.is_root()) {
    advance_due_ = Clock::now() + first_advance;
    context.report = [this, task = piece.task,
                      is_trial = piece.is_trial](const TaskProgress& progress) {
      if (task >= 0) advance(task, progress);
      if (!world_.is_root()) return;
      // How far a trial has come is no part of the tasks, which come after it.
      progress_.report(is_trial ? TaskProgress{0, progress.text, 0} : progress);
      if (context_.report) context_.report(progress);
    };
  }
  context.trials = trials_;
  context.stop_wanted = [this] { return stop_wanted(); };
  context.checkpoint_seconds = settings_.checkpoint_seconds;
  if (team.is_root()) {
    context.save_checkpoint = [this, key = piece.key](const std::string& state) {
      save_checkpoint(key, state);
    };
    context.load_checkpoint = [this, key = piece.key] { return load_checkpoint(key); };
  }
  return context;
}

/// Tells rank 0, once in a while, so that it knows how much is left of tasks that take long.
void Runner::advance(std::int64_t task, const TaskProgress& progress) {
  constexpr double most_a_second = 500;  // of all ranks together
  const auto now = Clock::now();
  if (now < advance_due_ || queue_ == nullptr) return;
  const double interval = std::max(1.0, static_cast<double>(world_.size()) / most_a_second);
  advance_due_ =
      now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(interval));
  queue_->advance({.task = task,
                   .fraction = progress.fraction,
                   .writing = seconds_to_keep_labels(progress.label_bytes, world_.size()),
                   .seconds_left = progress.seconds_left,
                   .seconds = seconds_since(begun_),
                   .preparing = context_.cache->seconds() - prepared_,
                   .cpu_seconds = cpu_of_task()});
}

/// @throws base::CheckpointError  it cannot be read, or is damaged.
std::optional<std::string> Runner::load_checkpoint(const std::string& key) const {
  try {
    return journal::read_checkpoint(journal_->folder(), key);
  } catch (const base::InputError& error) {
    throw base::CheckpointError(error.what());
  }
}

/// A disk that takes no checkpoint is no fault of the task: it is left as the last checkpoint has
/// it, and the run ends in order.
void Runner::save_checkpoint(const std::string& key, const std::string& state) {
  if (error_) return;
  try {
    journal::write_checkpoint(journal_->folder(), key, state);
  } catch (...) {
    error_ = std::current_exception();
  }
}

}  // namespace fairfront::sweep
