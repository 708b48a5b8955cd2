/// @file
/// Means of two models' losses on the same rows, and what is known of them together.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "metrics/measure.hpp"
#include "metrics/paired_contrast.hpp"
#include "metrics/probability.hpp"

namespace fairfront::metrics {

/// What is said of a row with this score and label.
using RowValue = std::function<double(double score, double label)>;

/// The rows' differences of two models by their signs: their mean is that of the parts above 0 less
/// that of those below, a - b, two means of nonnegative values. Where few rows differ the truth of
/// either has a long upper tail, which no normal interval of the difference has.
struct SignedDifferences {
  Moments above, below;    ///< of max(0, d) and max(0, -d), over all rows
  double unseen = 0;       ///< how far a row may differ that no row of its kind is among these
  double least_reach = 0;  ///< the standard error that is left where all rows agree

  /// At level 1 - 2 tail, a - b the middle: the limits of both parts by the method of variance
  /// estimates recovery with their covariance. The upper limit of a part is that of Fay, Feuer
  /// (1997): the gamma quantile (as Wilson, Hilferty, 1931, have it, with Student's t) of the mean
  /// and the variance with a row of `unseen` added; the lower one Student's t, at least 0.
  [[nodiscard]] Interval interval(double difference, double tail) const;
};

/// A mean over all rows or in every group; or why there is none.
struct PairedMeans {
  PairedEstimates estimates;
  std::string missing;
  double most = std::numeric_limits<double>::infinity();  ///< no difference can be larger
  std::optional<SignedDifferences> differences{};  ///< over all rows, where they have no bound
};

/// Student's t with the rows' covariance, n - 1 degrees of freedom in each group; over all rows as
/// many as the fourth moment of the rows' differences leaves their variance. Of a mean of
/// values in [0, 1] (Law::proportion) each model has a part of at least (1 / 2 n)^2 in the squared
/// error of a difference, as if half a row of each might say otherwise; of one without such a bound
/// a group with one value alone has no limits, and over all rows the differences are kept by sign,
/// an unseen one as large as those of the rows that differ and the values' deviations have it:
/// (1 - k / n) (s_a^2 + s_b^2 + 2 mean d^2 of the k rows that differ), squared. A mean of values of
/// either sign (Law::mean) that differ in fewer than ten of more rows has no limits: the largest
/// differences of its rows may be in none of them.
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
