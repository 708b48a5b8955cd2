// Trained fronts beside the post-processed unconstrained model.
#include "results/yardstick.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace fairfront::results {
namespace {

using testing::HasSubstr;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

TEST(Yardstick, BetweenTwoPointsIsADrawOfBoth) {
  const std::vector<ErrorAndGap> points{{0.3, 0.0}, {0.2, 0.1}, {0.1, 0.4}};
  EXPECT_NEAR(yardstick_error(points, 0.05).value(), 0.25, 1e-15);
  EXPECT_NEAR(yardstick_error(points, 0.25).value(), 0.15, 1e-15);
  EXPECT_EQ(yardstick_error(points, 0.4), 0.1);
  EXPECT_EQ(yardstick_error(points, 0.9), 0.1);
  EXPECT_FALSE(yardstick_error({{0.3, 0.02}}, 0.01));
  // A point above the chord of its neighbours says nothing.
  EXPECT_NEAR(yardstick_error({{0.3, 0.0}, {0.29, 0.1}, {0.1, 0.2}}, 0.1).value(), 0.2, 1e-15);
}

TEST(Yardstick, AGapOfZeroIsKeptUpToRounding) {
  const std::vector<ErrorAndGap> points{{0.2, 3e-17}, {0.1, 0.4}};
  EXPECT_EQ(yardstick_error(points, 0), 0.2);
  EXPECT_NEAR(yardstick_error(points, 0.2).value(), 0.15, 1e-15);
  EXPECT_FALSE(yardstick_error(points, -1e-9));
}

Measure measure_of(const std::string& name, std::vector<double> decides,
                   std::vector<double> reported) {
  Measure measure{
      {name, "", "share", Direction::minimise, ""}, {"validation", "test"}, {"all"}, {}};
  for (std::size_t task = 0; task < decides.size(); ++task) {
    for (const double value : {decides[task], reported[task]}) {
      measure.values.insert(measure.values.end(), {value, unknown, unknown});
    }
  }
  return measure;
}

/// Two splits; tasks 0 to 3 of the yardstick, two bounds of each split, then two of [alm] on each.
Content content_of_eight() {
  Content content;
  content.experiment = "training";
  content.revisions = {"postprocessing=1", "alm=4"};
  content.config = {{"postprocessing", "rate", "demographic_parity"},
                    {"training", "rate", "demographic_parity"}};
  content.axes = {{"split_seed", base::Role::replicate, {"1", "2"}},
                  {"seed", base::Role::replicate, {"1", "2"}},
                  {"postprocessing.bound", base::Role::trade_off, {"0", "0.1"}},
                  {"alm.delta", base::Role::trade_off, {"0", "0.1"}}};
  content.tasks.axis_index = {{0, 0, 1, 1, 0, 0, 1, 1},
                              {-1, -1, -1, -1, 0, 0, 0, 0},
                              {0, 1, 0, 1, -1, -1, -1, -1},
                              {-1, -1, -1, -1, 0, 1, 0, 1}};
  content.tasks.key.assign(8, "");
  content.tasks.method = {"postprocessing",
                          "postprocessing",
                          "postprocessing",
                          "postprocessing",
                          "alm",
                          "alm",
                          "alm",
                          "alm"};
  content.tasks.status.assign(8, TaskStatus::done);
  content.tasks.configuration = {0, 0, 0, 0, 1, 1, 1, 1};
  content.tasks.curve = {0, 0, 1, 1, 2, 2, 3, 3};
  content.measures = {
      measure_of("error", {.2, .1, .2, .1, .21, .1, .3, .11}, {.2, .1, .2, .1, .1, .1, .1, .1}),
      measure_of("independence_gap", {0, .1, 0, .1, .05, .1, .05, .1},
                 {0, .1, 0, .1, 0, .1, 0, .1})};
  return content;
}

TEST(Yardstick, AFrontThatIsBelowSaysSoForThePartWhereItIs) {
  const std::vector<ComparedFront> fronts = compared_with_yardstick(content_of_eight());
  ASSERT_EQ(fronts.size(), 1U);
  const ComparedFront& front = fronts.front();
  EXPECT_EQ(front.first_task, 4U);
  EXPECT_EQ(front.replicates, 2);
  EXPECT_EQ(front.decides.part, "validation");
  EXPECT_NEAR(front.decides.yardstick, 0.9 * 0.9 + 0.8 * 0.1, 1e-12);
  EXPECT_NEAR(front.decides.hypervolume, (0.9 * 0.9 + 0.79 * 0.05 + 0.89 * 0.9 + 0.7 * 0.05) / 2,
              1e-12);
  EXPECT_EQ(front.decides.points, 4);
  EXPECT_EQ(front.decides.worse, 3);
  EXPECT_NEAR(front.decides.excess, 0.15, 1e-12);
  EXPECT_TRUE(front.decides.is_below());
  EXPECT_FALSE(front.reported.is_below());
  const std::string remark = remark_on(front, "alm");
  EXPECT_THAT(remark, HasSubstr("[alm] is below the post-processed unconstrained model in "
                                "demographic_parity on the validation part"));
  EXPECT_THAT(remark, HasSubstr("at 3 of 4 points an error that is larger at the same gap"));
  EXPECT_THAT(remark, testing::Not(HasSubstr("test")));
}

TEST(Yardstick, OnlyTheSameRateSplitAndSharedOptionsAreCompared) {
  Content content = content_of_eight();
  content.config[1].value = "none";
  EXPECT_TRUE(compared_with_yardstick(content).empty());
  content.config[1].value = "equalised_odds";
  EXPECT_TRUE(compared_with_yardstick(content).empty());
  content = content_of_eight();
  content.axes[0].values = {"1", "2", "3"};
  for (std::size_t task = 4; task < 8; ++task) content.tasks.axis_index[0][task] = 2;
  EXPECT_TRUE(compared_with_yardstick(content).empty());
  content = content_of_eight();
  content.axes.push_back({"model.hidden", base::Role::setting, {"", "4"}});
  content.tasks.axis_index.push_back({0, 0, 0, 0, 1, 1, 1, 1});
  EXPECT_TRUE(compared_with_yardstick(content).empty());
  content = content_of_eight();
  content.experiment = "predictions";
  EXPECT_TRUE(compared_with_yardstick(content).empty());
}

TEST(Yardstick, OnlyTheSameOfARateIsCompared) {
  Content content = content_of_eight();
  content.config.push_back({"postprocessing", "bound_of", "ratio"});
  EXPECT_TRUE(compared_with_yardstick(content).empty());
  content.config.push_back({"alm", "bound_of", "ratio"});
  EXPECT_TRUE(compared_with_yardstick(content).empty());  // no measure of it
  content.measures.push_back(
      measure_of("rate_ratio", {1, .8, 1, .8, .9, .8, 1, .7}, {1, .8, 1, .8, .9, .8, 1, .7}));
  const std::vector<ComparedFront> fronts = compared_with_yardstick(content);
  ASSERT_EQ(fronts.size(), 1U);
  EXPECT_EQ(bounded_text(fronts.front()), "demographic_parity, ratio");
  // At .9 the yardstick's point of ratio 1, as no draw of two is known to keep it.
  EXPECT_EQ(fronts.front().decides.worse, 3);
  EXPECT_NEAR(fronts.front().decides.excess, 0.1, 1e-12);
  EXPECT_NEAR(fronts.front().decides.yardstick, 0.8 + 0.1 * 0.8, 1e-12);
  EXPECT_THAT(remark_on(fronts.front(), "alm"), HasSubstr("in demographic_parity, ratio on the"));
}

TEST(Yardstick, WhatAllMethodsBoundIsThatOfThoseWithoutABoundOfTheirOwn) {
  Content content = content_of_eight();
  content.config.push_back({"postprocessing", "bound_of", "ratio"});
  content.config.push_back({"training", "bound_of", "ratio"});
  content.measures.push_back(
      measure_of("rate_ratio", {1, .8, 1, .8, .9, .8, 1, .7}, {1, .8, 1, .8, .9, .8, 1, .7}));
  const std::vector<ComparedFront> fronts = compared_with_yardstick(content);
  ASSERT_EQ(fronts.size(), 1U);
  EXPECT_EQ(bounded_text(fronts.front()), "demographic_parity, ratio");
}

TEST(Yardstick, ErrorsOfTheWorstGroupAreComparedWithSuchErrors) {
  Content content = content_of_eight();
  content.config.push_back({"postprocessing", "bound_of", "worst_group"});
  content.config.push_back({"alm", "bound_of", "worst_group"});
  content.measures.push_back(measure_of("rate_worst_error", {.2, .3, .2, .3, .25, .3, .25, .3},
                                        {.2, .3, .2, .3, .25, .3, .25, .3}));
  const std::vector<ComparedFront> fronts = compared_with_yardstick(content);
  ASSERT_EQ(fronts.size(), 1U);
  EXPECT_EQ(bounded_text(fronts.front()), "demographic_parity, worst_group");
  EXPECT_NEAR(fronts.front().decides.excess, 0.15, 1e-12);  // .3 where a draw has .15
  content.config.back().value = "ratio";
  EXPECT_TRUE(compared_with_yardstick(content).empty());
}

TEST(Yardstick, OfRatiosPointsAloneCount) {
  const std::vector<ErrorAndGap> points{{0.3, 0.0}, {0.1, 0.4}};
  EXPECT_EQ(yardstick_error(points, 0.2, false), 0.3);
  EXPECT_NEAR(yardstick_error(points, 0.2).value(), 0.2, 1e-15);
  EXPECT_EQ(yardstick_error(points, 0.5, false), 0.1);
}

TEST(Yardstick, RandomisedClassifiersAreComparedByTheirOwnMeasures) {
  Content content = content_of_eight();
  content.measures.push_back(measure_of("randomised_error",
                                        {.2, .1, .2, .1, .1, unknown, .1, unknown},
                                        {.2, .1, .2, .1, .1, unknown, .1, unknown}));
  content.measures.push_back(measure_of("randomised_independence_gap",
                                        {0, .1, 0, .1, 0, unknown, 0, unknown},
                                        {0, .1, 0, .1, 0, unknown, 0, unknown}));
  const std::vector<ComparedFront> fronts = compared_with_yardstick(content);
  ASSERT_EQ(fronts.size(), 2U);
  EXPECT_TRUE(fronts[1].randomised);
  EXPECT_EQ(fronts[1].decides.points, 2);
  EXPECT_FALSE(fronts[1].decides.is_below());
  EXPECT_EQ(remark_on(fronts[1], "alm"), "");
}

}  // namespace
}  // namespace fairfront::results
