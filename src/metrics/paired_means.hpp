/// @file
/// Means of two models' losses on the same rows, and what is known of them together.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>

#include "metrics/measure.hpp"
#include "metrics/paired_contrast.hpp"
#include "metrics/probability.hpp"

namespace fairfront::metrics {

/// What is said of a row with this score and label.
using RowValue = std::function<double(double score, double label)>;

/// A mean over all rows or in every group; or why there is none.
struct PairedMeans {
  PairedEstimates estimates;
  std::string missing;
  double most = std::numeric_limits<double>::infinity();  ///< no difference can be larger
};

/// Student's t with the rows' covariance, n - 1 degrees of freedom in each group. Of a mean of
/// values in [0, 1] (Law::proportion) each model has a part of at least (1 / 2 n)^2 in the squared
/// error of a difference, as if half a row of each might say otherwise; of one without such a bound
/// a group with one value alone has no limits.
/// @param by_group  false: over all rows, as if these were the one group.
[[nodiscard]] PairedMeans paired_means(const Scored& first, const Scored& second,
                                       const RowValue& value, Law law, bool by_group);

/// The same of losses of probabilities, undefined where a score leaves [0, 1]. A calibration error
/// is a sum over bins of |mean of probability less label|; with the sign of each bin as it is
/// found it is a mean of rows. Its bias is added, see estimates_of(scored, loss).
[[nodiscard]] PairedMeans paired_losses(const Scored& first, const Scored& second,
                                        ProbabilityLoss loss, bool by_group);

/// Of the first model's mean over all rows less the second's.
[[nodiscard]] Interval paired_mean_interval(const PairedMeans& over_all, double level);
/// Of the largest difference of two groups, and of the largest mean of a group.
[[nodiscard]] Interval paired_gap_interval(const PairedMeans& by_group, double level);
[[nodiscard]] Interval paired_largest_interval(const PairedMeans& by_group, double level);

}  // namespace fairfront::metrics
