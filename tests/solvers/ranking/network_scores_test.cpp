#include "solvers/ranking/network_scores.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/ranking/score_rows.hpp"
#include "support.hpp"

namespace fairfront::ranking {
namespace {

std::vector<test::RankingRows> both_kinds() {
  return {test::random_rows(1, 60, 5), test::random_indicators(2, 60, 3, 5)};
}

std::vector<double> scores_of(const NetworkScores& network, const std::vector<double>& w,
                              const std::vector<std::int64_t>& batch,
                              NetworkScores::Scratch& scratch) {
  std::vector<double> score(batch.size());
  network.scores(w, batch, scratch, score);
  return score;
}

TEST(NetworkScores, AreThoseOfTheDefinitionOnCentredRows) {
  for (const test::RankingRows& made : both_kinds()) {
    const LinearScores rows = made.scores();
    const NetworkScores network(rows, 4);
    const std::vector<double> w = test::random_weights(3, network.parameters());
    const std::vector<std::int64_t> batch{7, 0, 7, 59, 12};
    NetworkScores::Scratch scratch;
    const std::vector<double> found = scores_of(network, w, batch, scratch);
    const auto p = static_cast<std::size_t>(made.columns);
    const std::vector<double> of_all =
        network.scores_of(models::Rows(made.features, made.columns), w);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      double expected = w[4 * p + 8];  // c
      for (std::size_t u = 0; u < 4; ++u) {
        double sum = w[4 * p + u];  // b
        for (std::size_t j = 0; j < p; ++j) {
          const double x = made.features[static_cast<std::size_t>(batch[i]) * p + j];
          sum += (x - rows.mean()[j]) * w[4 * j + u];
        }
        expected += w[4 * p + 4 + u] / (1 + std::exp(-sum));
      }
      EXPECT_NEAR(found[i], expected, 1e-14);
      EXPECT_NEAR(of_all[static_cast<std::size_t>(batch[i])], expected, 1e-14);
    }
  }
}

TEST(NetworkScores, GradientsAreThoseOfCentralDifferences) {
  for (const test::RankingRows& made : both_kinds()) {
    const LinearScores rows = made.scores();
    const NetworkScores network(rows, 3);
    std::vector<double> w = test::random_weights(4, network.parameters());
    const std::vector<std::int64_t> batch{3, 41, 3, 8};
    const std::vector<double> slopes{0.5, -1.25, 2, 0.1};
    NetworkScores::Scratch scratch;
    (void)scores_of(network, w, batch, scratch);
    std::vector<double> gradient(w.size(), 1.0);  // is added to
    network.add_gradient(w, batch, scratch, slopes, gradient);
    const auto weighted = [&] {
      const std::vector<double> score = scores_of(network, w, batch, scratch);
      double sum = 0;
      for (std::size_t i = 0; i < score.size(); ++i) sum += slopes[i] * score[i];
      return sum;
    };
    for (std::size_t k = 0; k < w.size(); ++k) {
      const double before = w[k];
      constexpr double h = 1e-5;
      w[k] = before + h;
      const double above = weighted();
      w[k] = before - h;
      const double below = weighted();
      w[k] = before;
      EXPECT_NEAR(gradient[k] - 1, (above - below) / (2 * h), 1e-9) << k;
    }
  }
}

TEST(NetworkScores, SumsAreThoseOfAllRows) {
  const test::RankingRows made = test::random_rows(5, 300, 3);  // more than two blocks
  const LinearScores rows = made.scores();
  const NetworkScores network(rows, 2);
  const std::vector<double> w = test::random_weights(6, network.parameters());
  const std::vector<double> score = network.scores_of(models::Rows(made.features, made.columns), w);
  CellSums expected;
  for (std::size_t i = 0; i < score.size(); ++i) expected.add(made.cells[i], score[i]);
  const CellSums found = network.sums(w);
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_EQ(found.rows[c], expected.rows[c]);
    EXPECT_NEAR(found.sum[c], expected.sum[c], 1e-12);
    EXPECT_NEAR(found.squares[c], expected.squares[c], 1e-12);
  }
}

TEST(NetworkScores, StartIsAConstantScoreWithDifferentUnitsAndTheBoundHolds) {
  const LinearScores rows = test::random_rows(7, 40, 3).scores();
  const NetworkScores network(rows, 5);
  base::Stream stream(base::StreamKey(1, "test", "network"), 0);
  std::vector<double> w = network.initial_weights(stream);
  const CellSums sums = network.sums(w);
  for (const double square : sums.squares) EXPECT_EQ(square, 0);
  EXPECT_NE(w[0], w[1]);
  // All output weights alike, units saturated: as near to the bound as a score gets.
  std::ranges::fill(w, 0.0);
  const double share = 2 / std::sqrt(6.0);
  std::fill(w.end() - 6, w.end(), share);
  const double half = network.sums(w).sum[0] / network.sums(w).rows[0];
  EXPECT_NEAR(half, share * 3.5, 1e-12);
  EXPECT_NEAR(network.score_bound(2), share * 6, 1e-12);
}

TEST(NetworkScores, AreMultipliedUpToTheRadius) {
  const LinearScores rows = test::random_rows(1, 30, 2).scores();
  const NetworkScores network(rows, 3);
  const std::vector<double> before = test::random_weights(2, network.parameters());
  const double most = network.most_factor(before, 4);
  std::vector<double> after = before;
  network.multiply_scores(after, most);
  EXPECT_NEAR(std::sqrt(squared_norm(after)), 4, 1e-14);
  const CellSums expected = scaled(network.sums(before), most);
  const CellSums found = network.sums(after);
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_NEAR(found.sum[c], expected.sum[c], 1e-12);
    EXPECT_NEAR(found.squares[c], expected.squares[c], 1e-12);
  }
  EXPECT_EQ(network.most_factor(before, 1e-3), 0);
}

TEST(Projection, HasTheBitsOfSumsInOrderHoweverNearTheRadiusIs) {
  for (const std::int64_t size : {0, 1, 7, 8, 9, 1241}) {
    const std::vector<double> w = test::random_weights(7, size);
    const double norm = std::sqrt(squared_norm(w));
    for (const double factor :
         {0.5, 1 - 0x1p-29, 1 - 0x1p-31, 1 - 0x1p-52, 1.0, 1 + 0x1p-52, 2.0}) {
      const double radius = size == 0 ? factor : factor * norm;
      std::vector<double> found = w;
      project(found, radius);
      std::vector<double> expected = w;
      const double squares = squared_norm(w);
      if (squares > radius * radius) {
        for (double& value : expected) value *= radius / std::sqrt(squares);
      }
      EXPECT_EQ(found, expected) << size << ' ' << factor;
    }
  }
  std::vector<double> unknown(9, std::nan(""));
  project(unknown, 1);
  EXPECT_TRUE(std::isnan(unknown[0]));
}

}  // namespace
}  // namespace fairfront::ranking
