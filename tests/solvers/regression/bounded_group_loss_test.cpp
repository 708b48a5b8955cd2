#include "solvers/regression/bounded_group_loss.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "models/least_squares.hpp"

namespace fairfront::regression {
namespace {

/// Two columns, groups with lines of their own and sizes of their own.
struct GroupSample {
  std::vector<double> features, target;
  std::vector<std::int32_t> group;
  std::int64_t groups;

  [[nodiscard]] GroupLossRows rows() const {
    return {models::Rows(features, 2), target, group, groups};
  }
};

GroupSample sample_of(std::int64_t groups, int rows) {
  base::Stream stream(base::StreamKey(3, "test", "group loss"), 0);
  GroupSample sample{{}, {}, {}, groups};
  for (int i = 0; i < rows; ++i) {
    // The first group has few rows: three of 24.
    const auto group =
        static_cast<std::int32_t>(i % 8 == 0 ? 0 : 1 + (i % (static_cast<int>(groups) - 1)));
    const double x = stream.normal(), z = 100 + 10 * stream.normal();
    sample.features.insert(sample.features.end(), {x, z});
    sample.target.push_back(5 + (group % 3 - 1) * x + 0.1 * z + group + stream.normal());
    sample.group.push_back(group);
  }
  return sample;
}

std::vector<double> risks_of(const GroupSample& sample, const std::vector<double>& w) {
  std::vector<double> sums(static_cast<std::size_t>(sample.groups), 0.0), rows = sums;
  for (std::size_t i = 0; i < sample.target.size(); ++i) {
    const double error =
        w[0] + w[1] * sample.features[2 * i] + w[2] * sample.features[2 * i + 1] - sample.target[i];
    sums[static_cast<std::size_t>(sample.group[i])] += error * error;
    ++rows[static_cast<std::size_t>(sample.group[i])];
  }
  for (std::size_t s = 0; s < sums.size(); ++s) sums[s] /= rows[s];
  return sums;
}

double risk_of(const GroupSample& sample, const std::vector<double>& w) {
  const std::vector<double> risks = risks_of(sample, w);
  double sum = 0;
  for (const std::int32_t group : sample.group) sum += risks[static_cast<std::size_t>(group)];
  return sum / static_cast<double>(sample.group.size());
}

constexpr double tiny = 1e-12;  // a ridge that changes nothing here:
/// more than the penalty of any weights of these tests, which the proven bounds hold.
constexpr double penalty = 1e-9;

TEST(BoundedGroupLoss, WithoutABoundItIsLeastSquares) {
  const GroupSample sample = sample_of(3, 120);
  const GroupLossResult found =
      BoundedGroupLoss(sample.rows(), {.ridge = tiny, .tolerance = 1e-9}).unbounded();
  const auto expected = models::fit_least_squares(models::Rows(sample.features, 2), sample.target);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found.weights[i], expected.weights[i], 1e-7);
  const std::vector<double> risks = risks_of(sample, found.weights);
  for (std::size_t s = 0; s < 3; ++s) EXPECT_NEAR(found.risks[s], risks[s], 1e-9);
  EXPECT_NEAR(found.upper, risk_of(sample, found.weights), 1e-9);
}

/// The optimum of a convex problem: no weights nearby are within the bound and better, in any of
/// 3,000 directions and three sizes, nor on the whole way to what has no bound.
TEST(BoundedGroupLoss, NoOtherWeightsWithinTheBoundAreBetter) {
  for (const std::int64_t groups : {2, 3, 5, 10}) {
    const GroupSample sample = sample_of(groups, 24 * static_cast<int>(groups));
    const BoundedGroupLoss loss(sample.rows(), {.ridge = tiny, .tolerance = 1e-9});
    const GroupLossResult fairest = loss.least_largest();
    ASSERT_TRUE(fairest.converged) << groups;
    const double least = std::ranges::max(risks_of(sample, fairest.weights));
    EXPECT_NEAR(least, std::ranges::max(fairest.risks), 1e-9);
    EXPECT_LE(fairest.lower, least + penalty);
    EXPECT_NEAR(fairest.lower, least, 2e-9 * least);
    const GroupLossResult free = loss.unbounded();
    const double bound = (least + std::ranges::max(free.risks)) / 2;
    const GroupLossResult found = loss.within(bound, fairest);
    ASSERT_TRUE(found.converged) << groups;
    const double risk = risk_of(sample, found.weights);
    EXPECT_LE(std::ranges::max(risks_of(sample, found.weights)), bound * (1 + 1e-12));
    EXPECT_LE(found.lower, risk + penalty);
    EXPECT_NEAR(found.lower, risk, 2e-9 * risk);
    base::Stream stream(base::StreamKey(3, "test", "directions"), 0);
    for (int i = 0; i < 3000; ++i) {
      for (const double size : {1e-4, 1e-2, 1.0}) {
        std::vector<double> other = found.weights, fairer = fairest.weights;
        for (auto* w : {&other, &fairer}) {
          (*w)[0] += size * stream.normal();
          (*w)[1] += size * stream.normal();
          (*w)[2] += 0.01 * size * stream.normal();
        }
        EXPECT_GE(std::ranges::max(risks_of(sample, fairer)), fairest.lower - penalty);
        if (std::ranges::max(risks_of(sample, other)) > bound) continue;
        EXPECT_GE(risk_of(sample, other), found.lower - penalty);
      }
    }
  }
}

TEST(BoundedGroupLoss, TwoMeansOneBoundByHand) {
  // A constant column: only the intercept is left. Targets 0, 0, 0 of one group and 4 of the other:
  // the mean is 1, the middle 2 has risks 4 and 4. Within 6.25 the least is 1.5: risks 2.25, 6.25.
  const std::vector<double> features(8, 7.0), target{0, 0, 0, 4};
  const std::vector<std::int32_t> group{0, 0, 0, 1};
  const BoundedGroupLoss loss({models::Rows(features, 2), target, group, 2}, {.tolerance = 1e-9});
  const GroupLossResult fairest = loss.least_largest();
  EXPECT_NEAR(fairest.weights[0], 2, 1e-8);
  EXPECT_NEAR(fairest.upper, 4, 1e-8);
  const GroupLossResult found = loss.within(6.25, fairest);
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.weights[0], 1.5, 1e-8);
  EXPECT_EQ(found.weights[1], 0);
  // 3/4 * 2 w + (1/4 + m) * 2 (w - 4) = 0 at w = 1.5: m = .2.
  EXPECT_NEAR(found.multipliers[1], 0.2, 1e-6);
  EXPECT_NEAR(loss.within(9, fairest).weights[0], 1, 1e-8);
  EXPECT_THROW((void)loss.within(3.9, fairest), std::invalid_argument);
}

