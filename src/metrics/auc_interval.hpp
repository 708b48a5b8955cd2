/// @file
/// Intervals of AUCs, of their differences, and of the largest of many differences.
///
/// An AUC A between two sets of m and n rows without a common one has the limits of the proportion
/// that it is worth, of n_e rows: A (1 - A) / s^2 with DeLong's standard error s, but from min(m,
/// n) to m + n. As s is itself estimated, of few rows in small groups, n_e is less at far tails, by
/// the squared ratio of the quantiles of Student and of the normal distribution (Korn, Graubard,
/// 1998), but not below min(m, n). Where s is 0 or there is none, it is min(m, n). Sets that share
/// rows are taken apart first: what a set has in common with another against itself is one half
/// without any error.
#pragma once

#include <vector>

#include "metrics/auc.hpp"
#include "metrics/contrast.hpp"
#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// A signed sum of AUCs with the limits of its terms, or why it has none.
struct EstimatedSum {
  WeightedSum sum;
  std::string missing;
};
[[nodiscard]] EstimatedSum estimated(const RowsInOrder& rows, const AucSum& sum);

/// Of a signed sum, cut off at the ends of the range that it can have.
[[nodiscard]] Interval interval_of(const Scored& scored, const AucSum& sum, double level,
                                   double lowest, double highest);

/// Of the largest absolute value of signed sums.
[[nodiscard]] Interval interval_of_largest(const Scored& scored, const std::vector<AucSum>& sums,
                                           double level);

}  // namespace fairfront::metrics
