/// @file
/// The method [barycenter] of the experiment `regression`.
#pragma once

#include "experiments/regression.hpp"

namespace fairfront::experiments {

[[nodiscard]] Method<RegressionProblem> barycenter_method();

}  // namespace fairfront::experiments
