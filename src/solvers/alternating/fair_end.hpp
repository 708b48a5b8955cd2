/// @file
/// The end of a front where f_2, a sum of squares of differences, is 0.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solvers/alternating/level_merit.hpp"

namespace fairfront::alternating {

/// Units of what is minimised, both > 0.
struct FairEndUnits {
  double first = 1;   ///< a range of f_1
  double second = 1;  ///< a range of f_2: it counts as 0 below a share of that
};

/// min f_1 subject to every difference = 0 in the box, by augmented Lagrangians with one multiplier
/// a difference (J. Nocedal, S. J. Wright, "Numerical Optimization" (2006), Algorithm 17.4)
/// minimised with ProjectedLbfgs. Local: the differences are not convex. Draws on the oracle's
/// budget.
///
/// @param start  shape (n,).
/// @param iterations  of the descent for one set of multipliers.
/// @return  nothing where f_2 stays above a quarter of `fair_end_tolerance` in its unit.
/// @throws solvers::Interrupted  the caller wants a stop.
[[nodiscard]] std::optional<TracedPoint> fair_end(Oracle<2>& oracle, std::span<const double> start,
                                                  const FairEndUnits& units,
                                                  std::span<const double> widths,
                                                  std::int64_t iterations);

}  // namespace fairfront::alternating
