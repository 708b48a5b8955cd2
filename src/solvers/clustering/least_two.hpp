/// @file
/// The two clusters of least value, of those that were offered.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

namespace fairfront::clustering {

struct LeastTwo {
  std::int64_t first = 0;
  std::int64_t second = 0;
  double least = std::numeric_limits<double>::infinity();  ///< value of the first
  double next = std::numeric_limits<double>::infinity();   ///< value of the second

  void offer(std::int64_t k, double value) {
    if (value < least) {
      second = std::exchange(first, k);
      next = std::exchange(least, value);
    } else if (value < next) {
      second = k;
      next = value;
    }
  }
};

}  // namespace fairfront::clustering
