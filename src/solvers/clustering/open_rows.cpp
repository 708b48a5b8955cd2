#include "solvers/clustering/open_rows.hpp"

#include <algorithm>
#include <limits>

#include "base/index.hpp"

namespace fairfront::clustering {

using base::at;

void OpenRows::end_row(const AssignmentCosts& costs, std::int64_t row) {
  if (std::ssize(clusters) == first.back() + 1) {
    const std::int64_t k = clusters.back();
    clusters.pop_back();
    ++settled[at(costs.group[at(row)] * costs.clusters + k)];
    settled_cost += costs.cost(row, k);
  } else {
    rows.push_back(row);
    first.push_back(std::ssize(clusters));
  }
}

OpenRows all_open(const AssignmentCosts& costs, std::int64_t groups) {
  OpenRows open;
  open.settled.assign(at(groups * costs.clusters), 0);
  open.first.push_back(0);
  for (std::int64_t row = 0; row < std::ssize(costs.group); ++row) {
    open.rows.push_back(row);
    for (std::int32_t k = 0; k < costs.clusters; ++k) open.clusters.push_back(k);
    open.first.push_back(std::ssize(open.clusters));
  }
  return open;
}

OpenRows narrowed_rows(const AssignmentCosts& costs, const OpenRows& open,
                       std::span<const std::int64_t> prices, WideInteger room) {
  OpenRows left;
  left.settled = open.settled;
  left.settled_cost = open.settled_cost;
  left.first.push_back(0);
  for (std::size_t i = 0; i < open.rows.size(); ++i) {
    const std::int64_t row = open.rows[i];
    const std::int64_t offset = costs.group[at(row)] * costs.clusters;
    const auto reduced = [&](std::int64_t k) {
      return costs.cost(row, k) - prices[at(offset + k)];
    };
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t e = open.first[i]; e < open.first[i + 1]; ++e) {
      least = std::min(least, reduced(open.clusters[at(e)]));
    }
    for (std::int64_t e = open.first[i]; e < open.first[i + 1]; ++e) {
      const std::int32_t k = open.clusters[at(e)];
      if (reduced(k) - least < room) left.clusters.push_back(k);
    }
    left.end_row(costs, row);
  }
  return left;
}

LevelBox levels_of_rows(const AssignmentCosts& costs, const OpenRows& open,
                        const BalanceLimits& limits) {
  std::vector<std::int64_t> greatest = open.settled;
  for (std::size_t i = 0; i < open.rows.size(); ++i) {
    const std::int64_t offset = costs.group[at(open.rows[i])] * costs.clusters;
    for (std::int64_t e = open.first[i]; e < open.first[i + 1]; ++e) {
      ++greatest[at(offset + open.clusters[at(e)])];
    }
  }
  LevelBox box{std::vector<std::int64_t>(at(costs.clusters), 1),
               std::vector<std::int64_t>(at(costs.clusters), limits.rarest())};
  for (std::size_t m = 0; m < greatest.size(); ++m) {
    const std::size_t k = m % at(costs.clusters);
    box.high[k] = std::min(box.high[k], greatest[m]);
    while (box.low[k] <= box.high[k] && limits.most(box.low[k]) < open.settled[m]) ++box.low[k];
  }
  return box;
}

}  // namespace fairfront::clustering
