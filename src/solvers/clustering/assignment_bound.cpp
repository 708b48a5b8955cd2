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

/// What the counts of one cluster cost at least at a level.
WideInteger cost_of_counts(const BalanceLimits& limits, std::int64_t level,
                           std::span<const std::int64_t> prices) {
  WideInteger cost = 0;
  for (std::size_t j = 0; j < prices.size(); ++j) {
    const std::int64_t count =
        prices[j] >= 0 ? level : std::min(limits.most(level), limits.group_counts()[j]);
    cost += WideInteger{prices[j]} * count;
  }
  return cost;
}

/// Of every level of a cluster's box.
std::vector<WideInteger> costs_of_levels(const BalanceLimits& limits, const LevelBox& box,
                                         std::int64_t k, std::int64_t clusters,
                                         std::span<const std::int64_t> prices) {
  std::vector<std::int64_t> of_cluster;
  for (std::size_t m = at(k); m < prices.size(); m += at(clusters)) of_cluster.push_back(prices[m]);
  std::vector<WideInteger> costs;
  for (std::int64_t level = box.low[at(k)]; level <= box.high[at(k)]; ++level) {
    costs.push_back(cost_of_counts(limits, level, of_cluster));
  }
  return costs;
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
  for (std::int64_t k = 0; k < clusters; ++k) {
    bound += std::ranges::min(costs_of_levels(limits, box, k, clusters, prices));
  }
  return bound;
}

void leave_out_levels(const BalanceLimits& limits, const AssignmentBound& bound, WideInteger room,
                      LevelBox& box) {
  const std::int64_t clusters = std::ssize(box.low);
  for (std::int64_t k = 0; k < clusters; ++k) {
    const auto costs = costs_of_levels(limits, box, k, clusters, bound.prices);
    const WideInteger most = std::ranges::min(costs) + room;
    const auto is_left = [most](WideInteger cost) { return cost < most; };
    const auto first = std::ranges::find_if(costs, is_left);
    const auto last = std::find_if(costs.rbegin(), costs.rend(), is_left);
    box.high[at(k)] -= last - costs.rbegin();
    box.low[at(k)] += first - costs.begin();
  }
}

AssignmentBound assignment_bound(const AssignmentCosts& costs, const OpenRows& open,
                                 const BalanceLimits& limits, const LevelBox& box,
                                 std::int64_t enough) {
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
  constexpr double worth_a_look = 1e-2;
  constexpr double at_the_end = 1e-12;
  constexpr double part_of_room = 0.01;
  for (int step = 0; step < most_steps; ++step) {
    base::stop_point();
    const bool moved = program.step();
    const double gap = program.relative_gap();
    // Where nothing is possible, prices grow until they prove it.
    if (gap < worth_a_look || !moved || step % 4 == 3) try_prices(program.prices());
    if (gap < at_the_end || !moved || best.value >= enough) break;
    const double cost = program.cost();
    const auto room = static_cast<double>(enough) - cost;
    if (gap < worth_a_look && cost - static_cast<double>(best.value) < part_of_room * room &&
        program.broken() < part_of_room * room) {
      break;
    }
  }
  if (best.value < enough) try_prices(program.prices());
  best.levels = program.levels();
  best.counts = program.counts();
  return best;
}

}  // namespace fairfront::clustering
