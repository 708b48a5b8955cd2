/// @file
/// The number that is just enough.
#pragma once

#include <cmath>
#include <limits>

namespace fairfront::clustering {

/// The least double that is enough, where all above it are and all below it are not. A handful of
/// roundings may make single doubles next to it exceptions: of some below it the least is taken.
/// @param low, high  low < high; low is not enough, high is. Few roundings apart, or some dozen
///                   bisections follow.
/// @param is_enough  of a double.
template <class IsEnough>
[[nodiscard]] double least_number(double low, double high, const IsEnough& is_enough) {
  while (std::nextafter(low, high) < high) {
    double middle = low + 0.5 * (high - low);
    if (middle <= low || middle >= high) middle = std::nextafter(low, high);
    (is_enough(middle) ? high : low) = middle;
  }
  constexpr int exceptions = 32;
  double below = high;
  for (int i = 0; i < exceptions; ++i) {
    below = std::nextafter(below, -std::numeric_limits<double>::infinity());
    if (is_enough(below)) high = below;
  }
  return high;
}

}  // namespace fairfront::clustering
