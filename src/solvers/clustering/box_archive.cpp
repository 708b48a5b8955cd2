#include "solvers/clustering/box_archive.hpp"

#include <optional>
#include <utility>

namespace fairfront::clustering {

template <class Label>
BoxArchive<Label>::BoxArchive(const Problem& problem, std::int64_t boxes)
    : problem_{problem}, front_{problem, boxes}, entries_(static_cast<std::size_t>(boxes)) {}

template <class Label>
bool BoxArchive<Label>::offer(const Partition<Label>& partition) {
  return offer(partition.cost(problem_), partition.bottleneck().balance.value(),
               partition.labels());
}

template <class Label>
bool BoxArchive<Label>::offer(double cost, double balance, std::span<const Label> labels) {
  const std::optional<std::size_t> box = front_.offer(cost, balance);
  if (box) keep(*box, labels);
  return box.has_value();
}

template <class Label>
bool BoxArchive<Label>::put_back(const Partition<Label>& partition) {
  const double balance = partition.bottleneck().balance.value();
  const bool empty = entries_[front_.box_of(balance)].empty();
  keep(front_.put(partition.cost(problem_), balance), partition.labels());
  return empty;
}

template <class Label>
void BoxArchive<Label>::keep(std::size_t box, std::span<const Label> labels) {
  Entry& entry = entries_[box];
  entry.cost = front_.points()[box].cost;
  entry.balance = front_.points()[box].balance;
  entry.labels.assign(labels.begin(), labels.end());  // in its own memory
}

template <class Label>
const typename BoxArchive<Label>::Entry* BoxArchive<Label>::cheapest_from(double balance) const {
  const std::optional<std::size_t> box = front_.cheapest_from(balance);
  return box ? &entries_[*box] : nullptr;
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
  front_.clear();
  return front_of(problem_, std::move(all));
}

template class BoxArchive<std::uint8_t>;
template class BoxArchive<std::uint16_t>;

}  // namespace fairfront::clustering
