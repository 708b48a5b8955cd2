/// @file
/// The methods of the experiment `regression`.
#pragma once

#include <vector>

#include "experiments/regression.hpp"

namespace fairfront::experiments {

[[nodiscard]] std::vector<Method<RegressionProblem>> regression_methods();

}  // namespace fairfront::experiments