TEST(BoundedGroupLoss, TargetsThatAreAllEqualAreMetExactly) {
  const GroupSample sample = sample_of(2, 40);
  const std::vector<double> same(40, 3.0);
  const BoundedGroupLoss loss({models::Rows(sample.features, 2), same, sample.group, 2},
                              {.tolerance = 1e-9});
  const GroupLossResult fairest = loss.least_largest();
  EXPECT_TRUE(fairest.converged);
  EXPECT_NEAR(fairest.weights[0], 3, 1e-9);
  EXPECT_NEAR(std::ranges::max(fairest.risks), 0, 1e-9);
}

/// What is asked of these tables is more than differences of the objective can show, but its
/// gradient has the digits: some failed in one unit of the target and not in another.
TEST(BoundedGroupLoss, ATightToleranceIsReachedInEveryUnitOfTheTarget) {
  for (const double unit : {1.0, 1e8, 3e9, 1e12, 1e-12}) {
    for (const std::int64_t groups : {2, 3, 5, 7}) {
      for (int rows = 100; rows <= 400; rows += 60) {
        GroupSample sample = sample_of(groups, rows);
        for (double& target : sample.target) target *= unit;
        const BoundedGroupLoss loss(sample.rows(), {.tolerance = 1e-9});
        const GroupLossResult fairest = loss.least_largest();
        ASSERT_TRUE(fairest.converged) << unit << " " << groups << " " << rows;
        EXPECT_LE(fairest.upper - fairest.lower, 1e-9 * fairest.upper);
        const double least = std::ranges::max(fairest.risks);
        const double free = std::ranges::max(loss.unbounded().risks);
        for (const double epsilon : {0.0, 0.1, 0.9}) {
          const double bound = std::max(least * (1 + 1e-9), least + epsilon * (free - least));
          const GroupLossResult found = loss.within(bound, fairest);
          EXPECT_TRUE(found.converged) << unit << " " << groups << " " << rows << " " << epsilon;
        }
      }
    }
  }
}

