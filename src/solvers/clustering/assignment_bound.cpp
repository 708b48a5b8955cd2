#include "solvers/clustering/assignment_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "base/stop.hpp"
#include "solvers/clustering/assignment_program.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

/// min over levels of the box of what the counts of one cluster cost.
WideInteger least_of_counts(const BalanceLimits& limits, std::int64_t low, std::int64_t high,
                            std::span<const std::int64_t> prices) {
  WideInteger positive = 0;
  for (const std::int64_t price : prices) positive += std::max<std::int64_t>(price, 0);
  WideInteger least = 0;
  for (std::int64_t level = low; level <= high; ++level) {
    WideInteger value = positive * level;
    for (std::size_t j = 0; j < prices.size(); ++j) {
      if (prices[j] >= 0) continue;
      value += WideInteger{prices[j]} * std::min(limits.most(level), limits.group_counts()[j]);
    }
    if (level == low || value < least) least = value;
  }
  return least;
}

}  // namespace

WideInteger bound_of_prices(const AssignmentCosts& costs, const OpenRows& open,
                            const BalanceLimits& limits, const LevelBox& box,
                            std::span<const std::int64_t> prices) {
  const std::int64_t clusters = costs.clusters;
  WideInteger bound = open.settled_cost;
  for (std::size_t m = 0; m < prices.size(); ++m) {
    bound -= WideInteger{prices[m]} * open.settled[m];
  }
  for (std::size_t i = 0; i < open.rows.size(); ++i) {
    const std::int64_t row = open.rows[i];
    const std::int64_t* of_group = prices.data() + costs.group[at(row)] * clusters;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t e = open.first[i]; e < open.first[i + 1]; ++e) {
      const std::int64_t k = open.clusters[at(e)];
      least = std::min(least, costs.cost(row, k) - of_group[k]);
    }
    bound += least;
  }
  std::vector<std::int64_t> of_cluster(limits.group_counts().size());
  for (std::int64_t k = 0; k < clusters; ++k) {
    for (std::size_t j = 0; j < of_cluster.size(); ++j) {
      of_cluster[j] = prices[j * at(clusters) + at(k)];
    }
    bound += least_of_counts(limits, box.low[at(k)], box.high[at(k)], of_cluster);
  }
  return bound;
}

AssignmentBound assignment_bound(const AssignmentCosts& costs, const OpenRows& open,
                                 const BalanceLimits& limits, const LevelBox& box) {
  AssignmentProgram program(costs, open, limits, box);
  AssignmentBound best;
  bool first = true;
  const auto try_prices = [&](std::vector<std::int64_t> prices) {
    const WideInteger value = bound_of_prices(costs, open, limits, box, prices);
    if (!first && value <= best.value) return;
    first = false;
    best.value = value;
    best.prices = std::move(prices);
  };
  try_prices(std::vector<std::int64_t>(open.settled.size(), 0));
  constexpr int most_steps = 60;
  constexpr double worth_a_look = 1e-6;
  constexpr double at_the_end = 1e-12;
  for (int step = 0; step < most_steps; ++step) {
    base::stop_point();
    const bool moved = program.step();
    if (program.relative_gap() < worth_a_look || !moved) try_prices(program.prices());
    if (program.relative_gap() < at_the_end || !moved) break;
  }
  try_prices(program.prices());
  best.levels = program.levels();
  return best;
}

}  // namespace fairfront::clustering
