#include "metrics/declared_difference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"

namespace fairfront::metrics {
namespace {

using testing::HasSubstr;

const std::vector<std::string> two{"men", "women"};
const std::vector<std::string> three{"a", "b", "c"};

struct TwoGroups {
  std::vector<double> score, label;
  std::vector<std::int32_t> group;
  std::int64_t groups;

  [[nodiscard]] Scored view() const {
    return {.score = score, .label = label, .group = group, .groups = groups};
  }
};

/// Few different scores, so that there are ties.
TwoGroups random_sample(std::uint64_t seed, int rows, std::int64_t groups) {
  base::Stream stream(base::StreamKey(seed, "test", "declared"), 0);
  TwoGroups sample{{}, {}, {}, groups};
  for (int i = 0; i < rows; ++i) {
    sample.score.push_back(0.25 * stream.below(9));
    sample.label.push_back(stream.uniform() < 0.4 ? 1 : 0);
    sample.group.push_back(
        static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(groups))));
  }
  return sample;
}

/// Table 1 of Yao, Lin, Yang (2023).
const std::map<std::string, std::string> table{
    {"group_auc", "auc(group = g, group = h) - auc(all, all)"},
    {"inter_group_auc",
     "auc(label = 1 and group = g, label = 0 and group = h) - "
     "auc(label = 1 and group = h, label = 0 and group = g)"},
    {"intra_group_auc",
     "auc(label = 1 and group = g, label = 0 and group = g) - "
     "auc(label = 1 and group = h, label = 0 and group = h)"},
    {"positive_average", "auc(label = 1 and group = g, label = 1) - auc(all, all)"},
    {"negative_average", "auc(label = 0 and group = g, label = 0) - auc(all, all)"},
    {"background_auc",
     "auc(label = 1, label = 0 and group = g) - auc(label = 1 and group = g, label = 0)"}};

std::vector<Measure> measures_of(const std::string& text, const std::vector<std::string>& groups) {
  std::vector<AucSum> sums;
  for (const ComparedRows& rows : DeclaredDifference(text).compared(groups)) {
    sums.push_back(rows.difference(std::ssize(groups)));
  }
  return declared_measures(std::move(sums));
}

Measure known(const std::string& name) {
  return select(ranking(), std::vector<std::string>{name}).front();
}

TEST(DeclaredDifference, SaysEveryMetricThatThereIsBitForBit) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const TwoGroups sample = random_sample(seed, 80, 2);
    for (const auto& [name, text] : table) {
      const auto declared = measures_of(text, two);
      const Measure built_in = known(name + "_difference");
      EXPECT_EQ(declared[1].of(sample.view()).value, built_in.of(sample.view()).value) << name;
      const Interval found = declared[1].interval(sample.view(), 0.9);
      const Interval expected = built_in.interval(sample.view(), 0.9);
      EXPECT_EQ(found.low, expected.low) << name;
      EXPECT_EQ(found.high, expected.high) << name;
      EXPECT_EQ(declared[0].of(sample.view()).value, std::abs(built_in.of(sample.view()).value))
          << name;
    }
  }
}

TEST(DeclaredDifference, OfManyGroupsIsTheLargestGapThatThereIsBitForBit) {
  const TwoGroups sample = random_sample(1, 200, 3);
  for (const auto& [name, text] : table) {
    const auto declared = measures_of(text, three);
    const bool of_groups = name.find("average") != name.npos || name.starts_with("background");
    const Measure built_in = known((of_groups ? "any_group_" : "") + name + "_gap");
    EXPECT_EQ(declared[0].of(sample.view()).value, built_in.of(sample.view()).value);
    EXPECT_FALSE(declared[1].of(sample.view()).defined());
  }
}

TEST(DeclaredDifference, PairsComeOnceOrInBothOrdersWhereThatIsAnotherDifference) {
  EXPECT_EQ(DeclaredDifference(table.at("group_auc")).compared(three).size(), 3u);
  EXPECT_EQ(DeclaredDifference(table.at("inter_group_auc")).compared(three).size(), 3u);
  EXPECT_EQ(DeclaredDifference(table.at("background_auc")).compared(three).size(), 3u);
  const DeclaredDifference one_way(
      "auc(label = 1 and group = g, label = 0 and group = h) - auc(label = 1, label = 0)");
  EXPECT_EQ(one_way.compared(three).size(), 6u);
  EXPECT_EQ(one_way.compared(two).size(), 1u);
  EXPECT_EQ(one_way.compared(two)[0].group, 1);
  EXPECT_EQ(one_way.compared(two)[0].other, 0);
}

