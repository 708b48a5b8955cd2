#include "solvers/clustering/transport.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "base/index.hpp"
#include "base/stop.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

constexpr std::int64_t no_way = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::int64_t few = 64;

}  // namespace

Transport::Transport(std::span<const std::int64_t> costs, std::vector<std::int64_t> rows,
                     std::int64_t clusters)
    : costs_{costs},
      rows_{std::move(rows)},
      clusters_{clusters},
      labels_(rows_.size()),
      counts_(at(clusters)),
      heaps_(at(clusters * clusters)),
      arcs_(at(clusters * clusters), no_way),
      stale_(at(clusters), 1),
      distance_(at(clusters)),
      before_(at(clusters)) {
  for (std::int32_t place = 0; place < static_cast<std::int32_t>(rows_.size()); ++place) {
    const auto of_row = costs_.subspan(at(rows_[at(place)] * clusters_), at(clusters_));
    const auto nearest = std::ranges::min_element(of_row);
    labels_[at(place)] = static_cast<std::int32_t>(nearest - of_row.begin());
    cost_ += *nearest;
    ++counts_[at(labels_[at(place)])];
    for (std::int64_t to = 0; to < clusters_; ++to) {
      if (to == labels_[at(place)]) continue;
      moves(labels_[at(place)], to).emplace_back(of_row[at(to)] - *nearest, place);
    }
  }
  for (auto& heap : heaps_) std::ranges::make_heap(heap, std::greater<>());
}

std::int64_t Transport::cost_of(std::int32_t place, std::int64_t cluster) const noexcept {
  return costs_[at(rows_[at(place)] * clusters_ + cluster)];
}

std::vector<Transport::Move>& Transport::moves(std::int64_t from, std::int64_t to) noexcept {
  return heaps_[at(from * clusters_ + to)];
}

/// Takes rows that are elsewhere now off the tops.
void Transport::refresh(std::int64_t from) {
  if (stale_[at(from)] == 0) return;
  stale_[at(from)] = 0;
  for (std::int64_t to = 0; to < clusters_; ++to) {
    auto& heap = moves(from, to);
    while (!heap.empty() && labels_[at(heap.front().second)] != from) {
      std::ranges::pop_heap(heap, std::greater<>());
      heap.pop_back();
    }
    arcs_[at(from * clusters_ + to)] = heap.empty() ? no_way : heap.front().first;
  }
}

/// Shortest paths from the nearest source to every cluster (Bellman, Ford): costs of moves may be
/// negative, of cycles they are not.
void Transport::find_paths(const std::vector<char>& sources) {
  base::stop_point();
  ++paths_;
  for (std::int64_t k = 0; k < clusters_; ++k) {
    refresh(k);
    distance_[at(k)] = sources[at(k)] != 0 ? 0 : no_way;
    before_[at(k)] = -1;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::int64_t from = 0; from < clusters_; ++from) {
      if (distance_[at(from)] >= no_way / 2) continue;
      for (std::int64_t to = 0; to < clusters_; ++to) {
        const std::int64_t arc = arcs_[at(from * clusters_ + to)];
        if (arc == no_way || distance_[at(from)] + arc >= distance_[at(to)]) continue;
        distance_[at(to)] = distance_[at(from)] + arc;
        before_[at(to)] = from;
        changed = true;
      }
    }
  }
}

/// The sink with the shortest path.
std::int64_t Transport::cheapest(const std::vector<char>& sinks) const noexcept {
  std::int64_t best = -1;
  for (std::int64_t k = 0; k < clusters_; ++k) {
    if (sinks[at(k)] == 0) continue;
    if (best < 0 || distance_[at(k)] < distance_[at(best)]) best = k;
  }
  return best;
}

/// Moves one row along every arc of the path.
void Transport::walk(std::int64_t sink) {
  std::vector<std::pair<std::int32_t, std::int64_t>> changes;
  for (std::int64_t to = sink; before_[at(to)] >= 0; to = before_[at(to)]) {
    changes.emplace_back(moves(before_[at(to)], to).front().second, to);
  }
  for (const auto& [place, to] : changes) relabel(place, to);
}

void Transport::relabel(std::int32_t place, std::int64_t to) {
  const std::int64_t from = labels_[at(place)];
  labels_[at(place)] = static_cast<std::int32_t>(to);
  --counts_[at(from)];
  ++counts_[at(to)];
  stale_[at(from)] = stale_[at(to)] = 1;
  const std::int64_t now = cost_of(place, to);
  cost_ += now - cost_of(place, from);
  for (std::int64_t next = 0; next < clusters_; ++next) {
    if (next == to) continue;
    auto& heap = moves(to, next);
    heap.emplace_back(cost_of(place, next) - now, place);
    std::ranges::push_heap(heap, std::greater<>());
    if (std::ssize(heap) > 2 * counts_[at(to)] + few) tidy(to, heap);
  }
}

/// Leaves one move of each row that is there.
void Transport::tidy(std::int64_t from, std::vector<Move>& heap) {
  std::erase_if(heap, [&](const Move& move) { return labels_[at(move.second)] != from; });
  std::ranges::sort(heap);
  heap.erase(std::unique(heap.begin(), heap.end()), heap.end());
}

void Transport::keep_limits(std::span<const std::int64_t> least,
                            std::span<const std::int64_t> most) {
  std::vector<char> over(at(clusters_)), under(at(clusters_)), gives(at(clusters_)),
      takes(at(clusters_));
  while (true) {
    bool any_over = false;
    bool any_under = false;
    for (std::size_t k = 0; k < over.size(); ++k) {
      over[k] = counts_[k] > most[k] ? 1 : 0;
      under[k] = counts_[k] < least[k] ? 1 : 0;
      gives[k] = counts_[k] > least[k] ? 1 : 0;
      takes[k] = counts_[k] < most[k] ? 1 : 0;
      any_over = any_over || over[k] != 0;
      any_under = any_under || under[k] != 0;
    }
    if (!any_over && !any_under) return;
    find_paths(any_over ? over : gives);
    walk(cheapest(any_over ? takes : under));
  }
}

void Transport::descend(std::span<const std::int64_t> least, std::span<const std::int64_t> most) {
  std::vector<char> gives(at(clusters_)), takes(at(clusters_));
  while (true) {
    for (std::size_t k = 0; k < gives.size(); ++k) {
      gives[k] = counts_[k] > least[k] ? 1 : 0;
      takes[k] = counts_[k] < most[k] ? 1 : 0;
    }
    find_paths(gives);
    const std::int64_t sink = cheapest(takes);
    if (sink < 0 || distance_[at(sink)] >= 0) return;
    walk(sink);
  }
}

std::int64_t Transport::settle(std::span<const std::int64_t> least,
                               std::span<const std::int64_t> most) {
  keep_limits(least, most);
  descend(least, most);
  return cost_;
}

/// The last search for paths was from the clusters that may give to all others, and found none to a
/// cluster that may take whose length is negative: distances are a solution of the dual. Where none
/// may give all have as few as they may, and distances from the farthest are one.
std::span<const std::int64_t> Transport::prices() {
  if (std::ranges::any_of(distance_, [](std::int64_t d) { return d >= no_way / 2; })) {
    find_paths(std::vector<char>(at(clusters_), 1));
    const std::int64_t least = std::ranges::min(distance_);
    for (std::int64_t& distance : distance_) distance -= least;
  }
  return distance_;
}

}  // namespace fairfront::clustering
