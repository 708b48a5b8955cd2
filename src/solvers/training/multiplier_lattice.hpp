/// @file
/// A bounded number of multipliers that stand for all of those up to a sum.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/training/rate_limits.hpp"

namespace fairfront::training {

/// Multipliers in equal steps, of a sum that is at most a limit.
///
/// What classifiers answer to are not the multipliers of ordered pairs of an event's cells but
/// their sums by cell, which add up to 0 in every event: mass that is moved from cells to cells, of
/// which the least multipliers that make it have half the sum of sizes. A point has a whole number
/// of steps for every cell, and is therefore the same whatever the order of groups; of two groups
/// and one event it is one signed number. Errors of the worst group have a number >= 0 of every
/// cell.
class MultiplierLattice {
 public:
  /// @param most_points  as many steps to the limit as this many points have.
  /// @param limit  of the sum of the multipliers of a point, > 0.
  /// @throws std::invalid_argument  one step already has more points.
  MultiplierLattice(BoundOf of, const RateCells& cells, std::int64_t most_points, double limit);

  /// The steps of every cell, the nearest to 0 first, and 0 itself before them.
  [[nodiscard]] const std::vector<std::vector<std::int64_t>>& points() const noexcept {
    return points_;
  }
  [[nodiscard]] std::int64_t steps() const noexcept { return steps_; }  ///< from 0 to the limit

  /// The multipliers of a point, one of every inequality.
  /// @param limits  those of the bound between the same cells.
  [[nodiscard]] std::vector<double> multipliers(std::span<const std::int64_t> point,
                                                std::span<const RateInequality> limits) const;

 private:
  bool is_signed_;
  std::int64_t groups_, events_, steps_ = 0;
  double step_ = 0;
  std::vector<std::vector<std::int64_t>> points_;
};

/// How many points a lattice of one step has.
[[nodiscard]] std::int64_t least_lattice(BoundOf of, const RateCells& cells);

}  // namespace fairfront::training
