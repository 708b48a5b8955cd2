#include "metrics/by_group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "metrics/interval.hpp"
#include "metrics/random_scored.hpp"
#include "metrics/randomised.hpp"

namespace fairfront::metrics::by_group_test {
namespace {

using testing::HasSubstr;

/// Those of these groups alone, which get the numbers 0, 1, ...
Sample rows_of(const Sample& sample, const std::vector<std::int32_t>& groups) {
  Sample chosen;
  chosen.groups = std::ssize(groups);
  chosen.threshold = sample.threshold;
  for (std::size_t i = 0; i < sample.score.size(); ++i) {
    const auto place = std::ranges::find(groups, sample.group[i]);
    if (place == groups.end()) continue;
    chosen.score.push_back(sample.score[i]);
    chosen.label.push_back(sample.label[i]);
    chosen.group.push_back(static_cast<std::int32_t>(place - groups.begin()));
  }
  return chosen;
}

std::vector<Measure> every_measure() {
  std::vector<Measure> all;
  for (const auto list : {classification(), ranking(), regression()}) {
    std::ranges::copy(list, std::back_inserter(all));
  }
  return all;
}

const Measure& named(const std::vector<Measure>& measures, const std::string& name) {
  return *std::ranges::find(measures, name, [](const Measure& m) { return m.what.name; });
}

// Group 0: 3 of 4 decided 1, both positives and one of two negatives. Group 1: 1 of 4, one of two
// positives and no negative. Group 2: one row, label 0, decided 0.
Sample nine_decisions() {
  return {.score = {1, 1, 1, 0, 1, 0, 0, 0, 0},
          .label = {1, 1, 0, 0, 1, 1, 0, 0, 0},
          .group = {0, 0, 0, 0, 1, 1, 1, 1, 2},
          .groups = 3};
}

TEST(ByGroup, RatesAreCountedAsByHand) {
  const GroupSamples samples(nine_decisions().view());
  const std::vector<Measure> all = every_measure();
  const std::map<std::string, std::vector<double>> expected{
      {"base_rate", {0.5, 0.5, 0}},
      {"error", {0.25, 0.25, 0}},
      {"positive_rate", {0.75, 0.25, 0}},
      {"true_positive_rate", {1, 0.5, NAN}},
      {"false_positive_rate", {0.5, 0, 0}},
      {"positive_predictive_value", {2.0 / 3, 1, NAN}},
      {"negative_predictive_value", {1, 2.0 / 3, 1}}};
  for (const auto& [name, values] : expected) {
    for (std::size_t g = 0; g < values.size(); ++g) {
      const Value value = value_of_group(named(all, name), samples, g);
      EXPECT_EQ(value.defined(), !std::isnan(values[g])) << name << g;
      if (value.defined()) {
        EXPECT_NEAR(value.value, values[g], 1e-15) << name << g;
      }
    }
  }
  const Interval error = interval_of_group(named(all, "error"), samples, 1, 0.9);
  const Interval of_rate = rate_interval(1, 4, 0.9);
  EXPECT_EQ(error.low, of_rate.low);
  EXPECT_EQ(error.high, of_rate.high);
}

TEST(ByGroup, AReasonNamesTheGroup) {
  const GroupSamples samples(nine_decisions().view());
  const std::vector<Measure> all = every_measure();
  EXPECT_EQ(value_of_group(named(all, "true_positive_rate"), samples, 2).undefined_reason,
            "no row with label 1 in group 2");
  EXPECT_THAT(interval_of_group(named(all, "log_loss"), samples, 2, 0.9).undefined_reason,
              HasSubstr("in group 2"));
}

TEST(ByGroup, AMeasureIsThatOfTheGroupsRowsAlone) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Sample sample = random_small_sample(seed);
    const GroupSamples samples(sample.view());
    ASSERT_EQ(samples.groups(), sample.groups);
    for (const Measure& measure : every_measure()) {
      if (!measure.of_each_group) continue;
      for (std::int32_t g = 0; g < sample.groups; ++g) {
        const Sample alone = rows_of(sample, {g});
        const auto group = static_cast<std::size_t>(g);
        const Value expected = measure.of(alone.view());
        const Value value = value_of_group(measure, samples, group);
        EXPECT_EQ(value.defined(), expected.defined()) << measure.what.name << " " << seed;
        if (expected.defined()) {
          EXPECT_EQ(value.value, expected.value) << measure.what.name;
        }
        const Interval of_alone = measure.interval(alone.view(), 0.9);
        const Interval interval = interval_of_group(measure, samples, group, 0.9);
        EXPECT_EQ(interval.defined(), of_alone.defined()) << measure.what.name << " " << seed;
        if (of_alone.defined()) {
          EXPECT_EQ(interval.high, of_alone.high) << measure.what.name;
        }
      }
    }
  }
}

