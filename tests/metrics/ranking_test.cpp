#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "metrics/measure.hpp"
#include "metrics/random_scored.hpp"

namespace fairfront::metrics::ranking_test {
namespace {

Value value_of(const char* name, const Sample& sample) {
  return select(ranking(), std::vector<std::string>{name}).front().of(sample.view());
}

/// Rows by their number.
using Rows = std::function<bool(std::size_t)>;

/// Table 1 of Yao, Lin, Yang (2023) over one sample, by the double sum.
class Table {
 public:
  explicit Table(const Sample& sample) : sample_{sample} {}

  [[nodiscard]] double auc(const Rows& above, const Rows& below) const {
    double sum = 0;
    double pairs = 0;
    for (std::size_t i = 0; i < sample_.score.size(); ++i) {
      for (std::size_t j = 0; j < sample_.score.size(); ++j) {
        if (!above(i) || !below(j)) continue;
        ++pairs;
        sum += sample_.score[i] > sample_.score[j]    ? 1
               : sample_.score[i] == sample_.score[j] ? 0.5
                                                      : 0;
      }
    }
    return sum / pairs;  // NaN without pairs
  }
  [[nodiscard]] Rows rows(std::optional<int> label, std::optional<int> group) const {
    return [this, label, group](std::size_t i) {
      return (!label || sample_.label[i] == *label) && (!group || sample_.group[i] == *group);
    };
  }
  [[nodiscard]] double group(int g, int h) const {
    return auc(rows({}, g), rows({}, h)) - auc(rows({}, {}), rows({}, {}));
  }
  [[nodiscard]] double inter(int g, int h) const {
    return auc(rows(1, g), rows(0, h)) - auc(rows(1, h), rows(0, g));
  }
  [[nodiscard]] double intra(int g, int h) const {
    return auc(rows(1, g), rows(0, g)) - auc(rows(1, h), rows(0, h));
  }
  [[nodiscard]] double average(int label, int g) const {
    return auc(rows(label, g), rows(label, {})) - auc(rows({}, {}), rows({}, {}));
  }
  [[nodiscard]] double background(int g) const {
    return auc(rows(1, {}), rows(0, g)) - auc(rows(1, g), rows(0, {}));
  }

 private:
  const Sample& sample_;
};

/// NaN if any is.
double largest(const std::vector<double>& values) {
  double found = 0;
  for (const double value : values) {
    if (std::isnan(value)) return value;
    found = std::max(found, std::abs(value));
  }
  return found;
}

void expect_same(const Value& value, double expected, const std::string& name) {
  EXPECT_EQ(value.defined(), !std::isnan(expected)) << name;
  EXPECT_EQ(std::isnan(value.value), std::isnan(expected)) << name;
  if (value.defined()) {
    EXPECT_NEAR(value.value, expected, 1e-15) << name;
  }
}

TEST(Ranking, GapsAreTheLargestOverPairsOrGroupsByTheDoubleSum) {
  int defined_ones = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Sample sample = random_small_sample(seed);
    if (sample.score.empty()) continue;
    const Table table(sample);
    std::map<std::string, std::vector<double>> all;
    if (sample.groups == 1) {
      EXPECT_EQ(value_of("any_group_background_auc_gap", sample).undefined_reason,
                "one group alone, with no other to compare it with");
      continue;
    }
    for (int g = 0; g < sample.groups; ++g) {
      all["any_group_positive_average_gap"].push_back(table.average(1, g));
      all["any_group_negative_average_gap"].push_back(table.average(0, g));
      all["any_group_background_auc_gap"].push_back(table.background(g));
      for (int h = 0; h < sample.groups; ++h) {
        if (g == h) continue;
        all["group_auc_gap"].push_back(table.group(g, h));
        all["inter_group_auc_gap"].push_back(table.inter(g, h));
        all["intra_group_auc_gap"].push_back(table.intra(g, h));
      }
    }
    for (const auto& [name, values] : all) {
      expect_same(value_of(name.c_str(), sample), largest(values), name);
      defined_ones += std::isnan(largest(values)) ? 0 : 1;
    }
  }
  EXPECT_GT(defined_ones, 100);
}

TEST(Ranking, SignedDifferencesAreThoseOfGroupOne) {
  int defined_ones = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    base::Stream stream = stream_of(seed);
    const std::uint32_t rows = 1 + stream.below(12);
    const Sample sample = random_sample(stream, rows, 2, 4);
    const Table table(sample);
    expect_same(value_of("group_auc_difference", sample), table.group(1, 0), "group");
    expect_same(value_of("inter_group_auc_difference", sample), table.inter(1, 0), "inter");
    expect_same(value_of("intra_group_auc_difference", sample), table.intra(1, 0), "intra");
    expect_same(value_of("positive_average_difference", sample), table.average(1, 1), "positive");
    expect_same(value_of("negative_average_difference", sample), table.average(0, 1), "negative");
    expect_same(value_of("background_auc_difference", sample), table.background(1), "background");
    defined_ones += std::isnan(table.intra(1, 0)) ? 0 : 1;
  }
  EXPECT_GT(defined_ones, 50);
}

