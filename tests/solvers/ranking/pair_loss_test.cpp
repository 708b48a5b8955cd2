#include "solvers/ranking/pair_loss.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "metrics_of_pairs.hpp"
#include "solvers/ranking/linear_scores.hpp"
#include "support.hpp"

namespace fairfront::ranking {
namespace {

std::vector<double> scores_of(const LinearScores& rows, const std::vector<double>& w) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows.rows()));
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> score(all.size());
  rows.scores(w, all, score);
  return score;
}

TEST(PairLoss, SumsOfCellsGiveTheMeanOverAllPairsARowWithItselfToo) {
  const auto made = test::random_rows(1, 60, 3);
  const LinearScores rows = made.scores();
  for (const Surrogate surrogate : {Surrogate{}, Surrogate{1.7, 0.6}}) {
    const auto w = test::random_weights(2, 3);
    const auto score = scores_of(rows, w);
    for (const FairnessMetric metric : test::all_metrics) {
      const PairSets pairs = pair_sets(metric);
      for (const PairSet& pair : pairs) {
        const double expected = test::loss_by_pairs(score, made.cells, pair, surrogate);
        EXPECT_NEAR(pair_loss(rows.sums(w), pair, surrogate), expected, 1e-13 * expected);
      }
      const Losses expected = test::losses_by_pairs(score, made.cells, pairs, surrogate);
      const Losses found = losses_of(rows.sums(w), pairs, surrogate);
      EXPECT_NEAR(found.objective, expected.objective, 1e-13 * expected.objective);
      EXPECT_NEAR(found.constraints[0], expected.constraints[0], 1e-13 * expected.constraints[0]);
      EXPECT_NEAR(found.constraints[1], expected.constraints[1], 1e-13 * expected.constraints[1]);
      EXPECT_DOUBLE_EQ(found.excess(0.25),
                       std::max(found.constraints[0], found.constraints[1]) - 1.25);
    }
  }
}

TEST(PairLoss, PairSetsAreThoseOfTheMetric) {
  for (const FairnessMetric metric : test::all_metrics) {
    const PairSets pairs = pair_sets(metric);
    const auto expected = test::pairs_by_table(metric);
    for (std::size_t cell = 0; cell < 4; ++cell) {
      const bool positive = cell >= 2;
      const bool is_protected = cell % 2 == 1;
      EXPECT_EQ(contains(pairs[0].above, cell), positive);
      EXPECT_EQ(contains(pairs[0].below, cell), !positive);
      EXPECT_EQ(contains(pairs[4].above, cell), expected.first_above(positive, is_protected));
      EXPECT_EQ(contains(pairs[4].below, cell), expected.first_below(positive, is_protected));
      EXPECT_EQ(contains(pairs[2].above, cell), expected.second_above(positive, is_protected));
      EXPECT_EQ(contains(pairs[2].below, cell), expected.second_below(positive, is_protected));
    }
    EXPECT_EQ(pairs[1].above, pairs[4].below);
    EXPECT_EQ(pairs[1].below, pairs[4].above);
    EXPECT_EQ(pairs[3].above, pairs[2].below);
    EXPECT_EQ(pairs[3].below, pairs[2].above);
  }
}

TEST(PairLoss, BothConstraintsTogetherNeverFallBelowTheirValueAtZero) {
  const auto made = test::random_rows(3, 40, 2);
  const LinearScores rows = made.scores();
  for (const Surrogate surrogate : {Surrogate{0.5, 1}, Surrogate{1, 1}, Surrogate{2, 0.3}}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const auto w = test::random_weights(seed, 2);
      const Losses losses =
          losses_of(rows.sums(w), pair_sets(FairnessMetric::inter_group), surrogate);
      // Then no score is feasible up to this kappa.
      EXPECT_GT(losses.excess(surrogate.infeasible_kappa()), 0);
    }
  }
}

TEST(LinearScores, ListsOfOnesGiveTheScoresAndGradientsOfFeatures) {
  const auto made = test::random_indicators(1, 80, 3, 5);
  const LinearScores lists = made.scores();
  ASSERT_TRUE(lists.is_indexed());
  const auto w = test::random_weights(5, made.columns);
  const auto score = scores_of(lists, w);
  std::vector<std::int64_t> batch{3, 70, 3, 12};
  const std::vector<double> slopes{1, -2, 0.5, 0.25};
  std::vector<double> gradient(w.size(), 0.0), expected(w.size(), 0.0);
  lists.add_gradient(batch, slopes, gradient);
  std::vector<double> mean(w.size(), 0.0);
  for (std::size_t i = 0; i < made.features.size(); ++i) {
    mean[i % w.size()] += made.features[i] / 80;
  }
  const auto centred = [&](std::size_t row, std::size_t column) {
    return made.features[row * w.size() + column] - mean[column];
  };
  for (std::size_t i = 0; i < 80; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < w.size(); ++j) sum += w[j] * centred(i, j);
    EXPECT_NEAR(score[i], sum, 1e-14);
  }
  for (std::size_t j = 0; j < w.size(); ++j) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      expected[j] += slopes[i] * centred(static_cast<std::size_t>(batch[i]), j);
    }
    EXPECT_NEAR(gradient[j], expected[j], 1e-14);
  }
}

/// Factors on a fine grid, each with the losses of its scores by all pairs of rows.
TEST(PairLoss, TheBestFactorIsThatOfAGrid) {
  const PairSets sets = pair_sets(FairnessMetric::inter_group);
  int bound = 0;
  int free = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto made = test::random_rows(seed, 40, 1);
    const LinearScores rows = made.scores();
    for (const double kappa : {0.02, 0.3, 5.0}) {
      for (const double most : {0.3, 4.0}) {
        for (const double w : {-0.7, 0.2, 3.0}) {
          const CellSums sums = rows.sums(std::vector<double>{w});
          const double found = best_factor(sums, sets, {}, kappa, most);
          const auto losses_at = [&](double factor) {
            return test::losses_by_pairs(scores_of(rows, {factor * w}), made.cells, sets, {});
          };
          EXPECT_GE(found, 0);
          EXPECT_LE(found, most);
          EXPECT_LE(losses_at(found).excess(kappa), 1e-14);
          EXPECT_NEAR(losses_of(scaled(sums, found), sets, {}).objective,
                      losses_at(found).objective, 1e-13);
          double least = 1e300;
          for (int i = 0; i <= 60; ++i) {
            const Losses losses = losses_at(most * i / 60);
            if (losses.excess(kappa) <= 0) least = std::min(least, losses.objective);
          }
          EXPECT_LE(losses_at(found).objective, least + 1e-11);
          ++(found < most && losses_at(1.0001 * found).excess(kappa) > 0 ? bound : free);
        }
      }
    }
  }
  EXPECT_GT(bound, 10);
  EXPECT_GT(free, 10);
}

TEST(LinearScores, ACellWithoutRowsIsRefused) {
  const std::vector<double> features{1, 2, 3};
  EXPECT_THROW(LinearScores(models::Rows(features, 1), {0, 1, 2}), std::invalid_argument);
  EXPECT_THROW(LinearScores(models::Rows(features, 1), {0, 1}), std::invalid_argument);
  EXPECT_THROW(LinearScores(models::Rows(features, 1), {0, 1, 4}), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::ranking
