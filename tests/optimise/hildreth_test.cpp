#include "optimise/hildreth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "optimise/penalty_quadratic.hpp"

namespace fairfront::optimise {
namespace {

/// Of a residual each as many gradients, by their products.
struct Products {
  Eigen::MatrixXd products;
  Eigen::VectorXd residuals;
  [[nodiscard]] static Eigen::Index at(std::size_t i) { return static_cast<Eigen::Index>(i); }
  [[nodiscard]] double residual(std::size_t i) const { return residuals[at(i)]; }
  [[nodiscard]] double curvature(std::size_t i) const { return products(at(i), at(i)); }
  [[nodiscard]] double length(std::size_t, double change) const { return std::abs(change); }
  void change(std::size_t i, double by) { residuals -= by * products.col(at(i)); }
};

TEST(Hildreth, SweepsComeToTheMultipliersOfTheInteriorPoint) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    base::Stream stream(base::StreamKey(seed, "test", "hildreth"), 0);
    constexpr Eigen::Index n = 6, count = 4;
    PenaltyQuadratic problem;
    problem.b = Cholesky(Eigen::MatrixXd::Identity(n, n));
    problem.g.resize(n);
    problem.d.resize(count);
    problem.gradients.resize(n, count);
    problem.factors = Eigen::MatrixXd::Identity(count, count);
    for (double& value : problem.g) value = stream.normal();
    for (double& value : problem.d) value = stream.normal();
    for (double& value : problem.gradients.reshaped()) value = stream.normal();
    problem.bound = 0.1;
    problem.cap = seed % 2 == 0 ? 0.1 : 100;
    const Eigen::MatrixXd& rows = problem.gradients;
    Products dual{rows.transpose() * rows, problem.d - rows.transpose() * problem.g};
    std::vector<double> y(count, 0.0);
    double moved = 1;
    for (int sweep = 0; sweep < 10000 && moved > 1e-13; ++sweep) {
      moved = hildreth_sweep(dual, problem.bound, problem.cap, y);
    }
    EXPECT_LE(moved, 1e-13);
    const PenaltyQuadraticResult found = minimise_penalty_quadratic(problem);
    for (Eigen::Index i = 0; i < count; ++i) {
      EXPECT_NEAR(y[static_cast<std::size_t>(i)], found.multipliers[i], 1e-6 * problem.cap) << seed;
    }
  }
}

TEST(Hildreth, AResidualWithoutCurvatureHasNoMultiplier) {
  Products dual{Eigen::MatrixXd::Zero(1, 1), Eigen::VectorXd::Constant(1, 3)};
  std::vector<double> y{0};
  EXPECT_EQ(hildreth_sweep(dual, 1, 10, y), 0);
  EXPECT_EQ(y[0], 0);
}

}  // namespace
}  // namespace fairfront::optimise
