#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "metrics/confusion.hpp"
#include "metrics/contrast.hpp"
#include "metrics/distance.hpp"
#include "metrics/distance_interval.hpp"
#include "metrics/group_estimates.hpp"
#include "metrics/interval.hpp"
#include "metrics/measure.hpp"
#include "metrics/probability.hpp"

namespace fairfront::metrics {
namespace {

template <Rate rate>
Value over_all(const Scored& scored) {
  return rate_of(scored, rate);
}
template <Rate rate>
Value gap(const Scored& scored) {
  return gap_between_groups(scored, rate);
}
template <Rate rate>
Value ratio(const Scored& scored) {
  return ratio_between_groups(scored, rate);
}
template <Rate rate>
Value largest(const Scored& scored) {
  return largest_of_groups(scored, rate);
}
template <ProbabilityLoss loss>
Value over_all(const Scored& scored) {
  return loss_of(scored, loss);
}
template <ProbabilityLoss loss>
Value gap(const Scored& scored) {
  return gap_between_groups(scored, loss);
}
template <ProbabilityLoss loss>
Value largest(const Scored& scored) {
  return largest_of_groups(scored, loss);
}

template <Rate rate>
Interval interval_of_rate(const Scored& scored, double level) {
  Confusion all;
  for (const Confusion& group : confusion_by_group(scored)) all += group;
  const auto [hits, of] = share(all, rate);
  if (of == 0) return {.undefined_reason = fmt::format("no {}", denominator_of(rate))};
  return rate_interval(hits, of, level);
}

template <auto what>
Interval interval_of_gap(const Scored& scored, double level) {
  return gap_interval(estimates_of(scored, what), level);
}
template <auto what>
GroupEstimates numbers_of_groups(const Scored& scored) {
  return estimates_of(scored, what);
}
template <auto what>
Interval interval_of_largest_group(const Scored& scored, double level) {
  return largest_interval(estimates_of(scored, what), level);
}
template <Rate rate>
Interval interval_of_ratio(const Scored& scored, double level) {
  return ratio_interval(estimates_of(scored, rate), level);
}
template <ProbabilityLoss loss>
Interval interval_over_all(const Scored& scored, double level) {
  return interval_of(scored, loss, level);
}

template <class Combine>
Value both(const Value& first, const Value& second, Combine combine) {
  if (!first.defined()) return first;
  if (!second.defined()) return second;
  return defined(combine(first.value, second.value));
}

template <Rate first, Rate second>
Value larger_gap(const Scored& scored) {
  const Value a = gap<first>(scored);
  const Value b = gap<second>(scored);
  if (!a.defined()) return a;
  if (!b.defined()) return b;
  return b.value > a.value ? b : a;
}
template <Rate first, Rate second>
Value summed_gap(const Scored& scored) {
  return both(gap<first>(scored), gap<second>(scored), [](double a, double b) { return a + b; });
}

/// Of what is taken of the differences of two rates, `contrasts` from the estimates of both.
template <Rate first, Rate second, auto contrasts>
Interval interval_of_two_gaps(const Scored& scored, double level) {
  GroupEstimates a = estimates_of(scored, first);
  GroupEstimates b = estimates_of(scored, second);
  for (const std::string& reason : {a.missing, b.missing, missing_pair(scored.groups)}) {
    if (!reason.empty()) return {.undefined_reason = reason};
  }
  Interval interval =
      interval_of_largest(contrasts(std::move(a.of_group), std::move(b.of_group)), level);
  interval.low = std::max(0.0, interval.low);
  return interval;
}

Contrasts differences_of_both(std::vector<Estimate> first, std::vector<Estimate> second) {
  return either(differences(std::move(first)), differences(std::move(second)));
}

Value balanced_accuracy(const Scored& scored) {
  return both(over_all<Rate::true_positive>(scored), over_all<Rate::false_positive>(scored),
              [](double sensitivity, double false_alarms) {
                return (sensitivity + (1 - false_alarms)) / 2;
              });
}

/// Half of 1 + true positive rate - false positive rate, from rows of different labels.
Interval interval_of_balanced_accuracy(const Scored& scored, double level) {
  Confusion all;
  for (const Confusion& group : confusion_by_group(scored)) all += group;
  std::vector<Estimate> rates;
  for (const Rate rate : {Rate::true_positive, Rate::false_positive}) {
    const auto [hits, of] = share(all, rate);
    if (of == 0) return {.undefined_reason = fmt::format("no {}", denominator_of(rate))};
    rates.push_back(proportion(hits, of));
  }
  const double tail = (1 - level) / 2;
  return {(1 - difference_high(rates[1], rates[0], tail)) / 2,
          (1 + difference_high(rates[0], rates[1], tail)) / 2,
          {}};
}

/// Rows with label 1 among all.
Share positives(const Scored& scored) {
  Share found{0, static_cast<double>(scored.rows())};
  for (const double label : scored.label) found.hits += label > 0 ? 1 : 0;
  return found;
}

Value base_rate(const Scored& scored) {
  const auto [hits, of] = positives(scored);
  if (of == 0) return undefined("no row");
  return defined(hits / of);
}

Interval interval_of_base_rate(const Scored& scored, double level) {
  const auto [hits, of] = positives(scored);
  if (of == 0) return {.undefined_reason = "no row"};
  return rate_interval(hits, of, level);
}

std::vector<Measure> measures_of_decisions() {
  using base::Direction;
  using enum Needs;
  const std::string hardt = "Hardt, Price, Srebro (2016)";
  const std::string benchmark = "Kliachkin, Lepsova, Bareilles, Marecek (2025)";
  return {
      {{"error", "share of rows decided wrongly", "share", Direction::minimise, ""},
       decision,
       over_all<Rate::error>,
       interval_of_rate<Rate::error>,
       true,
       true},
      {{"balanced_accuracy", "mean of the true positive and the true negative rate", "share",
        Direction::maximise, ""},
       decision,
       balanced_accuracy,
       interval_of_balanced_accuracy,
       true,
       true},
      {{"base_rate", "share of rows with label 1", "share", Direction::none, ""},
       decision,
       base_rate,
       interval_of_base_rate,
       true,
       true},
      {{"positive_rate", "share of rows decided 1", "share", Direction::none, ""},
       decision,
       over_all<Rate::positive>,
       interval_of_rate<Rate::positive>,
       true,
       true},
      {{"true_positive_rate", "share decided 1 of the rows with label 1", "share",
        Direction::maximise, ""},
       decision,
       over_all<Rate::true_positive>,
       interval_of_rate<Rate::true_positive>,
       true,
       true},
      {{"false_positive_rate", "share decided 1 of the rows with label 0", "share",
        Direction::minimise, ""},
       decision,
       over_all<Rate::false_positive>,
       interval_of_rate<Rate::false_positive>,
       true,
       true},
      {{"positive_predictive_value", "share with label 1 of the rows decided 1", "share",
        Direction::maximise, ""},
       decision,
       over_all<Rate::positive_predictive>,
       interval_of_rate<Rate::positive_predictive>,
       true,
       true},
      {{"negative_predictive_value", "share with label 0 of the rows decided 0", "share",
        Direction::maximise, ""},
       decision,
       over_all<Rate::negative_predictive>,
       interval_of_rate<Rate::negative_predictive>,
       true,
       true},
      {{"independence_gap",
        "demographic parity: largest difference of two groups' shares decided 1", "share",
        Direction::minimise, "Calders, Verwer (2010)"},
       decision,
       gap<Rate::positive>,
       interval_of_gap<Rate::positive>,
       false,
       false,
       numbers_of_groups<Rate::positive>},
      {{"independence_ratio", "smallest share decided 1 of a group over the largest", "ratio",
        Direction::maximise, "Feldman et al. (2015)"},
       decision,
       ratio<Rate::positive>,
       interval_of_ratio<Rate::positive>},
      {{"true_positive_gap", "equal opportunity: largest difference of true positive rates",
        "share", Direction::minimise, hardt},
       decision,
       gap<Rate::true_positive>,
       interval_of_gap<Rate::true_positive>,
       false,
       false,
       numbers_of_groups<Rate::true_positive>},
      {{"false_positive_gap", "largest difference of false positive rates", "share",
        Direction::minimise, hardt},
       decision,
       gap<Rate::false_positive>,
       interval_of_gap<Rate::false_positive>,
       false,
       false,
       numbers_of_groups<Rate::false_positive>},
      {{"separation_gap",
        "equalised odds: the larger of the gaps of true and of false positive rates", "share",
        Direction::minimise, hardt},
       decision,
       larger_gap<Rate::true_positive, Rate::false_positive>,
       interval_of_two_gaps<Rate::true_positive, Rate::false_positive, differences_of_both>},
      {{"separation_sum", "sum of the gaps of true and of false positive rates", "share",
        Direction::minimise, benchmark},
       decision,
       summed_gap<Rate::true_positive, Rate::false_positive>,
       interval_of_two_gaps<Rate::true_positive, Rate::false_positive, sums_of_differences>},
      {{"positive_predictive_gap",
        "predictive parity: largest difference of positive predictive values", "share",
        Direction::minimise, "Chouldechova (2017)"},
       decision,
       gap<Rate::positive_predictive>,
       interval_of_gap<Rate::positive_predictive>,
       false,
       false,
       numbers_of_groups<Rate::positive_predictive>},
      {{"negative_predictive_gap", "largest difference of negative predictive values", "share",
        Direction::minimise, ""},
       decision,
       gap<Rate::negative_predictive>,
       interval_of_gap<Rate::negative_predictive>,
       false,
       false,
       numbers_of_groups<Rate::negative_predictive>},
      {{"sufficiency_gap", "the larger of the gaps of positive and negative predictive values",
        "share", Direction::minimise, "Barocas, Hardt, Narayanan (2019)"},
       decision,
       larger_gap<Rate::positive_predictive, Rate::negative_predictive>,
       interval_of_two_gaps<Rate::positive_predictive, Rate::negative_predictive,
                            differences_of_both>},
      {{"sufficiency_sum", "sum of the gaps of positive and negative predictive values", "share",
        Direction::minimise, benchmark},
       decision,
       summed_gap<Rate::positive_predictive, Rate::negative_predictive>,
       interval_of_two_gaps<Rate::positive_predictive, Rate::negative_predictive,
                            sums_of_differences>},
      {{"error_gap", "largest difference of two groups' errors", "share", Direction::minimise,
        "Zafar et al. (2017)"},
       decision,
       gap<Rate::error>,
       interval_of_gap<Rate::error>,
       false,
       false,
       numbers_of_groups<Rate::error>},
      {{"worst_group_error", "largest error of a group", "share", Direction::minimise,
        "Sagawa et al. (2020)"},
       decision,
       largest<Rate::error>,
       interval_of_largest_group<Rate::error>},
  };
}

std::vector<Measure> measures_of_probabilities() {
  using base::Direction;
  using enum Needs;
  const std::string bins =
      fmt::format("expected calibration error in {} equal bins of the probability of label 1",
                  calibration_bins);
  const std::string guo = "Guo, Pleiss, Sun, Weinberger (2017)";
  return {
      {{"brier", "mean squared difference of probability and label", "share", Direction::minimise,
        "Brier (1950)"},
       probability,
       over_all<ProbabilityLoss::brier>,
       interval_over_all<ProbabilityLoss::brier>,
       true,
       true},
      {{"brier_gap", "largest difference of two groups' Brier scores", "share", Direction::minimise,
        ""},
       probability,
       gap<ProbabilityLoss::brier>,
       interval_of_gap<ProbabilityLoss::brier>,
       false,
       false,
       numbers_of_groups<ProbabilityLoss::brier>},
      {{"calibration_error", bins, "share", Direction::minimise, guo},
       probability,
       over_all<ProbabilityLoss::calibration>,
       interval_over_all<ProbabilityLoss::calibration>,
       false,
       true},
      {{"calibration_error_gap", "largest difference of two groups' calibration errors", "share",
        Direction::minimise, ""},
       probability,
       gap<ProbabilityLoss::calibration>,
       interval_of_gap<ProbabilityLoss::calibration>,
       false,
       false,
       numbers_of_groups<ProbabilityLoss::calibration>},
      {{"log_loss", "mean negative logarithm of the probability of the label", "nat",
        Direction::minimise, ""},
       probability,
       over_all<ProbabilityLoss::log_loss>,
       interval_over_all<ProbabilityLoss::log_loss>,
       true,
       true},
      {{"log_loss_gap", "largest difference of two groups' log losses", "nat", Direction::minimise,
        "Kliachkin, Lepsova, Bareilles, Marecek (2025)"},
       probability,
       gap<ProbabilityLoss::log_loss>,
       interval_of_gap<ProbabilityLoss::log_loss>,
       false,
       false,
       numbers_of_groups<ProbabilityLoss::log_loss>},
      {{"worst_group_log_loss", "largest log loss of a group", "nat", Direction::minimise,
        "Sagawa et al. (2020)"},
       probability,
       largest<ProbabilityLoss::log_loss>,
       interval_of_largest_group<ProbabilityLoss::log_loss>},
  };
}

std::vector<Measure> measures_of_scores() {
  using base::Direction;
  using enum Needs;
  return {
      {{"wasserstein_1", "largest 1-Wasserstein distance between two groups' scores", "score",
        Direction::minimise, ""},
       score,
       MeasureFunction{wasserstein_1},
       wasserstein_1_interval},
      {{"wasserstein_2_squared",
        "largest squared 2-Wasserstein distance between two groups' scores", "score squared",
        Direction::minimise, ""},
       score,
       MeasureFunction{wasserstein_2_squared},
       no_interval_of_wasserstein_2},
      {{"wasserstein_2_squared_binned",
        "largest squared 2-Wasserstein distance of a group to the largest group, both as "
        "histograms over 50 bins of that group's range",
        "score squared", Direction::minimise,
        "Kliachkin, Lepsova, Bareilles, Marecek (2025), public program"},
       score,
       MeasureFunction{binned_wasserstein_2_squared},
       no_interval_of_wasserstein_2},
      {{"kolmogorov_smirnov",
        "largest difference of two groups' shares decided 1, over all thresholds", "share",
        Direction::minimise, ""},
       score,
       MeasureFunction{kolmogorov_smirnov},
       kolmogorov_smirnov_interval},
  };
}

std::vector<Measure> all_measures() {
  std::vector<Measure> all = measures_of_decisions();
  std::ranges::move(measures_of_probabilities(), std::back_inserter(all));
  std::ranges::move(measures_of_scores(), std::back_inserter(all));
  return all;
}

}  // namespace

std::vector<std::string> gaps_in(std::string_view name) {
  if (name == "separation_gap") return {"true_positive_gap", "false_positive_gap"};
  if (name == "sufficiency_gap") return {"positive_predictive_gap", "negative_predictive_gap"};
  return {};
}

std::span<const Measure> classification() {
  static const std::vector<Measure> measures = all_measures();
  return measures;
}

}  // namespace fairfront::metrics
