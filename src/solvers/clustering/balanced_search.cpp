#include "solvers/clustering/balanced_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "base/index.hpp"
#include "solvers/clustering/balanced_exchange.hpp"
#include "solvers/clustering/balanced_ranking.hpp"

namespace fairfront::clustering {
namespace {

using base::at;
using detail::forbidden;
using detail::tolerance;

}  // namespace

double shortfall(std::span<const std::int32_t> counts, double floor) {
  const double needed = floor * *std::ranges::max_element(counts);
  double sum = 0;
  for (const std::int32_t count : counts) sum += std::max(0.0, needed - count);
  return sum;
}

template <class Label>
BalancedSearch<Label>::BalancedSearch(const Problem& problem, std::function<void()> between,
                                      Outlook outlook)
    : problem_{problem},
      between_{std::move(between)},
      partition_{problem},
      means_{problem},
      shortfalls_(at(problem.clusters())),
      enter_weights_(at(problem.groups()) * means_.padded(), forbidden),
      may_leave_(at(problem.clusters() * problem.groups())),
      changed_(at(problem.clusters())),
      members_(at(problem.clusters() * problem.groups())),
      counts_(at(problem.groups())),
      distances_(means_.padded()),
      direction_(at(problem.columns())),
      middle_(at(problem.columns())),
      all_(at(problem.clusters())) {
  std::iota(all_.begin(), all_.end(), std::uint16_t{0});
  if (outlook == Outlook::nearby && NearClusters::are_of_use(problem)) {
    near_.emplace(problem);
    giving_.resize(may_leave_.size());
    taking_.resize(may_leave_.size());
  }
  for (std::int64_t i = 0; i < problem.columns(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -least;
    for (std::int64_t p = 0; p < problem.points(); ++p) {
      least = std::min(least, problem.point(p)[i]);
      greatest = std::max(greatest, problem.point(p)[i]);
    }
    squared_diameter_ += (greatest - least) * (greatest - least);
  }
}

template <class Label>
void BalancedSearch<Label>::assign(std::span<const Label> labels) {
  gains_are_bounded_ = false;
  partition_.assign(problem_, labels);
  ++changes_;
  for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
    partition_.mean(problem_, k, means_);
    changed_[at(k)] = changes_;
  }
  if (!near_) return;
  near_->clear();
  homes_.assign(labels.begin(), labels.end());
  list_members();
}

/// Brings the lists of clusters around each up to date.
template <class Label>
void BalancedSearch<Label>::look_around() {
  if (!near_) return;
  settled_.resize(at(problem_.clusters() * NearClusters::length));
  for (const std::int64_t k : near_->update(means_)) {
    std::fill_n(settled_.begin() + k * NearClusters::length, NearClusters::length, 0);
  }
}

/// What cluster k's shortfall would be with one member of group j more (+1) or less (-1).
template <class Label>
double BalancedSearch<Label>::shortfall_after(std::int64_t k, std::int64_t j, int change) {
  for (std::int64_t i = 0; i < problem_.groups(); ++i) counts_[at(i)] = partition_.count(k, i);
  counts_[at(j)] += change;
  return shortfall(counts_, floor_);
}

/// By how much the sum of all shortfalls falls when a member of group j goes.
template <class Label>
double BalancedSearch<Label>::relief(std::int64_t j, std::int64_t from, std::int64_t to) {
  if (near_) {
    return giving_[at(from * problem_.groups() + j)] + taking_[at(to * problem_.groups() + j)];
  }
  return shortfalls_[at(from)] - shortfall_after(from, j, -1) + shortfalls_[at(to)] -
         shortfall_after(to, j, 1);
}

template <class Label>
void BalancedSearch<Label>::set_floor(double floor) {
  floor_ = floor;
  for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
    set_shortfall(k);
  }
}

/// Of a cluster whose counts have changed, and what a member more or less would mend of it.
template <class Label>
void BalancedSearch<Label>::set_shortfall(std::int64_t k) {
  shortfalls_[at(k)] = shortfall_after(k, 0, 0);
  if (!near_) return;
  for (std::int64_t j = 0; j < problem_.groups(); ++j) {
    const std::size_t pair = at(k * problem_.groups() + j);
    const bool may_give = partition_.size(k) > 1 && partition_.count(k, j) > 0;
    giving_[pair] = may_give ? shortfalls_[at(k)] - shortfall_after(k, j, -1) : -forbidden;
    taking_[pair] = shortfalls_[at(k)] - shortfall_after(k, j, 1);
  }
}

