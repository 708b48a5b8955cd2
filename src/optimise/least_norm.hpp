/// @file
/// The shortest convex combination of a few vectors.
#pragma once

#include <span>
#include <vector>

namespace fairfront::optimise {

/// Weights >= 0 with sum 1 that minimise |sum_i weights_i g_i|: of all faces of the simplex the
/// best one whose stationary point lies in it, so that up to some ten vectors are few. Where
/// several weights give the shortest vector, those of the first such face, in the order of binary
/// numbers.
/// @param products  g_i^T g_k, shape (m, m), m >= 1.
[[nodiscard]] std::vector<double> least_norm_weights(std::span<const double> products);

}  // namespace fairfront::optimise
