#include "solvers/ranking/pair_loss.hpp"

#include <algorithm>
#include <cmath>

namespace fairfront::ranking {
namespace {

CellSet cell(bool positive, std::size_t group, std::size_t groups) {
  return CellSet{1} << cell_of(positive, group, groups);
}

Comparison compared(FairnessMetric metric, std::size_t group, std::size_t other,
                    std::size_t groups) {
  const auto [ones, zeros] = label_pair(groups);
  const CellSet all = ones | zeros;
  const CellSet one_protected = cell(true, group, groups);
  const CellSet zero_protected = cell(false, group, groups);
  const CellSet one_other = cell(true, other, groups);
  const CellSet zero_other = cell(false, other, groups);
  const auto of_pair = [&](const PairSet& first, const PairSet& second) {
    return Comparison{first, second, static_cast<std::int32_t>(group),
                      static_cast<std::int32_t>(other)};
  };
  const auto of_group = [&](const PairSet& first, const PairSet& second) {
    return Comparison{first, second, static_cast<std::int32_t>(group), -1};
  };
  switch (metric) {
    case FairnessMetric::inter_group:
      return of_pair({one_protected, zero_other}, {one_other, zero_protected});
    case FairnessMetric::intra_group:
      return of_pair({one_protected, zero_protected}, {one_other, zero_other});
    case FairnessMetric::positive_average:
      return of_group({one_protected, ones}, {all, all});
    case FairnessMetric::negative_average:
      return of_group({zero_protected, zeros}, {all, all});
    case FairnessMetric::background:
      return of_group({ones, zero_protected}, {one_protected, zeros});
    case FairnessMetric::group:
      break;
  }
  return of_pair({one_protected | zero_protected, one_other | zero_other}, {all, all});
}

struct Moments {
  double rows, mean, variance;
};
Moments moments_of(const CellSums& sums, CellSet set) {
  double rows = 0;
  double sum = 0;
  double squares = 0;
  for_each_cell(set, [&](std::size_t c) {
    rows += sums.rows[c];
    sum += sums.sum[c];
    squares += sums.squares[c];
  });
  const double mean = sum / rows;
  return {rows, mean, squares / rows - mean * mean};
}

}  // namespace

PairSet label_pair(std::size_t groups) {
  const CellSet zeros = (CellSet{1} << groups) - 1;
  return {zeros << groups, zeros};
}

std::vector<Comparison> comparisons_of(FairnessMetric metric, std::size_t groups) {
  if (groups == 2) return {compared(metric, 1, 0, groups)};
  std::vector<Comparison> all;
  for (std::size_t g = 0; g < groups; ++g) {
    if (compared(metric, g, 0, groups).other < 0) {
      all.push_back(compared(metric, g, 0, groups));
      continue;
    }
    for (std::size_t h = 0; h < g; ++h) all.push_back(compared(metric, g, h, groups));
  }
  return all;
}

PairSets pair_sets(std::span<const Comparison> compared, std::size_t groups) {
  const auto turned = [](const PairSet& pair) { return PairSet{pair.below, pair.above}; };
  PairSets pairs{label_pair(groups)};
  for (const auto& [first, second, group, other] : compared) {
    pairs.insert(pairs.end(), {turned(first), second, turned(second), first});
  }
  return pairs;
}

PairSets pair_sets(FairnessMetric metric, std::size_t groups) {
  return pair_sets(comparisons_of(metric, groups), groups);
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
  for_each_cell(pair.above, [&](std::size_t c) {
    slopes.of_score[c] += of_above;
    slopes.constant[c] += of_above * (miss - above.mean);
  });
  for_each_cell(pair.below, [&](std::size_t c) {
    slopes.of_score[c] += of_below;
    slopes.constant[c] -= of_below * (miss + below.mean);
  });
  return slopes;
}

double Losses::excess(double kappa) const { return std::ranges::max(constraints) - 1 - kappa; }

Losses losses_of(const CellSums& sums, const PairSets& pairs, const Surrogate& surrogate) {
  const auto loss = [&](std::size_t i) { return pair_loss(sums, pairs[i], surrogate); };
  Losses losses{loss(0), {}};
  for (std::size_t i = 1; i < pairs.size(); i += 2) {
    losses.constraints.push_back(loss(i) + loss(i + 1));
  }
  return losses;
}

CellSums scaled(const CellSums& sums, double factor) {
  CellSums all = sums;
  for (double& sum : all.sum) sum *= factor;
  for (double& squares : all.squares) squares *= factor * factor;
  return all;
}

namespace {

double factor_by_parabolas(const CellSums& sums, const PairSets& pairs, const Surrogate& surrogate,
                           double kappa, double most) {
  const Losses here = losses_of(sums, pairs, surrogate);
  const Losses turned = losses_of(scaled(sums, -1), pairs, surrogate);
  // Of the factor s: curve s^2 + slope s + what a constant score has.
  const auto slope = [](double at_1, double at_minus_1) { return (at_1 - at_minus_1) / 2; };
  const auto curve = [](double at_1, double at_minus_1, double at_0) {
    return (at_1 + at_minus_1) / 2 - at_0;
  };
  const double down = -slope(here.objective, turned.objective);
  const double up = 2 * curve(here.objective, turned.objective, surrogate.at_zero());
  double factor = down < up * most ? std::max(0.0, down / up) : most;
  const double room = 1 + kappa - 2 * surrogate.at_zero();
  for (std::size_t j = 0; j < here.constraints.size(); ++j) {
    const double b = slope(here.constraints[j], turned.constraints[j]);
    const double a = curve(here.constraints[j], turned.constraints[j], 2 * surrogate.at_zero());
    if ((a * factor + b) * factor <= room) continue;
    // Where a s^2 + b s = room: of both forms of the root the one in which nothing cancels.
    const double root = std::sqrt(b * b + 4 * a * room);
    const double end = b > 0 ? 2 * room / (b + root) : (root - b) / (2 * a);
    factor = std::min(factor, end * (1 - 1e-10));
  }
  return factor;
}

}  // namespace

double best_factor(const CellSums& sums, const PairSets& pairs, const Surrogate& surrogate,
                   double kappa, double most) {
  const double factor = factor_by_parabolas(sums, pairs, surrogate, kappa, most);
  const CellSums there = scaled(sums, factor);
  if (!(losses_of(there, pairs, surrogate).excess(kappa) > 0)) return factor;
  // Next to scores of 0 few digits of the parabolas are known: once more from there.
  return factor * factor_by_parabolas(there, pairs, surrogate, kappa, 1);
}

}  // namespace fairfront::ranking
