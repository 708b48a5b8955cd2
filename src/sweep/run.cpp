#include "sweep/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "data/readers/reading_scope.hpp"
#include "journal/journal.hpp"
#include "parallel/agree.hpp"
#include "parallel/node_shelf.hpp"
#include "parallel/task_queue.hpp"
#include "sweep/front_collector.hpp"
#include "sweep/ledger.hpp"
#include "sweep/monitor.hpp"
#include "sweep/runner.hpp"
#include "sweep/shared_forecast.hpp"
#include "sweep/watched_source.hpp"

namespace fairfront::sweep {
namespace {

/// One text per problem on every rank, from rank 0. Collective.
std::vector<std::string> share_digests(const parallel::Comm& world,
                                       const std::vector<PlannedProblem>& problems) {
  std::vector<std::string> digests;
  for (const PlannedProblem& problem : problems) digests.push_back(problem.forecast.data.digest);
  return parallel::broadcast(world, 0, std::move(digests));
}

/// At most 1; less where a node has more ranks than cores. Collective.
double cores_a_rank(const parallel::Comm& world) {
  constexpr double parts = 1e6;  // reductions are of integers
  const auto cores = static_cast<double>(std::max(1U, std::thread::hardware_concurrency()));
  const auto ranks = static_cast<double>(world.split_by_node().size());
  const double share = std::clamp(cores / ranks, 1 / parts, 1.0);
  const auto least = parallel::all_reduce_min(world, static_cast<std::int64_t>(parts * share));
  return static_cast<double>(least) / parts;
}

}  // namespace

RunOutcome Runner::run() {
  prepare();
  const data::ReadingScope progress_tells_instead(data::ReadingScope::Told{});
  const bool one_phase = is_one_phase();
  if (ledger_) expect_stages(one_phase);
  phases_.end("schedule");
  if (one_phase) {
    if (run_trials()) run_phase(Together::all);
  } else {
    run_phase(Together::coupled);
    if (run_trials()) run_phase(Together::alone);
  }
  return finish();
}

/// On rank 0.
void Runner::expect_stages(bool one_phase) {
  time_left_ = ledger_->time_left(world_.size(), cores_a_rank_, [this] {
    return std::chrono::duration<double>(Clock::now() - begin_);
  });
  const auto expect = [&](Together which) {
    std::vector<TaskCost> costs;
    for (const std::int64_t task : ledger_->waiting_tasks(which)) {
      costs.push_back(ledger_->cost(task));
    }
    if (costs.empty()) return;
    const std::int64_t size = which == Together::coupled ? team_size(std::ssize(costs)) : 1;
    time_left_->expect((world_.size() + size - 1) / size, costs);
  };
  if (one_phase) return expect(Together::all);
  expect(Together::coupled);
  expect(Together::alone);
}

void Runner::prepare() {
  problems_ = forecast_problems_together(world_, experiment_, plan_, context_,
                                         [this] { return signal_has_come(); });
  phases_.end("problems");
  digests_ = share_digests(world_, problems_);
  std::vector<TaskKey> keys = make_keys(world_, plan_, digests_);
  parallel::agree(world_, "", [&] {
    if (!world_.is_root()) return;
    ledger_.emplace(plan_, experiment_, problems_, std::move(keys), settings_);
  });
  launch_ = static_cast<int>(parallel::all_reduce_max(world_, ledger_ ? ledger_->launch() : 0));
  parallel::agree(world_, "", [&] { journal_.emplace(settings_.journal, launch_, world_.rank()); });
  if (ledger_) {
    for (const std::string& warning : warnings_of(problems_)) progress_.warn(warning);
    progress_.begin(ledger_->selected(), ledger_->done() + ledger_->failed(), ledger_->failed());
    progress_.set_earlier(ledger_->other_done(), ledger_->other_failed(),
                          ledger_->earlier_seconds());
  }
  cores_a_rank_ = cores_a_rank(world_);
  phases_.end("keys and journal");
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
    source.emplace(*schedule, *ledger_, progress_, *time_left_);
    time_left_->begin_stage();
  }
  phases_.end("schedule");
  parallel::TaskQueue queue(world_, source ? &*source : nullptr, teams);
  queue_ = &queue;
  {
    const auto look = [&] {
      if (time_is_up() || signal_has_come()) schedule->stop();
      source->look();
    };
    const Monitor monitor(
        world_.is_root(), [this] { return journal_->folder_for_others(); }, world_.size(),
        progress_, look);
    run_tasks(team, queue);
    queue_ = nullptr;
    queue.finish();
  }
  phases_.end("tasks");
  if (time_left_) time_left_->end_stage();
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

RunOutcome run(const parallel::Comm& world, const Experiment& experiment, const Plan& plan,
               const RunContext& context, const RunSettings& settings, Progress& progress) {
  context.cache->share(std::make_shared<parallel::NodeShelf>(world));
  return Runner(world, experiment, plan, context, settings, progress).run();
}

}  // namespace fairfront::sweep
