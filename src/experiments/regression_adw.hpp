/// @file
/// The method [adw] of the experiment `regression`: it learns from labelled rows, and stands on no
/// base model.
#pragma once

#include "experiments/regression.hpp"

namespace fairfront::experiments {

[[nodiscard]] Method<RegressionProblem> adw_method();

}  // namespace fairfront::experiments
