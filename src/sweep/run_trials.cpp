#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/stop.hpp"
#include "journal/journal.hpp"
#include "parallel/agree.hpp"
#include "sweep/monitor.hpp"
#include "sweep/runner.hpp"
#include "sweep/trials.hpp"

namespace fairfront::sweep {

/// Makes the trials of all tasks that wait, each on one rank, as long as what they come to asks for
/// more. False when some are left, since the run ends early. Collective over the world.
bool Runner::run_trials() {
  const parallel::Comm alone = world_.split(world_.rank());
  auto known = std::make_shared<TrialOutcomes>();
  trials_ = known;
  for (;;) {
    phases_.end("tasks");
    const std::optional<std::vector<PlannedTrial>> planned = plan_trials();
    phases_.end("schedule");
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
      trials = with_probes_first(
          planned_trials(experiment_, plan_, ledger_->waiting_tasks(Together::alone), *trials_),
          [this](std::int64_t task) { return plan_.kind_of(task); });
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
  std::optional<TrialSource> source;
  if (ledger_) {
    std::vector<TaskCost> costs;
    for (const PlannedTrial& trial : trials) costs.push_back(ledger_->cost(trial.task));
    time_left_->expect_first(world_.size(), costs);
    time_left_->begin_stage();
    source.emplace(std::move(costs), *time_left_);
  }
  // What they come to may ask for more of them.
  const auto look = [&] {
    TimeEstimate estimate = time_left_->estimate();
    estimate.guessed = true;
    progress_.estimate(estimate);
  };
  const Monitor monitor(
      world_.is_root(), [this] { return journal_->folder_for_others(); }, world_.size(), progress_,
      look);
  const auto make = [&](std::size_t place, parallel::TaskQueue& queue, TrialOutcomes& outcomes) {
    const PlannedTrial& trial = trials[place];
    if (world_.is_root()) {
      progress_.begin_task(fmt::format("trial {} of {}: {}", place + 1, trials.size(),
                                       plan_.label(plan_.task(trial.task))));
    }
    queue_ = &queue;
    const bool made = run_trial(alone, place, trial, outcomes);
    queue_ = nullptr;
    return made;
  };
  TrialOutcomes outcomes = make_trials(
      world_, source ? &*source : nullptr, [this] { return stop_wanted(); }, make);
  if (time_left_) time_left_->end_stage();
  return outcomes;
}

/// False when the trial stopped before its end, or for a reason that is not its own.
bool Runner::run_trial(const parallel::Comm& team, std::size_t place, const PlannedTrial& planned,
                       TrialOutcomes& outcomes) {
  const Task task = plan_.task(planned.task);
  const Task trial = experiment_.trials(task, *trials_)[static_cast<std::size_t>(planned.place)];
  const Piece piece{
      address_of(trial),
      fmt::format("trial {} of task {} ({})", planned.place, task.index, plan_.label(task)),
      static_cast<std::int64_t>(place), true};
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

}  // namespace fairfront::sweep
