/// @file
/// Decisions led within their bounds as if they were smooth.
#pragma once

#include <span>

#include "solvers/training/last_layer.hpp"
#include "solvers/training/last_layer_descent.hpp"

namespace fairfront::training {

/// Descents on smoothed decisions, whose rates do what their slopes promise, until decisions are
/// within the bounds. As rates of decisions go by jumps beside those, each aims farther within.
/// Makes at most 85 % of the evaluations that are left.
void lead_smoothed(LastLayer& layer, std::span<const double> start, const LastLayerOptions& options,
                   LastLayerResult& best);

}  // namespace fairfront::training
