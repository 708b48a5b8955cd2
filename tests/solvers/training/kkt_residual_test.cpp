#include "solvers/training/kkt_residual.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"

namespace fairfront::training {
namespace {

/// |grad + J'(y+ - y-)|^2 + sum (y c)^2, the least over a grid of y of one gap.
double least_residual_on_a_grid(const Derivatives& at, double delta, double step) {
  double least = std::numeric_limits<double>::infinity();
  for (int side = 0; side < 2; ++side) {
    const double sign = side == 0 ? 1 : -1;
    const double c = sign * at.values.gaps[0] - delta;
    for (int k = 0; k < 4000; ++k) {
      const double y = k * step;
      double sum = y * c * y * c;
      for (std::size_t j = 0; j < at.gradient.size(); ++j) {
        const double rest = at.gradient[j] + sign * y * at.jacobian[j];
        sum += rest * rest;
      }
      least = std::min(least, sum);
    }
  }
  return least;
}

TEST(KktResidual, TheMultipliersAreTheBestOfAll) {
  base::Stream stream(base::StreamKey(1, "test", "kkt"), 0);
  for (int trial = 0; trial < 20; ++trial) {
    Derivatives at;
    at.values.gaps = {stream.normal()};
    for (int j = 0; j < 5; ++j) {
      at.gradient.push_back(stream.normal());
      at.jacobian.push_back(stream.normal());
    }
    const double delta = 0.1;
    const KktResidual found = kkt_residual(at, delta);
    const double squared =
        found.stationarity * found.stationarity + found.complementarity * found.complementarity;
    // A grid of width 1e-3 misses the minimum by curvature * 1e-6 / 4 at most.
    EXPECT_NEAR(squared, least_residual_on_a_grid(at, delta, 1e-3), 2e-5);
    EXPECT_EQ(found.violation, std::max(0.0, std::abs(at.values.gaps[0]) - delta));
  }
}

/// Of all pairs of groups: gaps depend on each other.
TEST(KktResidual, TheMultipliersAreTheBestOfAllForTheGapsOfManyGroups) {
  base::Stream stream(base::StreamKey(2, "test", "kkt of pairs"), 0);
  constexpr int groups = 30, weights = 6;
  Derivatives at;
  std::vector<double> rates, slopes;
  for (int g = 0; g < groups; ++g) {
    rates.push_back(0.1 * stream.uniform());
    for (int j = 0; j < weights; ++j) slopes.push_back(stream.normal());
  }
  for (int j = 0; j < weights; ++j) at.gradient.push_back(stream.normal());
  for (int a = 0; a < groups; ++a) {
    for (int b = a + 1; b < groups; ++b) {
      at.values.gaps.push_back(rates[static_cast<std::size_t>(a)] -
                               rates[static_cast<std::size_t>(b)]);
      for (int j = 0; j < weights; ++j) {
        at.jacobian.push_back(slopes[static_cast<std::size_t>(a * weights + j)] -
                              slopes[static_cast<std::size_t>(b * weights + j)]);
      }
    }
  }
  constexpr double delta = 0.07;
  const auto found = kkt_residual(at, delta).multipliers;
  ASSERT_EQ(found.size(), 435U);
  // |grad + J'm|^2 + sum (m c)^2 is convex, and flat there.
  std::vector<double> rest = at.gradient;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t j = 0; j < weights; ++j) rest[j] += found[i] * at.jacobian[i * weights + j];
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double c = (found[i] > 0 ? at.values.gaps[i] : -at.values.gaps[i]) - delta;
    double slope = c * c * found[i];
    for (std::size_t j = 0; j < weights; ++j) slope += rest[j] * at.jacobian[i * weights + j];
    EXPECT_NEAR(slope, 0, 1e-7) << i;
  }
}

TEST(KktResidual, VanishesAtAKktPointWithSeveralGaps) {
  // grad f = -J'y with y of the signs of the gaps, all active.
  Derivatives at;
  at.values.gaps = {0.1, -0.1, 0.05};
  at.gradient.assign(4, 0.0);
  at.jacobian = {1, 2, 0, 0, 0, 1, 3, 0, 0, 0, 1, 1};
  const std::vector<double> y{2, -0.5, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 4; ++j) at.gradient[j] -= y[i] * at.jacobian[4 * i + j];
  }
  const KktResidual found = kkt_residual(at, 0.1);
  EXPECT_NEAR(found.stationarity, 0, 1e-9);
  EXPECT_NEAR(found.complementarity, 0, 1e-9);
  EXPECT_EQ(found.violation, 0);
  EXPECT_THAT(found.multipliers, testing::Pointwise(testing::DoubleNear(1e-9), y));
}

/// Three pairs of groups: the third gap is the sum of two others, and so is its gradient.
TEST(KktResidual, VanishesWhereGapsDependOnEachOther) {
  Derivatives at;
  at.values.gaps = {0.1, -0.02, 0.08};
  at.jacobian = {1, 0.4, -0.3, 0.2, -0.97, -0.41, 0.33, 0.18, 0, 0, 0, 0};
  for (std::size_t j = 0; j < 4; ++j) at.jacobian[8 + j] = at.jacobian[j] + at.jacobian[4 + j];
  at.gradient.assign(4, 0.0);
  for (std::size_t j = 0; j < 4; ++j) at.gradient[j] = -0.7 * at.jacobian[j];
  const KktResidual found = kkt_residual(at, 0.1);
  EXPECT_NEAR(found.stationarity, 0, 1e-12);
  EXPECT_NEAR(found.complementarity, 0, 1e-12);
}

}  // namespace
}  // namespace fairfront::training
