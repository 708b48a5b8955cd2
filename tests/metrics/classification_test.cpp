#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "metrics/by_group.hpp"
#include "metrics/interval.hpp"
#include "metrics/measure.hpp"
#include "metrics/random_scored.hpp"

namespace fairfront::metrics {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Measure measure_of(const std::string& name) {
  return select(classification(), std::vector<std::string>{name}).front();
}
Value value_of(const std::string& name, const Sample& sample) {
  return measure_of(name).of(sample.view());
}

/// Share of the rows of `group` (-1: of all) that hold `hit`, among those that hold `base`.
template <class Base, class Hit>
double share_of(const Sample& sample, int group, Base base, Hit hit) {
  double hits = 0;
  double all = 0;
  for (std::size_t i = 0; i < sample.score.size(); ++i) {
    const bool decided = sample.score[i] >= sample.threshold;
    const bool positive = sample.label[i] > 0;
    if ((group >= 0 && sample.group[i] != group) || !base(decided, positive)) continue;
    ++all;
    hits += hit(decided, positive) ? 1 : 0;
  }
  return all == 0 ? nan : hits / all;
}

/// A mean over rows, NaN without rows.
template <class PerRow>
double mean_of(const Sample& sample, int group, PerRow per_row) {
  double sum = 0;
  double rows = 0;
  for (std::size_t i = 0; i < sample.score.size(); ++i) {
    if (group >= 0 && sample.group[i] != group) continue;
    sum += per_row(sample.score[i], sample.label[i] > 0);
    ++rows;
  }
  return rows == 0 ? nan : sum / rows;
}

/// Per row: how far its bin is off.
double calibration_error(const Sample& sample, int group) {
  const auto bin = [](double p) {
    for (int b = 1; b <= 15; ++b) {
      if (p * 15 <= b) return b;
    }
    return 16;
  };
  return mean_of(sample, group, [&](double p, bool) {
    const auto same_bin = [&](double other, bool) { return bin(other) == bin(p); };
    double probabilities = 0;
    double positives = 0;
    double rows = 0;
    for (std::size_t i = 0; i < sample.score.size(); ++i) {
      if ((group >= 0 && sample.group[i] != group) || !same_bin(sample.score[i], false)) continue;
      probabilities += sample.score[i];
      positives += sample.label[i] > 0 ? 1 : 0;
      ++rows;
    }
    return std::abs(positives - probabilities) / rows;
  });
}

/// What is measured of one set of rows, by the name of the measure over all rows.
std::map<std::string, double> naive(const Sample& sample, int group) {
  const auto all = [](bool, bool) { return true; };
  const auto positive = [](bool, bool y) { return y; };
  const auto negative = [](bool, bool y) { return !y; };
  const auto one = [](bool d, bool) { return d; };
  const auto zero = [](bool d, bool) { return !d; };
  const auto wrong = [](bool d, bool y) { return d != y; };
  return {
      {"base_rate", share_of(sample, group, all, positive)},
      {"positive_rate", share_of(sample, group, all, one)},
      {"error", share_of(sample, group, all, wrong)},
      {"true_positive_rate", share_of(sample, group, positive, one)},
      {"false_positive_rate", share_of(sample, group, negative, one)},
      {"positive_predictive_value", share_of(sample, group, one, positive)},
      {"negative_predictive_value", share_of(sample, group, zero, negative)},
      {"brier", mean_of(sample, group, [](double p, bool y) { return (p - y) * (p - y); })},
      {"log_loss",
       mean_of(sample, group, [](double p, bool y) { return -std::log(y ? p : 1 - p); })},
      {"calibration_error", calibration_error(sample, group)},
  };
}

/// Largest over all ordered pairs of groups of f(a, b); NaN if any group has none.
template <class F>
double over_pairs(const std::vector<double>& groups, F f) {
  double largest = 0;
  for (const double a : groups) {
    for (const double b : groups) {
      if (std::isnan(a)) return nan;
      largest = std::max(largest, f(a, b));
    }
  }
  return largest;
}

double gap(const std::vector<double>& groups) {
  return over_pairs(groups, [](double a, double b) { return std::isinf(b) ? 0 : a - b; });
}

double larger(double a, double b) { return std::isnan(a) || std::isnan(b) ? nan : std::max(a, b); }

/// Of the measures by name, but for the distances.
std::map<std::string, double> expected(const Sample& sample) {
  std::map<std::string, double> values = naive(sample, -1);
  values["balanced_accuracy"] =
      (values["true_positive_rate"] + (1 - values["false_positive_rate"])) / 2;
  std::map<std::string, std::vector<double>> groups;
  for (int g = 0; g < sample.groups; ++g) {
    for (const auto& [name, value] : naive(sample, g)) groups[name].push_back(value);
  }
  values["independence_gap"] = gap(groups["positive_rate"]);
  const double worst_ratio = over_pairs(groups["positive_rate"],
                                        [](double a, double b) { return b == 0 ? 0 : 1 - a / b; });
  values["independence_ratio"] =
      std::ranges::count(groups["positive_rate"], 0.0) == sample.groups ? nan : 1 - worst_ratio;
  const double tpr = values["true_positive_gap"] = gap(groups["true_positive_rate"]);
  const double fpr = values["false_positive_gap"] = gap(groups["false_positive_rate"]);
  values["separation_gap"] = larger(tpr, fpr);
  values["separation_sum"] = tpr + fpr;
  const double ppv = values["positive_predictive_gap"] = gap(groups["positive_predictive_value"]);
  const double npv = values["negative_predictive_gap"] = gap(groups["negative_predictive_value"]);
  values["sufficiency_gap"] = larger(ppv, npv);
  values["sufficiency_sum"] = ppv + npv;
  values["error_gap"] = gap(groups["error"]);
  values["worst_group_error"] = over_pairs(groups["error"], [](double a, double) { return a; });
  values["brier_gap"] = gap(groups["brier"]);
  values["calibration_error_gap"] = gap(groups["calibration_error"]);
  values["log_loss_gap"] = gap(groups["log_loss"]);
  if (std::ranges::all_of(groups["log_loss"], [](double v) { return std::isinf(v); })) {
    values["log_loss_gap"] = nan;  // infinity less infinity
  }
  values["worst_group_log_loss"] =
      over_pairs(groups["log_loss"], [](double a, double) { return a; });
  if (sample.groups > 1) return values;
  for (auto& [name, value] : values) {  // there is no other group to compare with
    for (const char* of_pairs : {"_gap", "_ratio", "_sum"}) {
      if (name.ends_with(of_pairs)) value = nan;
    }
  }
  return values;
}

TEST(Classification, EveryMeasureOfDecisionsAndProbabilitiesIsItsDefinition) {
  int defined_ones = 0;
  int undefined_ones = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Sample sample = random_small_sample(seed);
    const std::map<std::string, double> wanted = expected(sample);
    for (const Measure& measure : classification()) {
      if (measure.needs == Needs::score) continue;
      const Value value = measure.of(sample.view());
      ASSERT_TRUE(wanted.contains(measure.what.name)) << measure.what.name;
      const double right = wanted.at(measure.what.name);
      EXPECT_EQ(value.defined(), !std::isnan(right)) << measure.what.name << " " << seed;
      EXPECT_EQ(std::isnan(value.value), std::isnan(right)) << measure.what.name << " " << seed;
      (value.defined() ? defined_ones : undefined_ones) += 1;
      if (std::isinf(right)) {
        EXPECT_EQ(value.value, right) << measure.what.name;
      } else if (value.defined()) {
        EXPECT_NEAR(value.value, right, 1e-14) << measure.what.name << " " << seed;
      }
    }
  }
  EXPECT_GT(defined_ones, 3'000);
  EXPECT_GT(undefined_ones, 1'000);
}

TEST(Classification, LabelsOfMinusOneAndOneAndARelabellingOfTheGroupsMeasureTheSame) {
  const Sample sample = large_sample(1, 200, 3);
  Sample other = sample;
  for (double& label : other.label) label = 2 * label - 1;
  for (std::int32_t& group : other.group) group = (group + 1) % 3;
  for (const Measure& measure : classification()) {
    EXPECT_NEAR(measure.of(other.view()).value, measure.of(sample.view()).value, 1e-14)
        << measure.what.name;
  }
}

TEST(Classification, SomeKnownValues) {
  // Group 0: decided 1, 1, 0, 0 with labels 1, 0, 1, 0. Group 1: decided 1, 0 with labels 1, 0.
  const Sample sample{.score = {0.9, 0.5, 0.2, 0.1, 0.8, 0.4},
                      .label = {1, 0, 1, 0, 1, 0},
                      .group = {0, 0, 0, 0, 1, 1},
                      .groups = 2};
  EXPECT_EQ(value_of("independence_gap", sample).value, 0);
  EXPECT_EQ(value_of("independence_ratio", sample).value, 1);
  EXPECT_EQ(value_of("true_positive_gap", sample).value, 0.5);
  EXPECT_EQ(value_of("separation_sum", sample).value, 1);
  EXPECT_EQ(value_of("sufficiency_sum", sample).value, 1);
  EXPECT_EQ(value_of("worst_group_error", sample).value, 0.5);
  EXPECT_EQ(value_of("error_gap", sample).value, 0.5);
}

TEST(Classification, WhatIsUndefinedSaysWhy) {
  Sample sample{.score = {0.9, 0.1, 0.3}, .label = {1, 0, 0}, .group = {0, 0, 1}, .groups = 2};
  EXPECT_EQ(value_of("true_positive_gap", sample).undefined_reason,
            "no row with label 1 in group 1");
  EXPECT_EQ(value_of("positive_predictive_gap", sample).undefined_reason,
            "no row decided 1 in group 1");
  EXPECT_EQ(value_of("separation_gap", sample).undefined_reason, "no row with label 1 in group 1");
  EXPECT_EQ(value_of("independence_ratio", sample).value, 0);
  sample.threshold = 2;
  EXPECT_EQ(value_of("independence_ratio", sample).undefined_reason,
            "the rate is 0 in every group");
  EXPECT_EQ(value_of("positive_predictive_value", sample).undefined_reason, "no row decided 1");
  sample.groups = 3;
  EXPECT_EQ(value_of("brier_gap", sample).undefined_reason, "no row in group 2");
  EXPECT_EQ(value_of("wasserstein_1", sample).undefined_reason, "no row in group 2");
  sample.score[1] = -0.1;
  EXPECT_EQ(value_of("brier", sample).undefined_reason,
            "a score is no probability: it leaves [0, 1]");
  EXPECT_EQ(value_of("error", Sample{}).undefined_reason, "no row");
}

TEST(Classification, AScoreThatIsNotMeantAsAProbabilityIsNoneInAnyRows) {
  const Sample sample{
      .score = {0.9, 0.1, 0.3, 0.6}, .label = {1, 0, 0, 1}, .group = {0, 0, 1, 1}, .groups = 2};
  Scored scored = sample.view();
  const std::string reason = "a score is no probability here";
  scored.no_probability = reason;
  const GroupSamples groups(scored);
  for (const Measure& measure : classification()) {
    if (measure.needs != Needs::probability) continue;
    EXPECT_TRUE(measure.of(sample.view()).defined()) << measure.what.name;
    EXPECT_EQ(measure.of(scored).undefined_reason, reason) << measure.what.name;
    EXPECT_EQ(measure.interval(scored, 0.9).undefined_reason, reason) << measure.what.name;
    if (!measure.of_each_group) continue;
    EXPECT_TRUE(value_of_group(measure, GroupSamples(sample.view()), 1).defined());
    EXPECT_EQ(value_of_group(measure, groups, 1).undefined_reason, reason + " in group 1");
  }
  EXPECT_TRUE(measure_of("error").of(scored).defined());
}

TEST(Classification, ALabelThatWasGivenProbabilityZeroIsAnInfiniteLogLoss) {
  const Sample sample{.score = {0, 0.5}, .label = {1, 0}, .group = {0, 1}, .groups = 2};
  EXPECT_EQ(value_of("log_loss", sample).value, std::numeric_limits<double>::infinity());
  EXPECT_EQ(value_of("log_loss_gap", sample).value, std::numeric_limits<double>::infinity());
}

TEST(Classification, RatesHaveIntervals) {
  const Sample sample = large_sample(2, 100, 2);
  for (const char* name : {"error", "positive_rate", "true_positive_rate", "false_positive_rate",
                           "positive_predictive_value", "negative_predictive_value"}) {
    const Interval interval = measure_of(name).interval(sample.view(), 0.9);
    EXPECT_LT(interval.low, value_of(name, sample).value) << name;
    EXPECT_GT(interval.high, value_of(name, sample).value) << name;
  }
  const Interval none = measure_of("error").interval(Sample{}.view(), 0.9);
  EXPECT_EQ(none.undefined_reason, "no row");
}

}  // namespace
}  // namespace fairfront::metrics
