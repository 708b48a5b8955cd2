#include "sweep/watched_source.hpp"

namespace fairfront::sweep {

std::optional<std::int64_t> WatchedSource::next(const parallel::Finished& finished) {
  note(finished);
  return schedule_.next(finished);
}

std::vector<std::int64_t> WatchedSource::companions(std::int64_t task, std::int64_t teams) {
  return schedule_.companions(task, teams);
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
  const ScheduleState state = schedule_.state();
  if (state.waiting + state.running == 0) return;
  if (schedule_.stopped()) return progress_.stopping(state.running);
  if (!state.seconds_left) return;
  // How far a task has come may say too much: what hangs on it is no bound.
  Sureness sureness = more_ || state.missing ? Sureness::at_least : Sureness::known;
  if (state.guessed) sureness = Sureness::guessed;
  progress_.estimate(seconds_until_end(state, teams_), sureness);
}

void WatchedSource::note(const parallel::Finished& finished) {
  if (finished.task < 0) return;
  ledger_.mark_ran(finished.task);
  progress_.end_task({finished.task, finished.seconds, finished.failed});
}

}  // namespace fairfront::sweep