/// Every gap that is the largest of all pairs of groups, of the rows of the two groups that make it
/// alone, is the same; of no other two groups it is larger.
TEST(GapMakers, AreTheGroupsOfWhichAloneTheGapIsTheSame) {
  std::map<std::string, int> looked_at;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Sample sample = large_sample(seed, 60, 4);
    for (const Measure& measure : every_measure()) {
      if (measure.of_each_group) continue;
      const Value gap = measure.of(sample.view());
      const auto& [first, second] = gap.made_by;
      if (!gap.defined() || second.group < 0) continue;
      ++looked_at[measure.what.name];
      EXPECT_NEAR(std::max(std::abs(first.value), std::abs(second.value)),
                  measure.what.unit == "ratio" ? 1 / gap.value : gap.value, 1e-12)
          << measure.what.name;
      const bool of_largest_group = measure.what.name == "wasserstein_2_squared_binned";
      const double sign = measure.what.name == "independence_ratio" ? -1 : 1;
      for (std::int32_t g = 0; g < sample.groups; ++g) {
        for (std::int32_t h = 0; h < g; ++h) {
          const Sample two = rows_of(sample, {h, g});
          const Value of_two = measure.of(two.view());
          const bool makers = std::minmax(first.group, second.group) == std::minmax(g, h);
          if (makers) {
            EXPECT_NEAR(of_two.value, gap.value, 1e-12) << measure.what.name;
          }
          if (of_largest_group) continue;
          EXPECT_LE(sign * of_two.value, sign * gap.value + 1e-12) << measure.what.name;
        }
      }
    }
  }
  // Sums of two gaps have no two groups; of one group are the worst groups and those against all.
  EXPECT_EQ(looked_at.size(), 22u);
}

/// What is sorted once for all rows, and for each group again.
TEST(ByGroup, GroupsOfASampleInOrderHaveTheSameMeasuresAndIntervals) {
  for (const std::uint32_t groups : {1U, 2U, 3U, 12U}) {
    Sample sample = large_sample(groups, 1500, groups);
    for (double& score : sample.score) score = std::round(score * 200) / 200;  // with ties
    const OrderedSample shared(sample.view(), true);
    ASSERT_EQ(shared.in_order(), nullptr);
    static_cast<void>(shared.cells());
    ASSERT_NE(shared.in_order(), nullptr);
    const GroupSamples alone(sample.view(), true);
    const GroupSamples in_order(shared.sample(), true);
    for (const Measure& measure : ranking()) {
      if (!measure.of_each_group) continue;
      for (std::size_t g = 0; g < groups; ++g) {
        const Interval expected = interval_of_group(measure, alone, g, 0.9);
        const Interval found = interval_of_group(measure, in_order, g, 0.9);
        EXPECT_EQ(found.low, expected.low) << measure.what.name;
        EXPECT_EQ(found.high, expected.high) << measure.what.name;
        EXPECT_EQ(value_of_group(measure, in_order, g).value,
                  value_of_group(measure, alone, g).value);
        // A group's rows go by their places in it.
        ASSERT_NE(in_order.of(g).ordered->in_order(), nullptr);
        EXPECT_EQ(in_order.of(g).ordered->in_order()->row, CellsInOrder(alone.of(g)).row);
      }
    }
  }
}

TEST(GapMakers, HaveWhatOneGroupHasMoreThanTheOther) {
  const Sample sample = large_sample(3, 200, 3);
  const GroupSamples samples(sample.view());
  const std::vector<Measure> all = every_measure();
  const std::map<std::string, std::string> gaps{{"independence_gap", "positive_rate"},
                                                {"error_gap", "error"},
                                                {"true_positive_gap", "true_positive_rate"},
                                                {"brier_gap", "brier"},
                                                {"log_loss_gap", "log_loss"},
                                                {"calibration_error_gap", "calibration_error"},
                                                {"intra_group_auc_gap", "auc"},
                                                {"risk_gap", "risk"},
                                                {"mean_gap", "mean_prediction"}};
  for (const auto& [gap, own] : gaps) {
    const Value value = named(all, gap).of(sample.view());
    const Measure& of_rows = named(all, own);
    const auto of = [&samples, &of_rows](const GapMaker& maker) {
      return value_of_group(of_rows, samples, static_cast<std::size_t>(maker.group)).value;
    };
    const auto& [first, second] = value.made_by;
    EXPECT_NEAR(of(first) - of(second), first.value, 1e-14) << gap;
    EXPECT_EQ(second.value, -first.value) << gap;
  }
  const Value ratio = named(all, "independence_ratio").of(sample.view());
  EXPECT_NEAR(ratio.made_by[0].value * ratio.made_by[1].value, 1, 1e-14);
  EXPECT_EQ(ratio.made_by[0].value, ratio.value);
}

