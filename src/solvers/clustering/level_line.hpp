/// @file
/// What the greatest counts of levels are below.
#pragma once

#include <cstdint>

#include "solvers/clustering/balance_limits.hpp"

namespace fairfront::clustering {

/// A line that is above BalanceLimits::most() at all levels from the lowest to the highest one.
struct LevelLine {
  double slope = 0;
  double offset = 0;
  [[nodiscard]] double operator()(double level) const noexcept { return slope * level + offset; }
};

[[nodiscard]] LevelLine line_above(const BalanceLimits& limits, std::int64_t low,
                                   std::int64_t high);

}  // namespace fairfront::clustering
