#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "metrics/distance.hpp"
#include "metrics/distance_interval.hpp"
#include "metrics/extremes.hpp"
#include "metrics/group_estimates.hpp"
#include "metrics/measure.hpp"
#include "metrics/quantile.hpp"
#include "metrics/regression.hpp"

namespace fairfront::metrics {
namespace {

using PerRow = double (*)(double prediction, double target);

double squared_error(double prediction, double target) {
  const double error = prediction - target;
  return error * error;
}
double absolute_error(double prediction, double target) { return std::abs(prediction - target); }
double prediction_alone(double prediction, double) { return prediction; }
double target_alone(double, double target) { return target; }

/// Means over the groups; the reason if a group has no row.
struct Means {
  std::vector<double> of_group;
  std::string missing;
};

Means means(const Scored& scored, PerRow per_row) {
  std::vector<double> sums(static_cast<std::size_t>(scored.groups), 0.0);
  std::vector<std::int64_t> rows(sums.size(), 0);
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    const auto group = static_cast<std::size_t>(scored.group[i]);
    sums[group] += per_row(scored.score[i], scored.label[i]);
    ++rows[group];
  }
  for (std::size_t g = 0; g < sums.size(); ++g) {
    if (rows[g] == 0) return {{}, fmt::format("no row in group {}", g)};
    sums[g] /= static_cast<double>(rows[g]);
  }
  return {std::move(sums), {}};
}

template <PerRow per_row>
Value over_all(const Scored& scored) {
  if (scored.rows() == 0) return undefined("no row");
  double sum = 0;
  for (std::size_t i = 0; i < scored.rows(); ++i) sum += per_row(scored.score[i], scored.label[i]);
  return defined(sum / static_cast<double>(scored.rows()));
}

template <PerRow per_row, Law law = Law::positive_mean>
Interval interval_over_all(const Scored& scored, double level) {
  Moments moments;
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    moments.add(per_row(scored.score[i], scored.label[i]));
  }
  return mean_interval(moments, law, level);
}

template <PerRow per_row>
GroupEstimates estimates_of(const Scored& scored, Law law) {
  std::vector<Moments> of_group(static_cast<std::size_t>(scored.groups));
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    of_group[static_cast<std::size_t>(scored.group[i])].add(
        per_row(scored.score[i], scored.label[i]));
  }
  return mean_estimates(of_group, law);
}

template <PerRow per_row, Law law>
Interval interval_of_gap(const Scored& scored, double level) {
  return gap_interval(estimates_of<per_row>(scored, law), level);
}

template <PerRow per_row>
Interval interval_of_largest_group(const Scored& scored, double level) {
  return largest_interval(estimates_of<per_row>(scored, Law::positive_mean), level);
}

template <PerRow per_row>
Value gap(const Scored& scored) {
  if (std::string alone = missing_pair(scored.groups); !alone.empty()) return undefined(alone);
  Means found = means(scored, per_row);
  if (!found.missing.empty()) return undefined(std::move(found.missing));
  return extremes(found.of_group).gap();
}

template <PerRow per_row>
Value largest(const Scored& scored) {
  Means found = means(scored, per_row);
  if (!found.missing.empty()) return undefined(std::move(found.missing));
  return extremes(found.of_group).largest();
}

Value root_mean_squared_error(const Scored& scored) {
  return value_of_root(over_all<squared_error>(scored));
}

Interval root_mean_squared_error_interval(const Scored& scored, double level) {
  return interval_of_root(interval_over_all<squared_error>(scored, level));
}

Value coefficient_of_determination(const Scored& scored) {
  Moments targets;
  for (const double target : scored.label) targets.add(target);
  return r_squared_of(over_all<squared_error>(scored), targets);
}

Interval interval_of_r_squared(const Scored& scored, double level) {
  const double rows = static_cast<double>(scored.rows());
  ErrorsAndTargets sums(std::accumulate(scored.label.begin(), scored.label.end(), 0.0) / rows);
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    sums.add(squared_error(scored.score[i], scored.label[i]), scored.label[i]);
  }
  return sums.interval(level);
}

Value wasserstein_2(const Scored& scored) {
  Value squared = wasserstein_2_squared(scored);
  squared.value = std::sqrt(squared.value);
  for (GapMaker& of_group : squared.made_by) of_group.value = std::sqrt(of_group.value);
  return squared;
}

