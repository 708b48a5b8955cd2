/// @file
/// The methods of the experiment `training`.
#pragma once

#include <vector>

#include "experiments/training.hpp"

namespace fairfront::experiments {

[[nodiscard]] std::vector<Method<TrainingProblem>> training_methods();

}  // namespace fairfront::experiments
