#include "optimise/quadratic_program.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/random.hpp"

namespace fairfront::optimise::quadratic_program_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Variables in [-1, 1], and a last one without bounds that is at least all of some rows, as the
/// level of a bundle of cuts is; other rows may bend.
QuadraticProgram random_program(std::uint64_t seed, Eigen::Index variables, Eigen::Index rows,
                                bool bends) {
  base::Stream stream(base::StreamKey(20261201, "tests/optimise", "quadratic program"), seed);
  QuadraticProgram program;
  const Eigen::Index n = variables + 1;
  program.metric = Eigen::VectorXd::Zero(n);
  program.cost = Eigen::VectorXd::Zero(n);
  program.cost[variables] = 1;
  program.bend = bends ? 0.5 : 0.0;
  program.low = Eigen::VectorXd::Constant(n, -1);
  program.high = Eigen::VectorXd::Constant(n, 1);
  program.low[variables] = -infinity;
  program.high[variables] = infinity;
  program.matrix = Eigen::MatrixXd::Zero(rows, n);
  program.right = Eigen::VectorXd::Zero(rows);
  program.row_bend = Eigen::VectorXd::Zero(rows);
  program.start = Eigen::VectorXd::Zero(n);
  program.start[variables] = 2;
  program.multipliers = Eigen::VectorXd::Constant(rows, 1.0 / static_cast<double>(rows));
  for (Eigen::Index j = 0; j < variables; ++j) program.metric[j] = stream.uniform();
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < variables; ++j) program.matrix(i, j) = stream.normal();
    const bool is_cut = i % 4 != 0 || i == 0;
    if (is_cut) program.matrix(i, variables) = -1;
    program.right[i] = is_cut ? stream.uniform() : 0.1 + stream.uniform();
    if (bends && !is_cut) program.row_bend[i] = 2 * stream.uniform();
  }
  return program;
}

/// Karush, Kuhn and Tucker's conditions, which of a convex program are a proof.
void expect_optimal(const QuadraticProgram& program, const QuadraticProgramResult& found) {
  const Eigen::VectorXd& x = found.x;
  const Eigen::VectorXd& y = found.multipliers;
  const double q = 0.5 * program.metric.dot(x.cwiseAbs2());
  const Eigen::VectorXd slack = program.right - program.matrix * x - q * program.row_bend;
  EXPECT_GE(slack.minCoeff(), -1e-8);
  EXPECT_GE(y.minCoeff(), 0);
  EXPECT_LE(slack.cwiseProduct(y).lpNorm<Eigen::Infinity>(), 1e-6);
  const Eigen::VectorXd slope =
      program.cost + program.matrix.transpose() * y +
      (program.bend + program.row_bend.dot(y)) * program.metric.cwiseProduct(x);
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    EXPECT_GT(x[j], program.low[j]);
    EXPECT_LT(x[j], program.high[j]);
    // A slope belongs to a bound that holds its variable.
    const double room = slope[j] > 0 ? x[j] - program.low[j] : program.high[j] - x[j];
    if (std::abs(slope[j]) > 1e-7) {
      EXPECT_LE(room * std::abs(slope[j]), 1e-6) << j;
    }
  }
}

TEST(QuadraticProgram, MeetsTheConditionsOfItsOptimum) {
  for (const bool bends : {false, true}) {
    for (const Eigen::Index variables : {1, 3, 10, 40}) {
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(std::to_string(variables) + " variables, seed " + std::to_string(seed));
        const QuadraticProgram program = random_program(seed, variables, 3 * variables + 5, bends);
        expect_optimal(program, solve_quadratic_program(program));
      }
    }
  }
}

TEST(QuadraticProgram, OfOneVariableWithABoundThatBendsIsKnown) {
  QuadraticProgram program;  // max x with x^2 / 2 <= 1/8
  program.metric = Eigen::VectorXd::Ones(1);
  program.cost = -Eigen::VectorXd::Ones(1);
  program.low = Eigen::VectorXd::Constant(1, -1);
  program.high = Eigen::VectorXd::Constant(1, 1);
  program.matrix = Eigen::MatrixXd::Zero(1, 1);
  program.right = Eigen::VectorXd::Constant(1, 0.125);
  program.row_bend = Eigen::VectorXd::Ones(1);
  program.start = Eigen::VectorXd::Zero(1);
  program.multipliers = Eigen::VectorXd::Ones(1);
  const QuadraticProgramResult found = solve_quadratic_program(program);
  EXPECT_NEAR(found.x[0], 0.5, 1e-7);
  EXPECT_NEAR(found.multipliers[0], 2, 1e-6);  // 1 / x
}

}  // namespace
}  // namespace fairfront::optimise::quadratic_program_test