/// The set of the text's first auc by its cells.
void expect_set(const std::string& set, const std::vector<std::string>& groups,
                bool (*expected)(bool positive, int group)) {
  const DeclaredDifference difference("auc(" + set + ", all) - auc(label = 1, label = 0)");
  const RowSet rows = difference.compared(groups)[0].first_above;
  for (const bool positive : {false, true}) {
    for (std::int32_t g = 0; g < std::ssize(groups); ++g) {
      EXPECT_EQ(rows.contains(positive, g), expected(positive, g)) << set;
    }
  }
}

TEST(DeclaredDifference, TestsAreJoinedAndBeforeOr) {
  expect_set("label = 1", two, [](bool y, int) { return y; });
  expect_set("label != 1", two, [](bool y, int) { return !y; });
  expect_set("group = women", two, [](bool, int g) { return g == 1; });
  expect_set("group==1", two, [](bool, int g) { return g == 1; });
  expect_set("group != b", three, [](bool, int g) { return g != 1; });
  expect_set("label = 1 and group = a or group = 2", three,
             [](bool y, int g) { return (y && g == 0) || g == 2; });
  expect_set("group != a and group != c and label = 0", three,
             [](bool y, int g) { return !y && g == 1; });
}

TEST(DeclaredDifference, AnEmptySetIsUndefinedByItsName) {
  TwoGroups sample = random_sample(2, 30, 2);
  for (std::int32_t& group : sample.group) group = 0;
  const auto declared = measures_of(table.at("intra_group_auc"), two);
  EXPECT_EQ(declared[0].of(sample.view()).undefined_reason, "no row with label = 1 and group = g");
}

std::string rule_of(const std::string& text) {
  try {
    (void)DeclaredDifference(text);
  } catch (const std::invalid_argument& broken) {
    return broken.what();
  }
  return "";
}

TEST(DeclaredDifference, WhatItCannotReadIsNamed) {
  EXPECT_TRUE(DeclaredDifference("").empty());
  EXPECT_THAT(rule_of("auc(all, label = 1)"), HasSubstr("no '-'"));
  EXPECT_THAT(rule_of("auc(all, label = 1) - 1/2"), HasSubstr("'1/2' does not begin with auc"));
  EXPECT_THAT(rule_of("auc(all) - auc(all, all)"), HasSubstr("has not two sets"));
  EXPECT_THAT(rule_of("auc(all, all, all) - auc(all, all)"), HasSubstr("has not two sets"));
  EXPECT_THAT(rule_of("auc(all, ) - auc(all, all)"), HasSubstr("a set is missing"));
  EXPECT_THAT(rule_of("auc(age = 1, all) - auc(all, all)"),
              HasSubstr("'age = 1' tests neither label nor group"));
  EXPECT_THAT(rule_of("auc(label = yes, all) - auc(all, all)"), HasSubstr("with 0 or 1"));
  EXPECT_THAT(rule_of("auc(label, all) - auc(all, all)"), HasSubstr("'label' is no test"));
  EXPECT_THAT(rule_of("auc(group =, all) - auc(all, all)"), HasSubstr("nothing to compare with"));
  EXPECT_THAT(rule_of("auc(group = h, all) - auc(all, all)"), HasSubstr("without g"));
  EXPECT_THAT(rule_of("auc(all, label = 1) - auc(all, all) + 1"), HasSubstr("'+ 1' follows"));
  EXPECT_THAT(rule_of("auc all - auc"), HasSubstr("parentheses"));
}

std::string error_of(const std::string& text, const std::vector<std::string>& groups) {
  try {
    (void)DeclaredDifference(text).compared(groups);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(DeclaredDifference, WhatTheGroupsDoNotHaveIsNamed) {
  EXPECT_THAT(error_of("auc(group = child, all) - auc(all, all)", two),
              HasSubstr("there is no group 'child'; groups 0 .. 1 are men, women"));
  EXPECT_THAT(error_of("auc(label = 1 and group = 2, all) - auc(all, all)", two),
              HasSubstr("there is no group '2'"));
  EXPECT_THAT(error_of("auc(label = 1 and label = 0, all) - auc(all, all)", two),
              HasSubstr("no row can be in the set 'label = 1 and label = 0'"));
  EXPECT_THAT(error_of("auc(all, all) - auc(label = 1, label = 1)", two),
              HasSubstr("equal whatever the scores"));
  EXPECT_THAT(error_of("auc(group = 1, all) - auc(all, all)", {"1", "0"}),
              HasSubstr("'1' is the name of one group"));
}

}  // namespace
}  // namespace fairfront::metrics
