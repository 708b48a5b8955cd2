#include "sweep/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/shared_pages.hpp"
#include "base/stop.hpp"
#include "journal/journal.hpp"
#include "parallel/agree.hpp"
#include "parallel/node_shelf.hpp"
#include "parallel/task_queue.hpp"
#include "sweep/attempt.hpp"
#include "sweep/columns_of_tasks.hpp"
#include "sweep/front_collector.hpp"
#include "sweep/ledger.hpp"
#include "sweep/monitor.hpp"
#include "sweep/shared_forecast.hpp"
#include "sweep/trials.hpp"
#include "sweep/watched_source.hpp"

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

/// One text per problem on every rank, from rank 0. Collective.
std::vector<std::string> share_digests(const parallel::Comm& world,
                                       const std::vector<PlannedProblem>& problems) {
  std::vector<std::string> digests;
  for (const PlannedProblem& problem : problems) digests.push_back(problem.forecast.data.digest);
  return parallel::broadcast(world, 0, std::move(digests));
}

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
  [[nodiscard]] std::int64_t waiting(Together which) const;
  [[nodiscard]] bool is_one_phase() const;
  void run_phase(Together which);
  [[nodiscard]] bool run_trials();
  [[nodiscard]] std::optional<std::vector<PlannedTrial>> plan_trials();
  [[nodiscard]] TrialOutcomes make_planned(const parallel::Comm& alone,
                                           const std::vector<PlannedTrial>& trials);
  [[nodiscard]] bool run_trial(const parallel::Comm& team, const PlannedTrial& planned,
                               TrialOutcomes& outcomes);
  void run_tasks(const parallel::Comm& team, parallel::TaskQueue& queue);
  using Records = std::vector<results::TaskRecord>;
  [[nodiscard]] std::vector<std::int64_t> next_tasks(const parallel::Comm& team,
                                                     parallel::TaskQueue& queue,
                                                     const std::vector<parallel::Finished>& last);
  [[nodiscard]] std::vector<Task> tasks_of(const std::vector<std::int64_t>& indices) const;
  [[nodiscard]] std::vector<parallel::Finished> run_claimed(const parallel::Comm& team,
                                                            const std::vector<Task>& tasks);
  [[nodiscard]] parallel::Finished take(const parallel::Comm& team, std::int64_t index,
                                        const results::TaskRecord& record);
  [[nodiscard]] std::optional<Records> run_abreast(const parallel::Comm& team,
                                                   const std::vector<Task>& tasks);
  [[nodiscard]] std::optional<results::TaskRecord> run_task(const parallel::Comm& team,
                                                            const Task& task);
  [[nodiscard]] results::TaskRecord record_of(const Task& task, TaskResult result,
                                              const std::optional<Failure>& failure) const;
  /// A task or a trial.
  struct Piece {
    std::string key;         ///< of its checkpoint
    std::string name;        ///< for messages
    std::int64_t task = -1;  ///< that the queue has given
  };
  using Work = std::function<Ending(const RunContext&)>;
  [[nodiscard]] std::optional<Ending> run_piece(const parallel::Comm& team, const Piece& piece,
                                                const Work& work);
  [[nodiscard]] Ending try_task(const parallel::Comm& team, const Task& task,
                                const RunContext& context, TaskResult& result) const;
  void warn_of_checkpoint(const Piece& piece, const std::string& reason);
  [[nodiscard]] std::optional<Failure> failure_of_result(const TaskResult& result) const;
  void give_up(const Piece& piece, const Failure& failure);
  [[nodiscard]] RunContext context_of(const parallel::Comm& team, const Piece& piece);
  void advance(std::int64_t task, double fraction);
  void keep(const results::TaskRecord& record);
  void note_restored_log();
  void warn(const std::string& text);
  [[nodiscard]] std::int64_t team_size(std::int64_t tasks) const;
  void save_checkpoint(const std::string& key, const std::string& state);
  [[nodiscard]] std::optional<std::string> load_checkpoint(const std::string& key) const;
  void watch_journal();
  [[nodiscard]] bool stop_wanted() {
    watch_journal();
    return error_ || time_is_up() || signal_has_come();
  }
  [[nodiscard]] bool time_is_up() const { return seconds_since(begin_) >= settings_.seconds; }
  [[nodiscard]] bool signal_has_come() const {
    return settings_.stop_wanted && settings_.stop_wanted();
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

  std::vector<PlannedProblem> problems_;  ///< on rank 0
  std::optional<Ledger> ledger_;          ///< on rank 0
  std::vector<std::string> digests_;
  std::shared_ptr<const TrialOutcomes> trials_;
  int launch_ = 0;
  FrontCollector fronts_;                          ///< of the tasks that this rank has run
  std::optional<journal::JournalWriter> journal_;  ///< on every rank that may be a team's root
  std::exception_ptr error_;  ///< ends the run in order: the journal cannot be written, or a task
                              ///< ended for a reason that is not its own
  parallel::TaskQueue* queue_ = nullptr;  ///< while tasks run
  Clock::time_point advance_due_;         ///< when the running task tells next how far it is
  std::int64_t ran_ = 0;
  int times_restored_ = 0;  ///< that were told
};

