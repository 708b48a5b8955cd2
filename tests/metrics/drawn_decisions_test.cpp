// Measures of decisions that are drawn: expected counts against every draw, and how often their
// intervals hold.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "metrics/by_group.hpp"
#include "metrics/confusion.hpp"
#include "metrics/coverage.hpp"
#include "metrics/interval.hpp"
#include "metrics/paired_rates.hpp"

namespace fairfront::metrics {
namespace {

std::vector<Measure> measures_of_drawn_decisions() {
  std::vector<Measure> measures;
  for (const Measure& measure : classification()) {
    if (measure.needs == Needs::decision) measures.push_back(measure);
  }
  return measures;
}

Scored drawn(const Sample& sample, std::span<const double> probabilities) {
  Scored scored = sample.view();
  scored.decided = probabilities;
  return scored;
}

TEST(DrawnDecisions, ThatAreCertainHaveTheBitsOfDecisions) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Sample sample = random_small_sample(seed);
    std::vector<double> certain;
    for (const double score : sample.score) certain.push_back(score >= sample.threshold ? 1 : 0);
    const auto measures = measures_of_drawn_decisions();
    const auto plain = evaluate(measures, sample.view());
    const auto expected = evaluate(measures, drawn(sample, certain));
    for (std::size_t m = 0; m < measures.size(); ++m) {
      EXPECT_EQ(plain[m].undefined_reason, expected[m].undefined_reason) << measures[m].what.name;
      if (!plain[m].defined()) continue;
      EXPECT_EQ(plain[m].value, expected[m].value) << measures[m].what.name;
      const Interval a = measures[m].interval(sample.view(), 0.9);
      const Interval b = measures[m].interval(drawn(sample, certain), 0.9);
      EXPECT_EQ(a.defined(), b.defined());
      EXPECT_TRUE(!a.defined() || (a.low == b.low && a.high == b.high)) << measures[m].what.name;
    }
  }
}

/// Over all draws of eight rows: the counts are linear in the probabilities.
TEST(DrawnDecisions, CountsAreTheMeanOverAllDraws) {
  base::Stream stream = stream_of(11);
  const Sample sample = large_sample(11, 8, 2);
  std::vector<double> probabilities;
  for (std::size_t i = 0; i < 8; ++i) probabilities.push_back(stream.uniform());
  std::vector<Confusion> mean(2);
  for (unsigned draw = 0; draw < 256; ++draw) {
    Sample one = sample;
    double weight = 1;
    for (std::size_t i = 0; i < 8; ++i) {
      const bool positive = (draw >> i & 1) != 0;
      one.score[i] = positive ? 1 : 0;
      weight *= positive ? probabilities[i] : 1 - probabilities[i];
    }
    const auto counts = confusion_by_group(one.view());
    for (std::size_t g = 0; g < 2; ++g) {
      mean[g].true_positive += weight * counts[g].true_positive;
      mean[g].false_positive += weight * counts[g].false_positive;
      mean[g].true_negative += weight * counts[g].true_negative;
      mean[g].false_negative += weight * counts[g].false_negative;
    }
  }
  const auto expected = confusion_by_group(drawn(sample, probabilities));
  for (std::size_t g = 0; g < 2; ++g) {
    EXPECT_NEAR(mean[g].true_positive, expected[g].true_positive, 1e-13);
    EXPECT_NEAR(mean[g].false_positive, expected[g].false_positive, 1e-13);
    EXPECT_NEAR(mean[g].true_negative, expected[g].true_negative, 1e-13);
    EXPECT_NEAR(mean[g].false_negative, expected[g].false_negative, 1e-13);
  }
}

/// Probabilities of 1 that are sums of others leave something of a row decided 0.
TEST(DrawnDecisions, WhatRoundingLeavesIsNoRow) {
  const Sample sample{{1, 1}, {0, 1}, {0, 0}, 1};
  const std::vector<double> nearly{1 - 1e-16, 1 - 2e-16};
  const Value value = rate_of(drawn(sample, nearly), Rate::negative_predictive);
  EXPECT_EQ(value.undefined_reason, "no row decided 0");
}

