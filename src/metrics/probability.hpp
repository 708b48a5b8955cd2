/// @file
/// How good probabilities of label 1 are, over all rows and between groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "metrics/group_estimates.hpp"
#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// A loss over a set of rows; all are undefined without a row, and see missing_probability().
enum class ProbabilityLoss {
  brier,        ///< mean of (p - y)^2: Brier (1950)
  log_loss,     ///< mean of -ln of the probability of the label that came; infinite if that is 0
  calibration,  ///< expected calibration error, see calibration_bins
};

/// The calibration error takes equal bins ((b - 1) / 15, b / 15] of the probability, 0 in the first
/// (Guo et al., 2017, with the probability of label 1): the mean over the rows of |share of label 1
/// in the row's bin - mean probability in that bin|.
inline constexpr std::int64_t calibration_bins = 15;

/// The number of a probability's bin.
[[nodiscard]] std::size_t calibration_bin(double probability);
/// What a row adds to a mean: the squared difference, or the logarithm.
[[nodiscard]] double loss_of_row(double probability, bool positive, ProbabilityLoss loss);
/// Why the scores are no probabilities, by what they are meant as or because one leaves [0, 1]; or
/// "". @throws base::InputError  one is NaN
[[nodiscard]] std::string missing_probability(const Scored& scored);

[[nodiscard]] Value loss_of(const Scored& scored, ProbabilityLoss loss);  ///< over all rows
[[nodiscard]] Value gap_between_groups(const Scored& scored, ProbabilityLoss loss);
[[nodiscard]] Value largest_of_groups(const Scored& scored, ProbabilityLoss loss);

/// The loss of every group and what is known of it. Bins make a calibration error too large, by
/// sqrt(2 / pi) times the sum of the bins' standard errors where the truth is 0: its bias. Of a
/// mean loss, what the probabilities expect may widen the limits: see ExpectedLoss.
[[nodiscard]] GroupEstimates estimates_of(const Scored& scored, ProbabilityLoss loss);
/// The same of all rows, as if they were the one group.
[[nodiscard]] GroupEstimates estimate_of_all(const Scored& scored, ProbabilityLoss loss);
/// Of the loss over all rows.
[[nodiscard]] Interval interval_of(const Scored& scored, ProbabilityLoss loss, double level);

}  // namespace fairfront::metrics
