// The subproblem of the ghost method against programs of others: GLPK's simplex method for kappa,
// a linear program, and the SQP of Kraft (1988) in NLopt for the direction, a quadratic one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlopt.hpp>

#include "base/random.hpp"
#include "optimise/glpk.hpp"
#include "solvers/training/ghost_direction.hpp"

namespace fairfront::training::ghost_solvers_test {
namespace {

struct Case {
  std::vector<double> gradient, gaps, jacobian;
  [[nodiscard]] Linearised view() const { return {gradient, gaps, jacobian}; }
  [[nodiscard]] double linearised(std::size_t i, std::span<const double> d) const {
    double value = gaps[i];
    for (std::size_t j = 0; j < d.size(); ++j) value += jacobian[i * d.size() + j] * d[j];
    return value;
  }
};

Case random_case(base::Stream& stream, std::size_t n, std::size_t q) {
  Case made;
  for (std::size_t j = 0; j < n; ++j) made.gradient.push_back(stream.normal());
  for (std::size_t i = 0; i < q; ++i) made.gaps.push_back(stream.normal());
  for (std::size_t i = 0; i < n * q; ++i) made.jacobian.push_back(stream.normal());
  return made;
}

/// min t over t >= 0 and |d|_inf <= radius with |gap_i + J_i d| <= delta + t, where d = x - radius.
double least_violation_by_glpk(const Case& at, double delta, double radius) {
  const std::size_t n = at.gradient.size();
  const std::size_t q = at.gaps.size();
  optimise::LinearProgram program;
  program.rows = static_cast<std::int64_t>(2 * q + n);
  program.columns = static_cast<std::int64_t>(n + 1);
  program.cost.assign(n + 1, 0.0);
  program.cost[n] = 1;
  for (std::size_t i = 0; i < q; ++i) {
    const double at_corner = at.linearised(i, std::vector<double>(n, -radius));
    for (const double sign : {1.0, -1.0}) {
      for (std::size_t j = 0; j < n; ++j) {
        program.matrix.push_back(sign * at.jacobian[i * n + j]);
      }
      program.matrix.push_back(-1);
      program.right.push_back(delta - sign * at_corner);
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k <= n; ++k) program.matrix.push_back(k == j ? 1 : 0);
    program.right.push_back(2 * radius);
  }
  const auto answer = optimise::testing_glpk::minimise(program);
  EXPECT_TRUE(answer.feasible);
  return answer.value;
}

/// min g'd + tau/2 |d|^2 with |gap_i + J_i d| <= bound and |d|_inf <= box, by NLopt.
struct QuadraticProgram {
  const Case& at;
  double tau, bound, box;

  [[nodiscard]] double value(std::span<const double> d) const {
    double sum = 0;
    for (std::size_t j = 0; j < d.size(); ++j) {
      sum += at.gradient[j] * d[j] + 0.5 * tau * d[j] * d[j];
    }
    return sum;
  }

  [[nodiscard]] std::vector<double> solve() const {
    struct Row {
      const QuadraticProgram* of;
      std::size_t gap;
      double sign;
    };
    const std::size_t n = at.gradient.size();
    nlopt::opt solver(nlopt::LD_SLSQP, static_cast<unsigned>(n));
    solver.set_min_objective(
        [](const std::vector<double>& d, std::vector<double>& slope, void* data) {
          const auto& program = *static_cast<const QuadraticProgram*>(data);
          for (std::size_t j = 0; j < slope.size(); ++j) {
            slope[j] = program.at.gradient[j] + program.tau * d[j];
          }
          return program.value(d);
        },
        const_cast<QuadraticProgram*>(this));
    std::vector<Row> rows;
    for (std::size_t i = 0; i < at.gaps.size(); ++i) {
      for (const double sign : {1.0, -1.0}) rows.push_back({this, i, sign});
    }
    for (Row& row : rows) {
      solver.add_inequality_constraint(
          [](const std::vector<double>& d, std::vector<double>& slope, void* data) {
            const Row& own = *static_cast<const Row*>(data);
            const Case& made = own.of->at;
            for (std::size_t j = 0; j < slope.size(); ++j) {
              slope[j] = own.sign * made.jacobian[own.gap * d.size() + j];
            }
            return own.sign * made.linearised(own.gap, d) - own.of->bound;
          },
          &row, 1e-12);
    }
    solver.set_lower_bounds(-box);
    solver.set_upper_bounds(box);
    solver.set_xtol_rel(1e-14);
    solver.set_ftol_rel(1e-15);
    solver.set_maxeval(2000);
    std::vector<double> d(n, 0.0);
    double least = 0;
    try {
      solver.optimize(d, least);
    } catch (const nlopt::roundoff_limited&) {  // d is the best that it has
    }
    return d;
  }
};

TEST(GhostSolvers, TheLeastViolationIsThatOfASimplexMethod) {
  base::Stream stream(base::StreamKey(1, "test", "kappa"), 0);
  int reached = 0;
  int out_of_reach = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const std::size_t q = 1 + static_cast<std::size_t>(trial % 6);
    const std::size_t n = 2 + static_cast<std::size_t>(trial % 11);
    const Case at = random_case(stream, n, q);
    const double radius = trial % 2 == 0 ? 0.05 : 0.3;
    constexpr double delta = 0.05;
    const double expected = least_violation_by_glpk(at, delta, radius);
    // GLPK's rows may be broken by 1e-7; our bisection ends at 1e-9.
    EXPECT_NEAR(least_violation(at.view(), delta, radius), expected, 2e-7) << trial;
    const GhostSubproblem options{.delta = delta, .lambda = 0.3, .radius = radius};
    double violation = 0;
    for (const double gap : at.gaps) violation = std::max(violation, std::abs(gap) - delta);
    EXPECT_NEAR(relaxation(at.view(), options), 0.7 * violation + 0.3 * expected, 2e-7) << trial;
    (expected < 1e-12 ? reached : out_of_reach) += 1;
  }
  EXPECT_GT(reached, 20);
  EXPECT_GT(out_of_reach, 20);
}

TEST(GhostSolvers, TheDirectionIsThatOfAQuadraticProgram) {
  base::Stream stream(base::StreamKey(1, "test", "direction"), 0);
  int boxed = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t q = 1 + static_cast<std::size_t>(trial % 4);
    const std::size_t n = 6 + static_cast<std::size_t>(trial % 15);
    const Case at = random_case(stream, n, q);
    const GhostSubproblem options{.delta = 0.05, .tau = 0.8, .box = trial % 2 == 0 ? 1.2 : 10};
    const double bound = options.delta + relaxation(at.view(), options);
    const QuadraticProgram program{at, options.tau, bound, options.box};
    const std::vector<double> expected = program.solve();
    std::vector<double> found(n);
    ghost_direction(at.view(), options, found);
    double largest = 0;
    for (std::size_t j = 0; j < n; ++j) {
      // Strictly convex: a value within e of the least one is within sqrt(2 e / tau) of its place.
      EXPECT_NEAR(found[j], expected[j], 1e-5) << trial;
      largest = std::max(largest, std::abs(found[j]));
    }
    EXPECT_NEAR(program.value(found), program.value(expected), 1e-8) << trial;
    EXPECT_LE(largest, options.box);
    for (std::size_t i = 0; i < q; ++i) EXPECT_LE(std::abs(at.linearised(i, found)), bound + 1e-8);
    boxed += largest > 0.999 * options.box ? 1 : 0;
  }
  EXPECT_GT(boxed, 10);
}

}  // namespace
}  // namespace fairfront::training::ghost_solvers_test
