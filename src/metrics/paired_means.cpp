#include "metrics/paired_means.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "metrics/group_estimates.hpp"
#include "metrics/quantile.hpp"

namespace fairfront::metrics {
namespace {

/// Means of two values and what their deviations multiply to: Welford (1962).
struct JointMoments {
  std::array<Moments, 2> of_model;
  double products = 0;

  void add(double first, double second) noexcept {
    const double off = first - of_model[0].mean;
    of_model[0].add(first);
    of_model[1].add(second);
    products += off * (second - of_model[1].mean);
  }
};

/// The rows' differences of two models, one pass: Pebay (2008).
class DifferenceDegrees {
 public:
  void add(double difference) noexcept {
    const double before = rows_;
    ++rows_;
    const double off = difference - mean_;
    const double step = off / rows_;
    const double square = off * step * before;
    mean_ += step;
    fourth_ += square * step * step * (rows_ * rows_ - 3 * rows_ + 3) + 6 * step * step * squares_ -
               4 * step * third_;
    third_ += square * step * (rows_ - 2) - 3 * step * squares_;
    squares_ += square;
  }
  /// Of freedom of their variance, from how far it varies by its fourth moment: where few rows
  /// differ it hangs on these alone. n - 1 of a normal law, and at most.
  [[nodiscard]] double finish() const noexcept {
    return degrees_of_variance(squares_, squares_spread(fourth_, squares_, rows_), rows_ - 1);
  }

 private:
  double rows_ = 0, mean_ = 0;
  double squares_ = 0, third_ = 0, fourth_ = 0;  // sums of powers of deviations from the mean
};

/// The variances and the covariance of two means of n rows, from sums of squares and products.
void set_covariance(PairedEstimates& found, std::size_t set, const std::array<double, 2>& squares,
                    double products, double divisor) {
  found.covariance.at(set, 0, set, 0) = squares[0] / divisor;
  found.covariance.at(set, 1, set, 1) = squares[1] / divisor;
  found.covariance.at(set, 0, set, 1) = products / divisor;
  found.covariance.at(set, 1, set, 0) = products / divisor;
}

std::size_t sets_of(const Scored& scored, bool by_group) {
  return by_group ? static_cast<std::size_t>(scored.groups) : 1;
}

/// The square of half a row's part of a mean.
double half_row(double rows) { return 0.25 / (rows * rows); }

/// The squared error that a difference of two means has at least for each model, though the rows of
/// a table may all differ by the same: half a row of values in [0, 1], whose variance is 1/4 at
/// most, else a row of their own variance.
double least_variance(const JointMoments& moments, Law law) {
  const double rows = moments.of_model[0].rows;
  if (law == Law::proportion) return half_row(rows);
  const double squares = (moments.of_model[0].squares + moments.of_model[1].squares) / 2;
  return squares / ((rows - 1) * rows * rows);
}

/// Of the one set of all rows.
class DifferencesBySign {
 public:
  void add(double first, double second) noexcept {
    const double difference = first - second;
    found_.above.add(std::max(0.0, difference));
    found_.below.add(std::max(0.0, -difference));
    if (difference == 0) return;
    ++differ_;
    squares_ += difference * difference;
  }
  /// Whether fewer than ten of the rows differ, and not all.
  [[nodiscard]] bool few() const noexcept {
    return differ_ < few_rows && differ_ < found_.above.rows;
  }
  /// @param moments  of the same rows, two at least.
  [[nodiscard]] SignedDifferences finish(const JointMoments& moments) const {
    const double rows = moments.of_model[0].rows;
    const double variances =
        (moments.of_model[0].squares + moments.of_model[1].squares) / (rows - 1);
    const double of_differing = differ_ > 0 ? squares_ / differ_ : 0.0;
    SignedDifferences found = found_;
    found.unseen = std::sqrt((1 - differ_ / rows) * (variances + 2 * of_differing));
    found.least_reach = std::sqrt(2 * least_variance(moments, Law::positive_mean));
    return found;
  }

 private:
  static constexpr double few_rows = 10;  // see doc/measurements.md, paired intervals

