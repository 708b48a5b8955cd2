/// @file
/// AUCs of two models' scores of the same rows, and what is known of them together.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "metrics/auc.hpp"
#include "metrics/measure.hpp"
#include "metrics/paired_contrast.hpp"

namespace fairfront::metrics {

/// Signed sums of AUCs of both models; or why there are none.
struct PairedAucs {
  PairedEstimates estimates;
  std::string missing;
};

/// The sums with the covariances of all of them in both models by what every row adds (DeLong,
/// DeLong, Clarke-Pearson, 1988; metrics/auc.hpp has the formula), and Satterthwaite's degrees of
/// freedom of the rows by label and group; of one sum alone at most those that the fourth moment of
/// the rows' differences leaves. As the squared error of a difference, each model has at
/// least (1 / 2 m)^2, m the rows of the smallest set. Of more than `most_with_covariance` sums only
/// those of the same one are taken, see PairedEstimates::of_same_alone. O(n J) for J sums of pairs
/// of groups, and n times the squared number of sums that a row is in.
/// @param disjoint  whether no two sums share a row: then each is a block of its own, and of one
///                  alone the difference of the models is asked for, not of absolute values.
[[nodiscard]] PairedAucs paired_aucs(const Scored& first, const Scored& second,
                                     std::span<const AucSum> sums, bool disjoint);
inline constexpr std::size_t most_with_covariance = 1200;

/// Of one sum of the first model less that of the second.
[[nodiscard]] Interval paired_auc_interval(const Scored& first, const Scored& second,
                                           const AucSum& sum, double level);
/// Of the largest absolute value of the sums.
[[nodiscard]] Interval paired_auc_gap_interval(const Scored& first, const Scored& second,
                                               std::span<const AucSum> sums, double level);
/// Of the AUCs within groups: of their largest difference, and of the smallest.
[[nodiscard]] Interval paired_intra_group_interval(const Scored& first, const Scored& second,
                                                   double level);
[[nodiscard]] Interval paired_worst_group_auc_interval(const Scored& first, const Scored& second,
                                                       double level);

/// p value of the test of DeLong, DeLong, Clarke-Pearson (1988) that both AUCs are equal, from
/// Student's distribution: below 1 - level where the interval at that level leaves out 0. Undefined
/// where the interval is; 1 where both are equal.
[[nodiscard]] Value delong_p_value(const Scored& first, const Scored& second);

}  // namespace fairfront::metrics
