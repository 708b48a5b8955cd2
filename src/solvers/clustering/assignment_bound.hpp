/// @file
/// How cheap an assignment within a balance can be at best.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/wide_integer.hpp"
#include "solvers/clustering/balance_limits.hpp"

namespace fairfront::clustering {

using base::WideInteger;

/// Rows to assign, with costs in whole units, so that sums have no rounding.
struct AssignmentCosts {
  std::int64_t clusters = 0;            ///< K
  std::span<const std::int64_t> costs;  ///< row-major, shape (N, K), >= 0, any N of them below 2^61
  std::span<const std::int32_t> group;  ///< shape (N,), 0 .. J - 1
  [[nodiscard]] std::int64_t cost(std::int64_t row, std::int64_t k) const noexcept {
    return costs[static_cast<std::size_t>(row * clusters + k)];
  }
};

/// What an assignment may still be that is cheaper than one that is known: rows whose cluster is
/// settled, and clusters that the others may get.
struct OpenRows {
  std::vector<std::int64_t> rows;      ///< those that are not settled
  std::vector<std::int64_t> first;     ///< of the clusters of each row, and the end
  std::vector<std::int32_t> clusters;  ///< of every row, ascending
  std::vector<std::int64_t> settled;   ///< shape (J, K): counts
  WideInteger settled_cost = 0;
};

/// The levels that each cluster may have (see BalanceLimits): first and last.
struct LevelBox {
  std::vector<std::int64_t> low, high;  ///< shape (K,)
};

/// A price for every group and cluster, and what it proves.
struct AssignmentBound {
  std::vector<std::int64_t> prices;  ///< shape (J, K)
  WideInteger value = 0;             ///< no assignment within the box is cheaper: exactly
  std::vector<double> levels;        ///< shape (K,), of the linear program
};

/// No assignment of the open rows with levels in the box costs less, whatever the prices p:
/// sum_i min_k (c_ik - p_jk) + sum_k min_l sum_j min { p_jk n : l <= n <= most(l) }.
[[nodiscard]] WideInteger bound_of_prices(const AssignmentCosts& costs, const OpenRows& open,
                                          const BalanceLimits& limits, const LevelBox& box,
                                          std::span<const std::int64_t> prices);

/// The best such bound, but for rounding of the prices: the dual of the linear program in which
/// rows may be split and levels need not be whole, by primal-dual steps with predictor and
/// corrector (Mehrotra, 1992). A step solves a system of J K + K unknowns. Deterministic.
/// O((N K^2 + (J K)^3) steps), memory O(N K).
[[nodiscard]] AssignmentBound assignment_bound(const AssignmentCosts& costs, const OpenRows& open,
                                               const BalanceLimits& limits, const LevelBox& box);

}  // namespace fairfront::clustering
