#include "optimise/projected_newton.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace fairfront::optimise {
namespace {

TEST(CertifiedGapInABox, IsTheGapItselfWhereTheFunctionIsAQuadraticWithThisCurvature) {
  const Box box(2, -1.0, 1.0);
  const std::array<double, 2> w{0.5, -0.25};
  // (c/2) |v - a|^2, minimum at (0.2, 1): the second coordinate is held by the box.
  const double c = 3;
  const std::array<double, 2> a{0.2, 1.5};
  const std::array<double, 2> gradient{c * (w[0] - a[0]), c * (w[1] - a[1])};
  const auto value = [&](double x, double y) {
    return 0.5 * c * ((x - a[0]) * (x - a[0]) + (y - a[1]) * (y - a[1]));
  };
  EXPECT_NEAR(certified_gap(box, w, gradient, c), value(w[0], w[1]) - value(0.2, 1), 1e-14);
  // A linear function: the minimum is in a corner.
  EXPECT_DOUBLE_EQ(certified_gap(box, w, std::array{2.0, -1.0}, 0), 2 * 1.5 + 1.25);
  EXPECT_EQ(certified_gap(box, w, std::array{0.0, 0.0}, 0), 0);
}

/// sum_j log(1 + exp(a_j'x)) + ridge |x|^2 / 2, and how often it was asked.
class Softplus final : public ConvexFunction {
 public:
  Softplus(Eigen::MatrixXd rows, double ridge) : rows_{std::move(rows)}, ridge_{ridge} {}
  double value(std::span<const double> x) override {
    double sum = 0.5 * ridge_ * own(x).squaredNorm();
    for (const double score : scores(x)) sum += std::log1p(std::exp(score));
    return sum;
  }
  void gradient(std::span<const double> x, std::span<double> out) override {
    const Eigen::VectorXd sum = rows_.transpose() * chances(x).matrix() + ridge_ * own(x);
    std::ranges::copy(sum, out.begin());
  }
  Eigen::MatrixXd hessian(std::span<const double> x) override {
    const Eigen::ArrayXd p = chances(x);
    Eigen::MatrixXd matrix = rows_.transpose() * (p * (1 - p)).matrix().asDiagonal() * rows_;
    matrix.diagonal().array() += ridge_;
    return matrix;
  }

 private:
  static Eigen::VectorXd own(std::span<const double> x) {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), std::ssize(x));
  }
  [[nodiscard]] Eigen::VectorXd scores(std::span<const double> x) const { return rows_ * own(x); }
  [[nodiscard]] Eigen::ArrayXd chances(std::span<const double> x) const {
    return 1 / (1 + (-scores(x).array()).exp());
  }
  Eigen::MatrixXd rows_;
  double ridge_;
};

TEST(MinimiseInBox, ProvesItsMinimumHoweverManyBoundsHold) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    base::Stream stream(base::StreamKey(seed, "test", "projected newton"), 0);
    Eigen::MatrixXd rows(30, 5);
    for (double& value : rows.reshaped()) value = stream.normal() + 0.3;
    const double ridge = seed % 2 == 0 ? 0 : 0.1;
    Softplus function(rows, ridge);
    const Box box(5, -0.2 * static_cast<double>(seed % 4 + 1), 0.5);
    const std::vector<double> start(5, 10);
    const BoxMinimum found = minimise_in_box(function, ridge, box, start, 1e-12);
    EXPECT_LE(found.certified_gap, 1e-12) << seed;
    EXPECT_TRUE(box.contains(found.x));
    const double least = function.value(found.x);
    for (int k = 0; k < 200; ++k) {
      EXPECT_GE(function.value(box.random_point(stream)), least - 1e-12);
      std::vector<double> near = found.x;
      for (double& x : near) x += 1e-3 * stream.normal();
      box.project(near);
      EXPECT_GE(function.value(near), least - 1e-12);
    }
  }
}

TEST(MinimiseInBox, ColumnsThatDependOnEachOtherAreNoTrouble) {
  Eigen::MatrixXd rows(3, 4);
  rows << 1, 1, 0, 2, -1, -1, 0, -2, 2, 2, 0, 4;
  Softplus function(rows, 0);
  const std::vector<double> start(4, 0.1);
  const BoxMinimum found = minimise_in_box(function, 0, Box(4, -1.0, 1.0), start, 1e-10);
  EXPECT_LE(found.certified_gap, 1e-10);
}

TEST(MinimiseInBox, SaysHowFarItIsWhereMoreIsAskedThanRoundingAllows) {
  Eigen::MatrixXd rows(2, 1);
  rows << 1, -1;
  Softplus function(rows, 1);
  const std::vector<double> start(1, 1.0);
  const BoxMinimum found = minimise_in_box(function, 1, Box(1, -2.0, 2.0), start, -1);
  EXPECT_GE(found.certified_gap, 0);
  EXPECT_LE(found.certified_gap, 1e-20);
  EXPECT_NEAR(found.x[0], 0, 1e-10);
}

}  // namespace
}  // namespace fairfront::optimise
