#include "metrics/probability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/elementary.hpp"
#include "base/error.hpp"
#include "metrics/expected_loss.hpp"
#include "metrics/extremes.hpp"

namespace fairfront::metrics {
namespace {

/// One bin of the calibration error.
struct Bin {
  double probability = 0;  ///< summed
  std::int64_t positives = 0;
  double squares = 0;  ///< of probability less label, summed
};

/// Sums over one set of rows.
struct Sums {
  std::int64_t rows = 0;
  double loss = 0;
  Moments moments;
  ExpectedLoss expected;  ///< of an interval
  std::array<Bin, calibration_bins> bins{};
};

double mean(const Sums& sums, ProbabilityLoss loss) {
  if (loss != ProbabilityLoss::calibration) return sums.loss / static_cast<double>(sums.rows);
  double error = 0;
  for (const Bin& bin : sums.bins) {
    error += std::abs(static_cast<double>(bin.positives) - bin.probability);
  }
  return error / static_cast<double>(sums.rows);
}

void add(Sums& sums, double probability, bool positive, ProbabilityLoss loss, bool of_interval) {
  ++sums.rows;
  if (loss == ProbabilityLoss::calibration) {
    Bin& bin = sums.bins[calibration_bin(probability)];
    bin.probability += probability;
    bin.positives += positive ? 1 : 0;
    bin.squares += loss_of_row(probability, positive, ProbabilityLoss::brier);
  } else {
    const double of_row = loss_of_row(probability, positive, loss);
    sums.loss += of_row;
    sums.moments.add(of_row);
    if (!of_interval) return;
    const double of_other = loss_of_row(probability, !positive, loss);
    sums.expected.add(probability, positive ? of_row : of_other, positive ? of_other : of_row);
  }
}

/// What the squared error of a mean is at least: that of n rows which all agree, with one row of
/// each label added, as to rates of two models (Agresti, Min, 2005).
double least_variance(double rows) { return (rows + 1) / (rows * (rows + 2) * (rows + 2)); }

/// The calibration error as a sum of |d_b| over bins, d_b the mean of probability less label in the
/// bin, over all rows of the set. A single row and rows that are all alike have no variance of
/// their own, and yet others of the population may have the other label.
Estimate calibration_estimate(const Sums& sums) {
  const auto rows = static_cast<double>(sums.rows);
  double deviations = 0;
  double variance = 0;
  for (const Bin& bin : sums.bins) {
    const double mean = (bin.probability - static_cast<double>(bin.positives)) / rows;
    const double of_bin = std::max(0.0, bin.squares / rows - mean * mean) / rows;
    deviations += std::sqrt(of_bin);
    variance += of_bin;
  }
  const double error = std::sqrt(std::max(variance, least_variance(rows)));
  const double bias = std::sqrt(2 / std::numbers::pi) * std::max(deviations, error);
  return {mean(sums, ProbabilityLoss::calibration), Law::normal, rows, error, bias};
}

/// The sums of every set of rows, or why there are none.
struct SetSums {
  std::vector<Sums> of_set;
  std::string missing;
};

/// @param of_interval  whether an interval is to be made of them.
SetSums sums_of(const Scored& scored, ProbabilityLoss loss, bool by_group, bool of_interval) {
  SetSums found;
  found.missing = missing_probability(scored);
  if (!found.missing.empty()) return found;
  found.of_set.resize(by_group ? static_cast<std::size_t>(scored.groups) : 1);
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    const std::size_t set = by_group ? static_cast<std::size_t>(scored.group[i]) : 0;
    add(found.of_set[set], scored.score[i], scored.label[i] > 0, loss, of_interval);
  }
  for (std::size_t set = 0; set < found.of_set.size(); ++set) {
    if (found.of_set[set].rows > 0) continue;
    return {{}, by_group ? fmt::format("no row in group {}", set) : "no row"};
  }
  return found;
}

/// The mean loss of every set of rows, or why there is none.
struct Means {
  std::vector<double> of_set;
  std::string missing;
};

Means means(const Scored& scored, ProbabilityLoss loss, bool by_group) {
  const SetSums sums = sums_of(scored, loss, by_group, false);
  Means result{{}, sums.missing};
  for (const Sums& set : sums.of_set) result.of_set.push_back(mean(set, loss));
  return result;
}

Law law_of(ProbabilityLoss loss) {
  return loss == ProbabilityLoss::brier ? Law::proportion : Law::positive_mean;
}

GroupEstimates estimates_from(const SetSums& sums, ProbabilityLoss loss) {
  if (!sums.missing.empty()) return {{}, sums.missing};
  GroupEstimates found{.of_group = {}, .missing = {}, .most = 1};
  std::vector<Moments> moments;
  std::vector<ExpectedLoss> expected;
  for (const Sums& set : sums.of_set) {
    found.of_group.push_back(calibration_estimate(set));
    moments.push_back(set.moments);
    expected.push_back(set.expected);
  }
  return loss == ProbabilityLoss::calibration ? found
                                              : mean_estimates(moments, law_of(loss), expected);
}

}  // namespace

// The bins are closed on the right.
std::size_t calibration_bin(double probability) {
  const double place = std::ceil(probability * static_cast<double>(calibration_bins));
  return static_cast<std::size_t>(std::max(place, 1.0)) - 1;
}

double loss_of_row(double probability, bool positive, ProbabilityLoss loss) {
  if (loss == ProbabilityLoss::log_loss) {
    return -base::log(positive ? probability : 1 - probability);
  }
  const double error = probability - (positive ? 1 : 0);
  return error * error;
}

std::string missing_probability(const Scored& scored) {
  if (!scored.no_probability.empty()) return std::string(scored.no_probability);
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    const double probability = scored.score[i];
    if (std::isnan(probability)) throw base::InputError(fmt::format("score {} is NaN", i));
    if (probability < 0 || probability > 1) return "a score is no probability: it leaves [0, 1]";
  }
  return {};
}

Value loss_of(const Scored& scored, ProbabilityLoss loss) {
  Means all = means(scored, loss, false);
  if (!all.missing.empty()) return undefined(std::move(all.missing));
  return defined(all.of_set.front());
}

Value gap_between_groups(const Scored& scored, ProbabilityLoss loss) {
  if (std::string alone = missing_pair(scored.groups); !alone.empty()) return undefined(alone);
  Means groups = means(scored, loss, true);
  if (!groups.missing.empty()) return undefined(std::move(groups.missing));
  const Extremes found = extremes(groups.of_set);
  if (std::isinf(found.low())) return undefined("the loss is infinite in every group");
  return found.gap();
}

Value largest_of_groups(const Scored& scored, ProbabilityLoss loss) {
  Means groups = means(scored, loss, true);
  if (!groups.missing.empty()) return undefined(std::move(groups.missing));
  return extremes(groups.of_set).largest();
}

GroupEstimates estimates_of(const Scored& scored, ProbabilityLoss loss) {
  return estimates_from(sums_of(scored, loss, true, true), loss);
}

GroupEstimates estimate_of_all(const Scored& scored, ProbabilityLoss loss) {
  return estimates_from(sums_of(scored, loss, false, true), loss);
}

Interval interval_of(const Scored& scored, ProbabilityLoss loss, double level) {
  const SetSums sums = sums_of(scored, loss, false, true);
  if (!sums.missing.empty()) return {.undefined_reason = sums.missing};
  const Sums& all = sums.of_set.front();
  if (loss != ProbabilityLoss::calibration) {
    return mean_interval(all.moments, law_of(loss), level, &all.expected);
  }
  return largest_interval(estimates_from(sums, loss), level);
}

}  // namespace fairfront::metrics
