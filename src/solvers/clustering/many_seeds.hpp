/// @file
/// Seeds of k-means for many clusters.
#pragma once

#include "base/random.hpp"
#include "solvers/clustering/comparisons.hpp"
#include "solvers/clustering/problem.hpp"
#include "solvers/clustering/starts.hpp"

namespace fairfront::clustering {

/// The same law as kmeans_plus_plus_labels, without a pass over all points for every seed that is
/// tried: a seed at a distance D from another one can be nearer to those of its points alone that
/// are farther than D / 2 from it (Elkan, 2003; Raff, 2021). Other numbers are drawn, as sums have
/// another order.
template <class Label>
[[nodiscard]] CountedLabels<Label> many_seeds_labels(const Problem& problem, base::Stream& stream,
                                                     const Between& between = nullptr);

}  // namespace fairfront::clustering
