#include "solvers/regression/optimum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "base/stop.hpp"
#include "solvers/regression/free_tilts.hpp"
#include "solvers/regression/glpk.hpp"
#include "solvers/regression/l1_quadratic.hpp"

namespace fairfront::regression {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Sampled {
  std::vector<double> eta, tau;
  std::vector<double> p;
  std::int64_t groups;

  Sampled(std::uint64_t seed, std::int64_t count, std::int64_t k) : groups{k} {
    base::Stream stream(base::StreamKey(seed, "optimum", "test"), 0);
    for (std::int64_t i = 0; i < count; ++i) {
      const double x = stream.normal(), z = stream.normal();
      std::vector<double> weights;
      double sum = 0;
      for (std::int64_t s = 0; s < k; ++s) {
        weights.push_back(std::exp(1.2 * x * static_cast<double>(s) + 0.5 * z));
        sum += weights.back();
      }
      for (const double w : weights) tau.push_back(w / sum);
      eta.push_back(0.35 * x + 0.2 * stream.normal());
    }
    p = mean_shares(tau, k);
  }
  [[nodiscard]] PredictedRows rows() const { return predicted_rows(eta, tau, p); }
};

VectorXd random_vector(std::uint64_t seed, Index size, double scale) {
  base::Stream stream(base::StreamKey(seed, "optimum", "vector"), 0);
  VectorXd v(size);
  for (double& x : v) x = scale * stream.normal();
  return v;
}

/// The minimum of the whole problem, 2 K n unknowns, by accelerated projected gradients with
/// restarts; stops at a projected gradient of 1e-10.
double full_minimum(const DualProblem& problem) {
  const auto size = static_cast<std::size_t>(problem.size());
  double largest = 0;  // of |t|^2, a row's; the gradient is Lipschitz with beta |t|^2, twice for w
  for (std::int64_t i = 0; i < problem.rows().rows(); ++i) {
    double sum = 0;
    for (const double t : problem.rows().tilts(i)) sum += t * t;
    largest = std::max(largest, sum);
  }
  const double step = 1 / (2 * problem.prediction().beta() * largest);
  std::vector<double> w(size, 0.0), y = w, gradient(size);
  double momentum = 1, value = 0;
  for (int k = 0; k < 400'000; ++k) {
    value = problem.value_and_gradient(w, gradient);
    if (k % 50 == 0 && gradient_map_norm(w, gradient, 1) < 1e-10) return value;
    problem.value_and_gradient(y, gradient);
    const double next = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    double uphill = 0;
    std::vector<double> moved(size);
    for (std::size_t j = 0; j < size; ++j) {
      moved[j] = std::max(0.0, y[j] - step * gradient[j]);
      uphill += (y[j] - moved[j]) * (moved[j] - w[j]);
    }
    const double inertia = uphill > 0 ? 0 : (momentum - 1) / next;
    for (std::size_t j = 0; j < size; ++j) y[j] = moved[j] + inertia * (moved[j] - w[j]);
    momentum = uphill > 0 ? 1 : next;
    w = moved;
  }
  ADD_FAILURE() << "the slow method did not end";
  return value;
}

/// min of the mean of sum_l pi_il r_il over predictions within the bounds, by GLPK. Unknowns pi,
/// row after row; sum_l pi_il >= 1 binds where the bounds allow it, and <= 1 is there as well.
double linear_program_risk(const ParityDual& dual) {
  const std::vector<double> atoms = dual.grid().values();
  const PredictedRows& rows = dual.rows();
  const auto n = static_cast<std::int64_t>(atoms.size());
  const std::int64_t count = rows.rows(), columns = count * n;
  const bool cumulative = dual.bound() == ParityBound::cumulative;
  const std::int64_t bounds = cumulative ? n - 1 : n;
  LinearProgram program{2 * count + 2 * rows.groups * bounds, columns, {}, {}, {}};
  program.matrix.assign(static_cast<std::size_t>(program.rows * columns), 0.0);
  const auto at = [&](std::int64_t i, std::int64_t j) -> double& {
    return program.matrix[static_cast<std::size_t>(i * columns + j)];
  };
  const auto share = 1 / static_cast<double>(count);
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t l = 0; l < n; ++l) {
      const double error =
          rows.eta[static_cast<std::size_t>(i)] - atoms[static_cast<std::size_t>(l)];
      program.cost.push_back(share * error * error);
      at(2 * i, i * n + l) = 1;
      at(2 * i + 1, i * n + l) = -1;
      for (std::int64_t s = 0; s < rows.groups; ++s) {
        const double t = share * rows.tilts(i)[static_cast<std::size_t>(s)];
        for (std::int64_t b = 0; b < bounds; ++b) {
          if (cumulative ? l > b : l != b) continue;
          at(2 * count + 2 * (s * bounds + b), i * n + l) = t;
          at(2 * count + 2 * (s * bounds + b) + 1, i * n + l) = -t;
        }
      }
    }
    program.right.insert(program.right.end(), {1, -1});
  }
  for (std::int64_t s = 0; s < rows.groups; ++s) {
    for (std::int64_t b = 0; b < 2 * bounds; ++b) {
      program.right.push_back(dual.epsilon()[static_cast<std::size_t>(s)]);
    }
  }
  const testing_glpk::Answer answer = testing_glpk::minimise(program);
  EXPECT_TRUE(answer.feasible);
  return answer.value;
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

