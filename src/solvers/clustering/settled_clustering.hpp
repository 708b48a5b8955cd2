/// @file
/// A good clustering at one floor on the balance.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "solvers/clustering/clustering.hpp"
#include "solvers/clustering/problem.hpp"
#include "solvers/common/state.hpp"

namespace fairfront::clustering {

/// A clustering that holds a floor as BalancedSearch understands it.
struct SettledClustering {
  double cost = 0;                   ///< f1
  double balance = 0;                ///< f2
  std::vector<std::int64_t> labels;  ///< shape (N,), in the problem's order
  std::int64_t comparisons = 0;      ///< with all that were tried
};
template <solvers::MaybeConst<SettledClustering> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.cost, self.balance, self.labels, self.comparisons);
}

/// The cheapest at the floor of what a front has above it, and of what its clusterings become that
/// are nearest the floor when they are repaired, and improved by moves and exchanges until none
/// gains.
/// @param between  called for every few points; what it throws ends the work.
/// @throws base::InputError  none holds the floor: whole rows need not reach every floor below the
///         bound of the balance.
[[nodiscard]] SettledClustering settle_front(const Problem& problem, const ClusteringFront& front,
                                             double floor, const std::function<void()>& between);

}  // namespace fairfront::clustering
