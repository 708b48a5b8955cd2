/// @file
/// Where a front promises most: the largest rectangle between two of its neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "solvers/clustering/box_archive.hpp"

namespace fairfront::clustering {

/// Two neighbours of a front, by their boxes.
struct Gap {
  std::size_t low;   ///< box of the cheaper one
  std::size_t high;  ///< box of the better balanced one
  double low_cost, high_cost;
  double low_balance, high_balance;
  [[nodiscard]] double width() const noexcept { return high_balance - low_balance; }
};

/// How often a gap was tried; one whose ends have changed since counts as new.
struct TriedGap {
  std::int64_t box = 0;  ///< of the cheaper end
  double low_cost = 0;
  double high_cost = 0;
  std::int64_t tries = 0;
};

/// Gaps of a front and their tries. A gap (cost f1, balance f2) promises at most the rectangle
/// (f1_{i+1} - f1_i) (f2_{i+1} - f2_i); every try makes it less likely that there is something.
class FrontGaps {
 public:
  explicit FrontGaps(std::int64_t boxes) : tried_(static_cast<std::size_t>(boxes)) {}

  /// The gap with the largest rectangle / (1 + tries)^2; nothing when the front is a point.
  template <class Label>
  [[nodiscard]] std::optional<Gap> most_promising(const BoxArchive<Label>& archive) const;

  /// Counts a try. @return how many there were before.
  std::int64_t count_try(const Gap& gap);

  /// Those that were tried, by ascending box.
  [[nodiscard]] std::vector<TriedGap> tried() const;

  /// Takes up what tried() gave. @return whether it can be such a list.
  [[nodiscard]] bool put_back(const std::vector<TriedGap>& all);

 private:
  [[nodiscard]] std::int64_t tries_of(const Gap& gap) const;

  std::vector<TriedGap> tried_;  ///< shape (boxes,)
};

}  // namespace fairfront::clustering