TEST(ParityDual, ValueAndSlackAreThoseOfTheWholeProblem) {
  for (const std::int64_t groups : {2, 3}) {
    const Sampled sampled(3, 25, groups);
    const PredictedRows rows = sampled.rows();
    std::vector<double> epsilon(static_cast<std::size_t>(groups), 0.01);
    epsilon[1] = 0.02;
    const ParityDual dual(rows, {4, 1}, ParityBound::atom, epsilon);
    const DualProblem whole(rows, {4, 1}, 20, epsilon);
    EXPECT_EQ(dual.blocks(), groups == 2 ? 1 : 3);
    EXPECT_EQ(dual.free_blocks(), groups - 1);
    const VectorXd v = random_vector(5, dual.size(), 0.1);
    ParityDual::Evaluation at;
    dual.evaluate(v, 20, at);
    const std::vector<double> d = dual.scores(v);
    std::vector<double> w(2 * d.size(), 0.0);
    for (std::size_t i = 0; i < d.size(); ++i) {
      w[i] = std::max(d[i], 0.0);
      w[d.size() + i] = std::max(-d[i], 0.0);
    }
    EXPECT_NEAR(at.value + dual.weight().dot(v.cwiseAbs()), whole.value(w), 1e-14);
  }
}

TEST(ParityDual, DerivativesAreThoseByDifferences) {
  const Sampled sampled(7, 40, 3);
  const PredictedRows rows = sampled.rows();
  for (const ParityBound bound : {ParityBound::atom, ParityBound::cumulative}) {
    const ParityDual dual(rows, {3, 1}, bound, {0.1, 0.1, 0.1});
    const VectorXd v = random_vector(9, dual.size(), 0.2);
    ParityDual::Evaluation at, plus, minus;
    dual.evaluate(v, 10, at);
    const MatrixXd hessian = dual.expand(dual.free_hessian(v, 10, at));
    const double h = 1e-5;
    for (Index j = 0; j < v.size(); ++j) {
      VectorXd shifted = v;
      shifted[j] = v[j] + h;
      dual.evaluate(shifted, 10, plus);
      shifted[j] = v[j] - h;
      dual.evaluate(shifted, 10, minus);
      EXPECT_NEAR((plus.value - minus.value) / (2 * h), at.gradient[j], 1e-8);
      // Probabilities below 1e-10 are left out of the Hessian.
      const VectorXd column = (plus.gradient - minus.gradient) / (2 * h);
      EXPECT_LE((column - hessian.col(j)).cwiseAbs().maxCoeff(), 1e-7);
    }
  }
}