TEST(GapMakers, AreTheWorstGroupAndTheOneFarthestFromAll) {
  const Sample sample = large_sample(5, 200, 4);
  const GroupSamples samples(sample.view());
  const std::vector<Measure> all = every_measure();
  for (const auto& [worst, own] :
       std::map<std::string, std::string>{{"worst_group_error", "error"},
                                          {"worst_group_log_loss", "log_loss"},
                                          {"worst_group_auc", "auc"},
                                          {"worst_group_risk", "risk"}}) {
    const Value value = named(all, worst).of(sample.view());
    EXPECT_EQ(value.made_by[0].value, value.value) << worst;
    EXPECT_EQ(value.made_by[1].group, -1) << worst;
    const auto group = static_cast<std::size_t>(value.made_by[0].group);
    EXPECT_EQ(value_of_group(named(all, own), samples, group).value, value.value) << worst;
  }
  // The signed difference is that of group 1 where it is the second of two groups.
  const Value gap = named(all, "any_group_positive_average_gap").of(sample.view());
  const Sample with_rest = [&] {
    Sample two = sample;
    two.groups = 2;
    for (std::int32_t& g : two.group) g = g == gap.made_by[0].group ? 1 : 0;
    return two;
  }();
  EXPECT_NEAR(named(all, "positive_average_difference").of(with_rest.view()).value,
              gap.made_by[0].value, 1e-15);
}

TEST(GapMakers, NobodyMakesAGapOfNothing) {
  Sample same;
  for (std::int32_t g = 0; g < 3; ++g) {
    for (const double score : {0.2, 0.7, 0.8}) {
      same.score.push_back(score);
      same.label.push_back(score > 0.5 ? 1 : 0);
      same.group.push_back(g);
    }
  }
  same.groups = 3;
  for (const Measure& measure : every_measure()) {
    const Value value = measure.of(same.view());
    if (!value.defined() || value.value != 0) continue;
    if (measure.what.name.starts_with("worst_group")) continue;
    EXPECT_EQ(value.made_by[0].group, -1) << measure.what.name;
  }
}

TEST(ByGroup, RandomisedSumsOfAGroupAreThoseOfItsRows) {
  const std::vector<double> atoms{-1, 0, 0.5, 2};
  base::Stream stream = stream_of(11);
  AtomSums all(atoms, 3);
  std::vector<AtomSums> alone(3, AtomSums(atoms, 1));
  for (int row = 0; row < 90; ++row) {
    std::vector<double> pi(atoms.size());
    double sum = 0;
    for (double& p : pi) sum += p = stream.uniform();
    for (double& p : pi) p /= sum;
    const double target = stream.normal();
    const auto group = static_cast<std::int32_t>(stream.below(3));
    all.add(pi, target, group);
    alone[static_cast<std::size_t>(group)].add(pi, target, 0);
  }
  int compared = 0;
  for (const RandomisedMeasure& measure : randomised_regression()) {
    if (!measure.of_each_group) continue;
    for (std::size_t g = 0; g < alone.size(); ++g) {
      ++compared;
      EXPECT_EQ(measure.of(all.of_group(g)).value, measure.of(alone[g]).value);
      EXPECT_EQ(measure.interval(all.of_group(g), 0.9).low, measure.interval(alone[g], 0.9).low);
    }
  }
  EXPECT_EQ(compared, 15);
  for (const RandomisedMeasure& measure : randomised_regression()) {
    if (measure.what.name != "mean_gap" && measure.what.name != "wasserstein_2") continue;
    const Value gap = measure.of(all);
    ASSERT_GE(gap.made_by[1].group, 0) << measure.what.name;
    EXPECT_EQ(std::abs(gap.made_by[1].value), gap.value) << measure.what.name;
  }
}

}  // namespace
}  // namespace fairfront::metrics::by_group_test
