/// @file
/// A bounded front of costs and balances: one point for every narrow range of the balance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// Boxes of equal width in the balance, from 0 to its bound, with at most one point each: of two in
/// one box the one that adds more hypervolume to what the other boxes hold. So the hypervolume
/// never falls, and compared with keeping everything a point of the front loses less than a box's
/// width of balance, or a cost that is worth less. A point with balance 0 has no hypervolume and is
/// kept where it is the cheapest of all and its box has nothing better. Where all points coincide
/// no clustering has any, and the more balanced one is better. Boxes as in M. Laumanns, L. Thiele,
/// K. Deb, E. Zitzler, "Combining convergence and diversity in evolutionary multiobjective
/// optimization" (2002); their boxes have all objectives as sides, and dominance decides in them.
class BoxFront {
 public:
  struct Point {
    double cost = 0;
    double balance = -1;  ///< negative: the box is empty
    [[nodiscard]] bool empty() const noexcept { return balance < 0; }
  };

  /// @param boxes  >= 1.
  BoxFront(const Problem& problem, std::int64_t boxes);

  /// Keeps the point if it is wanted. @return its box then.
  std::optional<std::size_t> offer(double cost, double balance);

  /// Keeps the point, unasked. @return its box.
  std::size_t put(double cost, double balance);

  [[nodiscard]] std::size_t box_of(double balance) const noexcept;

  /// One of every box.
  [[nodiscard]] std::span<const Point> points() const noexcept { return points_; }

  /// The cheapest of the box of this balance and those above; nothing where all are empty.
  [[nodiscard]] std::optional<std::size_t> cheapest_from(double balance) const;

  /// Boxes whose point no other dominates, by ascending balance (and cost).
  [[nodiscard]] std::vector<std::size_t> nondominated() const;

  /// Up to (total variance, balance 0).
  [[nodiscard]] double hypervolume() const;

  /// Empties all boxes.
  void clear();

 private:
  [[nodiscard]] double measure() const;
  [[nodiscard]] double contribution(std::size_t box, double cost, double balance) const;
  void update_least_costs(std::size_t box);

  double total_variance_;
  double width_;
  std::vector<Point> points_;                  ///< (boxes,)
  std::vector<double> least_cost_;             ///< (boxes + 1,): of this box and those above
  mutable std::optional<double> hypervolume_;  ///< since the last change
};

}  // namespace fairfront::clustering
