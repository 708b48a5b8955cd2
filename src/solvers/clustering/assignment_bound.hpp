/// @file
/// How cheap an assignment within a balance can be at best.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "solvers/clustering/balance_limits.hpp"
#include "solvers/clustering/open_rows.hpp"

namespace fairfront::clustering {

/// A price for every group and cluster, and what it proves.
struct AssignmentBound {
  std::vector<std::int64_t> prices;  ///< shape (J, K)
  WideInteger value = 0;             ///< no assignment within the box is cheaper: exactly
  std::vector<double> levels;        ///< shape (K,), of the linear program
  std::vector<double> counts;        ///< shape (J, K), of the linear program
};

/// No assignment of the open rows with levels in the box costs less, whatever the prices p:
/// sum_i min_k (c_ik - p_jk) + sum_k min_l sum_j min { p_jk n : l <= n <= most(l) }.
[[nodiscard]] WideInteger bound_of_prices(const AssignmentCosts& costs, const OpenRows& open,
                                          const BalanceLimits& limits, const LevelBox& box,
                                          std::span<const std::int64_t> prices);

/// Shrinks the box to levels with which an assignment may cost less than the bound and `room`.
/// @param bound  of this box.
void leave_out_levels(const BalanceLimits& limits, const AssignmentBound& bound, WideInteger room,
                      LevelBox& box);

/// The best such bound, but for rounding of the prices: the dual of the linear program in which
/// rows may be split and levels need not be whole, by primal-dual steps with predictor and
/// corrector (Mehrotra, 1992). A step solves systems of K unknowns for every group and for the
/// levels. Deterministic. O((N K^2 + J K^3) steps), memory O(N K).
/// @param enough  no greater bound is of interest, and none that is much nearer to the best one
///                than to this.
[[nodiscard]] AssignmentBound assignment_bound(const AssignmentCosts& costs, const OpenRows& open,
                                               const BalanceLimits& limits, const LevelBox& box,
                                               std::int64_t enough);

}  // namespace fairfront::clustering
