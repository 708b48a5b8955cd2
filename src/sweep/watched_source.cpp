#include "sweep/watched_source.hpp"

namespace fairfront::sweep {

std::optional<std::int64_t> WatchedSource::next(const parallel::Finished& finished) {
  note(finished);
  const std::optional<std::int64_t> task = schedule_.next(finished);
  if (task) time_left_.begin(*task, ledger_.cost(*task));
  return task;
}

std::vector<std::int64_t> WatchedSource::companions(std::int64_t task, std::int64_t teams) {
  std::vector<std::int64_t> tasks = schedule_.companions(task, teams);
  for (const std::int64_t companion : tasks) time_left_.begin(companion, ledger_.cost(companion));
  return tasks;
}

void WatchedSource::report(const parallel::Finished& finished) {
  note(finished);
  schedule_.report(finished);
}

bool WatchedSource::may_look_ahead(std::int64_t task, std::int64_t teams) const {
  return schedule_.may_look_ahead(task, teams);
}

void WatchedSource::withdraw(const parallel::Finished& finished) {
  note(finished);
  schedule_.withdraw(finished);
  schedule_.stop();
}

void WatchedSource::look() const {
  const TimeLeft::Counts counts = time_left_.counts();
  progress_.set_running(counts.done_of_running);
  const bool at_work = counts.waiting + counts.running > 0;
  if (at_work && schedule_.stopped()) return progress_.stopping(counts.running);
  progress_.estimate(time_left_.estimate());
}

void WatchedSource::note(const parallel::Finished& finished) {
  if (finished.task < 0) return;
  time_left_.end(finished);
  ledger_.mark_ran(finished.task);
  progress_.set_running(time_left_.counts().done_of_running);
  progress_.end_task({finished.task, finished.seconds, finished.failed});
}

}  // namespace fairfront::sweep
