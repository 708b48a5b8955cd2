/// @file
/// The cheapest assignment of rows to given centres within a balance.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace fairfront::clustering {

struct BalancedAssignmentOptions {
  double balance = 0;               ///< in [0, 1]
  double tolerance = 1e-9;          ///< of the cost: closer than that the bound need not come, >= 0
  std::int64_t max_nodes = 20'000;  ///< parts that the search is cut into, >= 1
  /// Rows times clusters, and entries of the matrices, that all parts but the first look at, >= 0.
  std::int64_t max_work = 12'000'000;
  bool until_proven = false;  ///< no such limits: the bound comes as near as `tolerance`
};

/// How far a search has come.
struct AssignmentProgress {
  double cost = 0;         ///< the least mean square so far
  double lower_bound = 0;  ///< no assignment within the balance has a smaller one
  /// Of the cost.
  [[nodiscard]] double gap() const noexcept { return cost > 0 ? (cost - lower_bound) / cost : 0; }
};

struct BalancedAssignment {
  std::vector<std::int32_t> labels;  ///< shape (N,)
  double cost = 0;                   ///< mean square of the labels
  double lower_bound = 0;            ///< no assignment within the balance has a smaller mean square
  double balance = 0;                ///< min_k min_j n_kj / max_j n_kj; 0 where a cluster is empty
  std::int64_t nodes = 0;            ///< parts of the search
};

/// Minimises the mean of d_(i s_i) over labels s whose balance is at least the one asked for: every
/// cluster holds rows of every group, the rarest at least that share of the most common one.
///
/// With given levels (see BalanceLimits) groups are transportation problems of their own, which
/// Transport solves exactly. The levels are searched by branch and bound, best bound first, with
/// the bounds of assignment_bound() and of transportation problems whose limits are those of a
/// whole box of levels. Rows and clusters that a bound rules out are left out, and so are levels,
/// by the prices of every box. A box is cut where the counts of its linear program are furthest
/// from both halves, by their prices, and by what such cuts have brought so far. Now and then
/// levels are settled one after the other for a better assignment. A search that is not over soon
/// goes on with the bounds of RowBounds, which are better, and leave more out. No way is known that
/// is always short, so the search may end at its limits, and says how far it came.
///
/// Squares are rounded to a grid of 2^-s with s as large as 61 bits for their sum allow: all sums
/// are exact, and the bound is lowered by what rounding may have added. Where a far centre makes
/// the steps coarse, all is done again without the squares that no cheapest assignment has.
/// Deterministic. Where rows are at their nearest centres within the balance, those are the answer,
/// of equally near ones the first. O(N K) memory.
/// @param squares  row-major, shape (N, K): squared distances to the centres, finite, >= 0.
/// @param group    shape (N,), 0 .. groups - 1.
/// @param watch    called now and then, if there is one, many times a second; bounds never fall.
/// @throws std::invalid_argument  shapes or options out of range.
/// @throws base::InputError       no labels have this balance; a square that is not finite.
[[nodiscard]] BalancedAssignment assign_within_balance(
    std::span<const double> squares, std::span<const std::int32_t> group, std::int64_t groups,
    std::int64_t clusters, const BalancedAssignmentOptions& options,
    const std::function<void(AssignmentProgress)>& watch = {});

}  // namespace fairfront::clustering
