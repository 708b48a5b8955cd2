#include "optimise/l1_quadratic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace fairfront::optimise {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd random_vector(std::uint64_t seed, Index size, double scale) {
  base::Stream stream(base::StreamKey(seed, "optimum", "vector"), 0);
  VectorXd v(size);
  for (double& x : v) x = scale * stream.normal();
  return v;
}

TEST(L1Quadratic, HasNoSubgradientLeftAndBeatsItsNeighbours) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Index m = 12;
    const VectorXd numbers = random_vector(seed, m * m, 1);
    const MatrixXd root = Eigen::Map<const MatrixXd>(numbers.data(), m, m);
    MatrixXd hessian = root * root.transpose();
    hessian.diagonal().array() += 1e-3;
    const VectorXd gradient = random_vector(seed + 100, m, 2), v = random_vector(seed + 200, m, 1);
    const VectorXd weight = VectorXd::Constant(m, 0.8);
    const VectorXd x = minimise_l1_quadratic(hessian, gradient, weight, v, 1e-11);
    const VectorXd there = gradient + hessian * (x - v);
    EXPECT_LE(shortest_subgradient(x, there, weight).norm(), 1e-11) << seed;
    const auto objective = [&](const VectorXd& at) {
      return gradient.dot(at - v) + 0.5 * (at - v).dot(hessian * (at - v)) +
             weight.dot(at.cwiseAbs());
    };
    for (std::uint64_t k = 0; k < 20; ++k) {
      EXPECT_GT(objective(x + random_vector(1000 * seed + k, m, 1e-3)), objective(x));
    }
  }
}

TEST(L1Quadratic, ASingularHessianIsNoReasonToStay) {
  // Rank 5 in 12 coordinates, all of them away from 0; without weights and with small ones.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Index m = 12;
    const VectorXd numbers = random_vector(seed, m * 5, 1);
    const MatrixXd root = Eigen::Map<const MatrixXd>(numbers.data(), m, 5);
    const MatrixXd hessian = root * root.transpose();
    const VectorXd gradient = hessian * random_vector(seed + 100, m, 1);  // so there is a minimum
    const VectorXd v = random_vector(seed + 200, m, 1);
    for (const double w : {0.0, 0x1p-512, 1e-3}) {
      const VectorXd weight = VectorXd::Constant(m, w);
      const VectorXd x = minimise_l1_quadratic(hessian, gradient, weight, v, 1e-9);
      const VectorXd there = gradient + hessian * (x - v);
      EXPECT_LE(shortest_subgradient(x, there, weight).norm(), 1e-9) << seed << ", " << w;
    }
  }
}

TEST(L1Quadratic, ScalarsByHand) {
  const MatrixXd one = MatrixXd::Constant(1, 1, 2);
  const auto solve_scalar = [&](double gradient, double weight) {
    return minimise_l1_quadratic(one, VectorXd::Constant(1, gradient),
                                 VectorXd::Constant(1, weight), VectorXd::Zero(1), 1e-14)[0];
  };
  EXPECT_DOUBLE_EQ(solve_scalar(-3, 1), 1);  // -3 + 2 x + 1 = 0
  EXPECT_DOUBLE_EQ(solve_scalar(3, 1), -1);
  EXPECT_EQ(solve_scalar(0.5, 1), 0);
}

}  // namespace
}  // namespace fairfront::optimise