RunOutcome Runner::run() {
  prepare();
  if (is_one_phase()) {
    if (run_trials()) run_phase(Together::all);
  } else {
    run_phase(Together::coupled);
    if (run_trials()) run_phase(Together::alone);
  }
  return finish();
}

void Runner::prepare() {
  problems_ = forecast_problems_together(world_, experiment_, plan_, context_,
                                         [this] { return signal_has_come(); });
  parallel::agree(world_, "", [&] {
    if (world_.is_root()) ledger_.emplace(plan_, experiment_, problems_, settings_);
  });
  digests_ = share_digests(world_, problems_);
  launch_ = static_cast<int>(parallel::all_reduce_max(world_, ledger_ ? ledger_->launch() : 0));
  parallel::agree(world_, "", [&] { journal_.emplace(settings_.journal, launch_, world_.rank()); });
  if (ledger_) {
    for (const std::string& warning : warnings_of(problems_)) progress_.warn(warning);
    progress_.begin(ledger_->selected(), ledger_->done() + ledger_->failed(), ledger_->failed());
    progress_.set_earlier(ledger_->other_done(), ledger_->other_failed(),
                          ledger_->earlier_seconds());
  }
}

std::int64_t Runner::team_size(std::int64_t tasks) const {
  const std::int64_t ranks = world_.size();
  if (settings_.team_size > 0) return std::min(settings_.team_size, ranks);
  return std::clamp<std::int64_t>(ranks / std::max<std::int64_t>(tasks, 1), 1, ranks);
}

/// Collective over the world.
std::int64_t Runner::waiting(Together which) const {
  return parallel::all_reduce_max(world_, ledger_ ? ledger_->waiting(which) : 0);
}

/// Where every rank is a team, tasks of all kinds are handed out from one schedule: it knows what
/// each kind takes, and nobody waits between two phases. Collective over the world.
bool Runner::is_one_phase() const { return team_size(waiting(Together::coupled)) == 1; }

/// Teams pull tasks until none is left. Collective over the world.
void Runner::run_phase(Together which) {
  const std::int64_t tasks = waiting(which);
  if (tasks == 0) return;
  const std::int64_t size = which == Together::coupled ? team_size(tasks) : 1;
  const std::int64_t teams = (world_.size() + size - 1) / size;
  const parallel::Comm team = world_.split(static_cast<int>(world_.rank() / size));
  std::unique_ptr<Schedule> schedule;
  std::optional<WatchedSource> source;
  if (ledger_) {
    ScheduleOptions options;
    options.deadline = settings_.seconds;
    options.clock = [this] { return std::chrono::duration<double>(Clock::now() - begin_); };
    options.probe = true;
    schedule = ledger_->schedule(which, options);
    const bool more = which == Together::coupled && ledger_->waiting(Together::alone) > 0;
    source.emplace(*schedule, *ledger_, progress_, teams, more);
  }
  parallel::TaskQueue queue(world_, source ? &*source : nullptr, teams);
  queue_ = &queue;
  {
    const auto look = [&] {
      if (time_is_up() || signal_has_come()) schedule->stop();
      queue.with_source_locked([&] { source->look(); });
    };
    const Monitor monitor(
        world_.is_root(), [this] { return journal_->folder_for_others(); }, world_.size(),
        progress_, look);
    run_tasks(team, queue);
    queue_ = nullptr;
    queue.finish();
  }
}

