#include "solvers/ranking/score_postprocessing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "solvers/ranking/penalised.hpp"
#include "support.hpp"

namespace fairfront::ranking {
namespace {

/// auc_of() is tested against the quadratic count.
TEST(ScorePostprocessing, EveryMoveHasTheAucsOfTheMovedScores) {
  base::Stream stream(base::StreamKey(1, "test", "moves"), 0);
  std::vector<double> score;
  std::vector<std::uint8_t> cells;
  for (int i = 0; i < 60; ++i) {
    cells.push_back(static_cast<std::uint8_t>(i % 4));
    score.push_back(0.5 * static_cast<double>(stream.below(7)) - 1);  // ties, before and after
  }
  for (const FairnessMetric metric : test::all_metrics) {
    const PairSets pairs = pair_sets(metric);
    int moves = 0;
    try_moves(score, cells, pairs,
              {.factor_step = 0.5, .most_factor = 2, .shift_step = 0.25, .most_shift = 1},
              [&](const ScoreMove& by, const MovedAucs& found) {
                ++moves;
                std::vector<double> moved = score;
                for (std::size_t i = 0; i < moved.size(); ++i) {
                  if (cells[i] % 2 == 1) moved[i] = by.factor * moved[i] + by.shift;
                }
                EXPECT_NEAR(found.auc, auc_of(moved, cells, pairs[0]), 1e-14);
                EXPECT_NEAR(found.difference,
                            auc_of(moved, cells, pairs[4]) - auc_of(moved, cells, pairs[2]), 1e-14);
              });
    EXPECT_EQ(moves, 5 * 9);
  }
}

TEST(ScorePostprocessing, TheGridHasBothEndsAndItsNumbers) {
  const std::vector<double> score{0, 1, 2, 3};
  const std::vector<std::uint8_t> cells{0, 1, 2, 3};
  std::vector<ScoreMove> moves;
  try_moves(score, cells, pair_sets(FairnessMetric::group), {},
            [&](const ScoreMove& by, const MovedAucs&) { moves.push_back(by); });
  EXPECT_EQ(moves.size(), 101u * 61);
  EXPECT_EQ(moves.front().factor, 0);
  EXPECT_DOUBLE_EQ(moves.front().shift, -3);
  EXPECT_DOUBLE_EQ(moves.back().factor, 5);
  EXPECT_DOUBLE_EQ(moves.back().shift, 3);
}

TEST(ScorePostprocessing, BadInputIsRefused) {
  const std::vector<double> score{0, 1, 2};
  const std::vector<std::uint8_t> cells{0, 1, 2};
  const auto nothing = [](const ScoreMove&, const MovedAucs&) {};
  const PairSets pairs = pair_sets(FairnessMetric::group);
  EXPECT_THROW(try_moves(score, cells, pairs, {}, nothing), std::invalid_argument);
  EXPECT_THROW(try_moves(score, cells, pairs, {.shift_step = 0}, nothing), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::ranking
