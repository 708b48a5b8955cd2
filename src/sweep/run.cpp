#include "sweep/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "archive/journal.hpp"
#include "base/text.hpp"
#include "parallel/agree.hpp"
#include "parallel/task_queue.hpp"
#include "sweep/front_collector.hpp"
#include "sweep/ledger.hpp"
#include "sweep/monitor.hpp"
#include "sweep/outcomes.hpp"
#include "sweep/problems.hpp"

namespace fairfront::sweep {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// One text per problem on every rank, from rank 0. Collective.
std::vector<std::string> share_digests(const parallel::Comm& world,
                                       const std::vector<Problem>& problems) {
  std::vector<std::string> digests;
  for (const Problem& problem : problems) digests.push_back(problem.forecast.data.digest);
  const std::string all = parallel::broadcast(world, 0, base::join(digests, ","));
  digests = base::split_outside_parentheses(all);
  return digests.empty() ? std::vector<std::string>{""} : digests;
}

/// The message of the first rank on which the task failed, on every rank; nothing when all went
/// well. Collective: it also catches a failure that the experiment did not make collective, as
/// long as no rank waits for another inside the task.
std::optional<std::string> share_failure(const parallel::Comm& team,
                                         const std::optional<std::string>& mine) {
  if (team.size() == 1) return mine;
  const auto first =
      static_cast<int>(parallel::all_reduce_min(team, mine ? team.rank() : team.size()));
  if (first == team.size()) return std::nullopt;
  return parallel::broadcast(team, first, mine.value_or(""));
}

/// What the teams do between them, as rank 0 sees it: the schedule, and every report for the
/// progress lines. Once a team leaves early, for a signal or a full disk, nothing more is begun.
class WatchedSource : public parallel::TaskSource {
 public:
  WatchedSource(Schedule& schedule, Ledger& ledger, Progress& progress)
      : schedule_{schedule}, ledger_{ledger}, progress_{progress} {}
  std::optional<std::int64_t> next(const parallel::Finished& finished) override {
    note(finished);
    return schedule_.next(finished);
  }
  void report(const parallel::Finished& finished) override {
    note(finished);
    schedule_.report(finished);
  }
  [[nodiscard]] bool may_look_ahead(std::int64_t task, std::int64_t teams) const override {
    return schedule_.may_look_ahead(task, teams);
  }
  void withdraw(const parallel::Finished& finished) override {
    note(finished);
    schedule_.withdraw(finished);
    schedule_.stop();
  }

 private:
  void note(const parallel::Finished& finished) {
    if (finished.task < 0) return;
    ledger_.mark_ran(finished.task);
    progress_.end_task(finished.failed);
  }
  Schedule& schedule_;
  Ledger& ledger_;
  Progress& progress_;
};

/// One rank's part of a run.
class Runner {
 public:
  Runner(const parallel::Comm& world, const Experiment& experiment, const Plan& plan,
         const RunContext& context, const RunSettings& settings, Progress& progress)
      : world_{world},
        experiment_{experiment},
        plan_{plan},
        context_{context},
        settings_{settings},
        progress_{progress},
        schema_{experiment.schema()},
        fronts_{plan_, schema_} {}

  RunOutcome run();

 private:
  void prepare();
  void run_phase(bool coupled);
  void run_tasks(const parallel::Comm& team, parallel::TaskQueue& queue);
  [[nodiscard]] std::int64_t next_task(const parallel::Comm& team, parallel::TaskQueue& queue,
                                       const parallel::Finished& last);
  std::optional<archive::TaskRecord> run_task(const parallel::Comm& team, const Task& task);
  [[nodiscard]] RunContext context_of(const parallel::Comm& team, const Task& task);
  void keep(const archive::TaskRecord& record);
  [[nodiscard]] std::int64_t team_size(std::int64_t tasks) const;
  void save_checkpoint(const std::string& key, const std::string& state);
  [[nodiscard]] bool stop_wanted() const {
    return journal_error_ || seconds_since(begin_) >= settings_.seconds ||
           (settings_.stop_wanted && settings_.stop_wanted());
  }
  void close_journal();
  RunOutcome finish();

  const parallel::Comm& world_;
  const Experiment& experiment_;
  const Plan& plan_;
  const RunContext& context_;
  const RunSettings& settings_;
  Progress& progress_;
  const ResultSchema schema_;
  const Clock::time_point begin_ = Clock::now();

