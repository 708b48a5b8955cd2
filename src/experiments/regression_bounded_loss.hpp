/// @file
/// The method [bounded_group_loss] of the experiment `regression`.
#pragma once

#include "experiments/regression.hpp"

namespace fairfront::experiments {

[[nodiscard]] Method<RegressionProblem> bounded_loss_method();

}  // namespace fairfront::experiments
