/// @file
/// Fair regression as a game over thresholds: A. Agarwal, M. Dudik, S. Wu, "Fair regression:
/// quantitative definitions and reduction-based algorithms" (2019), section 4, square loss,
/// statistical parity. What the learner plays and what it costs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/rows.hpp"
#include "models/thresholds.hpp"

namespace fairfront::regression {

/// Rows to learn from. Targets and groups are by row number of the matrix that `features` views.
struct LabelledRows {
  models::Rows features;
  std::span<const double> targets;       ///< in [0, 1]
  std::span<const std::int32_t> groups;  ///< 0 .. group_count - 1
  std::int64_t group_count = 0;          ///< K
};

using models::Thresholds;

/// A linear score f(x) = w^T x, which says 1 of (x, theta) where f(x) >= theta.
struct Hypothesis {
  std::vector<double> weights;  ///< shape (d,)
  double error = 0;             ///< mean over rows and thresholds of W |h - Y|
  double deviation = 0;         ///< standard deviation (of a sample) of the same
  std::vector<double> gaps;     ///< shape (m, K): E[h | theta, a] - E[h | theta]
};

/// Every row (x, a, y) is m classified rows (x, theta): cost (theta + alpha - y)^2 - (theta - alpha
/// - y)^2 of the answer 1, label Y = 1 where that is < 0, weight W its size; weights have mean 1.
/// Holds the design's factors, so that a response is one product with them. O(N (m + d)) memory.
class ThresholdGame {
 public:
  /// @throws std::invalid_argument  no rows, a group without rows, a target outside [0, 1], fewer
  ///         than 2 thresholds, or weights that are all 0.
  ThresholdGame(const LabelledRows& rows, const Thresholds& thresholds);
  ThresholdGame(ThresholdGame&&) noexcept;
  ThresholdGame& operator=(ThresholdGame&&) noexcept;
  ~ThresholdGame();

  [[nodiscard]] const Thresholds& thresholds() const noexcept;
  [[nodiscard]] std::int64_t groups() const noexcept;
  [[nodiscard]] std::int64_t rows() const noexcept;

  /// For every row the atom z whose answers 1[z >= theta] have the least weighted error under the
  /// weights W (2Y - 1) - (costs of the gaps); the first of several. O(N m).
  /// @param multiplier  shape (m, K): lambda+ - lambda-.
  [[nodiscard]] std::vector<std::int32_t> picks(std::span<const double> multiplier) const;

  /// The least-squares fit, without intercept, of the picked atoms on the features. Columns of the
  /// design scaled to norm 1; pivots below 1e-10 of the largest count as 0, and of equivalent
  /// weights of scaled columns the shortest are taken.
  [[nodiscard]] Hypothesis fit(std::span<const std::int32_t> picks) const;

 private:
  struct Design;
  std::unique_ptr<const Design> design_;
};

}  // namespace fairfront::regression
