#include "optimise/penalty_quadratic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "base/random.hpp"

namespace fairfront::optimise {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Matrix random_matrix(base::Stream& stream, Eigen::Index rows, Eigen::Index columns) {
  Matrix matrix(rows, columns);
  for (double& value : matrix.reshaped()) value = stream.normal();
  return matrix;
}

/// A problem and its B.
struct Made {
  PenaltyQuadratic problem;
  Matrix b;
};

/// All pairs of values: residuals of a rank below their number.
Made random_problem(base::Stream& stream, Eigen::Index n, Eigen::Index cells) {
  const Matrix root = random_matrix(stream, n, n);
  PenaltyQuadratic problem;
  const Matrix b = root * root.transpose() + Matrix::Identity(n, n);
  problem.b = Cholesky(b);
  problem.g = random_matrix(stream, n, 1);
  problem.gradients = random_matrix(stream, n, cells);
  problem.factors = Matrix::Zero(cells * (cells - 1) / 2, cells);
  Eigen::Index gap = 0;
  for (Eigen::Index a = 0; a < cells; ++a) {
    for (Eigen::Index b = a + 1; b < cells; ++b, ++gap) {
      problem.factors(gap, a) = 1;
      problem.factors(gap, b) = -1;
    }
  }
  problem.d = problem.factors * random_matrix(stream, cells, 1);
  problem.bound = 0.1;
  problem.cap = 1;
  return {std::move(problem), b};
}

double value(const Made& made, const Vector& p) {
  const auto& [problem, b] = made;
  const Vector gaps = problem.d + problem.factors * (problem.gradients.transpose() * p);
  return problem.g.dot(p) + 0.5 * p.dot(b * p) +
         problem.cap * (gaps.array().abs() - problem.bound).max(0.0).sum();
}

/// Strong duality: with the multipliers the value is also a lower bound, so that equality proves
/// both.
TEST(PenaltyQuadratic, IsProvenOptimalByItsMultipliers) {
  for (std::uint64_t k = 0; k < 30; ++k) {
    base::Stream stream(base::StreamKey(1, "test", "gap quadratic"), k);
    const auto cells = static_cast<Eigen::Index>(2 + k % 6);
    Made made = random_problem(stream, 7, cells);
    PenaltyQuadratic& problem = made.problem;
    problem.cap = k % 2 == 0 ? 0.1 : 100;
    const PenaltyQuadraticResult found = minimise_penalty_quadratic(problem);
    EXPECT_LE(found.multipliers.lpNorm<Eigen::Infinity>(), problem.cap * (1 + 1e-12));
    const Vector pulled =
        problem.g + problem.gradients * (problem.factors.transpose() * found.multipliers);
    const double lower = -0.5 * pulled.dot(problem.b.solve(pulled)) +
                         found.multipliers.dot(problem.d) -
                         problem.bound * found.multipliers.lpNorm<1>();
    // What is left of an excess costs the cap.
    EXPECT_NEAR(value(made, found.p), lower, 1e-9 * (problem.cap + std::abs(lower))) << k;
  }
}

TEST(PenaltyQuadratic, WithoutAnActiveBoundIsNewtonsStep) {
  base::Stream stream(base::StreamKey(1, "test", "gap quadratic"), 99);
  auto [problem, b] = random_problem(stream, 4, 3);
  problem.bound = 1e3;
  const PenaltyQuadraticResult found = minimise_penalty_quadratic(problem);
  EXPECT_TRUE(found.multipliers.isZero());
  EXPECT_TRUE((b * found.p).isApprox(-problem.g, 1e-12));
}

}  // namespace
}  // namespace fairfront::optimise
