/// @file
/// What regression() and randomised_regression() share.
#pragma once

#include "metrics/contrast.hpp"
#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// Of the square root, >= 0.
[[nodiscard]] Value value_of_root(Value squared);
[[nodiscard]] Interval interval_of_root(Interval squared);

/// 1 - mean squared error / variance of the targets, at most 1; below 0 for predictions that are
/// worse than the targets' mean. Undefined without rows, and where all targets are equal.
/// @param risk  the mean squared error.
[[nodiscard]] Value r_squared_of(Value risk, const Moments& targets);

/// Sums over rows from which the interval of r_squared follows.
class ErrorsAndTargets {
 public:
  /// @param origin  a number among the targets: powers of their differences to it are summed.
  explicit ErrorsAndTargets(double origin = 0) : origin_{origin} {}
  void add(double squared_error, double target, double copies = 1);
  /// Those of other rows, with the same origin.
  void add(const ErrorsAndTargets& other);

  /// Every ratio q of mean squared error to variance for which Student's interval of the mean of
  /// error^2 - q deviation^2 holds 0: E. C. Fieller (1954), "Some problems in interval estimation".
  /// 1 less these q. Errors and deviations of the same rows go together, as they do in r_squared.
  [[nodiscard]] Interval interval(double level) const;

 private:
  double origin_;
  double rows_ = 0;
  double error_ = 0, error_2_ = 0;  ///< sums of the squared errors, and of their squares
  double target_ = 0, target_2_ = 0, target_3_ = 0, target_4_ = 0;  ///< of powers of the targets
  double product_ = 0, product_2_ = 0;  ///< of squared errors times target, and target squared
};

}  // namespace fairfront::metrics
