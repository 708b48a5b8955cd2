#include "results/proven_bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace fairfront::results::proven_bounds_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Two numbers of clusters; tasks 0 and 1 trace fronts of each, 2 to 4 prove bounds: two floors of
/// the first problem, one of the second. Task 5 has failed.
Content content_of_six() {
  Content content;
  content.experiment = "clustering";
  content.revisions = {"balance_ladder=4", "lower_bound=1"};
  content.axes = {{"clustering.clusters", base::Role::problem, {"5", "10"}},
                  {"lower_bound.floor", base::Role::trade_off, {"0.25", "0.5"}}};
  content.tasks.axis_index = {{0, 1, 0, 0, 1, 1}, {-1, -1, 0, 1, 0, 1}};
  content.tasks.key.assign(6, "");
  content.tasks.method = {"balance_ladder", "balance_ladder", "lower_bound",
                          "lower_bound",    "lower_bound",    "lower_bound"};
  content.tasks.status.assign(5, TaskStatus::done);
  content.tasks.status.push_back(TaskStatus::failed);
  content.metrics = {{{"cost_lower", "", "", Direction::maximise, ""}, {nan, nan, 2, 3, 1, nan}}};
  FrontGroup ladder;
  ladder.name = "balance_ladder";
  ladder.objectives = {{"cost", "", "", Direction::minimise, ""},
                       {"balance", "", "", Direction::maximise, ""}};
  ladder.offsets = {0, 3, 4, 4, 4, 4, 4};
  ladder.points = {2, 0.1, 4, 0.25, 5, 0.6, 2, 0.3};
  ladder.task = {0, 0, 0, 1};
  ladder.reference.assign(12, 10);
  FrontGroup bounds = ladder;
  bounds.name = "lower_bound";
  bounds.offsets = {0, 0, 0, 1, 1, 1, 1};
  bounds.points = {2.5, 0.25};
  bounds.task = {2};
  content.fronts = {ladder, bounds};
  return content;
}

TEST(ProvenBounds, AreThoseOfDoneTasksWithTheirFloors) {
  Content content = content_of_six();
  const std::vector<ProvenBound> bounds = proven_bounds(content);
  ASSERT_EQ(bounds.size(), 3U);
  EXPECT_EQ(bounds[1].task, 3U);
  EXPECT_EQ(bounds[1].floor, 0.5);
  EXPECT_EQ(bounds[1].lower, 3);
  content.experiment = "another";
  EXPECT_TRUE(proven_bounds(content).empty());
}

TEST(ProvenBounds, AFloorThatIsNoAxisIsReadFromTheConfig) {
  Content content = content_of_six();
  content.axes.pop_back();
  content.tasks.axis_index.pop_back();
  EXPECT_TRUE(proven_bounds(content).empty());
  content.config = {{"lower_bound", "floor", "0.125"}};
  ASSERT_EQ(proven_bounds(content).size(), 3U);
  EXPECT_EQ(proven_bounds(content)[2].floor, 0.125);
}

TEST(ProvenBounds, APointHasTheGreatestBoundOfItsOwnProblemThatItReaches) {
  const Content content = content_of_six();
  const auto bounds = proven_bounds(content);
  const auto first = proven_points(content, content.fronts[0], 0, bounds);
  ASSERT_EQ(first.size(), 3U);
  EXPECT_TRUE(std::isnan(first[0].lower) && std::isnan(first[0].gap));
  EXPECT_EQ(first[1].lower, 2);
  EXPECT_EQ(first[1].gap, 0.5);
  EXPECT_EQ(first[2].lower, 3);
  EXPECT_EQ(first[2].gap, 0.4);
  const auto second = proven_points(content, content.fronts[0], 1, bounds);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].lower, 1);
  EXPECT_TRUE(proven_points(content, content.fronts[0], 0, {}).empty());
}

TEST(ProvenBounds, TheBestPointIsTheCheapestOfAllMethodsAtTheFloor) {
  const Content content = content_of_six();
  const auto bounds = proven_bounds(content);
  const auto best = best_point(content, bounds[0]);
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->task, 2U);
  EXPECT_EQ(best->value, 2.5);
  EXPECT_EQ(best->gap, 0.2);
  EXPECT_EQ(best_point(content, bounds[1])->value, 5);
  EXPECT_FALSE(best_point(content, {4, 0.9, 1}).has_value());
}

TEST(ProvenBounds, AValueThatIsZeroUpToRoundingHasNoGap) {
  EXPECT_EQ(relative_gap(1e-33, 0, 1), 0);
  EXPECT_EQ(relative_gap(0, 0, 1), 0);
  EXPECT_EQ(relative_gap(1e-20, 0, 1), 1);
  EXPECT_EQ(relative_gap(4, 3, 10), 0.25);
  EXPECT_TRUE(std::isnan(relative_gap(0, nan, 1)));
}

}  // namespace
}  // namespace fairfront::results::proven_bounds_test
