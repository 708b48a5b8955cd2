#include "optimise/quadratic_bounds.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace fairfront::optimise {
namespace {

/// |z|^2 - 2 z_0 within the balls |z|^2 +- 2 t z_1 <= r: a case by hand.
TEST(QuadraticBounds, OfTwoBallsTheCornerIsFound) {
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(2, 2);
  const std::vector<QuadraticBound> bounds{{one, Eigen::Vector2d(0, 0.3)},
                                           {2 * one, Eigen::Vector2d(0, 0.1)}};
  // Symmetric in z_1, so z_1 = 0, and 2 z_0^2 = 0.5 is the narrower bound.
  const BoundedOptimum found = minimise_bounded(Eigen::Vector2d(1, 0), bounds, 0.5);
  EXPECT_NEAR(found.z[0], 0.5, 1e-13);
  EXPECT_NEAR(found.z[1], 0, 1e-13);
  // z_0 - 1 + 2 lambda z_0 = 0.
  EXPECT_NEAR(found.multipliers[1].sum, 0.5, 1e-9);
  EXPECT_NEAR(found.multipliers[0].sum, 0, 1e-9);
  EXPECT_NEAR(-found.least - found.price, 0.25 - 1, 1e-12);
}

}  // namespace
}  // namespace fairfront::optimise
