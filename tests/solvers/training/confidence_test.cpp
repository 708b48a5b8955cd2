#include "solvers/training/confidence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/elementary.hpp"
#include "base/random.hpp"

namespace fairfront::training {
namespace {

struct Sample {
  GapConstraints constraints;
  Part part;
  std::vector<std::int32_t> group;
};

/// `rows` of each group, no labels that matter.
Sample sample(int groups, int rows) {
  std::vector<std::int32_t> group;
  std::vector<std::int64_t> all;
  for (int i = 0; i < groups * rows; ++i) {
    group.push_back(static_cast<std::int32_t>(i % groups));
    all.push_back(i);
  }
  GapConstraints constraints(Fairness::loss_gap,
                             std::vector<double>(static_cast<std::size_t>(groups), 1.0 / groups));
  Part part = make_part(all, constraints.cells(), std::vector<double>(group.size(), 1.0), group);
  return {std::move(constraints), std::move(part), std::move(group)};
}

/// Share of simulations in which every true |gap| is within its bound. Losses are exponential, as
/// skewed as those of a model, with the mean of their group.
double coverage(const std::vector<double>& means, int rows, double confidence, int simulations) {
  const Sample of = sample(static_cast<int>(means.size()), rows);
  std::vector<double> truth(static_cast<std::size_t>(of.constraints.gaps()));
  of.constraints.gaps_of(means, truth);
  int covered = 0;
  for (int s = 0; s < simulations; ++s) {
    base::Stream stream(base::StreamKey(1, "test", "losses"), static_cast<std::uint64_t>(s));
    std::vector<double> losses;
    for (const std::int32_t g : of.group) {
      losses.push_back(-means[static_cast<std::size_t>(g)] * base::log(1 - stream.uniform()));
    }
    const auto bounds = gap_bounds(of.constraints, of.part, losses, confidence);
    bool all = true;
    for (std::size_t i = 0; i < truth.size(); ++i) all = all && std::abs(truth[i]) <= bounds[i];
    covered += all ? 1 : 0;
  }
  return static_cast<double>(covered) / simulations;
}

// 4000 simulations: a standard error of 0.0034 at 0.95.
TEST(GapBounds, CoverOneGapAsOftenAsTheySay) {
  EXPECT_NEAR(coverage({0.5, 0.4}, 300, 0.95, 4000), 0.95, 0.015);
  EXPECT_NEAR(coverage({0.4, 0.5}, 300, 0.95, 4000), 0.95, 0.015) << "whatever its sign";
  EXPECT_NEAR(coverage({0.5, 0.3}, 300, 0.8, 4000), 0.8, 0.025);
}

TEST(GapBounds, CoverAllGapsOfSeveralGroupsAtOnce) {
  EXPECT_GE(coverage({0.5, 0.4, 0.3, 0.6}, 300, 0.95, 4000), 0.94);
  EXPECT_GE(coverage({0.4, 0.4}, 300, 0.95, 4000), 0.94) << "equal groups";
}

TEST(GapBounds, AreTheFormulaOnAnExampleByHand) {
  const Sample of = sample(2, 2);
  // Group 0: 1 and 3, mean 2, variance 2; group 1: 1 and 2, mean 1.5, variance 0.5.
  const std::vector<double> losses{1, 1, 3, 2};
  const auto bounds = gap_bounds(of.constraints, of.part, losses, 0.95);
  ASSERT_EQ(bounds.size(), 1U);
  EXPECT_NEAR(bounds.front(), 0.5 + 1.6448536269514722 * std::sqrt(2.0 / 2 + 0.5 / 2), 1e-14);
  const auto cautious = gap_bounds(of.constraints, of.part, losses, 0.95, 2);
  EXPECT_NEAR(cautious.front(), 0.5 + 1.9599639845400542 * std::sqrt(1.25), 1e-14);
}

TEST(GapBounds, SayNothingOfACellWithOneRow) {
  const Sample of = sample(2, 1);
  const auto bounds = gap_bounds(of.constraints, of.part, std::vector{0.1, 0.2}, 0.95);
  EXPECT_EQ(bounds.front(), std::numeric_limits<double>::infinity());
}

TEST(GapBounds, RefuseAConfidenceThatIsNone) {
  const Sample of = sample(2, 2);
  const std::vector<double> losses{1, 1, 3, 2};
  EXPECT_THROW((void)gap_bounds(of.constraints, of.part, losses, 1), std::invalid_argument);
  EXPECT_THROW((void)gap_bounds(of.constraints, of.part, losses, 0.9, 0), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::training
