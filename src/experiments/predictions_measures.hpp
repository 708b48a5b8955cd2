/// @file
/// The method [measures] of the experiment `predictions`.
#pragma once

#include <vector>

#include "experiments/predictions.hpp"
#include "metrics/measure.hpp"

namespace fairfront::experiments {

[[nodiscard]] Method<Predictions> measures_method();

/// All measures that suit what a column of predictions holds.
[[nodiscard]] std::vector<metrics::Measure> measures_for(metrics::Needs kind);

}  // namespace fairfront::experiments
