/// @file
/// Which groups make a gap, from one number of each group or one distance of each pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// The smallest and the largest of one number of each group, the first of equal ones.
struct Extremes {
  std::span<const double> of_group;
  std::size_t lowest = 0, highest = 0;

  [[nodiscard]] double low() const { return of_group[lowest]; }
  [[nodiscard]] double high() const { return of_group[highest]; }
  /// The largest difference of two groups.
  [[nodiscard]] Value gap() const { return defined_gap(high() - low(), highest, lowest); }
  /// The number of the group where it is largest.
  [[nodiscard]] Value largest() const {
    return defined(high(), {static_cast<std::int32_t>(highest), high()});
  }
};

/// @param of_group  not empty, without NaN; must outlive what is returned.
[[nodiscard]] Extremes extremes(std::span<const double> of_group);

/// The larger one of what is known and the distance of two groups, or of a group from all rows.
[[nodiscard]] Value larger(Value known, double distance, std::size_t group);
[[nodiscard]] Value larger(Value known, double distance, std::size_t group, std::size_t other);

}  // namespace fairfront::metrics
