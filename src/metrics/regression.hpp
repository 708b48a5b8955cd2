/// @file
/// What regression() and randomised_regression() share.
#pragma once

#include "metrics/contrast.hpp"
#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// Of the square root, >= 0.
[[nodiscard]] Value value_of_root(Value squared);
[[nodiscard]] Interval interval_of_root(Interval squared);

/// 1 - mean squared error / variance of the targets, at most 1; below 0 for predictions that are
/// worse than the targets' mean. Undefined without rows, and where all targets are equal.
/// @param risk  the mean squared error.
[[nodiscard]] Value r_squared_of(Value risk, const Moments& targets);

/// None: errors and targets of the same rows go into it.
[[nodiscard]] Interval no_interval_of_r_squared();

}  // namespace fairfront::metrics