  std::vector<Problem> problems_;  ///< on rank 0
  std::optional<Ledger> ledger_;   ///< on rank 0
  std::vector<std::string> digests_;
  int launch_ = 0;
  FrontCollector fronts_;                          ///< of the tasks that this rank has run
  std::optional<archive::JournalWriter> journal_;  ///< on every rank that may be a team's root
  std::exception_ptr journal_error_;
  std::int64_t ran_ = 0;
};

RunOutcome Runner::run() {
  prepare();
  run_phase(true);
  run_phase(false);
  return finish();
}

void Runner::prepare() {
  parallel::agree(world_, "", [&] {
    if (!world_.is_root()) return;
    problems_ = forecast_problems(experiment_, plan_, context_, world_.size());
    ledger_.emplace(plan_, experiment_, problems_, settings_);
  });
  digests_ = share_digests(world_, problems_);
  launch_ = static_cast<int>(parallel::all_reduce_max(world_, ledger_ ? ledger_->launch() : 0));
  parallel::agree(world_, "", [&] { journal_.emplace(settings_.journal, launch_, world_.rank()); });
  if (ledger_) {
    for (const std::string& warning : warnings_of(problems_)) progress_.warn(warning);
    progress_.begin(ledger_->selected(), ledger_->done() + ledger_->failed(), ledger_->failed());
  }
}

std::int64_t Runner::team_size(std::int64_t tasks) const {
  const std::int64_t ranks = world_.size();
  if (settings_.team_size > 0) return std::min(settings_.team_size, ranks);
  return std::clamp<std::int64_t>(ranks / std::max<std::int64_t>(tasks, 1), 1, ranks);
}

/// Teams pull tasks until none is left. Collective over the world.
void Runner::run_phase(bool coupled) {
  const std::int64_t tasks =
      parallel::all_reduce_max(world_, ledger_ ? ledger_->waiting(coupled) : 0);
  if (tasks == 0) return;
  const std::int64_t size = coupled ? team_size(tasks) : 1;
  const std::int64_t teams = (world_.size() + size - 1) / size;
  const parallel::Comm team = world_.split(static_cast<int>(world_.rank() / size));
  std::unique_ptr<Schedule> schedule;
  std::optional<WatchedSource> source;
  if (ledger_) {
    ScheduleOptions options;
    // A coupled task may be begun at any time: it stops at a checkpoint.
    if (!coupled) options.deadline = settings_.seconds;
    options.clock = [this] { return std::chrono::duration<double>(Clock::now() - begin_); };
    schedule = ledger_->schedule(coupled, options);
    source.emplace(*schedule, *ledger_, progress_);
  }
  parallel::TaskQueue queue(world_, source ? &*source : nullptr, teams);
  {
    const Monitor monitor(world_.is_root(), settings_.journal, world_.size(), progress_);
    run_tasks(team, queue);
    queue.finish();
  }
}

/// The next task of the team, on all its ranks; -1 when there is none. Collective over the team.
std::int64_t Runner::next_task(const parallel::Comm& team, parallel::TaskQueue& queue,
                               const parallel::Finished& last) {
  std::int64_t task = -1;
  if (team.is_root()) {
    if (stop_wanted()) {
      queue.withdraw(last);
    } else {
      task = queue.claim(last).value_or(-1);
    }
  }
  return team.size() == 1 ? task : parallel::all_reduce_max(team, task);
}

void Runner::run_tasks(const parallel::Comm& team, parallel::TaskQueue& queue) {
  parallel::Finished last;
  for (std::int64_t index; (index = next_task(team, queue, last)) >= 0;) {
    Task task = plan_.task(index);
    task.key = plan_.key_of(task, digests_.at(static_cast<std::size_t>(plan_.problem_of(index))));
    if (world_.is_root()) progress_.begin_task(plan_.label(task));
    const std::optional<archive::TaskRecord> record = run_task(team, task);
    if (!record) {  // interrupted: its checkpoint is for the resumed run
      if (team.is_root()) queue.withdraw();
      return;
    }
    if (team.is_root()) {
      fronts_.add(index, record->result.front);
      keep(*record);
    }
    last = {index, record->seconds, record->status == archive::TaskStatus::failed};
  }
}

/// Nothing when the task stopped before its end. Collective over the team.
std::optional<archive::TaskRecord> Runner::run_task(const parallel::Comm& team, const Task& task) {
  const auto begin = Clock::now();
  archive::TaskRecord record;
  record.key = task.key;
  std::optional<std::string> failure;
  try {
    record.result = experiment_.run(team, task, context_of(team, task));
    if (team.is_root()) check_result(schema_, record.result);
  } catch (const TaskInterrupted&) {
    return std::nullopt;
  } catch (const parallel::MpiError&) {
    throw;
  } catch (const std::runtime_error& error) {  // base::Error is one
    failure = error.what();
  } catch (const std::invalid_argument& error) {
    failure = error.what();
  }
  failure = share_failure(team, failure);
  record.status = failure ? archive::TaskStatus::failed : archive::TaskStatus::done;
  record.message = failure.value_or("");
  if (failure) record.result = {};
  record.seconds = seconds_since(begin);
  record.rank = world_.rank();
  record.attempt = launch_ + 1;
  return record;
}

RunContext Runner::context_of(const parallel::Comm& team, const Task& task) {
  RunContext context = context_;
  if (world_.is_root()) {
    context.report = [this](const TaskProgress& progress) {
      progress_.report(progress);
      if (context_.report) context_.report(progress);
    };
  }
  context.stop_wanted = [this] { return stop_wanted(); };
  context.checkpoint_seconds = settings_.checkpoint_seconds;
  if (team.is_root()) {
    context.save_checkpoint = [this, key = task.key](const std::string& state) {
      save_checkpoint(key, state);
    };
    context.load_checkpoint = [this, key = task.key] {
      return archive::read_checkpoint(settings_.journal, key);
    };
  }
  return context;
}

/// A disk that takes no checkpoint is no fault of the task: it is left as the last checkpoint has
/// it, and the run ends in order.
void Runner::save_checkpoint(const std::string& key, const std::string& state) {
  if (journal_error_) return;
  try {
    archive::write_checkpoint(settings_.journal, key, state);
  } catch (const base::InputError&) {
    journal_error_ = std::current_exception();
  }
}

/// Puts the record into the journal. A failure ends the run for all, but in order.
void Runner::keep(const archive::TaskRecord& record) {
  try {
    journal_->append(record);
    archive::remove_checkpoint(settings_.journal, record.key);
    ++ran_;
  } catch (const base::InputError&) {
    journal_error_ = std::current_exception();
  }
}

/// @throws base::InputError  what has gone wrong with the journal, now or before.
void Runner::close_journal() try {
  if (journal_error_) std::rethrow_exception(journal_error_);
  journal_->close();
} catch (const base::InputError& error) {
  throw base::InputError(
      fmt::format("{}; what '{}' holds is safe: go on with --resume when that is mended",
                  error.what(), settings_.journal));
}

/// Collective.
RunOutcome Runner::finish() {
  parallel::agree(world_, "", [&] { close_journal(); });
  RunOutcome outcome;
  parallel::agree(world_, "", [&] {
    if (!ledger_) return;
    progress_.end();
    std::vector<archive::TaskRecord> records = ledger_->collect(settings_.journal);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto task = static_cast<std::int64_t>(i);
      if (ledger_->had_result(task)) fronts_.add(task, records[i].result.front);
      if (!ledger_->is_selected(task)) continue;
      ++(records[i].status == archive::TaskStatus::done     ? outcome.done
         : records[i].status == archive::TaskStatus::failed ? outcome.failed
                                                            : outcome.missing);
    }
    outcome.warnings = ledger_->warnings();
    if (outcome.missing > 0) return;
    outcome.content = content_of(plan_, schema_, std::move(records));
    outcome.content.datasets = datasets_of(problems_);
    outcome.lock = ledger_->lock();
  });
  outcome.done = parallel::all_reduce_max(world_, outcome.done);
  outcome.failed = parallel::all_reduce_max(world_, outcome.failed);
  outcome.missing = parallel::all_reduce_max(world_, outcome.missing);
  outcome.ran = parallel::all_reduce_sum(world_, ran_);
  outcome.end = outcome.missing > 0 ? RunEnd::interrupted : RunEnd::complete;
  if (outcome.end == RunEnd::complete) {
    outcome.content.merged = fronts_.reduce(world_, outcome.content);
  }
  return outcome;
}

}  // namespace

RunOutcome run(const parallel::Comm& world, const Experiment& experiment, const Plan& plan,
               const RunContext& context, const RunSettings& settings, Progress& progress) {
  return Runner(world, experiment, plan, context, settings, progress).run();
}

}  // namespace fairfront::sweep