TEST(ParityDual, AllBlocksAreFreeWhereSharesDoNotAddUp) {
  Sampled sampled(7, 40, 3);
  sampled.p[1] *= 0.9;
  const PredictedRows rows = sampled.rows();
  const std::vector<double> epsilon(3, 0.1);
  const ParityDual dual(rows, {3, 1}, ParityBound::atom, epsilon);
  EXPECT_EQ(dual.free_blocks(), 3);
  const Optimum found = minimise_dual(dual, 20);
  EXPECT_NEAR(found.value, full_minimum(DualProblem(rows, {3, 1}, 20, epsilon)), 1e-9);
}

TEST(ParityDual, ProbabilitiesThatAreNotKeptAreComputedAgain) {
  const Sampled sampled(7, 60'000, 2);
  const PredictedRows rows = sampled.rows();
  const ParityDual dual(rows, {36, 1}, ParityBound::atom, {0.1, 0.1});
  const VectorXd v = random_vector(9, dual.size(), 0.05);
  ParityDual::Evaluation at, plus, minus;
  dual.evaluate(v, 10, at);
  ASSERT_TRUE(at.pi.empty());
  const MatrixXd hessian = dual.expand(dual.free_hessian(v, 10, at));
  for (const Index j : {0, 30, 72}) {
    VectorXd shifted = v;
    shifted[j] = v[j] + 1e-5;
    dual.evaluate(shifted, 10, plus);
    shifted[j] = v[j] - 1e-5;
    dual.evaluate(shifted, 10, minus);
    const VectorXd column = (plus.gradient - minus.gradient) / 2e-5;
    EXPECT_LE((column - hessian.col(j)).cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST(ParityDual, AStopIsObeyedWithinAPassOverTheRows) {
  const Sampled sampled(7, 200, 2);
  const PredictedRows rows = sampled.rows();
  const ParityDual dual(rows, {36, 1}, ParityBound::atom, {0.1, 0.1});
  const VectorXd v = random_vector(9, dual.size(), 0.05);
  ParityDual::Evaluation at, again;
  dual.evaluate(v, 10, at);
  const MatrixXd hessian = dual.expand(dual.free_hessian(v, 10, at));
  int asked = 0;
  const base::StopScope scope([&] { return ++asked == 3; });
  EXPECT_THROW(dual.evaluate(v, 10, again), base::Interrupted);
  asked = 0;
  EXPECT_THROW((void)dual.free_hessian(v, 10, at), base::Interrupted);
  asked = 0;
  EXPECT_THROW((void)dual.limit(v), base::Interrupted);
  asked = 0;
  EXPECT_THROW((void)minimise_l1_quadratic(hessian, at.gradient, dual.weight(), v, 0),
               base::Interrupted);
}

TEST(ParityDual, GradientsAreTheGapsOfTheBounds) {
  const Sampled sampled(11, 30, 2);
  const PredictedRows rows = sampled.rows();
  const Grid grid{5, 1};
  const ParityDual dual(rows, grid, ParityBound::cumulative, {0.1, 0.1});
  const VectorXd v = random_vector(2, dual.size(), 0.1);
  ParityDual::Evaluation at;
  dual.evaluate(v, 30, at);
  const std::vector<double> gaps = atom_gaps(rows, SoftPrediction(grid, 2, 30), dual.scores(v));
  const auto first = static_cast<std::size_t>(dual.group_of_block(0) * grid.atoms());
  double sum = 0;
  for (Index l = 0; l < dual.size(); ++l) {
    sum += gaps[first + static_cast<std::size_t>(l)];
    EXPECT_NEAR(at.gradient[l], sum, 1e-14);
  }
}

TEST(ParityDual, ShortenLeavesTheScoresAndLowersThePenalty) {
  const Sampled sampled(4, 20, 3);
  const PredictedRows rows = sampled.rows();
  const ParityDual dual(rows, {3, 1}, ParityBound::atom, {0.1, 0.2, 0.3});
  const VectorXd v = random_vector(6, dual.size(), 0.3);
  VectorXd shorter = v;
  dual.shorten(shorter);
  ParityDual::Evaluation before, after;
  dual.evaluate(v, 15, before);
  dual.evaluate(shorter, 15, after);
  EXPECT_NEAR(before.value, after.value, 1e-14);
  EXPECT_LT(dual.weight().dot(shorter.cwiseAbs()), dual.weight().dot(v.cwiseAbs()));
}

TEST(Optimum, AgreesWithProjectedGradientsOnTheWholeProblem) {
  struct Case {
    std::int64_t groups;
    std::vector<double> epsilon;
  };
  for (const Case& c : {Case{2, {0.01, 0.01}}, Case{2, {0.02, 0.004}}, Case{3, {0.01, 0.02, 0.005}},
                        Case{4, {0.01, 0.01, 0.01, 0.01}}, Case{5, {0.03, 0.01, 0.004, 0, 0.02}}}) {
    const Sampled sampled(1, 30, c.groups);
    const PredictedRows rows = sampled.rows();
    const ParityDual dual(rows, {3, 1}, ParityBound::atom, c.epsilon);
    const Optimum found = minimise_dual(dual, 20);
    EXPECT_TRUE(found.converged);
    EXPECT_LE(found.gradient_norm, 1e-9);
    const DualProblem whole(rows, {3, 1}, 20, c.epsilon);
    EXPECT_NEAR(found.value, full_minimum(whole), 1e-9);
    // And it is an optimum of the whole problem, whose gradient the other class computes.
    const std::vector<double> d = dual.scores(found.v);
    std::vector<double> w(2 * d.size(), 0.0), gradient(w.size());
    for (std::size_t i = 0; i < d.size(); ++i) {
      w[i] = std::max(d[i], 0.0);
      w[d.size() + i] = std::max(-d[i], 0.0);
    }
    whole.value_and_gradient(w, gradient);
    EXPECT_LE(gradient_map_norm(w, gradient, 1), 1e-8);
  }
}

/// Many groups, the last of them rare, whose probabilities depend on two numbers of a row.
PredictedRows many_groups(std::uint64_t seed, std::int64_t count, std::int64_t groups) {
  base::Stream stream(base::StreamKey(seed, "optimum", "many groups"), 0);
  std::vector<double> eta, tau;
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = stream.normal(), z = stream.normal();
    std::vector<double> weights;
    double sum = 0;
    for (std::int64_t s = 0; s < groups; ++s) {
      const auto number = static_cast<double>(s);
      weights.push_back(std::exp(3 * std::sin(1.3 * number + 2 * x) +
                                 2 * z * std::cos(2.1 * number) - 0.3 * number));
      sum += weights.back();
    }
    for (const double w : weights) tau.push_back(w / sum);
    eta.push_back(0.35 * x + 0.2 * stream.normal());
  }
  return predicted_rows(eta, tau, mean_shares(tau, groups));
}

std::vector<double> equal_bounds(std::int64_t groups, double epsilon) {
  return std::vector<double>(static_cast<std::size_t>(groups), epsilon);
}

TEST(Optimum, ManyGroupsWithoutAnySlackTakeFewSteps) {
  for (const std::int64_t groups : {2, 3, 5, 8, 12, 16}) {
    for (const double epsilon : {0.0, 0x1p-512, 0x1p-60, 0x1p-30, 0x1p-16}) {
      for (const ParityBound bound : {ParityBound::atom, ParityBound::cumulative}) {
        const PredictedRows rows = many_groups(3, 120, groups);
        const ParityDual dual(rows, {8, 1}, bound, equal_bounds(groups, epsilon));
        const Optimum found = minimise_dual(dual, 40);
        EXPECT_TRUE(found.converged) << groups << " groups, epsilon " << epsilon;
        EXPECT_LE(found.iterations, 60) << groups << " groups, epsilon " << epsilon;
        if (bound == ParityBound::cumulative) continue;
        // The other class's gradient of all groups: gaps that are 0, also of the group left out.
        const std::vector<double> gaps =
            atom_gaps(rows, SoftPrediction(dual.grid(), groups, 40), dual.scores(found.v));
        for (const double gap : gaps) EXPECT_LE(std::abs(gap), epsilon + 1e-8);
      }
    }
  }
}

TEST(Limit, ManyGroupsWithoutAnySlackAreTheLinearProgram) {
  for (const std::int64_t groups : {3, 5, 7}) {
    for (const double epsilon : {0.0, 0x1p-512, 0x1p-20}) {
      for (const ParityBound bound : {ParityBound::atom, ParityBound::cumulative}) {
        const PredictedRows rows = many_groups(5, 24, groups);
        const ParityDual dual(rows, {2, 1}, bound, equal_bounds(groups, epsilon));
        const double risk = linear_program_risk(dual);
        const Limit found = minimise_limit(dual);
        EXPECT_TRUE(found.converged) << groups << " groups, epsilon " << epsilon;
        EXPECT_LE(found.certificate.gap(), 1e-7);
        EXPECT_LE(found.certificate.relative_gap(), 1e-4);
        EXPECT_LE(found.certificate.lower, risk + 1e-9);
        EXPECT_GE(found.certificate.upper, risk - 1e-9);
      }
    }
  }
}

TEST(ParityDual, ABoundThatFollowsFromTheOthersIsLeftOut) {
  const PredictedRows rows = many_groups(2, 60, 3);
  const auto blocks = [&](std::vector<double> epsilon) {
    return ParityDual(rows, {3, 1}, ParityBound::atom, std::move(epsilon)).blocks();
  };
  EXPECT_EQ(blocks({0, 0, 0}), 2);
  const std::vector<double>& p = rows.shares;
  EXPECT_EQ(blocks({0.01, 1.01 * (0.01 * p[0] + 0.02 * p[2]) / p[1], 0.02}), 2);
  EXPECT_EQ(blocks({0.01, 0.99 * (0.01 * p[0] + 0.02 * p[2]) / p[1], 0.02}), 3);
}

TEST(FreeTilts, GiveTheSameProductsAndAreOrthogonal) {
  const PredictedRows rows = many_groups(4, 50, 4);
  const std::vector<std::int64_t> groups{0, 1, 2, 3};
  const FreeTilts free = free_tilts(rows, groups);
  EXPECT_EQ(free.rank(), 3);  // sum_s p_s t_s = 0
  const VectorXd u = random_vector(3, 4, 1), c = free.to_free * u;
  const VectorXd again = free.to_free * (free.to_groups * c);
  EXPECT_LE((again - c).norm(), 1e-13);
  MatrixXd squares = MatrixXd::Zero(3, 3);
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    const Eigen::Map<const VectorXd> t(rows.tilts(i).data(), 4),
        t_free(free.rows.tilts(i).data(), 3);
    EXPECT_NEAR(t.dot(u), t_free.dot(c), 1e-12);
    squares += t_free * t_free.transpose() / 50;
  }
  EXPECT_LE((squares - MatrixXd::Identity(3, 3)).norm(), 1e-13);
}

TEST(Optimum, AWarmStartEndsInTheSameOptimum) {
  const Sampled sampled(2, 200, 2);
  const PredictedRows rows = sampled.rows();
  const ParityDual loose(rows, {14, 1}, ParityBound::atom, {0.02, 0.02});
  const ParityDual tight(rows, {14, 1}, ParityBound::atom, {0.002, 0.002});
  const Optimum cold = minimise_dual(tight, 54);
  const Optimum warm = minimise_dual(tight, 54, {}, minimise_dual(loose, 54).v);
  EXPECT_TRUE(cold.converged && warm.converged);
  EXPECT_NEAR(cold.value, warm.value, 1e-13);
  const Optimum again = minimise_dual(tight, 54, {}, cold.v);
  EXPECT_EQ(again.iterations, 0);
}

TEST(Optimum, ManyRowsBeginFromFewOfThemAndEndInTheSameOptimum) {
  // No case must take fewer steps; all of them together do.
  std::int64_t steps = 0, steps_from_zero = 0;
  for (const std::int64_t groups : {2, 3}) {
    for (const ParityBound bound : {ParityBound::atom, ParityBound::cumulative}) {
      const Sampled sampled(8, 501, groups);
      const PredictedRows rows = sampled.rows();
      const ParityDual dual(rows, {6, 1}, bound,
                            std::vector<double>(static_cast<std::size_t>(groups), 0.005));
      const Optimum found = minimise_dual(dual, 60);
      const Optimum from_zero = minimise_dual(dual, 60, {}, VectorXd::Zero(dual.size()));
      EXPECT_TRUE(found.converged && from_zero.converged);
      EXPECT_NEAR(found.value, from_zero.value, 1e-12);
      steps += found.iterations;
      steps_from_zero += from_zero.iterations;
    }
  }
  EXPECT_LT(steps, steps_from_zero);
}

TEST(Optimum, IsFoundFromNothingAlsoWhereBetaIsLargeAndRowsAreLumps) {
  // At 0 the Hessian of such problems is nearly 0: predictions sit on atoms.
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const auto groups = static_cast<std::int64_t>(2 + seed % 3);
    Sampled sampled(seed, 60, groups);
    if (seed % 2 == 0) {
      for (double& eta : sampled.eta) eta = std::floor(4 * eta) / 4;
    }
    const PredictedRows rows = sampled.rows();
    const auto bound = seed % 4 < 2 ? ParityBound::atom : ParityBound::cumulative;
    const double epsilon = seed % 5 == 0 ? 0 : std::ldexp(0.1, -static_cast<int>(seed % 7));
    const ParityDual dual(rows, {4, 1}, bound,
                          std::vector<double>(static_cast<std::size_t>(groups), epsilon));
    for (const double beta : {1.0, 1000.0, 30'000.0}) {
      const Optimum found = minimise_dual(dual, beta);
      EXPECT_TRUE(found.converged)
          << "seed " << seed << ", beta " << beta << ", gradient " << found.gradient_norm;
    }
  }
}

TEST(Optimum, AnInactiveBoundLeavesTheSoftmaxAsItIs) {
  const Sampled sampled(2, 50, 2);
  const PredictedRows rows = sampled.rows();
  const ParityDual dual(rows, {5, 1}, ParityBound::cumulative, {2, 2});
  const Optimum found = minimise_dual(dual, 40);
  EXPECT_EQ(found.v, VectorXd::Zero(10));
  EXPECT_TRUE(found.converged);
}

TEST(Optimum, BoundsBelowTheLeastAreInfeasibleAndTheDualFallsWithoutEnd) {
  Sampled sampled(3, 40, 2);
  sampled.p = {sampled.p[0] * 0.8, 1 - sampled.p[0] * 0.8};
  const PredictedRows rows = sampled.rows();
  const Grid grid{4, 1};
  const double least = least_epsilon(rows, grid)[0];
  const ParityDual below(rows, grid, ParityBound::atom, {0.9 * least, 1});
  const auto found = infeasibility(below);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->group, 0);
  EXPECT_EQ(found->least_epsilon, least);
  EXPECT_THROW((void)minimise_dual(below, 20), std::domain_error);
  // The ray of the message: the objective falls by a constant amount, forever.
  double mean = 0;
  for (std::int64_t i = 0; i < rows.rows(); ++i) mean += rows.tilts(i)[0];
  const VectorXd ray = VectorXd::Constant(below.size(), mean > 0 ? -1 : 1);
  const auto objective = [&](double length) {
    ParityDual::Evaluation at;
    below.evaluate(length * ray, 20, at);
    return at.value + below.weight().dot((length * ray).cwiseAbs());
  };
  EXPECT_LT(objective(1), objective(0));
  EXPECT_NEAR(objective(1001) - objective(1), 1000 * (objective(1) - objective(0)), 1e-9);

  const ParityDual above(rows, grid, ParityBound::atom, {1.1 * least, 1});
  EXPECT_FALSE(infeasibility(above));
  EXPECT_TRUE(minimise_dual(above, 20).converged);
}

TEST(Certificate, EnclosesTheLinearProgramForAnyMultipliers) {
  const Sampled sampled(5, 15, 2);
  const PredictedRows rows = sampled.rows();
  for (const ParityBound bound : {ParityBound::atom, ParityBound::cumulative}) {
    const ParityDual dual(rows, {3, 1}, bound, {0.03, 0.03});
    const double risk = linear_program_risk(dual);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Certificate found = certify(dual, random_vector(seed, dual.size(), 0.05), 60);
      EXPECT_LE(found.lower, risk + 1e-9);
      EXPECT_GE(found.upper, risk - 1e-9);
      EXPECT_GT(found.gap(), 0);
    }
  }
}

