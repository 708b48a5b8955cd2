/// @file
/// Small random problems of ranking, and their losses by the definition.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "solvers/ranking/linear_scores.hpp"
#include "solvers/ranking/pair_loss.hpp"

namespace fairfront::test {

inline constexpr ranking::FairnessMetric all_metrics[] = {ranking::FairnessMetric::group,
                                                          ranking::FairnessMetric::inter_group,
                                                          ranking::FairnessMetric::intra_group,
                                                          ranking::FairnessMetric::positive_average,
                                                          ranking::FairnessMetric::negative_average,
                                                          ranking::FairnessMetric::background};

struct RankingRows {
  std::int64_t columns;
  std::vector<double> features;  ///< row-major
  std::vector<std::uint8_t> cells;
  std::size_t groups = 2;

  [[nodiscard]] ranking::LinearScores scores() const {
    return ranking::LinearScores(models::Rows(features, columns), cells, groups);
  }
};

/// Features that know the label, and the group.
inline RankingRows random_rows(std::uint64_t seed, int rows, std::int64_t columns,
                               std::size_t groups = 2) {
  base::Stream stream(base::StreamKey(seed, "test", "ranking"), 0);
  RankingRows made{columns, {}, {}, groups};
  const auto cells = static_cast<std::uint32_t>(2 * groups);
  for (int i = 0; i < rows; ++i) {
    const auto cell =
        static_cast<std::uint32_t>(i) < cells ? static_cast<std::uint32_t>(i) : stream.below(cells);
    made.cells.push_back(static_cast<std::uint8_t>(cell));
    const std::uint32_t group = cell % static_cast<std::uint32_t>(groups);
    for (std::int64_t j = 0; j < columns; ++j) {
      const double of_label = (cell >= groups ? 0.8 : 0.0) / double(j + 1);
      const double of_group = group == 0 ? -0.2 : 0.5 / (group + (group > 1 ? double(j) : 0));
      made.features.push_back(3 + stream.normal() + (of_label + of_group));
    }
  }
  return made;
}

/// Indicators of a few categories, every row one of each: the ones of a category add up to 1, so
/// that the matrices of the losses are singular.
inline RankingRows random_indicators(std::uint64_t seed, int rows, int categories, int levels) {
  base::Stream stream(base::StreamKey(seed, "test", "indicators"), 0);
  RankingRows made{std::int64_t{categories} * levels, {}, {}, 2};
  for (int i = 0; i < rows; ++i) {
    const std::uint8_t cell =
        i < 4 ? static_cast<std::uint8_t>(i) : static_cast<std::uint8_t>(stream.below(4));
    made.cells.push_back(cell);
    for (int k = 0; k < categories; ++k) {
      const auto drawn = static_cast<int>(stream.below(static_cast<std::uint32_t>(levels)));
      const bool knows = stream.uniform() < 0.4;
      const int level = knows ? (k % 2 == 0 ? cell / 2 : cell % 2) : drawn;
      for (int l = 0; l < levels; ++l) made.features.push_back(l == level ? 1 : 0);
    }
  }
  return made;
}

/// The mean over all pairs, one by one.
inline double loss_by_pairs(const std::vector<double>& score,
                            const std::vector<std::uint8_t>& cells, const ranking::PairSet& pair,
                            const ranking::Surrogate& surrogate) {
  long double sum = 0;
  std::int64_t pairs = 0;
  for (std::size_t i = 0; i < score.size(); ++i) {
    if (!ranking::contains(pair.above, cells[i])) continue;
    for (std::size_t k = 0; k < score.size(); ++k) {
      if (!ranking::contains(pair.below, cells[k])) continue;
      const double miss = score[i] - score[k] - surrogate.margin;
      sum += surrogate.scale * miss * miss;
      ++pairs;
    }
  }
  return static_cast<double>(sum / pairs);
}

inline ranking::Losses losses_by_pairs(const std::vector<double>& score,
                                       const std::vector<std::uint8_t>& cells,
                                       const ranking::PairSets& pairs,
                                       const ranking::Surrogate& surrogate) {
  const auto loss = [&](std::size_t i) { return loss_by_pairs(score, cells, pairs[i], surrogate); };
  ranking::Losses losses{loss(0), {}};
  for (std::size_t i = 1; i < pairs.size(); i += 2) {
    losses.constraints.push_back(loss(i) + loss(i + 1));
  }
  return losses;
}

inline std::vector<double> random_weights(std::uint64_t seed, std::int64_t columns) {
  base::Stream stream(base::StreamKey(seed, "test", "weights"), 0);
  std::vector<double> w;
  for (std::int64_t j = 0; j < columns; ++j) w.push_back(0.4 * stream.normal());
  return w;
}

}  // namespace fairfront::test
