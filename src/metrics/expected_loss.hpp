/// @file
/// What probabilities themselves say of a loss before the labels are seen. A small set of rows may
/// hold none of the few large losses of a strong model, and then knows nothing of them by its own
/// deviation.
#pragma once

#include "metrics/contrast.hpp"

namespace fairfront::metrics {

/// Mean and variance of a loss over rows, had each label come with its row's probability.
class ExpectedLoss {
 public:
  /// A row whose loss is `if_positive` with this probability, else `if_negative`. One that cannot
  /// come may be infinite.
  void add(double probability, double if_positive, double if_negative) noexcept;

  /// Of so many rows as were added, >= 1.
  [[nodiscard]] double mean() const noexcept { return means_.mean; }
  /// The square of the standard error of their mean, within rows and among them; NaN below two
  /// rows.
  [[nodiscard]] double squared_error() const noexcept;

 private:
  Moments means_;
  double within_ = 0;  ///< sum of the rows' variances
};

/// As many rows as the probabilities' word counts for beside what the rows show: fewer do not help
/// where probabilities are too near 0 and 1, more make the intervals of those that are not near
/// enough wide. See doc/measurements.md.
inline constexpr double rows_of_expectation = 10;

/// The squared standard error of a mean of n >= 2 rows, raised where the probabilities expect a
/// larger one: ((n - 1) seen + k expected) / (n - 1 + k), k = rows_of_expectation.
[[nodiscard]] double raised_squared_error(const Moments& seen, const ExpectedLoss& expected);
/// The mean itself, raised in the same way.
[[nodiscard]] double raised_mean(const Moments& seen, const ExpectedLoss& expected);

}  // namespace fairfront::metrics