TEST(Limit, IsTheLinearProgram) {
  int tight = 0;
  for (const ParityBound bound : {ParityBound::atom, ParityBound::cumulative}) {
    for (const std::int64_t groups : {2, 3}) {
      for (const double epsilon : {0.1, 0.02, 0.004}) {
        const Sampled sampled(6, 20, groups);
        const PredictedRows rows = sampled.rows();
        const ParityDual dual(rows, {3, 1}, bound,
                              std::vector<double>(static_cast<std::size_t>(groups), epsilon));
        const double risk = linear_program_risk(dual);
        const Limit along_path = minimise_limit(dual, {.most_inside = 0});
        EXPECT_TRUE(along_path.converged);
        EXPECT_LE(along_path.certificate.lower, risk + 1e-9);
        EXPECT_GE(along_path.certificate.upper, risk - 1e-9);
        const Limit found = minimise_limit(dual);
        EXPECT_TRUE(found.converged);
        EXPECT_LE(found.certificate.gap(), 1e-7);
        EXPECT_LE(found.certificate.lower, risk + 1e-9);
        EXPECT_GE(found.certificate.upper, risk - 1e-9);
        if (found.optimum.v.cwiseAbs().maxCoeff() > 0) ++tight;
      }
    }
  }
  EXPECT_GE(tight, 8);  // most bounds bind
}

TEST(Optimum, BadInputIsRefused) {
  const Sampled sampled(5, 15, 2);
  const PredictedRows rows = sampled.rows();
  const ParityDual dual(rows, {3, 1}, ParityBound::atom, {0.03, 0.03});
  EXPECT_THROW((void)minimise_dual(dual, 0), std::invalid_argument);
  EXPECT_THROW((void)minimise_dual(dual, 10, {.tolerance = 0}), std::invalid_argument);
  EXPECT_THROW((void)minimise_dual(dual, 10, {}, VectorXd::Zero(3)), std::invalid_argument);
  EXPECT_THROW((void)minimise_limit(dual, {.factor = 1}), std::invalid_argument);
  EXPECT_THROW(ParityDual(rows, {3, 1}, ParityBound::atom, {0.03}), std::invalid_argument);
  EXPECT_THROW(ParityDual(rows, {3, 1}, ParityBound::atom, {0.03, -1}), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::regression
