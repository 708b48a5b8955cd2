/// @file
/// [reductions] of the experiment `training`.
#pragma once

#include "experiments/training.hpp"

namespace fairfront::experiments {

[[nodiscard]] Method<TrainingProblem> reductions_method();

}  // namespace fairfront::experiments
