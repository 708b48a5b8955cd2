#include "results/lent_bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace fairfront::results::lent_bounds_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Three deltas on each of two splits, then another method's task and one that has failed.
Content content_of_two_splits() {
  Content content;
  content.experiment = "training";
  content.revisions = {"exact_training=16", "sgd=4"};
  content.axes = {{"split.split_seed", base::Role::replicate, {"1", "2"}},
                  {"exact_training.delta", base::Role::trade_off, {"0.005", "0.01", "0.02"}}};
  content.tasks.axis_index = {{0, 0, 0, 1, 1, 1, 0, 0}, {0, 1, 2, 0, 1, 2, -1, 2}};
  content.tasks.key.assign(8, "");
  content.tasks.method.assign(8, "exact_training");
  content.tasks.method[6] = "sgd";
  content.tasks.status.assign(8, TaskStatus::done);
  content.tasks.status[7] = TaskStatus::failed;
  content.metrics = {{{"optimum_lower", "loss", "", base::Direction::none, ""},
                      {0.40, 0.42, 0.41, 0.30, 0.29, 0.28, 0.9, 0.95}}};
  Measure loss{{"loss", "loss", "", base::Direction::minimise, ""}, {"train"}, {"all"}, {}};
  for (const double value : {0.48, 0.46, 0.44, 0.35, 0.34, 0.33, 0.5, nan}) {
    loss.values.insert(loss.values.end(), {value, nan, nan});
  }
  content.measures = {loss};
  return content;
}

TEST(LentBounds, OfALargerDeltaHoldForASmallerOneOfTheSameProblem) {
  const std::vector<LentBound> lent = lent_bounds(content_of_two_splits());
  ASSERT_EQ(lent.size(), 1U);
  EXPECT_EQ(lent[0].task, 0U);
  EXPECT_EQ(lent[0].by, 1U);
  EXPECT_EQ(lent[0].own, 0.40);
  EXPECT_EQ(lent[0].lower, 0.42);
  EXPECT_EQ(lent[0].loss, 0.48);
  EXPECT_DOUBLE_EQ(lent[0].lack, 0.125);
}

TEST(LentBounds, TheGreatestOfAllIsLent) {
  Content content = content_of_two_splits();
  content.metrics[0].values = {0.40, 0.41, 0.42, 0.1, 0.2, 0.3, nan, nan};
  const std::vector<LentBound> lent = lent_bounds(content);
  ASSERT_EQ(lent.size(), 4U);
  EXPECT_EQ(lent[0].by, 2U);
  EXPECT_EQ(lent[1].by, 2U);
  EXPECT_EQ(lent[2].by, 5U);
  EXPECT_EQ(lent[3].by, 5U);
  content.measures.clear();
  EXPECT_TRUE(std::isnan(lent_bounds(content)[0].lack));
}

TEST(LentBounds, OtherExperimentsHaveNone) {
  Content content = content_of_two_splits();
  content.experiment = "clustering";
  EXPECT_TRUE(lent_bounds(content).empty());
  content = content_of_two_splits();
  content.metrics.clear();
  EXPECT_TRUE(lent_bounds(content).empty());
}

}  // namespace
}  // namespace fairfront::results::lent_bounds_test