/// What the team runs next, on all its ranks: several tasks for a team of one, at most; nothing
/// when none is left. Collective over the team.
std::vector<std::int64_t> Runner::next_tasks(const parallel::Comm& team, parallel::TaskQueue& queue,
                                             const std::vector<parallel::Finished>& last) {
  std::vector<std::int64_t> tasks;
  if (team.is_root()) {
    for (std::size_t i = 0; i + 1 < last.size(); ++i) queue.report(last[i]);
    const parallel::Finished newest = last.empty() ? parallel::Finished{} : last.back();
    if (stop_wanted()) {
      queue.withdraw(newest);
    } else {
      tasks = queue.claim_several(newest);
    }
  }
  if (team.size() == 1) return tasks;
  const std::int64_t task = parallel::all_reduce_max(team, tasks.empty() ? -1 : tasks.front());
  return task < 0 ? std::vector<std::int64_t>{} : std::vector{task};
}

void Runner::run_tasks(const parallel::Comm& team, parallel::TaskQueue& queue) {
  std::vector<parallel::Finished> last;
  for (std::vector<std::int64_t> indices; !(indices = next_tasks(team, queue, last)).empty();) {
    last = run_claimed(team, tasks_of(indices));
    if (last.size() == indices.size()) continue;
    if (!team.is_root()) return;  // interrupted: checkpoints are for the resumed run
    for (const parallel::Finished& finished : last) queue.report(finished);
    return queue.withdraw();
  }
}

std::vector<Task> Runner::tasks_of(const std::vector<std::int64_t>& indices) const {
  std::vector<Task> tasks;
  for (const std::int64_t index : indices) {
    Task& task = tasks.emplace_back(plan_.task(index));
    task.key = plan_.key_of(task, digests_.at(static_cast<std::size_t>(plan_.problem_of(index))));
  }
  return tasks;
}

/// The tasks up to the first that was interrupted. Collective over the team.
std::vector<parallel::Finished> Runner::run_claimed(const parallel::Comm& team,
                                                    const std::vector<Task>& tasks) {
  std::vector<parallel::Finished> finished;
  if (tasks.size() > 1) {
    if (const std::optional<Records> records = run_abreast(team, tasks)) {
      for (std::size_t i = 0; i < records->size(); ++i) {
        finished.push_back(take(team, tasks[i].index, (*records)[i]));
      }
      return finished;
    }
  }
  for (const Task& task : tasks) {
    if (world_.is_root()) progress_.begin_task(plan_.label(task));
    const std::optional<results::TaskRecord> record = run_task(team, task);
    if (!record) break;
    finished.push_back(take(team, task.index, *record));
  }
  return finished;
}