TEST(DrawnDecisions, GoWithTheirRows) {
  Sample sample = large_sample(4, 300, 3);
  std::vector<double> probabilities;
  base::Stream stream = stream_of(5);
  for (std::size_t i = 0; i < 300; ++i) probabilities.push_back(stream.uniform());
  const Scored all = drawn(sample, probabilities);
  const auto counts = confusion_by_group(all);
  const GroupSamples groups(all);
  for (std::size_t g = 0; g < 3; ++g) {
    const Share of_group = share(counts[g], Rate::positive);
    EXPECT_EQ(rate_of(groups.of(g), Rate::positive).value, of_group.hits / of_group.of);
  }
  const std::vector<Measure> measures =
      select(classification(), std::vector<std::string>{"positive_rate"});
  const Interval resampled =
      bootstrap_intervals(measures, all, {.resamples = 400}, base::StreamKey(1, "test", "drawn"))
          .front()
          .interval;
  const double rate = measures[0].of(all).value;
  // Uniform probabilities have the deviation sqrt(1/12), so that two of the mean are 0.033.
  EXPECT_TRUE(rate - resampled.low > 0.02 && rate - resampled.low < 0.05);
  EXPECT_TRUE(resampled.high - rate > 0.02 && resampled.high - rate < 0.05);
}

TEST(DrawnDecisions, NumbersThatAreNoProbabilitiesAreRefused) {
  const Sample sample = large_sample(1, 4, 1);
  const auto measures = measures_of_drawn_decisions();
  const std::vector<double> short_one{0.5}, above{0.5, 0.5, 1.5, 0.5},
      nan{0.5, 0.5, 0.5, std::nan("")};
  EXPECT_THROW((void)evaluate(measures, drawn(sample, short_one)), std::invalid_argument);
  EXPECT_THROW((void)evaluate(measures, drawn(sample, above)), base::InputError);
  EXPECT_THROW((void)evaluate(measures, drawn(sample, nan)), base::InputError);
  const std::vector<double> fine(4, 0.5);
  EXPECT_THROW((void)joint_decisions(drawn(sample, fine), sample.view()), std::invalid_argument);
}

/// The measures of the decisions that a rule of a row's score draws.
std::vector<Measure> drawn_by(const std::function<double(double)>& rule) {
  std::vector<Measure> measures = measures_of_drawn_decisions();
  for (Measure& measure : measures) {
    const auto with = [rule](const Scored& scored, const auto& work) {
      std::vector<double> probabilities;
      for (const double score : scored.score) probabilities.push_back(rule(score));
      Scored decided = scored;
      decided.decided = probabilities;
      return work(decided);
    };
    measure.of = [with, of = measure.of](const Scored& scored) { return with(scored, of); };
    measure.interval = [with, of = measure.interval](const Scored& scored, double level) {
      return with(scored, [&](const Scored& decided) { return of(decided, level); });
    };
  }
  return measures;
}

/// As after post-processing, where nearly all rows are decided surely, and where none is.
TEST(DrawnDecisions, IntervalsHoldTheTruthOfAllMeasures) {
  const std::vector<std::pair<std::string, std::function<double(double)>>> rules{
      {"two thresholds", [](double score) { return score < 0.3   ? 0
                                                   : score < 0.5 ? 0.4
                                                                 : 1; }},
      {"the score", [](double score) { return score; }}};
  const std::vector<Setting> settings{{"2 groups alike", group_rows(2, 100), 0},
                                      {"5 groups, two of them small", group_rows(5, 80, 2), 0.8}};
  for (const auto& [name, rule] : rules) {
    const std::vector<Measure> measures = drawn_by(rule);
    for (const Setting& setting : settings) {
      constexpr std::int64_t tables = 100;
      const auto found = coverage_of(measures, setting, tables, 0.95, 7);
      for (std::size_t m = 0; m < measures.size(); ++m) {
        const std::string what = measures[m].what.name + ", " + name + ", " + setting.name;
        // Of 100 tables with 93 % each fewer than 84 hold in one of 1,000.
        EXPECT_GE(found[m].holds, found[m].tables - 16) << what;
        EXPECT_EQ(found[m].inside, found[m].tables) << what;
        EXPECT_GE(found[m].tables, 90) << what;
      }
    }
  }
}

}  // namespace
}  // namespace fairfront::metrics