TEST(BoundedGroupLoss, InUnitsThatArePowersOfTwoResultsHaveTheSameBits) {
  GroupSample sample = sample_of(3, 120);
  const auto found_in = [&](double unit) {
    GroupSample scaled = sample;
    for (double& target : scaled.target) target *= unit;
    const BoundedGroupLoss loss(scaled.rows(), {.tolerance = 1e-9});
    const GroupLossResult fairest = loss.least_largest();
    return loss.within(1.1 * std::ranges::max(fairest.risks), fairest);
  };
  const GroupLossResult one = found_in(1), large = found_in(0x1p60);
  ASSERT_EQ(one.weights.size(), large.weights.size());
  for (std::size_t i = 0; i < one.weights.size(); ++i) {
    EXPECT_EQ(one.weights[i] * 0x1p60, large.weights[i]);
  }
  EXPECT_EQ(one.lower * 0x1p120, large.lower);
  EXPECT_EQ(one.multipliers, large.multipliers);
}

/// Next to no noise, where means of squares have few digits: what rounding hides is told apart from
/// what more steps would find, and is little.
TEST(BoundedGroupLoss, WhereRoundingEndsItEarlierWhatIsReachedIsSmall) {
  int rounded = 0;
  for (const std::int64_t groups : {2, 3, 5}) {
    for (const double noise : {1e-3, 1e-6, 0.0}) {
      GroupSample sample = sample_of(groups, 150);
      for (std::size_t i = 0; i < sample.target.size(); ++i) {
        const double line = sample.features[2 * i] - 0.1 * sample.features[2 * i + 1];
        sample.target[i] = line + noise * sample.target[i];
      }
      const BoundedGroupLoss loss(sample.rows(), {.tolerance = 1e-12});
      const GroupLossResult found = loss.least_largest();
      EXPECT_TRUE(found.converged || found.rounding) << groups << " " << noise;
      EXPECT_LE(found.upper - found.lower, std::max(rounding_gap * found.upper, 1e-12));
      if (found.rounding) ++rounded;
    }
  }
  EXPECT_GT(rounded, 0);
  const GroupSample sample = sample_of(3, 150);
  const BoundedGroupLoss cut(sample.rows(), {.tolerance = 1e-9, .max_iterations = 2});
  EXPECT_FALSE(cut.least_largest().converged);
  EXPECT_FALSE(cut.least_largest().rounding);
}

TEST(BoundedGroupLoss, BadOptionsAreNamed) {
  const GroupSample sample = sample_of(2, 40);
  for (const GroupLossOptions& bad :
       {GroupLossOptions{.ridge = 0}, GroupLossOptions{.ridge = std::nan("")},
        GroupLossOptions{.tolerance = 0}, GroupLossOptions{.max_iterations = 0}}) {
    EXPECT_THROW(BoundedGroupLoss(sample.rows(), bad), std::invalid_argument);
  }
  GroupLossRows empty = sample.rows();
  empty.groups = 3;
  EXPECT_THROW(BoundedGroupLoss{empty}, std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::regression