  SignedDifferences found_;
  double differ_ = 0;   // rows
  double squares_ = 0;  // of their differences
};

/// How far the truth may lie above a mean of nonnegative values.
double reach_above(const Moments& part, double unseen, double t) {
  const double added = unseen / part.rows;
  const double mean = part.mean + added;
  if (mean == 0) return 0;
  const double of_part = part.standard_error();
  const double relative = std::sqrt(of_part * of_part + added * added) / mean;
  const double root = 1 - relative * relative / 9 + t * relative / 3;
  return std::max(0.0, mean * root * root * root - part.mean);
}

double reach_below(const Moments& part, double t) {
  return std::min(t * part.standard_error(), part.mean);
}

/// Without the number of a group where there is but the one of all rows.
std::string reason_of(std::string missing, bool by_group) {
  const std::string of_group = " in group 0";
  const std::size_t at = missing.find(of_group);
  if (!by_group && at != std::string::npos) missing.erase(at, of_group.size());
  return missing;
}

/// The first reason why one of the two has no limits.
std::string missing_of(const std::array<GroupEstimates, 2>& of_model) {
  return of_model[0].missing.empty() ? of_model[1].missing : of_model[0].missing;
}

/// Of calibration errors as means of signed rows.
PairedMeans paired_calibration(const Scored& first, const Scored& second, bool by_group) {
  const std::array<const Scored*, 2> models{&first, &second};
  const std::size_t sets = sets_of(first, by_group);
  PairedMeans found{{{}, {sets, sets}}, {}, 1};
  std::array<std::vector<double>, 2> signs;  // of every bin of every set
  for (std::size_t model = 0; model < 2; ++model) {
    GroupEstimates estimates = by_group
                                   ? estimates_of(*models[model], ProbabilityLoss::calibration)
                                   : estimate_of_all(*models[model], ProbabilityLoss::calibration);
    if (!estimates.missing.empty()) return {{{}, {sets, sets}}, estimates.missing};
    found.estimates.of_model[model] = std::move(estimates.of_group);
    signs[model].assign(sets * calibration_bins, 0.0);
  }
  const auto place_of = [&](const Scored& scored, std::size_t row) {
    const std::size_t set = by_group ? static_cast<std::size_t>(scored.group[row]) : 0;
    return set * calibration_bins + calibration_bin(scored.score[row]);
  };
  const auto off = [](const Scored& scored, std::size_t row) {
    return scored.score[row] - (scored.label[row] > 0 ? 1 : 0);
  };
  for (std::size_t model = 0; model < 2; ++model) {
    const Scored& scored = *models[model];
    for (std::size_t row = 0; row < scored.rows(); ++row) {
      signs[model][place_of(scored, row)] += off(scored, row);
    }
    for (double& sign : signs[model]) sign = sign < 0 ? -1 : 1;
  }
  std::vector<std::array<double, 2>> squares(sets);
  std::vector<double> products(sets), rows(sets);
  for (std::size_t row = 0; row < first.rows(); ++row) {
    std::array<double, 2> value{};
    for (std::size_t model = 0; model < 2; ++model) {
      const Scored& scored = *models[model];
      value[model] = signs[model][place_of(scored, row)] * off(scored, row);
    }
    const std::size_t set = by_group ? static_cast<std::size_t>(first.group[row]) : 0;
    squares[set][0] += value[0] * value[0];
    squares[set][1] += value[1] * value[1];
    products[set] += value[0] * value[1];
    ++rows[set];
  }
  for (std::size_t set = 0; set < sets; ++set) {
    set_covariance(found.estimates, set, squares[set], products[set], rows[set] * rows[set]);
    found.estimates.least.push_back(half_row(rows[set]));
  }
  return found;
}

template <class Contrasts>
Interval interval_of(const PairedMeans& means, bool pairs, double level, Contrasts contrasts_of) {
  if (!means.missing.empty()) return {.undefined_reason = means.missing};
  if (means.differences) {
    const double value =
        means.estimates.of_model[0][0].value - means.estimates.of_model[1][0].value;
    return means.differences->interval(value, (1 - level) / 2);
  }
  if (pairs) {
    std::string alone = missing_pair(std::ssize(means.estimates.of_model[0]));
    if (!alone.empty()) return {.undefined_reason = std::move(alone)};
  }
  return paired_interval_of_largest(means.estimates, contrasts_of(means.estimates), level,
                                    -means.most, means.most);
}

}  // namespace

// The two parts of a row are never both above 0, so the covariance of their means is -a b / (n -
// 1), and that of a deviation of one with one of the other in proportion to their standard errors.
Interval SignedDifferences::interval(double difference, double tail) const {
  const double t = student_quantile(tail, above.rows - 1);
  const double errors = above.standard_error() * below.standard_error();
  const double correlation =
      errors > 0 ? std::max(-1.0, -above.mean * below.mean / ((above.rows - 1) * errors)) : 0.0;
  const auto reach = [&](double up, double down) {
    return std::max(t * least_reach,
                    std::sqrt(up * up + down * down - 2 * correlation * up * down));
  };
  return {difference - reach(reach_above(below, unseen, t), reach_below(above, t)),
          difference + reach(reach_above(above, unseen, t), reach_below(below, t)),
          {}};
}

PairedMeans paired_means(const Scored& first, const Scored& second, const RowValue& value, Law law,
                         bool by_group) {
  const std::size_t sets = sets_of(first, by_group);
  std::vector<JointMoments> moments(sets);
  const bool has_bound = law == Law::proportion;
  const bool keeps_signs = !by_group && !has_bound;
  DifferencesBySign by_sign;
  DifferenceDegrees degrees;
  for (std::size_t row = 0; row < first.rows(); ++row) {
    const std::size_t set = by_group ? static_cast<std::size_t>(first.group[row]) : 0;
    const double of_first = value(first.score[row], first.label[row]);
    const double of_second = value(second.score[row], second.label[row]);
    moments[set].add(of_first, of_second);
    if (keeps_signs) by_sign.add(of_first, of_second);
    if (!by_group) degrees.add(of_first - of_second);
  }
  PairedMeans found{{{}, {sets, sets}}, {}};
  if (has_bound) found.most = 1;
  std::array<GroupEstimates, 2> of_model;
  for (std::size_t model = 0; model < 2; ++model) {
    std::vector<Moments> of_sets;
    for (const JointMoments& of_set : moments) of_sets.push_back(of_set.of_model[model]);
    of_model[model] = mean_estimates(of_sets, law);
  }
  found.missing = reason_of(missing_of(of_model), by_group);
  for (std::size_t set = 0; set < sets && found.missing.empty(); ++set) {
    const double rows = moments[set].of_model[0].rows;
    if (rows < 2) {
      found.missing = reason_of("a single row in group " + std::to_string(set), by_group);
      break;
    }
    const std::array<double, 2> squares{moments[set].of_model[0].squares,
                                        moments[set].of_model[1].squares};
    set_covariance(found.estimates, set, squares, moments[set].products, rows * (rows - 1));
    found.estimates.least.push_back(least_variance(moments[set], law));
    found.estimates.degrees.push_back(by_group ? rows - 1 : degrees.finish());
  }
  for (std::size_t model = 0; model < 2; ++model) {
    found.estimates.of_model[model] = std::move(of_model[model].of_group);
  }
  if (!keeps_signs || !found.missing.empty()) return found;
  if (law == Law::mean && by_sign.few()) {
    found.missing = "the two differ in fewer than ten rows";
    return found;
  }
  found.differences = by_sign.finish(moments.front());
  return found;
}

PairedMeans paired_losses(const Scored& first, const Scored& second, ProbabilityLoss loss,
                          bool by_group) {
  for (const Scored* scored : {&first, &second}) {
    std::string missing = missing_probability(*scored);
    const std::size_t sets = sets_of(first, by_group);
    if (!missing.empty()) return {{{}, {sets, sets}}, std::move(missing)};
  }
  if (loss == ProbabilityLoss::calibration) return paired_calibration(first, second, by_group);
  const Law law = loss == ProbabilityLoss::brier ? Law::proportion : Law::positive_mean;
  return paired_means(
      first, second,
      [loss](double score, double label) { return loss_of_row(score, label > 0, loss); }, law,
      by_group);
}

Interval paired_mean_interval(const PairedMeans& over_all, double level) {
  return interval_of(over_all, false, level,
                     [](const PairedEstimates& all) { return paired_values(all); });
}

Interval paired_gap_interval(const PairedMeans& by_group, double level) {
  return interval_of(by_group, true, level, [](const PairedEstimates& groups) {
    return paired_differences(groups, groups.of_model[0].size());
  });
}

Interval paired_largest_interval(const PairedMeans& by_group, double level) {
  return interval_of(by_group, false, level,
                     [](const PairedEstimates& groups) { return paired_values(groups); });
}

}  // namespace fairfront::metrics
