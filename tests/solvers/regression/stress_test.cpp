#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "optimise/l1_quadratic.hpp"
#include "solvers/killed.hpp"
#include "solvers/regression/balanced_path.hpp"
#include "solvers/regression/hard_problem.hpp"
#include "solvers/regression/optimum.hpp"
#include "solvers/regression/optimum_state.hpp"
#include "solvers/regression/sampled_rows.hpp"

namespace fairfront::regression {
namespace {

/// Whether a sanitizer watches, with which a problem takes twenty times as long.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool watched = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool watched = true;
#else
constexpr bool watched = false;
#endif
#else
constexpr bool watched = false;
#endif

/// Norm of the shortest subgradient, from the prediction alone, row by row, and by how much
/// rounding may change it: scores of 1e9 that cancel leave their last digits.
struct Oracle {
  double norm = 0, rounding = 0;
};
Oracle subgradient_of(const ParityDual& dual, double beta, const VectorXd& v) {
  const std::vector<double> scores = dual.scores(v);
  const SoftPrediction prediction(dual.grid(), dual.rows().groups, beta);
  const std::int64_t n = dual.grid().atoms(), of_block = dual.size() / dual.blocks();
  VectorXd gradient = VectorXd::Zero(dual.size());
  std::vector<double> pi(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < dual.rows().rows(); ++i) {
    const auto tilts = dual.rows().tilts(i);
    prediction(dual.rows().eta[static_cast<std::size_t>(i)], tilts, scores, pi);
    for (std::int64_t b = 0; b < dual.blocks(); ++b) {
      const double tilt = tilts[static_cast<std::size_t>(dual.group_of_block(b))];
      double sum = 0;
      for (std::int64_t l = 0; l < of_block; ++l) {
        const double here = pi[static_cast<std::size_t>(l)];
        sum = dual.bound() == ParityBound::cumulative ? sum + here : here;
        gradient[b * of_block + l] += tilt * sum / static_cast<double>(dual.rows().rows());
      }
    }
  }
  double largest = 0;
  for (const double score : scores) largest = std::max(largest, std::abs(score));
  return {optimise::shortest_subgradient(v, gradient, dual.weight()).norm(),
          1e-15 * (1 + beta * largest)};
}

std::string text(std::uint64_t seed, std::int64_t groups, double epsilon, const Optimum& found) {
  return "seed " + std::to_string(seed) + ", " + std::to_string(groups) + " groups, epsilon 2^" +
         std::to_string(std::log2(epsilon)) + ", subgradient " +
         std::to_string(found.gradient_norm);
}

constexpr std::array slacks{0.0, 0x1p-512, 0x1p-40, 0x1p-20, 0x1p-10, 0x1p-6, 0x1p-3, 1.0};

/// Calls check(dual, beta, text of a failure) for the seeds' problems, each with every `stride`th
/// slack, from another one on for each seed.
template <class Check>
void for_hard_problems(std::uint64_t seeds, std::int64_t least_groups, std::int64_t most_groups,
                       std::int64_t most_rows, std::size_t stride, Check check) {
  for (std::uint64_t seed = 1; seed <= (watched ? seeds / 10 + 1 : seeds); ++seed) {
    const std::int64_t groups =
        least_groups + static_cast<std::int64_t>(seed) % (most_groups - least_groups + 1);
    const HardProblem problem(seed, groups, most_rows);
    for (std::size_t k = seed % stride; k < slacks.size(); k += stride) {
      const ParityDual dual(problem.rows, problem.grid, problem.bound,
                            std::vector<double>(static_cast<std::size_t>(groups), slacks[k]));
      check(dual, problem.beta,
            [&](const Optimum& found) { return text(seed, groups, slacks[k], found); });
    }
  }
}

void expect_optimum(const ParityDual& dual, double beta, const Optimum& found,
                    const std::string& which) {
  EXPECT_TRUE(found.converged) << which;
  EXPECT_LE(found.gradient_norm, 1e-9) << which;
  const Oracle oracle = subgradient_of(dual, beta, found.v);
  EXPECT_LE(oracle.norm, 1e-9 + oracle.rounding) << which;
}

TEST(Stress, TwoGroupsOfHardTablesAreSolvedForAnySlack) {
  for_hard_problems(300, 2, 2, 1000, 1, [](const ParityDual& dual, double beta, const auto& which) {
    const Optimum found = minimise_dual(dual, beta);
    expect_optimum(dual, beta, found, which(found));
  });
}

/// What minimise_dual() tries first may fail, but where it often did, its steps would be wasted.
TEST(Stress, TheBalancedPathOfTwoGroupsHardlyEverFails) {
  std::int64_t asked = 0, failed = 0, steps = 0;
  for_hard_problems(300, 2, 2, 1000, 1,
                    [&](const ParityDual& dual, double beta, const auto& which) {
                      ASSERT_TRUE(has_balanced_path(dual));
                      const Optimum found = balanced_path(dual, beta, {}, {});
                      ++asked;
                      steps += found.iterations;
                      if (found.converged) return expect_optimum(dual, beta, found, which(found));
                      ++failed;
                      // What is behind it ends as it does without it.
                      const Optimum whole = minimise_dual(dual, beta);
                      expect_optimum(dual, beta, whole, which(whole));
                      EXPECT_GT(whole.iterations, found.iterations);
                    });
  EXPECT_LE(100 * failed, asked);
  EXPECT_LE(steps, 12 * asked);
}

TEST(Stress, ManyGroupsOfHardTablesAreSolvedForAnySlack) {
  for_hard_problems(150, 3, 16, 200, 3, [](const ParityDual& dual, double beta, const auto& which) {
    const Optimum found = minimise_dual(dual, beta);
    expect_optimum(dual, beta, found, which(found));
  });
}

constexpr std::int64_t few_steps = 60;

/// Tilts that nearly depend on each other: to keep gaps of 0 takes multipliers of 1e9 to 1e11,
/// whose rounding is 1e-9 to 1e-6.
TEST(Stress, GroupsThatNearlyDependOnEachOtherAreSolvedWithSmallMultipliers) {
  for (const std::uint64_t seed :
       {5U, 12U, 13U, 37U, 38U, 65U, 68U, 97U, 117U, 125U, 137U, 145U, 204U, 256U, 289U, 333U}) {
    const HardProblem problem(seed, 3 + static_cast<std::int64_t>(seed) % 14, 200);
    for (const double slack : {0.0, 0x1p-512, 0x1p-60, 0x1p-40}) {
      const ParityDual dual = hard_dual(problem, slack);
      const Optimum found = minimise_dual(dual, problem.beta);
      const std::string which = text(seed, problem.rows.groups, slack, found);
      expect_optimum(dual, problem.beta, found, which);
      EXPECT_LE(found.iterations, few_steps) << which;
    }
  }
}

TEST(Stress, ARunThatLoosensBoundsComesOutAtTheSameBitsWhereverItIsKilled) {
  const HardProblem problem(5, 8, 200);
  const ParityDual dual = hard_dual(problem, 0);
  const auto bytes = [&](const solvers::Control& control) {
    const Optimum found = minimise_dual(dual, problem.beta, {}, {}, control);
    return solvers::packed_state("", found);
  };
  const std::string whole = bytes({});
  solvers::test::KilledRun killed(bytes);
  EXPECT_EQ(killed.to_the_end(), whole);
  EXPECT_GE(killed.kills(), 20);
}

void expect_limit(const HardProblem& problem, std::uint64_t seed, double slack) {
  const Limit found = minimise_limit(hard_dual(problem, slack));
  const std::string which = text(seed, problem.rows.groups, slack, found.optimum);
  EXPECT_TRUE(found.converged) << which;
  EXPECT_LE(std::abs(found.certificate.gap()), 1e-7) << which;
  EXPECT_LE(found.optimum.iterations, few_steps) << which;
}

TEST(Stress, TheLinearProgramOfGroupsThatNearlyDependOnEachOtherIsSolved) {
  for (const std::uint64_t seed : {5U, 13U, 37U, 97U, 117U, 125U, 137U, 145U}) {
    const HardProblem problem(seed, 3 + static_cast<std::int64_t>(seed) % 14, 200);
    for (const double slack : {0.0, 0x1p-512, 0x1p-60, 0x1p-20}) expect_limit(problem, seed, slack);
  }
}

/// Bounds below the 1e-10 that counts as kept. Tilts of 1e-12 to 2e-11 count beside multipliers of
/// 1e6, probabilities have to be moved where bounds bind and nowhere else, and some products of a
/// step get so far behind the others that no step is left.
TEST(Stress, TheLinearProgramOfTinyBoundsIsSolved) {
  for (const std::uint64_t seed : {37U, 68U, 117U, 125U, 137U, 145U, 152U, 256U, 290U, 296U}) {
    const HardProblem problem(seed, 3 + static_cast<std::int64_t>(seed) % 14, 200);
    for (const double slack : {0x1p-43, 0x1p-39, 0x1p-35}) expect_limit(problem, seed, slack);
  }
}

/// Of features that say nothing of the group tilts are what rounding leaves of 0: 1e-16, which no
/// multiplier of 1e16 has to make smaller.
TEST(Stress, TheLinearProgramOfGroupsThatNobodyTellsApartIsSolved) {
  for (const std::uint64_t seed : {1U, 2U, 4U, 7U, 9U, 14U, 17U, 24U, 26U, 28U, 54U, 92U}) {
    const HardProblem problem(seed, 3 + static_cast<std::int64_t>(seed) % 14, 200);
    for (const double slack : {0.0, 0x1p-512, 0x1p-40, 0x1p-30}) expect_limit(problem, seed, slack);
  }
}

}  // namespace
}  // namespace fairfront::regression
