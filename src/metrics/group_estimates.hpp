/// @file
/// Estimates of one number in every group, and the intervals of what is taken of them: the largest
/// difference, the smallest ratio, the worst group.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "metrics/contrast.hpp"
#include "metrics/expected_loss.hpp"
#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// Of every group, or why one has none.
struct GroupEstimates {
  std::vector<Estimate> of_group;
  std::string missing;  ///< "" if every group has an estimate
  /// What neither the number of a group nor a difference of two can be above.
  double most = std::numeric_limits<double>::infinity();
};

/// The mean of a value in every group. Undefined for a group without limits: one row, or one value
/// alone of a mean that has no upper bound.
/// @param law       in which its limits are: proportion for values in [0, 1], positive_mean, mean.
/// @param expected  what is expected of every group's values, of one of the first two laws; empty:
///                  nothing is.
[[nodiscard]] GroupEstimates mean_estimates(std::span<const Moments> of_group, Law law,
                                            std::span<const ExpectedLoss> expected = {});
/// The same of the values of n rows.
[[nodiscard]] GroupEstimates mean_estimates(std::span<const double> values,
                                            std::span<const std::int32_t> group,
                                            std::int64_t groups, Law law);

/// Of one mean.
[[nodiscard]] Interval mean_interval(const Moments& moments, Law law, double level,
                                     const ExpectedLoss* expected = nullptr);

/// Of the largest difference of two groups, >= 0.
[[nodiscard]] Interval gap_interval(const GroupEstimates& estimates, double level);
/// Of the smallest ratio of two groups' proportions, in [0, 1].
[[nodiscard]] Interval ratio_interval(const GroupEstimates& estimates, double level);
/// Of the largest and of the smallest estimate of a group, >= 0.
[[nodiscard]] Interval largest_interval(const GroupEstimates& estimates, double level);
[[nodiscard]] Interval smallest_interval(const GroupEstimates& estimates, double level);

}  // namespace fairfront::metrics
