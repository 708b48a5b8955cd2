/// @file
/// The trials that decide options of a sweep's tasks: each is made once, by one of the ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "parallel/comm.hpp"
#include "parallel/task_queue.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"
#include "sweep/time_left.hpp"

namespace fairfront::sweep {

/// A trial by a task that needs it.
struct PlannedTrial {
  std::int64_t task = 0;   ///< index in the plan
  std::int64_t place = 0;  ///< in Experiment::trials of that task, with what was known
};

/// The trials that the tasks need beside those that are known, in the order of the tasks, each
/// once. Local.
[[nodiscard]] std::vector<PlannedTrial> planned_trials(const Experiment& experiment,
                                                       const Plan& plan,
                                                       std::span<const std::int64_t> tasks,
                                                       const TrialOutcomes& known);

/// The same, of each kind the middle one before all others, so that it is known early what every
/// kind takes. @param kind_of  a task that needs a trial.
[[nodiscard]] std::vector<PlannedTrial> with_probes_first(
    std::vector<PlannedTrial> trials,
    const std::function<std::int64_t(std::int64_t task)>& kind_of);

/// What rank 0 has planned, on every rank. Collective.
[[nodiscard]] std::vector<PlannedTrial> share_trials(const parallel::Comm& world,
                                                     const std::vector<PlannedTrial>& trials);

/// The score of a trial. Its checkpoints hold the state of its run while that goes on, and then the
/// score, so that a resumed run makes no trial again. Collective over the team.
/// @throws  as Experiment::score.
[[nodiscard]] double score_of_trial(const Experiment& experiment, const parallel::Comm& team,
                                    const Task& trial, const RunContext& context);

/// Gives trials that wait to ranks in their order, and tells who keeps the time.
class TrialSource final : public parallel::TaskSource {
 public:
  /// @param costs  of the tasks that need the trials, about as long as they.
  TrialSource(std::vector<TaskCost> costs, TimeLeft& time_left)
      : costs_{std::move(costs)}, time_left_{time_left} {}
  std::optional<std::int64_t> next(const parallel::Finished& finished) override;
  void advance(const parallel::Advance& advance) override { time_left_.advance(advance); }
  void withdraw(const parallel::Finished& finished) override;

 private:
  std::vector<TaskCost> costs_;
  TimeLeft& time_left_;
  std::size_t next_ = 0;
};

/// Deals the trials of a source out to the ranks, and gathers what they came to, on every rank:
/// fewer outcomes than trials when a rank has left early. Collective.
/// @param source  on rank 0, ignored elsewhere.
/// @param make  adds the outcome of a trial that this rank has got from the queue; false: the rank
///              leaves.
[[nodiscard]] TrialOutcomes make_trials(
    const parallel::Comm& world, parallel::TaskSource* source,
    const std::function<bool()>& stop_wanted,
    const std::function<bool(std::size_t place, parallel::TaskQueue& queue,
                             TrialOutcomes& outcomes)>& make);

}  // namespace fairfront::sweep
