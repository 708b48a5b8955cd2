#include "solvers/alternating/efforts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <stdexcept>

#include "solvers/alternating/step_sizes.hpp"

namespace fairfront::alternating {
namespace {

using testing::ElementsAre;

TEST(Efforts, TheLatticeOfTwoObjectivesCountsTheStepsOnTheFirst) {
  EXPECT_EQ(lattice_size(200, 2), 201);
  EXPECT_THAT(lattice_point(0, 200, 2), ElementsAre(0, 200));
  EXPECT_THAT(lattice_point(137, 200, 2), ElementsAre(137, 63));
  EXPECT_THAT(lattice_point(200, 200, 2), ElementsAre(200, 0));
}

TEST(Efforts, TheLatticeHoldsEverySplitOnceInLexicographicOrder) {
  for (const std::int64_t objectives : {1, 2, 3, 4}) {
    const std::int64_t size = lattice_size(7, objectives);
    std::vector<Efforts> all;
    for (std::int64_t k = 0; k < size; ++k) {
      all.push_back(lattice_point(k, 7, objectives));
      EXPECT_EQ(std::accumulate(all.back().begin(), all.back().end(), std::int64_t{0}), 7);
    }
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    EXPECT_EQ(std::ssize(std::set<Efforts>(all.begin(), all.end())), size);
  }
  EXPECT_EQ(lattice_size(20, 3), 231);
}

TEST(Efforts, APointOutsideTheLatticeIsAnError) {
  EXPECT_THROW((void)lattice_point(201, 200, 2), std::invalid_argument);
  EXPECT_THROW((void)lattice_point(-1, 200, 2), std::invalid_argument);
  EXPECT_THROW((void)lattice_size(100'000, 4), std::invalid_argument);
}

TEST(Efforts, TextIsReadAndWritten) {
  EXPECT_THAT(parse_efforts(" (10, 5,5) "), ElementsAre(10, 5, 5));
  EXPECT_EQ(format_efforts(Efforts{10, 5, 5}), "(10,5,5)");
  for (const char* bad : {"", "10,5", "(10)", "(0,0)", "(1,-1)", "(1,x)", "(1,2", "(1,,2)"}) {
    EXPECT_THROW((void)parse_efforts(bad), std::invalid_argument) << bad;
  }
}

TEST(Efforts, WeightsAreShares) { EXPECT_THAT(weights_of(Efforts{1, 3}), ElementsAre(0.25, 0.75)); }

TEST(StepSizes, FollowTheirFormulas) {
  const StepSizes fixed({.step = 0.25}, 10);
  EXPECT_EQ(fixed(0), 0.25);
  EXPECT_EQ(fixed(99), 0.25);
  const StepSizes strong({.rule = StepRule::strongly_convex, .convexity = 4}, 10);
  EXPECT_DOUBLE_EQ(strong(0), 2.0 / 40);
  EXPECT_DOUBLE_EQ(strong(4), 2.0 / (4 * 5 * 10));
  const StepSizes convex({.rule = StepRule::convex, .step = 3}, 10);
  EXPECT_DOUBLE_EQ(convex(0), 0.3);
  EXPECT_DOUBLE_EQ(convex(1), 0.3);
  EXPECT_DOUBLE_EQ(convex(9), 0.1);
}

}  // namespace
}  // namespace fairfront::alternating
