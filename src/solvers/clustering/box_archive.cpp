#include "solvers/clustering/box_archive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace fairfront::clustering {

template <class Label>
BoxArchive<Label>::BoxArchive(const Problem& problem, std::int64_t boxes)
    : problem_{problem},
      width_{problem.balance_bound() / static_cast<double>(boxes)},
      entries_(static_cast<std::size_t>(boxes)),
      least_cost_(entries_.size() + 1, std::numeric_limits<double>::infinity()) {}

template <class Label>
std::size_t BoxArchive<Label>::box_of(double balance) const noexcept {
  return std::min(static_cast<std::size_t>(balance / width_), entries_.size() - 1);
}

/// What a clustering in this box would add to the hypervolume of all other boxes: for every balance
/// below its own, how much cheaper it is than what they have at that balance or above.
template <class Label>
double BoxArchive<Label>::contribution(std::size_t box, double cost, double balance) const {
  double least = std::min(least_cost_[box + 1], problem_.total_variance());
  double area = 0;
  for (std::size_t b = box; b-- > 0 && cost < least;) {
    const Entry& below = entries_[b];
    if (below.empty() || below.cost >= least) continue;
    area += (least - cost) * (balance - below.balance);
    balance = below.balance;
    least = below.cost;
  }
  return cost < least ? area + (least - cost) * balance : area;
}

template <class Label>
bool BoxArchive<Label>::offer(const Partition<Label>& partition) {
  const double cost = partition.cost(problem_);
  const double balance = partition.bottleneck().balance.value();
  const std::size_t box = box_of(balance);
  if (cost >= least_cost_[box + 1]) return false;
  const Entry& entry = entries_[box];
  // Where all points coincide every cost is 0, and there is no hypervolume.
  if (problem_.total_variance() == 0) {
    if (!(balance > entry.balance)) return false;
    put(box, cost, balance, partition);
    return true;
  }
  const double had = entry.empty() ? 0 : contribution(box, entry.cost, entry.balance);
  // Without hypervolume: balance 0, or the very first one, no cheaper than one cluster.
  const bool cheapest = cost < least_cost_[0] && std::max(entry.balance, 0.0) == 0 &&
                        (balance == 0 || std::isinf(least_cost_[0]));
  if (!cheapest && !(contribution(box, cost, balance) > had)) return false;
  put(box, cost, balance, partition);
  return true;
}

template <class Label>
bool BoxArchive<Label>::put_back(const Partition<Label>& partition) {
  const double balance = partition.bottleneck().balance.value();
  const std::size_t box = box_of(balance);
  const bool empty = entries_[box].empty();
  put(box, partition.cost(problem_), balance, partition);
  return empty;
}

template <class Label>
void BoxArchive<Label>::put(std::size_t box, double cost, double balance,
                            const Partition<Label>& partition) {
  Entry& entry = entries_[box];
  entry.cost = cost;
  entry.balance = balance;
  entry.labels.assign(partition.labels().begin(), partition.labels().end());  // in its own memory
  update_least_costs(box);
  hypervolume_.reset();
}

template <class Label>
void BoxArchive<Label>::update_least_costs(std::size_t box) {
  for (std::size_t b = box + 1; b-- > 0;) {
    const Entry& entry = entries_[b];
    const double least =
        entry.empty() ? least_cost_[b + 1] : std::min(entry.cost, least_cost_[b + 1]);
    if (b < box && least == least_cost_[b]) return;  // nothing further down changes, either
    least_cost_[b] = least;
  }
}

template <class Label>
const typename BoxArchive<Label>::Entry* BoxArchive<Label>::cheapest_from(double balance) const {
  const Entry* best = nullptr;
  for (std::size_t b = box_of(balance); b < entries_.size(); ++b) {
    if (entries_[b].empty()) continue;
    if (best == nullptr || entries_[b].cost < best->cost) best = &entries_[b];
  }
  return best;
}

template <class Label>
std::vector<std::size_t> BoxArchive<Label>::nondominated() const {
  std::vector<std::size_t> boxes;
  for (std::size_t b = 0; b < entries_.size(); ++b) {
    if (!entries_[b].empty() && entries_[b].cost < least_cost_[b + 1]) boxes.push_back(b);
  }
  return boxes;
}

template <class Label>
double BoxArchive<Label>::hypervolume() const {
  if (!hypervolume_) hypervolume_ = measure();
  return *hypervolume_;
}

template <class Label>
double BoxArchive<Label>::measure() const {
  double area = 0;
  double balance = 0;
  double least = problem_.total_variance();
  for (std::size_t b = entries_.size(); b-- > 0;) {
    const Entry& entry = entries_[b];
    if (entry.empty() || entry.cost >= least) continue;
    area += (problem_.total_variance() - least) * (balance - entry.balance);
    balance = entry.balance;
    least = entry.cost;
  }
  return area + (problem_.total_variance() - least) * balance;
}

template <class Label>
ClusteringFront BoxArchive<Label>::take_front() {
  std::vector<Clustering> all;
  for (const std::size_t box : nondominated()) {
    Entry& entry = entries_[box];
    all.push_back(
        {entry.cost, entry.balance, labels_by_row(problem_, std::span<const Label>{entry.labels})});
    entry.labels = {};
  }
  entries_.assign(entries_.size(), {});
  std::ranges::fill(least_cost_, std::numeric_limits<double>::infinity());
  hypervolume_.reset();
  return front_of(problem_, std::move(all));
}

template class BoxArchive<std::uint8_t>;
template class BoxArchive<std::uint16_t>;

}  // namespace fairfront::clustering
