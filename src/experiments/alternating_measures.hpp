/// @file
/// What is measured of points that the methods of `alternating` find on data.
#pragma once

#include <cstddef>
#include <vector>

#include "experiments/alternating.hpp"
#include "results/task_record.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// The measures of a task with these findings, and a remark on what is undefined of which groups;
/// none on test problems.
void add_measures(sweep::TaskResult& result, const AlternatingProblem& problem,
                  const results::Findings& findings);

/// Those of one point of a front; none where its model decides nothing.
[[nodiscard]] results::Measures measures_of_point(const AlternatingProblem& problem,
                                                  const results::Findings& findings,
                                                  std::size_t point);

[[nodiscard]] std::vector<sweep::MeasuredQuantity> alternating_measures();

}  // namespace fairfront::experiments
