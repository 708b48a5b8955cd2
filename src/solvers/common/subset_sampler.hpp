/// @file
/// Mini-batches: subsets of the points, drawn without replacement.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"

namespace fairfront::solvers {

/// Draws subsets of 0 .. N-1. Owns only scratch space.
class SubsetSampler {
 public:
  explicit SubsetSampler(std::int64_t points) : sampled_in_(static_cast<std::size_t>(points), 0) {}

  /// `count` <= N different points; every subset is equally likely (Floyd's algorithm, as in
  /// Bentley and Floyd, 1987). Valid until the next draw. O(count).
  std::span<const std::int64_t> draw(std::int64_t count, base::Stream& stream) {
    sample_.clear();
    if (++draw_ == 0) {
      std::ranges::fill(sampled_in_, 0u);
      draw_ = 1;
    }
    for (std::int64_t last = std::ssize(sampled_in_) - count; last < std::ssize(sampled_in_);
         ++last) {
      std::int64_t point = stream.below(static_cast<std::uint32_t>(last + 1));
      if (sampled_in_[static_cast<std::size_t>(point)] == draw_) point = last;
      sampled_in_[static_cast<std::size_t>(point)] = draw_;
      sample_.push_back(point);
    }
    return sample_;
  }

 private:
  std::vector<std::uint32_t> sampled_in_;  ///< per point: the last draw that took it
  std::uint32_t draw_ = 0;
  std::vector<std::int64_t> sample_;
};

}  // namespace fairfront::solvers
