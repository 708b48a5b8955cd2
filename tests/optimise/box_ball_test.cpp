#include "optimise/box_ball.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "optimise/decomposition.hpp"
#include "support/normal_matrix.hpp"

namespace fairfront::optimise {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using test::normal_matrix;

base::Stream stream_of(std::uint64_t number) {
  return base::Stream(base::StreamKey(5, "test", "gap bound"), number);
}

/// By the secular equation: (H + c I) d = -g, |d| the radius, c at least minus the least
/// eigenvalue.
double least_in_ball(const BoxBall& set, const Vector& g, const Matrix& h) {
  const Spectrum of_h = spectrum(h);
  const ArrayXd values = of_h.values, parts = of_h.vectors.transpose() * g;
  const auto point = [&](double c) -> ArrayXd { return -parts / (values + c); };
  double low = -values.minCoeff(), high = low + 1e3;
  if (!set.sphere && low < 0) {
    if (point(0).matrix().norm() <= set.radius) return -(parts * parts / values).sum() / 2;
    low = 0;
  }
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (point(middle).matrix().norm() > set.radius ? low : high) = middle;
  }
  const ArrayXd d = point(high);
  return (parts * d + values * d.square() / 2).sum();
}

TEST(BoxBall, NoPointOfTheSetIsBelowTheBound) {
  base::Stream stream = stream_of(3);
  for (int trial = 0; trial < 60; ++trial) {
    const Index n = 4, k = trial % 5;
    const Matrix some = normal_matrix(stream, n, n);
    const Matrix h = some * some.transpose() - (trial % 3) * Matrix::Identity(n, n);
    const Vector g = normal_matrix(stream, n, 1);
    const BoxBall set{Vector::Constant(k, 0.3), 0.8, trial % 2 == 0};
    const double bound = least_over(set, g, h);
    ASSERT_TRUE(std::isfinite(bound));
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 4000; ++i) {
      Vector d = normal_matrix(stream, n, 1);
      if (k < n) d.tail(n - k) *= (set.sphere ? 1 : stream.uniform()) * 0.8 / d.tail(n - k).norm();
      for (Index j = 0; j < k; ++j) d[j] = 0.3 * std::clamp(d[j], -1.0, 1.0);
      least = std::min(least, g.dot(d) + d.dot(h * d) / 2);
    }
    EXPECT_LE(bound, least + 1e-12);
    if (k == 0) {
      EXPECT_NEAR(bound, least_in_ball(set, g, h), 1e-5) << "one constraint: no duality gap";
    }
  }
}

TEST(BoxBall, AnEllipsoidTakesPointsOutOfTheSet) {
  base::Stream stream = stream_of(7);
  int raised = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Index n = 4, k = trial % 4;
    const Matrix some = normal_matrix(stream, n, n), root = normal_matrix(stream, n, n);
    const Matrix h = some * some.transpose() - (trial % 3) * Matrix::Identity(n, n);
    const Vector g = normal_matrix(stream, n, 1);
    BoxBall set{Vector::Constant(k, 0.5), 0.8, trial % 2 == 0};
    const double without = least_over(set, g, h);
    set.within = {0.3 * normal_matrix(stream, n, 1), root * root.transpose(), 0.1};
    const double bound = least_over(set, g, h);
    raised += bound > without + 1e-3 ? 1 : 0;
    for (int i = 0; i < 4000; ++i) {
      Vector d = normal_matrix(stream, n, 1);
      d.tail(n - k) *= (set.sphere ? 1 : stream.uniform()) * 0.8 / d.tail(n - k).norm();
      for (Index j = 0; j < k; ++j) d[j] = 0.5 * std::clamp(d[j], -1.0, 1.0);
      if (set.within.g.dot(d) + d.dot(set.within.h * d) / 2 > set.within.most) continue;
      EXPECT_GE(g.dot(d) + d.dot(h * d) / 2, bound - 1e-12);
    }
  }
  EXPECT_GT(raised, 20);
}

TEST(BoxBall, OfAConvexFunctionWhoseMinimumIsInsideTheBoundIsThatMinimum) {
  base::Stream stream = stream_of(4);
  const Matrix some = normal_matrix(stream, 5, 5),
               h = some * some.transpose() + Matrix::Identity(5, 5);
  const Vector g = 0.01 * normal_matrix(stream, 5, 1);
  EXPECT_NEAR(least_over({Vector::Constant(2, 1.0), 1, false}, g, h),
              -g.dot(Cholesky(h).solve(g)) / 2, 1e-9);
}

}  // namespace
}  // namespace fairfront::optimise
