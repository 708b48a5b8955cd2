/// @file
/// The method [measures] of the experiment `predictions`.
#pragma once

#include <vector>

#include "experiments/predictions.hpp"
#include "metrics/measure.hpp"

namespace fairfront::experiments {

[[nodiscard]] Method<Predictions> measures_method();

/// Of classification, of AUCs and of regression; some names are in two of them.
[[nodiscard]] std::vector<metrics::Measure> all_measures();

/// All measures that suit what a column of predictions holds.
[[nodiscard]] std::vector<metrics::Measure> measures_for(metrics::Needs kind);

}  // namespace fairfront::experiments
