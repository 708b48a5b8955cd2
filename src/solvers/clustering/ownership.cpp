#include "solvers/clustering/ownership.hpp"

#include <algorithm>

namespace fairfront::clustering {

std::vector<Handover> rebalance(std::span<const int> owner, int ranks, double tolerance) {
  const auto size = static_cast<std::size_t>(ranks);
  std::vector<std::size_t> load(size, 0);
  for (const int rank : owner) ++load[static_cast<std::size_t>(rank)];
  const std::size_t fair = (owner.size() + size - 1) / size;
  const std::size_t busiest = *std::max_element(load.begin(), load.end());
  if (static_cast<double>(busiest) <= (1 + tolerance) * static_cast<double>(fair)) return {};
  std::vector<Handover> handovers;
  for (std::size_t position = owner.size(); position-- > 0;) {
    const int from = owner[position];
    if (load[static_cast<std::size_t>(from)] <= fair) continue;
    const auto least = std::min_element(load.begin(), load.end());
    ++*least;
    --load[static_cast<std::size_t>(from)];
    handovers.push_back({position, from, static_cast<int>(least - load.begin())});
  }
  return handovers;
}

}  // namespace fairfront::clustering
