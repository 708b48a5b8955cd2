#include "solvers/ranking/exact_auc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "base/shared_pages.hpp"
#include "support.hpp"

namespace fairfront::ranking {
namespace {

using test::RankingRows;

ExactAuc exact_of(const RankingRows& made, FairnessMetric metric, const Surrogate& surrogate = {}) {
  return ExactAuc(QuadraticLosses(made.scores(), pair_sets(metric), surrogate));
}

double norm_of(const std::vector<double>& w) {
  double sum = 0;
  for (const double value : w) sum += value * value;
  return std::sqrt(sum);
}

const RankingRows sets[] = {test::random_rows(1, 300, 5), test::random_indicators(1, 300, 3, 5)};

TEST(QuadraticLosses, AreTheLossesOfTheScores) {
  for (const RankingRows& made : sets) {
    const LinearScores rows = made.scores();
    for (const FairnessMetric metric : test::all_metrics) {
      for (const Surrogate surrogate : {Surrogate{}, Surrogate{1.4, 0.6}}) {
        const QuadraticLosses quadratic(rows, pair_sets(metric), surrogate);
        const auto w = test::random_weights(7, made.columns);
        const Losses expected = losses_of(rows.sums(w), pair_sets(metric), surrogate);
        const Losses found = quadratic(w);
        EXPECT_NEAR(found.objective, expected.objective, 1e-12 * expected.objective);
        for (std::size_t k = 0; k < 2; ++k) {
          EXPECT_NEAR(found.constraints[k], expected.constraints[k],
                      1e-12 * expected.constraints[k]);
        }
      }
    }
  }
}

/// Of arrays that are copied, and of some that are the same pages; of features and of lists.
TEST(QuadraticLosses, RowsAndLossesTakenFromAnotherRankAreTheSame) {
  for (const auto& made :
       {test::random_rows(1, 300, 5, 3), test::random_rows(1, 40'000, 5),
        test::random_indicators(1, 300, 3, 8), test::random_indicators(1, 140'000, 2, 6)}) {
    const base::OwnPages own_pages;
    const LinearScores rows = made.scores();
    const PairSets pairs = pair_sets(FairnessMetric::group, made.groups);
    const QuadraticLosses losses(rows, pairs, {});
    base::PageWriter pages;
    rows.lay_down(pages);
    losses.lay_down(pages);
    const base::Descriptor laid_down = pages.finish();
    base::PageReader reader(laid_down);
    const LinearScores taken_rows(reader);
    const QuadraticLosses taken(reader);
    EXPECT_EQ(taken_rows.is_indexed(), rows.is_indexed());
    EXPECT_EQ(taken_rows.bytes(), rows.bytes());
    EXPECT_EQ(taken_rows.groups(), rows.groups());
    EXPECT_EQ(taken_rows.rows_of_cell(), rows.rows_of_cell());
    const std::vector<double> w(static_cast<std::size_t>(made.columns), 0.25);
    EXPECT_EQ(taken_rows.sums(w).squares, rows.sums(w).squares);
    EXPECT_EQ(taken(w).objective, losses(w).objective);
    EXPECT_EQ(taken(w).constraints, losses(w).constraints);
    EXPECT_EQ(taken.mean_bound(), losses.mean_bound());
    EXPECT_EQ(ExactAuc(taken).unconstrained().w, ExactAuc(losses).unconstrained().w);
    EXPECT_EQ(ExactAuc(taken).solve(0.3).w, ExactAuc(losses).solve(0.3).w);
  }
}

TEST(QuadraticLosses, MeanBoundHoldsForEveryWeightOfTheBall) {
  const LinearScores rows = sets[0].scores();
  const PairSets pairs = pair_sets(FairnessMetric::background);
  const double bound = QuadraticLosses(rows, pairs, {}).mean_bound();
  double largest = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    auto w = test::random_weights(seed, 5);
    const double norm = norm_of(w);
    for (double& value : w) value /= norm;
    const CellSums sums = rows.sums(w);
    for (const PairSet& pair : pairs) {
      double mean[2];
      for (int k = 0; k < 2; ++k) {
        double count = 0;
        double sum = 0;
        for (std::size_t c = 0; c < 4; ++c) {
          if (!contains(k == 0 ? pair.above : pair.below, c)) continue;
          count += sums.rows[c];
          sum += sums.sum[c];
        }
        mean[k] = sum / count;
      }
      largest =
          std::max({largest, std::abs(mean[0]), std::abs(mean[1]), std::abs(mean[0] - mean[1])});
    }
  }
  EXPECT_LE(largest, bound * (1 + 1e-12));
  EXPECT_GT(largest, 0.7 * bound);  // of 300 directions in R^5 some are near the best one
}

TEST(ExactAuc, EveryOptimumIsFeasibleAndProvesItself) {
  for (const RankingRows& made : sets) {
    for (const FairnessMetric metric : test::all_metrics) {
      for (const Surrogate surrogate : {Surrogate{}, Surrogate{1, 1}, Surrogate{0.3, 1.5}}) {
        const ExactAuc exact = exact_of(made, metric, surrogate);
        for (const double above : {0.001, 0.05, 0.2, 0.5, 1.0, 3.0}) {
          const double kappa = surrogate.infeasible_kappa() + above;
          const ExactOptimum found = exact.solve(kappa);
          EXPECT_LE(found.losses.excess(kappa), 1e-12);
          EXPECT_NEAR(found.losses.objective, found.dual_value, 1e-11);
          EXPECT_LE(found.kkt_residual, 1e-10);
          const auto [multiplier, tilt] = found.multipliers.at(0);
          EXPECT_LE(std::abs(tilt), multiplier);
          EXPECT_EQ(multiplier == 0, kappa >= exact.void_kappa());
        }
      }
    }
  }
}

/// The dual value is a lower bound, so nothing feasible is better; this does not lean on our dual.
TEST(ExactAuc, NothingFeasibleNearbyIsBetter) {
  const RankingRows& made = sets[0];
  const ExactAuc exact = exact_of(made, FairnessMetric::intra_group);
  base::Stream stream(base::StreamKey(1, "test", "nearby"), 0);
  int feasible = 0;
  for (const double kappa : {0.02, 0.1, 0.3}) {
    const ExactOptimum found = exact.solve(kappa);
    EXPECT_NEAR(found.losses.excess(kappa), 0, 1e-12);  // a constraint is active
    for (int trial = 0; trial < 2000; ++trial) {
      auto w = found.w;
      const double width = std::pow(10.0, -1 - trial % 5);
      for (double& value : w) value += width * stream.normal();
      const Losses losses = exact.losses()(w);
      if (losses.excess(kappa) > 0) continue;
      ++feasible;
      EXPECT_GE(losses.objective, found.losses.objective - 1e-13);
    }
  }
  EXPECT_GT(feasible, 100);
}

TEST(ExactAuc, TheObjectiveFallsAsKappaGrowsUntilTheConstraintsAreVoid) {
  const ExactAuc exact = exact_of(sets[1], FairnessMetric::group);
  const double last = exact.void_kappa();
  double before = 0.5;  // of w = 0
  for (int k = 1; k <= 20; ++k) {
    const ExactOptimum found = exact.solve(last * k / 20);
    EXPECT_LT(found.losses.objective, before);
    before = found.losses.objective;
  }
  const ExactOptimum free = exact.unconstrained();
  EXPECT_NEAR(free.losses.objective, before, 1e-14);
  EXPECT_NEAR(free.losses.excess(last), 0, 1e-12);
  EXPECT_LE(free.kkt_residual, 1e-12);
}

TEST(ExactAuc, APenaltyShrinksTheWeightsAndASmallOneTendsToLeastNorm) {
  const ExactAuc exact = exact_of(sets[1], FairnessMetric::group);
  const auto penalised = [&](const std::vector<double>& w, double ridge) {
    return exact.losses()(w).objective + 0.5 * ridge * norm_of(w) * norm_of(w);
  };
  const std::vector<double> w = exact.penalised(0.1);
  for (std::size_t j = 0; j < w.size(); ++j) {  // of a parabola: differences are exact
    auto up = w, down = w;
    up[j] += 1e-3;
    down[j] -= 1e-3;
    EXPECT_NEAR(penalised(up, 0.1), penalised(down, 0.1), 1e-14);
  }
  const std::vector<double> free = exact.unconstrained().w;
  EXPECT_LT(norm_of(w), norm_of(free));
  const std::vector<double> nearly = exact.penalised(1e-8);
  for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(nearly[j], free[j], 1e-6);
}

TEST(ExactAuc, ThereIsOneWeightOfLeastNorm) {
  const RankingRows& made = sets[1];
  const ExactAuc exact = exact_of(made, FairnessMetric::inter_group);
  EXPECT_EQ(exact.rank(), 3 * 4);  // each category's indicators add up to 1
  const ExactOptimum found = exact.solve(0.2);
  for (int k = 0; k < 3; ++k) {  // orthogonal to what changes no difference of scores
    double sum = 0;
    for (int l = 0; l < 5; ++l) sum += found.w[static_cast<std::size_t>(5 * k + l)];
    EXPECT_NEAR(sum, 0, 1e-12);
  }
}

TEST(ExactAuc, KappaWithoutAFeasibleScoreIsRefused) {
  const ExactAuc exact = exact_of(sets[0], FairnessMetric::group, {1, 1});
  EXPECT_THROW((void)exact.solve(1), std::invalid_argument);
  EXPECT_NO_THROW((void)exact.solve(1.001));
  // Scale and kappa with equal (1 + kappa) / scale are the same problem.
  const ExactAuc half = exact_of(sets[0], FairnessMetric::group);
  const auto w = exact.solve(1.4).w;
  const auto same = half.solve(0.2).w;
  for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(w[j], same[j], 1e-12);
}

}  // namespace
}  // namespace fairfront::ranking