/// Puts what a task came to where it is kept.
parallel::Finished Runner::take(const parallel::Comm& team, std::int64_t index,
                                const results::TaskRecord& record) {
  if (team.is_root()) {
    fronts_.add(index, record.result.front);
    keep(record);
  }
  return {index, record.seconds, record.status == results::TaskStatus::failed};
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

/// Makes the trials of all tasks that wait, each on one rank, as long as what they come to asks for
/// more. False when some are left, since the run ends early. Collective over the world.
bool Runner::run_trials() {
  const parallel::Comm alone = world_.split(world_.rank());
  auto known = std::make_shared<TrialOutcomes>();
  trials_ = known;
  for (;;) {
    const std::optional<std::vector<PlannedTrial>> planned = plan_trials();
    if (!planned) return false;
    if (planned->empty()) return true;
    TrialOutcomes made = make_planned(alone, *planned);
    const bool all = made.size() == planned->size();
    known->merge(made);
    if (!all) return false;
  }
}

/// Those that are not known, on every rank; nothing where the run ends early. Collective.
std::optional<std::vector<PlannedTrial>> Runner::plan_trials() {
  std::vector<PlannedTrial> trials;
  bool stopped = false;
  parallel::agree(world_, "", [&] {
    if (!ledger_) return;
    const base::StopScope scope([this] { return signal_has_come(); });
    try {
      trials =
          planned_trials(experiment_, plan_, ledger_->waiting_tasks(Together::alone), *trials_);
    } catch (const base::Interrupted&) {
      stopped = true;
    }
  });
  if (parallel::all_reduce_max(world_, stopped ? 1 : 0) != 0) return std::nullopt;
  return share_trials(world_, trials);
}

/// Collective over the world. @param alone  this rank.
TrialOutcomes Runner::make_planned(const parallel::Comm& alone,
                                   const std::vector<PlannedTrial>& trials) {
  const Monitor monitor(
      world_.is_root(), [this] { return journal_->folder_for_others(); }, world_.size(), progress_);
  const auto make = [&](std::size_t place, TrialOutcomes& outcomes) {
    const PlannedTrial& trial = trials[place];
    if (world_.is_root()) {
      progress_.begin_task(fmt::format("trial {} of {}: {}", place + 1, trials.size(),
                                       plan_.label(plan_.task(trial.task))));
    }
    return run_trial(alone, trial, outcomes);
  };
  return make_trials(
      world_, trials.size(), [this] { return stop_wanted(); }, make);
}

/// False when the trial stopped before its end, or for a reason that is not its own.
bool Runner::run_trial(const parallel::Comm& team, const PlannedTrial& planned,
                       TrialOutcomes& outcomes) {
  const Task task = plan_.task(planned.task);
  const Task trial = experiment_.trials(task, *trials_)[static_cast<std::size_t>(planned.place)];
  const Piece piece{address_of(trial), fmt::format("trial {} of task {} ({})", planned.place,
                                                   task.index, plan_.label(task))};
  TrialOutcome outcome;
  const std::optional<Ending> ending = run_piece(team, piece, [&](const RunContext& context) {
    return attempt(world_, team,
                   [&] { outcome.score = score_of_trial(experiment_, team, trial, context); });
  });
  if (!ending) return false;
  if (ending->failure) outcome.failure = ending->failure->message;
  outcomes.emplace(piece.key, std::move(outcome));
  return true;
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
    context.report = [this, task = piece.task](const TaskProgress& progress) {
      if (task >= 0) advance(task, progress.fraction);
      if (!world_.is_root()) return;
      progress_.report(progress);
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
void Runner::advance(std::int64_t task, double fraction) {
  constexpr double most_a_second = 500;  // of all ranks together
  const auto now = Clock::now();
  if (now < advance_due_ || queue_ == nullptr) return;
  const double interval = std::max(1.0, static_cast<double>(world_.size()) / most_a_second);
  advance_due_ =
      now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(interval));
  queue_->advance({task, fraction});
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

/// When somebody has deleted or moved the journal's folder, this rank's log is there again by now.
void Runner::note_restored_log() {
  if (journal_->times_restored() == times_restored_) return;
  times_restored_ = journal_->times_restored();
  if (ledger_) ledger_->lock_again(journal_->folder());
  warn(fmt::format(
      "the journal '{}' was deleted or moved while the run goes on; rank {} has written "
      "its tasks there again, those of earlier launches are gone",
      settings_.journal, world_.rank()));
}

/// Also while a task takes hours, so that it is not found at the end that its place is gone.
void Runner::watch_journal() {
  if (!journal_ || error_) return;
  try {
    journal_->watch();
    note_restored_log();
  } catch (...) {
    error_ = std::current_exception();
  }
}

void Runner::warn(const std::string& text) {
  if (world_.is_root()) {
    progress_.warn(text);
  } else if (settings_.warn) {
    settings_.warn(text);
  }
}

/// Puts the record into the journal. A failure ends the run for all, but in order.
void Runner::keep(const results::TaskRecord& record) {
  try {
    journal_->append(record);
    note_restored_log();
    journal::remove_checkpoint(journal_->folder(), record.key);
    ++ran_;
  } catch (...) {
    error_ = std::current_exception();
  }
}

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

/// Collective.
RunOutcome Runner::finish() {
  parallel::agree(world_, "", [&] { close_journal(); });
  RunOutcome outcome;
  parallel::agree(world_, "", [&] {
    if (!ledger_) return;
    progress_.end();
    std::vector<results::TaskRecord> records = ledger_->collect();
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto task = static_cast<std::int64_t>(i);
      if (ledger_->had_result(task)) fronts_.add(task, records[i].result.front);
      if (!ledger_->is_selected(task)) continue;
      ++(records[i].status == results::TaskStatus::done     ? outcome.done
         : records[i].status == results::TaskStatus::failed ? outcome.failed
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
  context.cache->share(std::make_shared<parallel::NodeShelf>(world));
  return Runner(world, experiment, plan, context, settings, progress).run();
}

}  // namespace fairfront::sweep
