/// @file
/// Two merges of ascending lists side by side: a step waits for the one before it, and not for
/// those of the other merge.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace fairfront::metrics {

/// So many steps, each past one number of either list, end at the earliest behind a list.
[[nodiscard]] inline std::size_t steps_of_merge(std::span<const double> first, std::size_t i,
                                                std::span<const double> second, std::size_t j) {
  return std::min(first.size() - i, second.size() - j);
}

template <class Merge>
void merge_alone(Merge& merge) {
  while (std::size_t steps = merge.safe_steps()) {
    for (; steps > 0; --steps) merge.step();
  }
}

/// To the end of one list of each.
template <class One, class Other>
void merge_both(One& one, Other& other) {
  while (std::size_t steps = std::min(one.safe_steps(), other.safe_steps())) {
    for (; steps > 0; --steps) {
      one.step();
      other.step();
    }
  }
  merge_alone(one);
  merge_alone(other);
}

}  // namespace fairfront::metrics
