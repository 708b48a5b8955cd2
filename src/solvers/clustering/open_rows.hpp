/// @file
/// Which assignments may still be cheaper than one that is known.
#pragma once

#include <cstdint>
#include <span>
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

  /// Ends the clusters of a row, which follow those of the rows before: a single one is settled.
  void end_row(const AssignmentCosts& costs, std::int64_t row);
};

/// The levels that each cluster may have (see BalanceLimits): first and last.
struct LevelBox {
  std::vector<std::int64_t> low, high;  ///< shape (K,)
};

/// All rows, with all clusters.
[[nodiscard]] OpenRows all_open(const AssignmentCosts& costs, std::int64_t groups);

/// Leaves out clusters of rows whose cost less their price is above the least one of the row by
/// `room` or more.
/// @param prices  shape (J, K). Their bound of these open rows, or of more, and the room make the
///                cost of a known assignment: none with the row there is cheaper.
[[nodiscard]] OpenRows narrowed_rows(const AssignmentCosts& costs, const OpenRows& open,
                                     std::span<const std::int64_t> prices, WideInteger room);

/// The levels that the open rows allow: no group has more rows in a cluster than may still get
/// there, nor less than are settled there. Where there are none, low is above high.
[[nodiscard]] LevelBox levels_of_rows(const AssignmentCosts& costs, const OpenRows& open,
                                      const BalanceLimits& limits);

}  // namespace fairfront::clustering
