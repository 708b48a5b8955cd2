#include "solvers/ranking/pair_loss.hpp"

#include <algorithm>

namespace fairfront::ranking {
namespace {

constexpr CellSet zero_other = 1;
constexpr CellSet zero_protected = 2;
constexpr CellSet one_other = 4;
constexpr CellSet one_protected = 8;
constexpr CellSet zeros = zero_other | zero_protected;
constexpr CellSet ones = one_other | one_protected;
constexpr CellSet others = zero_other | one_other;
constexpr CellSet protecteds = zero_protected | one_protected;
constexpr CellSet all = zeros | ones;

struct TwoPairSets {
  PairSet first, second;
};

TwoPairSets compared(FairnessMetric metric) {
  switch (metric) {
    case FairnessMetric::inter_group:
      return {{one_protected, zero_other}, {one_other, zero_protected}};
    case FairnessMetric::intra_group:
      return {{one_protected, zero_protected}, {one_other, zero_other}};
    case FairnessMetric::positive_average:
      return {{one_protected, ones}, {all, all}};
    case FairnessMetric::negative_average:
      return {{zero_protected, zeros}, {all, all}};
    case FairnessMetric::background:
      return {{ones, zero_protected}, {one_protected, zeros}};
    case FairnessMetric::group:
      break;
  }
  return {{protecteds, others}, {all, all}};
}

struct Moments {
  double rows, mean, variance;
};
Moments moments_of(const CellSums& sums, CellSet set) {
  double rows = 0;
  double sum = 0;
  double squares = 0;
  for (std::size_t c = 0; c < num_cells; ++c) {
    if (!contains(set, c)) continue;
    rows += sums.rows[c];
    sum += sums.sum[c];
    squares += sums.squares[c];
  }
  const double mean = sum / rows;
  return {rows, mean, squares / rows - mean * mean};
}

}  // namespace

PairSets pair_sets(FairnessMetric metric) {
  const auto [first, second] = compared(metric);
  const auto turned = [](const PairSet& pair) { return PairSet{pair.below, pair.above}; };
  return {{{ones, zeros}, turned(first), second, turned(second), first}};
}

double pair_loss(const CellSums& sums, const PairSet& pair, const Surrogate& surrogate) {
  const Moments above = moments_of(sums, pair.above);
  const Moments below = moments_of(sums, pair.below);
  const double miss = above.mean - below.mean - surrogate.margin;
  return surrogate.scale * (above.variance + below.variance + miss * miss);
}

PairLossSlopes pair_loss_slopes(const CellSums& sums, const PairSet& pair,
                                const Surrogate& surrogate) {
  const Moments above = moments_of(sums, pair.above);
  const Moments below = moments_of(sums, pair.below);
  const double miss = above.mean - below.mean - surrogate.margin;
  const double of_above = 2 * surrogate.scale / above.rows;
  const double of_below = 2 * surrogate.scale / below.rows;
  PairLossSlopes slopes;
  for (std::size_t c = 0; c < num_cells; ++c) {
    if (contains(pair.above, c)) {
      slopes.of_score[c] += of_above;
      slopes.constant[c] += of_above * (miss - above.mean);
    }
    if (contains(pair.below, c)) {
      slopes.of_score[c] += of_below;
      slopes.constant[c] -= of_below * (miss + below.mean);
    }
  }
  return slopes;
}

double Losses::excess(double kappa) const {
  return std::max(constraints[0], constraints[1]) - 1 - kappa;
}

Losses losses_of(const CellSums& sums, const PairSets& pairs, const Surrogate& surrogate) {
  const auto loss = [&](std::size_t i) { return pair_loss(sums, pairs[i], surrogate); };
  return {loss(0), {loss(1) + loss(2), loss(3) + loss(4)}};
}

}  // namespace fairfront::ranking