template <class Label>
bool BalancedSearch<Label>::repair(double floor, const Seen& seen, double share) {
  look_around();
  set_floor(floor);
  for (;;) {
    const auto worst = std::ranges::max_element(shortfalls_);
    if (*worst <= tolerance) return true;
    if (!mend(worst - shortfalls_.begin(), seen, share)) return false;
  }
}

/// One ranking of moves, and the best of them. @return whether there was any.
template <class Label>
bool BalancedSearch<Label>::mend(std::int64_t worst, const Seen& seen, double share) {
  rank(worst, 1 + static_cast<std::int64_t>(shortfalls_[at(worst)] * share));
  for (const Move& move : moves_) take_if_useful(move, seen);
  return !moves_.empty();
}

/// The moves before have changed the counts. @return whether the move was taken.
template <class Label>
bool BalancedSearch<Label>::take_if_useful(const Move& move, const Seen& seen) {
  const std::int64_t from = partition_.label(move.point);
  if (partition_.size(from) == 1) return false;
  if (relief(problem_.group_of(move.point), from, move.to) <= tolerance) return false;
  take(move.point, move.to);
  set_shortfall(from);
  set_shortfall(move.to);
  if (seen) seen(partition_);
  return true;
}

template <class Label>
bool BalancedSearch<Label>::repair_in_turns(double floor, const Seen& seen, double share) {
  look_around();
  set_floor(floor);
  turns_.assign(at(problem_.clusters()), {});
  for (;;) {
    const auto worst = std::ranges::max_element(shortfalls_);
    if (*worst <= tolerance) return true;
    if (!take_turn(worst - shortfalls_.begin(), seen, share)) return false;
  }
}

/// Takes the next move of a cluster's ranking that is still of use, or of a new one.
/// @return whether there was any.
template <class Label>
bool BalancedSearch<Label>::take_turn(std::int64_t worst, const Seen& seen, double share) {
  Turn& turn = turns_[at(worst)];
  for (const bool is_new : {false, true}) {
    if (is_new) {
      rank(worst, 1 + static_cast<std::int64_t>(share * partition_.size(worst)));
      turn.moves.assign(moves_.begin(), moves_.end());
      turn.from.clear();
      for (const Move& move : moves_) turn.from.push_back(partition_.label(move.point));
      turn.next = 0;
    }
    for (; turn.next < turn.moves.size(); ++turn.next) {
      const Move& move = turn.moves[turn.next];
      if (partition_.label(move.point) != turn.from[turn.next]) continue;
      if (take_if_useful(move, seen)) return true;
    }
  }
  return false;
}

template <class Label>
void BalancedSearch<Label>::take(std::int64_t point, std::int64_t to) {
  const std::int64_t from = partition_.label(point);
  partition_.relabel(problem_, point, static_cast<Label>(to));
  if (log_ != nullptr) {
    log_->push_back({static_cast<std::uint32_t>(point), static_cast<std::uint32_t>(to)});
  }
  ++changes_;
  for (const std::int64_t k : {from, to}) {
    partition_.mean(problem_, k, means_);
    changed_[at(k)] = changes_;
  }
  if (gains_are_bounded_) bound_gains_of(point, to);
  if (near_) move_in_lists(point, from, to);
}

template <class Label>
void BalancedSearch<Label>::move_in_lists(std::int64_t point, std::int64_t from, std::int64_t to) {
  const std::int64_t j = problem_.group_of(point);
  std::vector<std::int64_t>& before = members(from, j);
  *std::ranges::find(before, point) = before.back();
  before.pop_back();
  members(to, j).push_back(point);
}

