/// @file
/// How cheap an assignment within a balance can be at best, by prices of rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/clustering/balance_limits.hpp"
#include "solvers/clustering/open_rows.hpp"

namespace fairfront::clustering {

/// A price for every row, and what it proves.
struct RowBound {
  std::vector<std::int64_t> prices;  ///< shape (N,); of rows that are not open any
  WideInteger value = 0;             ///< no assignment within the box is cheaper: exactly
  /// Of every cluster, for each level of its box: the least sum of costs less prices of the open
  /// rows that it may take. Complete where the value is below `impossible`.
  std::vector<std::vector<WideInteger>> levels;
};

/// Of what cannot be.
inline constexpr WideInteger impossible = WideInteger{1} << 100;

/// Bounds of an assignment by what each cluster would take by itself: whatever the prices y,
/// sum_i y_i + sum_k min_(l, S) sum_(i in S) (c_ik - y_i), where S has at least l and at most
/// most(l) rows of every group, costs no more than any assignment. This is the Lagrangian bound
/// without the demand that every row is in one cluster. What clusters take is whole here, other
/// than in assignment_bound(), whose clusters have whole levels, but parts of rows: the best of
/// these bounds is no smaller than the best of those, and where counts bind most of what those
/// leave open is gone. (The decomposition is that of the generalised assignment problem in
/// Savelsbergh, 1997, "A Branch-and-Price Algorithm for the Generalized Assignment Problem".)
class RowBounds {
 public:
  /// @param costs, open, limits  must outlive this.
  RowBounds(const AssignmentCosts& costs, const OpenRows& open, const BalanceLimits& limits);

  /// In the middle between what a row costs in its cheapest cluster and in the one next to it,
  /// where counts have these prices: the cluster that loses the row and the one that gets it share
  /// what a move costs. By such prices the bound is no smaller than bound_of_prices().
  /// @param prices  shape (J, K).
  [[nodiscard]] std::vector<std::int64_t> prices_between(
      std::span<const std::int64_t> prices) const;

  /// O(E + sum_k w_k (log w_k + J)) where rows have E open clusters and boxes w_k counts.
  [[nodiscard]] RowBound of_prices(const LevelBox& box, std::vector<std::int64_t> prices);

  /// By steps along averaged subgradients (Held, Wolfe and Crowder, 1974; Camerini, Fratta and
  /// Maffioli, 1975). Deterministic.
  /// @param start   a bound of this box.
  /// @param enough  no greater bound is of interest.
  [[nodiscard]] RowBound improved(const LevelBox& box, RowBound start, std::int64_t enough,
                                  int most_steps);

  /// Leaves out clusters of rows where an assignment costs `room` more than the bound or more.
  /// Where a row has none left, no assignment is as cheap.
  /// @param bound  of this box, below `impossible`.
  [[nodiscard]] OpenRows narrowed(const LevelBox& box, const RowBound& bound, WideInteger room);

 private:
  /// What a row costs more than its price.
  struct Offer {
    std::int64_t value = 0;
    std::int64_t entry = 0;  ///< of rows_ and costs_
  };
  /// Of the open rows of a group in one cluster, the cheapest first.
  struct Offers {
    std::vector<Offer> offers;       ///< those before `first` in any order, as those behind `last`
    std::int64_t settled = 0;        ///< rows that are there anyhow
    std::int64_t first = 0;          ///< the least number that may be taken
    std::vector<std::int64_t> sums;  ///< of first, first + 1, .. last offers
    std::int64_t gainful = 0;        ///< the cheapest number from first to last
    [[nodiscard]] std::int64_t sum(std::int64_t count) const noexcept {
      return sums[static_cast<std::size_t>(count - first)];
    }
  };
  struct Range {
    std::int64_t least = 0;
    std::int64_t most = 0;
    [[nodiscard]] bool is_empty() const noexcept { return least > most; }
  };
  /// What it costs more when an offer must be taken, or must not.
  struct Forced {
    WideInteger in = impossible;
    WideInteger out = impossible;
  };

  void list_offers(std::int64_t k, std::span<const std::int64_t> prices, Range levels);
  void list_all_offers(std::int64_t k, std::span<const std::int64_t> prices);
  void list_offers(std::int64_t k, std::int64_t j, std::span<const std::int64_t> prices,
                   Range counts);
  [[nodiscard]] Range counts_of(const Offers& offers, std::int64_t level) const noexcept;
  [[nodiscard]] WideInteger cost_of_level(std::int64_t level) const noexcept;
  void take(std::int64_t level);
  void see_forced(const LevelBox& box, const RowBound& bound, std::int64_t k, WideInteger room,
                  std::vector<Forced>& forced);
  void see_forced(const Offers& offers, Range counts, WideInteger cost,
                  std::vector<Forced>& forced) const;
  [[nodiscard]] OpenRows left(const std::vector<char>& stays) const;

  const AssignmentCosts& costs_;
  const OpenRows& open_;
  const BalanceLimits& limits_;
  std::int64_t clusters_;
  std::int64_t groups_;
  std::int64_t largest_price_;
  std::vector<std::int64_t> begin_;  ///< of the entries of every cluster and group, and the end
  std::vector<std::int64_t> row_;    ///< of every entry
  std::vector<std::int64_t> open_entry_;  ///< of every entry: that of the open rows' clusters
  std::vector<Offers> offers_;            ///< of the cluster at hand, shape (J,)
  std::vector<std::int32_t> taken_;       ///< shape (N,): by how many clusters
};

/// Shrinks the box to levels with which an assignment may cost less than the bound and `room`.
/// @param bound  of this box, below `impossible`.
void leave_out_levels(const RowBound& bound, WideInteger room, LevelBox& box);

}  // namespace fairfront::clustering
