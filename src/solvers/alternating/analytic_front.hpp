/// @file
/// Samples of Pareto fronts that are known in closed form.
#pragma once

#include <array>
#include <cstdint>

#include "pareto/front.hpp"

namespace fairfront::alternating {

/// `count` >= 2 points curve(0), ..., curve(1) of a two-objective front; their origins count them.
/// @param curve  maps [0, 1] to std::array<double, 2>.
template <class Curve>
[[nodiscard]] pareto::Points sample_curve(std::int64_t count, Curve&& curve) {
  pareto::Points points(2);
  points.reserve(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) {
    const std::array<double, 2> point =
        curve(static_cast<double>(k) / static_cast<double>(count - 1));
    points.add(point, static_cast<std::uint64_t>(k));
  }
  return points;
}

}  // namespace fairfront::alternating