TEST(Ranking, SwappingTheGroupsFlipsTheSignBetweenGroupsAndLeavesTheGaps) {
  const Sample sample = large_sample(1, 500, 2);
  Sample swapped = sample;
  for (std::int32_t& group : swapped.group) group = 1 - group;
  for (const char* name :
       {"group_auc_difference", "inter_group_auc_difference", "intra_group_auc_difference"}) {
    EXPECT_DOUBLE_EQ(value_of(name, swapped).value, -value_of(name, sample).value) << name;
  }
  for (const char* name : {"group_auc_gap", "inter_group_auc_gap", "intra_group_auc_gap",
                           "any_group_positive_average_gap", "any_group_negative_average_gap",
                           "any_group_background_auc_gap"}) {
    EXPECT_NEAR(value_of(name, swapped).value, value_of(name, sample).value, 1e-15) << name;
  }
}

TEST(Ranking, ThePositiveAverageGapIsTheShareOfTheOthersTimesTheGapBetweenThePositives) {
  const Sample sample = large_sample(2, 400, 2);
  const Table table(sample);
  double positives = 0;
  double unprotected = 0;
  for (std::size_t i = 0; i < sample.score.size(); ++i) {
    positives += sample.label[i];
    unprotected += sample.group[i] == 0 ? sample.label[i] : 0;
  }
  const double between = table.auc(table.rows(1, 1), table.rows(1, 0)) - 0.5;
  EXPECT_NEAR(value_of("positive_average_difference", sample).value,
              unprotected / positives * between, 1e-15);
}

TEST(Ranking, AnEmptySetIsUndefinedByItsName) {
  const Sample sample{.score = {1, 2, 3}, .label = {1, 0, 1}, .group = {0, 0, 1}, .groups = 2};
  EXPECT_EQ(value_of("intra_group_auc_gap", sample).undefined_reason,
            "no row with label 0 in group 1");
  EXPECT_EQ(value_of("worst_group_auc", sample).undefined_reason, "no row with label 0 in group 1");
  const Sample three = large_sample(3, 50, 3);
  EXPECT_EQ(value_of("group_auc_difference", three).undefined_reason,
            "a signed difference is between two groups");
}

TEST(Ranking, IntervalsHoldTheValueAndNarrowWithTheRows) {
  for (const Measure& measure : ranking()) {
    const Sample few = large_sample(4, 400, 2);
    const Sample many = large_sample(4, 40'000, 2);
    const Interval wide = measure.interval(few.view(), 0.95);
    const Interval narrow = measure.interval(many.view(), 0.95);
    EXPECT_LE(wide.low, measure.of(few.view()).value) << measure.what.name;
    EXPECT_GT(wide.high, measure.of(few.view()).value) << measure.what.name;
    if (!measure.may_resample) continue;  // the lower end of a gap is 0 at times
    // A hundred times the rows: a tenth of the width, but for chance.
    EXPECT_NEAR((narrow.high - narrow.low) / (wide.high - wide.low), 0.1, 0.02)
        << measure.what.name;
  }
}

}  // namespace
}  // namespace fairfront::metrics::ranking_test
