/// @file
/// Which of two models has the larger gap: both decided the same rows, so the comparison is paired.
#pragma once

#include <cstdint>
#include <span>

#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// The rows of one group that a rate is taken of, by what both models say of them: a hit of the
/// rate or none.
struct PairedShare {
  std::int64_t both = 0;
  std::int64_t first_only = 0;
  std::int64_t second_only = 0;
  std::int64_t neither = 0;

  [[nodiscard]] std::int64_t rows() const noexcept {
    return both + first_only + second_only + neither;
  }
};

/// The interval of the first model's gap less the second's, each the largest difference of its
/// rates of two groups. With K_1 and K_2 the pairs of groups that can be the extremes at an error
/// of alpha / 40 each, the upper end is
///
///     max over k in K_1 of min over l in K_2 of theta_1k - theta_2l + c s_kl,
///
/// c the normal quantile at the tail (alpha / 2 - alpha / 20) / |K_2|, and s_kl the standard error
/// of the difference with the covariances of both models within each group, one half added to each
/// of its four counts. The lower end is that of the models in the other order, negated. O(G^4) at
/// most, O(G^2 log G) where few pairs can decide. Undefined for fewer than two groups or a group
/// without rows.
/// @param shares  of every group.
/// @param rates   in how many rates a gap looks for its largest difference: the shares of all
/// groups
///                are those of one rate after the other. Two rates are of different rows, as those
///                of equalised odds.
[[nodiscard]] Interval paired_gap_interval(std::span<const PairedShare> shares, double level,
                                           std::int64_t rates = 1);

}  // namespace fairfront::metrics
