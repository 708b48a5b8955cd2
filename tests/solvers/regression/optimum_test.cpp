#include "solvers/regression/optimum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "optimise/glpk.hpp"
#include "solvers/regression/sampled_rows.hpp"

namespace fairfront::regression {
namespace {

/// min of the mean of sum_l pi_il r_il over predictions within the bounds, by GLPK. Unknowns pi,
/// row after row; sum_l pi_il >= 1 binds where the bounds allow it, and <= 1 is there as well.
double linear_program_risk(const ParityDual& dual) {
  const std::vector<double> atoms = dual.grid().values();
  const PredictedRows& rows = dual.rows();
  const auto n = static_cast<std::int64_t>(atoms.size());
  const std::int64_t count = rows.rows(), columns = count * n;
  const bool cumulative = dual.bound() == ParityBound::cumulative;
  const std::int64_t bounds = cumulative ? n - 1 : n;
  optimise::LinearProgram program{2 * count + 2 * rows.groups * bounds, columns, {}, {}, {}};
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
  const optimise::testing_glpk::Answer answer = optimise::testing_glpk::minimise(program);
  EXPECT_TRUE(answer.feasible);
  return answer.value;
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
      const Sampled sampled(8, groups == 2 ? 4001 : 501, groups);
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

/// As many rows, atoms and as high a beta as in the paper, with bounds far below what rows can keep
/// without a change.
TEST(Optimum, TightBoundsOfThePapersSizeTakeFewSteps) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    for (const double epsilon : {0x1p-6, 0x1p-9, 0x1p-12}) {
      for (const ParityBound bound : {ParityBound::atom, ParityBound::cumulative}) {
        const Sampled sampled(seed, 800, 2);
        const PredictedRows rows = sampled.rows();
        const ParityDual dual(rows, {28, 1}, bound, equal_bounds(2, epsilon));
        const Optimum found = minimise_dual(dual, 136);
        EXPECT_LE(found.gradient_norm, 1e-9);
        EXPECT_LE(found.iterations, 20) << seed << " " << epsilon;
        EXPECT_LE(found.evaluations, 26 * rows.rows()) << seed << " " << epsilon;
      }
    }
  }
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

TEST(Certificate, EnclosesTheLinearProgramWhereSystemsAreSingular) {
  for (const ParityBound bound : {ParityBound::atom, ParityBound::cumulative}) {
    for (const double epsilon : {0.0, 0x1p-20, 0.1}) {
      const PredictedRows rows = many_groups(5, 24, 5);
      const ParityDual dual(rows, {2, 1}, bound, equal_bounds(5, epsilon));
      const double risk = linear_program_risk(dual);
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        for (const double scale : {0.05, 1.0, 100.0}) {
          const Eigen::VectorXd v = random_vector(seed, dual.size(), scale);
          const Certificate found = certify(dual, v, 1e6, Excess::moved);
          EXPECT_LE(found.lower, risk + 1e-9);
          EXPECT_GE(found.upper, risk - 1e-9);
        }
      }
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

/// Rows that are equal, and three atoms: the optimum divides lumps of rows between two atoms.
TEST(Limit, OfLumpsOfRowsIsFoundFromASmallBetaOn) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const std::int64_t groups = seed % 2 == 0 ? 3 : 4;
    Sampled sampled(seed, 48, groups);
    for (std::size_t i = 0; i < sampled.eta.size(); ++i) {  // six kinds of rows
      sampled.eta[i] = sampled.eta[i % 6];
      for (std::size_t s = 0; s < static_cast<std::size_t>(groups); ++s) {
        const auto k = static_cast<std::size_t>(groups);
        sampled.tau[i * k + s] = sampled.tau[i % 6 * k + s];
      }
    }
    sampled.p = mean_shares(sampled.tau, groups);
    const PredictedRows rows = sampled.rows();
    for (const double epsilon : {0.01, 0.03, 0.1}) {
      const ParityDual dual(rows, {1, 1}, ParityBound::atom,
                            std::vector<double>(static_cast<std::size_t>(groups), epsilon));
      const double risk = linear_program_risk(dual);
      const Limit found = minimise_limit(dual);
      EXPECT_TRUE(found.converged) << "seed " << seed << ", epsilon " << epsilon;
      EXPECT_LE(found.certificate.lower, risk + 1e-9);
      EXPECT_GE(found.certificate.upper, risk - 1e-9);
      EXPECT_LE(found.certificate.gap(), 1e-7);
    }
  }
}

/// What is asked of the gap beside its relative size may say nothing: the solver still comes to an
/// end.
TEST(Limit, OfLooseTolerancesIsSolvedToTheRelativeOne) {
  for (const std::uint64_t seed : {1U, 3U, 4U, 5U}) {
    const Sampled sampled(seed, 60, 3);
    const PredictedRows rows = sampled.rows();
    for (const double epsilon : {0.01, 0.1}) {
      const ParityDual dual(rows, {7, 1}, ParityBound::atom, std::vector<double>(3, epsilon));
      const Limit exact = minimise_limit(dual);
      for (const double gap : {1e-2, 1.0, 10.0, 1e6}) {
        for (const std::int64_t inside : {std::int64_t{0}, LimitOptions{}.most_inside}) {
          const Limit found = minimise_limit(dual, {.gap = gap, .most_inside = inside});
          EXPECT_TRUE(found.converged) << "seed " << seed << ", gap " << gap;
          EXPECT_LE(found.certificate.relative_gap(), 1e-4);
          EXPECT_LE(found.certificate.lower, exact.certificate.upper + 1e-9);
          EXPECT_GE(found.certificate.upper, exact.certificate.lower - 1e-9);
        }
      }
    }
  }
}

/// Shares of others than these rows: the distribution function of a group ends off that of all, so
/// that this much is infeasible, and what is just above it has a certificate that holds.
TEST(Limit, OfOthersSharesIsTheLinearProgramFromTheLeastBoundOn) {
  for (const std::uint64_t seed : {6U, 7U, 8U}) {
    Sampled sampled(seed, 20, 2);
    sampled.p = {sampled.p[0] * 0.9, 1 - sampled.p[0] * 0.9};
    const PredictedRows rows = sampled.rows();
    const Grid grid{3, 1};
    const std::vector<double> least = least_epsilons(rows, grid, ParityBound::cumulative);
    EXPECT_NEAR(least[0], 7 * least_epsilon(rows, grid)[0], 1e-15);
    const auto dual_at = [&](double factor) {
      return ParityDual(rows, grid, ParityBound::cumulative,
                        {factor * least[0], factor * least[1]});
    };
    EXPECT_TRUE(infeasibility(dual_at(0.99)));
    EXPECT_THROW((void)minimise_limit(dual_at(0.99)), std::domain_error);
    EXPECT_THROW((void)minimise_dual(dual_at(0.99), 20), std::domain_error);
    for (const double factor : {1.0, 1.01, 1.5}) {
      const ParityDual dual = dual_at(factor);
      EXPECT_FALSE(infeasibility(dual));
      const double risk = linear_program_risk(dual);
      const Limit found = minimise_limit(dual);
      EXPECT_TRUE(found.converged) << factor;
      EXPECT_LE(found.certificate.lower, risk + 1e-9);
      EXPECT_GE(found.certificate.upper, risk - 1e-9);
      for (std::uint64_t of_v = 1; of_v <= 5; ++of_v) {
        const Certificate any = certify(dual, random_vector(of_v, dual.size(), 0.5), 60);
        EXPECT_LE(any.lower, risk + 1e-9);
        EXPECT_GE(any.upper, risk - 1e-9) << factor;
      }
    }
  }
}

/// The certificate encloses the optimum of another program, however small the bounds.
TEST(Limit, IsTheLinearProgramOfManyGroups) {
  for (const std::int64_t groups : {2, 5, 9, 16}) {
    for (const double epsilon : {0.0, 0x1p-512, 0x1p-30, 0x1p-20, 0x1p-10, 0.01, 0.1}) {
      for (const ParityBound bound : {ParityBound::atom, ParityBound::cumulative}) {
        const PredictedRows rows = many_groups(7, 20, groups);
        const ParityDual dual(rows, {2, 1}, bound, equal_bounds(groups, epsilon));
        const double risk = linear_program_risk(dual);
        const Limit found = minimise_limit(dual);
        EXPECT_TRUE(found.converged) << groups << " " << epsilon;
        EXPECT_LE(found.certificate.gap(), 1e-7) << groups << " " << epsilon;
        EXPECT_LE(found.certificate.lower, risk + 2e-8) << groups << " " << epsilon;
        EXPECT_GE(found.certificate.upper, risk - 2e-8) << groups << " " << epsilon;
      }
    }
  }
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
