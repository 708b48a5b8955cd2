/// @file
/// The methods [measures] and [thresholds] of the experiment `predictions`.
#pragma once

#include <vector>

#include "experiments/predictions.hpp"

namespace fairfront::experiments {

[[nodiscard]] std::vector<Method<Predictions>> prediction_methods();

}  // namespace fairfront::experiments