std::vector<Measure> measures() {
  using base::Direction;
  using enum Needs;
  const std::string agarwal = "Agarwal, Dudik, Wu (2019); Chzhen, Hebiri, Taturyan (2024)";
  return {
      {{"risk", "mean squared error", "target squared", Direction::minimise, ""},
       prediction,
       over_all<squared_error>,
       interval_over_all<squared_error>,
       true,
       true},
      {{"root_mean_squared_error", "square root of the mean squared error", "target",
        Direction::minimise, ""},
       prediction,
       root_mean_squared_error,
       root_mean_squared_error_interval,
       true,
       true},
      {{"r_squared", "1 less the mean squared error over the variance of the true targets", "share",
        Direction::maximise, "Wright (1921)"},
       prediction,
       coefficient_of_determination,
       interval_of_r_squared,
       true},
      {{"absolute_error", "mean absolute error", "target", Direction::minimise, ""},
       prediction,
       over_all<absolute_error>,
       interval_over_all<absolute_error>,
       true,
       true},
      {{"mean_prediction", "mean of the predictions", "target", Direction::none, ""},
       prediction,
       over_all<prediction_alone>,
       interval_over_all<prediction_alone, Law::mean>,
       true,
       true},
      {{"mean_target", "mean of the true targets", "target", Direction::none, ""},
       prediction,
       over_all<target_alone>,
       interval_over_all<target_alone, Law::mean>,
       true,
       true},
      {{"risk_gap", "largest difference of two groups' mean squared errors", "target squared",
        Direction::minimise, ""},
       prediction,
       gap<squared_error>,
       interval_of_gap<squared_error, Law::positive_mean>},
      {{"worst_group_risk", "largest mean squared error of a group", "target squared",
        Direction::minimise, "Agarwal, Dudik, Wu (2019)"},
       prediction,
       largest<squared_error>,
       interval_of_largest_group<squared_error>},
      {{"mean_gap", "largest difference of two groups' mean predictions", "target",
        Direction::minimise, ""},
       prediction,
       gap<prediction_alone>,
       interval_of_gap<prediction_alone, Law::mean>},
      {{"kolmogorov_smirnov_to_all",
        "largest Kolmogorov-Smirnov distance between a group's predictions and all", "share",
        Direction::minimise, agarwal},
       prediction,
       kolmogorov_smirnov_to_all,
       kolmogorov_smirnov_to_all_interval},
      {{"kolmogorov_smirnov", "largest Kolmogorov-Smirnov distance between two groups' predictions",
        "share", Direction::minimise, ""},
       prediction,
       MeasureFunction{kolmogorov_smirnov},
       kolmogorov_smirnov_interval},
      {{"wasserstein_1", "largest 1-Wasserstein distance between two groups' predictions", "target",
        Direction::minimise, ""},
       prediction,
       MeasureFunction{wasserstein_1},
       wasserstein_1_interval},
      {{"wasserstein_2", "largest 2-Wasserstein distance between two groups' predictions", "target",
        Direction::minimise, "Chzhen, Denis, Hebiri, Oneto, Pontil (2020)"},
       prediction,
       wasserstein_2,
       no_interval_of_wasserstein_2},
  };
}

}  // namespace

Interval interval_of_root(Interval squared) {
  squared.low = std::sqrt(squared.low);
  squared.high = std::sqrt(squared.high);
  return squared;
}

Value value_of_root(Value squared) {
  squared.value = std::sqrt(squared.value);
  return squared;
}

Value r_squared_of(Value risk, const Moments& targets) {
  if (!risk.defined()) return risk;
  if (!(targets.squares > 0)) return undefined("all targets are equal");
  return defined(1 - risk.value * targets.rows / targets.squares);
}

void ErrorsAndTargets::add(double squared_error, double target, double copies) {
  const double off = target - origin_;
  const double square = off * off;
  rows_ += copies;
  error_ += copies * squared_error;
  error_2_ += copies * (squared_error * squared_error);
  target_ += copies * off;
  target_2_ += copies * square;
  target_3_ += copies * (square * off);
  target_4_ += copies * (square * square);
  product_ += copies * (squared_error * off);
  product_2_ += copies * (squared_error * square);
}

void ErrorsAndTargets::add(const ErrorsAndTargets& other) {
  for (const auto sum :
       {&ErrorsAndTargets::rows_, &ErrorsAndTargets::error_, &ErrorsAndTargets::error_2_,
        &ErrorsAndTargets::target_, &ErrorsAndTargets::target_2_, &ErrorsAndTargets::target_3_,
        &ErrorsAndTargets::target_4_, &ErrorsAndTargets::product_, &ErrorsAndTargets::product_2_}) {
    this->*sum += other.*sum;
  }
}

Interval ErrorsAndTargets::interval(double level) const {
  const double n = rows_;
  if (n < 2) return {.undefined_reason = n < 1 ? "no row" : "a single row"};
  const double m = target_ / n;
  const double error = error_ / n;
  const double variance = target_2_ / n - m * m;
  if (!(variance > 0)) return {.undefined_reason = "all targets are equal"};
  // Variances and covariance of both means.
  const auto of_mean = [n](double products, double a, double b) {
    return (products - n * a * b) / (n * (n - 1));
  };
  const double fourth = target_4_ - m * (4 * target_3_ - m * (6 * target_2_ - 3 * n * m * m));
  const double with_error = product_2_ - m * (2 * product_ - m * error_);
  const double of_error = std::max(0.0, of_mean(error_2_, error, error));
  const double of_variance = std::max(0.0, of_mean(fourth, variance, variance));
  const double of_both = of_mean(with_error, error, variance);
  // (error - q variance)^2 <= t^2 (of_error - 2 q of_both + q^2 of_variance)
  const double t = student_quantile((1 - level) / 2, n - 1);
  const double square = variance * variance - t * t * of_variance;
  const double linear = error * variance - t * t * of_both;
  const double rest = error * error - t * t * of_error;
  if (!(square > 0)) return {.undefined_reason = "too few rows that bound the targets' variance"};
  const double root = std::sqrt(std::max(0.0, linear * linear - square * rest));
  if (!(root > 0)) {
    return {.undefined_reason =
                "errors that say the same in all rows, from which nothing bounds it"};
  }
  return {1 - (linear + root) / square, 1 - std::max(0.0, (linear - root) / square), {}};
}

std::span<const Measure> regression() {
  static const std::vector<Measure> rows = measures();
  return rows;
}

}  // namespace fairfront::metrics