/// What a single move may do with cluster k at the floor.
template <class Label>
void BalancedSearch<Label>::set_rules(std::int64_t k) {
  const double size = partition_.size(k);
  for (std::int64_t j = 0; j < problem_.groups(); ++j) {
    may_leave_[at(k * problem_.groups() + j)] = partition_.size(k) > 1 &&
                                                partition_.count(k, j) > 0 &&
                                                shortfall_after(k, j, -1) <= tolerance;
    enter_weights_[at(j) * means_.padded() + at(k)] =
        shortfall_after(k, j, 1) <= tolerance ? size / (size + 1) : forbidden;
  }
}

template <class Label>
typename BalancedSearch<Label>::Entering BalancedSearch<Label>::best_of_all(std::int64_t p,
                                                                            std::int64_t from,
                                                                            std::int64_t j) {
  means_.squared_distances(problem_.point(p), distances_.data());
  comparisons_ += problem_.clusters();
  const double* weights = enter_weights_.data() + at(j) * means_.padded();
  const auto clusters = at(problem_.clusters());
  std::size_t to = 0;
  double least = forbidden;
  for (std::size_t l = 0; l < clusters; ++l) {
    const double entering =
        static_cast<std::int64_t>(l) == from ? forbidden : distances_[l] * weights[l];
    to = entering < least ? l : to;
    least = entering < least ? entering : least;
  }
  return {static_cast<std::int64_t>(to), least, distances_[at(from)]};
}

/// Of the clusters around the nearest one that the point finds from where it was last.
template <class Label>
typename BalancedSearch<Label>::Entering BalancedSearch<Label>::best_nearby(std::int64_t p,
                                                                            std::int64_t from,
                                                                            std::int64_t j) {
  const double* x = problem_.point(p);
  const double* weights = enter_weights_.data() + at(j) * means_.padded();
  const double own = means_.squared_distance(from, x);
  const double size = partition_.size(from);
  constexpr double least_weight = 0.5;  // n / (n + 1)
  const double useful = std::sqrt(own * size / (size - 1) / least_weight);
  Entering best{from, forbidden, own};
  ++comparisons_;
  for (;;) {
    const std::int64_t home = homes_[at(p)];
    std::int64_t nearest = home;
    double least = std::numeric_limits<double>::infinity();
    const auto look_at = [&](std::int64_t l) {
      const double square = means_.squared_distance(l, x);
      if (square < least) {
        least = square;
        nearest = l;
      }
      const double entering = l == from ? forbidden : square * weights[l];
      if (entering < best.cost) best = {l, entering, own};
    };
    look_at(home);
    std::int64_t looks = 1;
    const double off = std::sqrt(least);
    const std::span<const double> distances = near_->distances(home);
    const Clusters around = near_->of(home);
    for (std::size_t i = 0; i < around.size() && distances[i] <= off + std::max(off, useful); ++i) {
      look_at(around[i]);
      ++looks;
    }
    comparisons_ += looks;
    if (nearest == home) return best;
    homes_[at(p)] = static_cast<Label>(nearest);
  }
}

template <class Label>
bool BalancedSearch<Label>::move_points(double floor) {
  look_around();
  floor_ = floor;
  for (std::int64_t k = 0; k < problem_.clusters(); ++k) set_rules(k);
  bool changed = false;
  for (std::int64_t p = 0; p < problem_.points(); ++p) {
    if (between_) between_();
    const std::int64_t from = partition_.label(p);
    const std::int64_t j = problem_.group_of(p);
    if (!may_leave_[at(from * problem_.groups() + j)]) continue;
    const Entering best = near_ ? best_nearby(p, from, j) : best_of_all(p, from, j);
    const double size = partition_.size(from);
    const double leaving = size / (size - 1) * best.own;
    const double weight = enter_weights_[at(j) * means_.padded() + at(best.to)];
    // A point on the very mean of a forbidden cluster enters at no cost.
    if (weight == forbidden || !(best.cost - leaving < detail::least_gain(leaving))) continue;
    take(p, best.to);
    set_rules(from);
    set_rules(best.to);
    changed = true;
  }
  return changed;
}

template <class Label>
void BalancedSearch<Label>::list_members() {
  for (auto& list : members_) list.clear();
  for (std::int64_t p = 0; p < problem_.points(); ++p) {
    members(partition_.label(p), problem_.group_of(p)).push_back(p);
  }
}

template class BalancedSearch<std::uint8_t>;
template class BalancedSearch<std::uint16_t>;

}  // namespace fairfront::clustering
