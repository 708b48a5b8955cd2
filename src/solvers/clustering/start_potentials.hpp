/// @file
/// Potentials of the points from a clustering, where the dual of set partitioning starts.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// With D_pk = |x_p - m_k|^2 and an amount L_jk for every group and cluster, such that in a good
/// clustering p is where D_pk - L_jk is least: pi_p = that least number and a share of the distance
/// to the second least, which makes the clusters cost(C_k) - pi(C_k) about equal; a constant for
/// each cluster makes them so. The L_jk come from L_jl - L_jk <= min_{p in (k, j)} (D_pl - D_pk):
/// shortest paths, halfway between the least and the greatest solution.
/// @param labels  shape (N,), in the problem's order, no cluster empty.
/// @param most_gap  what the gaps of a cluster's points to others count at most, together. Where
///                  all but one cluster are one, all gaps are those to the far one.
/// @return shape (N,).
[[nodiscard]] std::vector<double> start_potentials(
    const Problem& problem, std::span<const std::int64_t> labels,
    double most_gap = std::numeric_limits<double>::infinity());

}  // namespace fairfront::clustering
