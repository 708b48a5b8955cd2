#include "solvers/training/constraints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/random.hpp"

namespace fairfront::training {
namespace {

std::vector<double> gaps_of(const GapConstraints& constraints, std::vector<double> losses) {
  std::vector<double> gaps(static_cast<std::size_t>(constraints.gaps()));
  constraints.gaps_of(losses, gaps);
  return gaps;
}

TEST(GapConstraints, EveryPairOfGroupsHasADifferenceOfLosses) {
  const GapConstraints two(Fairness::loss_gap, std::vector{0.7, 0.3});
  EXPECT_EQ(two.cells(), (std::vector<Cell>{{0, {}}, {1, {}}}));
  EXPECT_THAT(gaps_of(two, {0.5, 0.2}), testing::ElementsAre(0.5 - 0.2));
  const GapConstraints three(Fairness::loss_gap, std::vector{0.5, 0.25, 0.25});
  EXPECT_THAT(gaps_of(three, {4, 2, 1}), testing::ElementsAre(2, 3, 1));
}

TEST(GapConstraints, EqualOpportunityLooksAtPositiveLabelsAlone) {
  const GapConstraints constraints(Fairness::equal_opportunity, std::vector{0.5, 0.5});
  EXPECT_EQ(constraints.cells(), (std::vector<Cell>{{0, true}, {1, true}}));
  EXPECT_TRUE(constraints.cells()[1].contains(1, true));
  EXPECT_FALSE(constraints.cells()[1].contains(1, false));
  EXPECT_FALSE(constraints.cells()[1].contains(0, true));
}

TEST(GapConstraints, EqualisedOddsBoundTheSumOfBothDifferences) {
  const GapConstraints constraints(Fairness::equalised_odds, std::vector{0.5, 0.5});
  base::Stream stream(base::StreamKey(1, "test", "odds"), 0);
  for (int i = 0; i < 50; ++i) {
    std::vector<double> losses;  // of 0+, 0-, 1+, 1-
    for (int k = 0; k < 4; ++k) losses.push_back(stream.normal());
    const double sum = std::abs(losses[0] - losses[2]) + std::abs(losses[1] - losses[3]);
    EXPECT_NEAR(largest_size(gaps_of(constraints, losses)), sum, 1e-15);
  }
}

TEST(GapConstraints, AGroupIsComparedWithTheMeanOverAllRows) {
  const GapConstraints constraints(Fairness::group_to_overall, std::vector{0.5, 0.3, 0.2});
  const double all = 0.5 * 1 + 0.3 * 2 + 0.2 * 5;
  EXPECT_THAT(
      gaps_of(constraints, {1, 2, 5}),
      testing::Pointwise(testing::DoubleNear(1e-15), std::vector{1 - all, 2 - all, 5 - all}));
}

TEST(GapConstraints, PullingBackIsTheTransposedMap) {
  base::Stream stream(base::StreamKey(1, "test", "transposed"), 0);
  for (const Fairness fairness : {Fairness::loss_gap, Fairness::equal_opportunity,
                                  Fairness::equalised_odds, Fairness::group_to_overall}) {
    const GapConstraints constraints(fairness, std::vector{0.2, 0.5, 0.3});
    std::vector<double> losses(constraints.cells().size());
    std::vector<double> y(static_cast<std::size_t>(constraints.gaps()));
    for (double& value : losses) value = stream.normal();
    for (double& value : y) value = stream.normal();
    std::vector<double> back(losses.size());
    constraints.pull_back(y, back);
    const std::vector<double> gaps = gaps_of(constraints, losses);
    double left = 0;
    double right = 0;
    for (std::size_t i = 0; i < y.size(); ++i) left += y[i] * gaps[i];
    for (std::size_t k = 0; k < back.size(); ++k) right += back[k] * losses[k];
    EXPECT_NEAR(left, right, 1e-13);
  }
}

TEST(GapConstraints, TheLargestGapHasNoSignAndKeepsNan) {
  EXPECT_EQ(largest_size(std::vector{0.1, -0.3, 0.2}), 0.3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(largest_size(std::vector{0.1, nan})));
  EXPECT_TRUE(std::isnan(largest_size(std::vector{nan, 0.1})));
  EXPECT_THROW(GapConstraints(Fairness::loss_gap, std::vector{1.0}), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::training
