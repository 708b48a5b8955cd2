#include "metrics/paired_measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "metrics/paired_coverage.hpp"
#include "metrics/random_scored.hpp"

namespace fairfront::metrics {
namespace {

double gap_of(const Sample& sample, const std::string& name) {
  const std::vector<std::string> names{name};
  return select(classification(), names).front().of(sample.view()).value;
}

/// The other model decides by scores of its own.
Sample other_model(Sample sample, std::uint64_t seed) {
  base::Stream stream = stream_of(seed);
  for (double& score : sample.score) score = 0.5 * score + 0.5 * stream.uniform();
  return sample;
}

TEST(PairedMeasure, IsTheDifferenceOfTheTwoGaps) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Sample first = random_small_sample(seed);
    const Sample second = other_model(first, seed + 1000);
    for (const PairedMeasure& measure : paired_measures()) {
      const double expected = gap_of(first, measure.gap) - gap_of(second, measure.gap);
      const Value value = measure.of(first.view(), second.view());
      EXPECT_EQ(value.defined(), !std::isnan(expected)) << measure.gap;
      const Interval interval = measure.interval(first.view(), second.view(), 0.95);
      EXPECT_EQ(interval.defined(), value.defined()) << measure.gap;
      if (!value.defined()) continue;
      EXPECT_NEAR(value.value, expected, 1e-15) << measure.gap;
      EXPECT_LE(interval.low, value.value + 1e-12) << measure.gap;
      EXPECT_GE(interval.high, value.value - 1e-12) << measure.gap;
    }
  }
}

TEST(PairedMeasure, OfTheModelsInTheOtherOrderIsTheNegative) {
  const Sample first = large_sample(3, 400, 4);
  const Sample second = other_model(first, 4);
  for (const PairedMeasure& measure : paired_measures()) {
    EXPECT_EQ(measure.of(first.view(), second.view()).value,
              -measure.of(second.view(), first.view()).value);
    const Interval interval = measure.interval(first.view(), second.view(), 0.9);
    const Interval other = measure.interval(second.view(), first.view(), 0.9);
    EXPECT_EQ(interval.low, -other.high) << measure.gap;
    EXPECT_EQ(interval.high, -other.low) << measure.gap;
    const Interval wider = measure.interval(first.view(), second.view(), 0.99);
    EXPECT_LT(wider.low, interval.low) << measure.gap;
    EXPECT_GT(wider.high, interval.high) << measure.gap;
  }
}

TEST(PairedMeasure, OfRowsThatAGroupLacksIsUndefinedAndNamed) {
  Sample first = large_sample(5, 200, 2);
  for (std::size_t row = 0; row < first.label.size(); ++row) {
    if (first.group[row] == 1) first.label[row] = 0;
  }
  const Sample second = other_model(first, 6);
  for (const char* gap : {"true_positive_gap", "separation_gap"}) {
    const PairedMeasure& measure = paired_measure(gap);
    EXPECT_EQ(measure.of(first.view(), second.view()).undefined_reason,
              "no row with label 1 in group 1");
    EXPECT_EQ(measure.interval(first.view(), second.view(), 0.95).undefined_reason,
              "no row with label 1 in group 1");
  }
  EXPECT_TRUE(paired_measure("error_gap").interval(first.view(), second.view(), 0.95).defined());
}

TEST(PairedMeasure, HoldsTheTruth) {
  for (const PairedSetting& setting :
       {PairedSetting{"2 groups", group_rows(2, 200), 0, 0, true},
        PairedSetting{"3 groups of 30 rows", group_rows(3, 30), 0.3, 0.3, false},
        PairedSetting{"6 groups", group_rows(6, 100), 0.3, 0.1, true}}) {
    for (const char* gap : {"true_positive_gap", "separation_gap"}) {
      const Coverage found = paired_coverage(setting, gap, 150, 0.95, 5);
      // Of 150 tables with 93 % each fewer than 129 hold in one of 1,000.
      EXPECT_GE(found.holds, 129) << setting.name << " " << gap;
      EXPECT_EQ(found.inside, 150) << setting.name << " " << gap;
    }
  }
}

}  // namespace
}  // namespace fairfront::metrics
