/// @file
/// Bounds that tasks with a larger delta have proven, and that hold for smaller ones, too.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "results/content.hpp"

namespace fairfront::results {

/// What another task has proven of the optimum of a task's problem.
struct LentBound {
  std::size_t task = 0;  ///< whose own bound is smaller
  std::size_t by = 0;    ///< that has proven it
  double own = 0;
  double lower = 0;
  double loss = std::numeric_limits<double>::quiet_NaN();  ///< of the task, on the training part
  double lack = std::numeric_limits<double>::quiet_NaN();  ///< (loss - lower) / loss
};

/// Weights within a delta are within every larger one, so that no optimum is below what is proven
/// of a larger delta of the same problem. A task proves with cells of its own, as far as they go:
/// of [exact_training] in experiment `training`, the tasks whose own bound is below that of another
/// one, in their order, with the greatest bound of all; empty for other experiments.
[[nodiscard]] std::vector<LentBound> lent_bounds(const Content& content);

}  // namespace fairfront::results
