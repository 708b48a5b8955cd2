/// @file
/// What is measured of points that the methods of `alternating` find on data.
#pragma once

#include <vector>

#include "experiments/alternating.hpp"
#include "results/task_record.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// The measures of a task with these findings; none on test problems.
[[nodiscard]] results::Measures measures_of(const AlternatingProblem& problem,
                                            const results::Findings& findings);

[[nodiscard]] std::vector<sweep::MeasuredQuantity> alternating_measures();

}  // namespace fairfront::experiments
