#include "metrics/cells_in_order.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "metrics/random_scored.hpp"
#include "metrics/sorting.hpp"

namespace fairfront::metrics {
namespace {

/// Places of the rows of a set of cells, and their scores.
struct Places {
  Places(const CellsInOrder& rows, const std::vector<bool>& set) {
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      if (!set[rows.cell[i]]) continue;
      places.push_back(i);
      scores.push_back(rows.score[i]);
    }
  }
  std::vector<std::uint32_t> places;
  std::vector<double> scores;
};

TEST(HalfWins, SharesAreThoseOfAMergeBitForBit) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    base::Stream stream = stream_of(seed);
    const std::uint32_t groups = 1 + stream.below(4);
    const Sample sample = random_sample(stream, 1 + stream.below(60), groups, 1 + stream.below(30));
    const CellsInOrder rows(sample.view());
    const HalfWins half_wins(rows, 2 * groups);
    std::vector<bool> above, below;  // which may share cells
    for (std::uint32_t c = 0; c < 2 * groups; ++c) {
      above.push_back(stream.below(2) == 0);
      below.push_back(stream.below(2) == 0);
    }
    const Places high(rows, above);
    const Places low(rows, below);
    if (high.places.empty() || low.places.empty()) continue;
    const SharesBelow merged = shares_below(high.scores, low.scores);
    const auto others = static_cast<double>(low.places.size());
    EXPECT_EQ(half_wins.shares(high.places, below, others), merged.of_first);
    EXPECT_EQ(half_wins.shares(low.places, above, static_cast<double>(high.places.size())),
              merged.of_second);
    ++compared;
  }
  EXPECT_GT(compared, 200);
}

TEST(HalfWins, AreTwoForARowBelowAndOneForATieForAnyNumberOfCells) {
  for (const std::uint32_t groups : {1U, 2U, 3U, 4U, 5U, 20U}) {
    const Sample sample = large_sample(groups, 300, groups);
    const Scored scored = sample.view();
    const std::size_t cells = 2 * groups;
    std::vector<std::uint64_t> expected(cells * cells, 0);
    for (std::size_t i = 0; i < scored.rows(); ++i) {
      for (std::size_t k = 0; k < scored.rows(); ++k) {
        const bool below = scored.score[k] < scored.score[i];
        const bool not_above = scored.score[k] <= scored.score[i];
        expected[cell_of(scored, i) * cells + cell_of(scored, k)] +=
            std::uint64_t{below} + std::uint64_t{not_above};
      }
    }
    EXPECT_EQ(sums_of_half_wins(CellsInOrder(scored), cells), expected) << groups;
  }
}

}  // namespace
}  // namespace fairfront::metrics
