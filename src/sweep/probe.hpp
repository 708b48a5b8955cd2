/// @file
/// How long a sweep will take, by one short task of each kind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parallel/comm.hpp"
#include "sweep/experiment.hpp"
#include "sweep/forecast.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// What one task of a kind took, and what all tasks of the kind take at that rate.
struct Probe {
  Task task;               ///< the one with the least work
  std::int64_t tasks = 0;  ///< of the kind
  double seconds =
      0;  ///< of CPU time that the task took; of tasks that share a loop, its part of the loop
  double all_seconds = 0;      ///< of all, one after another, and of their trials, each once
  double longest_seconds = 0;  ///< of the one with the most work
  std::string failure;         ///< why the task has no result; then the rest tells nothing
};

/// Runs the task with the least work of every kind (Plan::kind_of), in plan order, and several
/// where a run would have them share a loop. Collective over `team`, whose CPU time is that of its
/// rank.
/// @param problems  of the plan, as forecast_problems() gives them.
/// @throws base::Interrupted  see base::stop_point().
[[nodiscard]] std::vector<Probe> probe_kinds(const parallel::Comm& team,
                                             const Experiment& experiment, const Plan& plan,
                                             const RunContext& context,
                                             const std::vector<PlannedProblem>& problems);

/// Seconds until so many teams have done all that was probed: at best, as the longest task may come
/// to lie at the end.
[[nodiscard]] double seconds_of_all(const std::vector<Probe>& probes, std::int64_t teams);

}  // namespace fairfront::sweep
