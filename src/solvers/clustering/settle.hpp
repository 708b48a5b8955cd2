/// @file
/// Bringing a clustering to a floor on the balance, and improving it there.
#pragma once

#include <cstdint>

#include "solvers/clustering/balanced_search.hpp"

namespace fairfront::clustering {

struct SettleRules {
  std::int64_t passes = 3;  ///< of local improvement, at most
  /// Share of what a cluster misses that one ranking of moves mends.
  double mended = 0.125;
  /// Share of a cluster's members that a ranking serves for instead; 0: none.
  double turn = 0;
  /// Share of the cost that a pass must save for another one to follow; negative: passes end when
  /// nothing changes.
  double worth_another = -1;
};

/// @return whether the floor holds.
template <class Label>
bool repair(BalancedSearch<Label>& search, double floor, const SettleRules& rules,
            const typename BalancedSearch<Label>::Seen& seen) {
  return rules.turn > 0 ? search.repair_in_turns(floor, seen, rules.turn)
                        : search.repair(floor, seen, rules.mended);
}

/// Brings the clustering of `search` to the floor and improves it there.
/// @param seen  called with it after every move of the repair, and at the end.
/// @return whether the floor holds.
template <class Label>
bool settle(const Problem& problem, BalancedSearch<Label>& search, double floor,
            const SettleRules& rules, const typename BalancedSearch<Label>::Seen& seen) {
  if (!repair(search, floor, rules, seen)) return false;
  double cost = search.partition().cost(problem);
  for (std::int64_t pass = 0; pass < rules.passes; ++pass) {
    const bool moved = search.move_points(floor);
    const bool exchanged = search.exchange_points();
    if (!moved && !exchanged) break;
    if (rules.worth_another < 0) continue;
    const double before = cost;
    cost = search.partition().cost(problem);
    if (before - cost < rules.worth_another * cost) break;
  }
  seen(search.partition());
  return true;
}

}  // namespace fairfront::clustering
