/// @file
/// The stochastic-gradient update of k-means: points pull the centres they are assigned to.
#pragma once

#include <cstdint>
#include <span>

#include "solvers/clustering/centres.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// Point `point` pulls the centre of `cluster`.
struct Pull {
  std::int64_t point;
  std::int64_t cluster;
};

/// c_k <- c_k + (1/w_k) sum over the pulls to k of (x - c_k), with c_k as it was before.
/// @param weights  shape (K,); >= 1 for every cluster that is pulled.
void pull_centres(const Problem& problem, std::span<const Pull> pulls,
                  std::span<const std::int64_t> weights, Centres& centres);

}  // namespace fairfront::clustering
