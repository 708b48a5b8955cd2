#include "solvers/clustering/entry_list.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "parallel/exchange.hpp"
#include "solvers/clustering/ownership.hpp"

namespace fairfront::clustering {
namespace {

/// Share by which the busiest rank may exceed its fair part before entries change hands.
constexpr double imbalance_tolerance = 0.02;

/// The labels of an entry, and with them its centres.
template <class Label>
std::vector<std::byte> labels_of(const Solution<Label>& entry, bool with_centres) {
  const auto labels = std::as_bytes(std::span{entry.partition.labels()});
  std::vector<std::byte> bytes(labels.begin(), labels.end());
  if (with_centres) {
    const auto centres = std::as_bytes(std::span{entry.centres.values()});
    bytes.insert(bytes.end(), centres.begin(), centres.end());
  }
  return bytes;
}

}  // namespace

template <class Label>
EntryList<Label>::EntryList(const parallel::Comm& team, const Problem& problem)
    : team_{team},
      problem_{problem},
      centre_values_{Centres(problem).values().size()},
      points_{static_cast<std::size_t>(problem.objectives())},
      front_{static_cast<std::size_t>(problem.objectives())} {}

template <class Label>
void EntryList<Label>::replace(pareto::Points points, std::vector<int> owner,
                               std::vector<EntryPointer> entries) {
  for (EntryPointer& left : entries_) {
    if (left) spare_.push_back(std::move(left));
  }
  entries_ = std::move(entries);
  owner_ = std::move(owner);
  points_ = std::move(points);
  front_ = pareto::Front(points_);
}

template <class Label>
typename EntryList<Label>::EntryPointer EntryList<Label>::make_entry() {
  if (spare_.empty()) return std::make_unique<Entry>(problem_);
  EntryPointer entry = std::move(spare_.back());
  spare_.pop_back();
  return entry;
}

template <class Label>
typename EntryList<Label>::EntryPointer EntryList<Label>::make_copy(std::size_t position) {
  EntryPointer copy = make_entry();
  *copy = entry(position);
  return copy;
}

template <class Label>
std::size_t EntryList<Label>::packed_bytes() const {
  return Partition<Label>::bytes(problem_) + centre_values_ * sizeof(double);
}

template <class Label>
std::vector<std::byte> EntryList<Label>::pack(const Entry& entry) const {
  std::vector<std::byte> bytes(packed_bytes());
  const auto centres = std::as_bytes(std::span{entry.centres.values()});
  entry.partition.pack(bytes.data());
  std::ranges::copy(centres, bytes.end() - std::ssize(centres));
  return bytes;
}

template <class Label>
void EntryList<Label>::unpack(Entry& entry, const std::vector<std::byte>& bytes) const {
  entry.partition.unpack(bytes.data());
  const std::span centres = std::as_writable_bytes(std::span{entry.centres.values()});
  std::copy_n(bytes.end() - std::ssize(centres), centres.size(), centres.begin());
}

template <class Label>
std::int64_t EntryList<Label>::even_out() {
  const std::vector<Handover> handovers = rebalance(owner_, team_.size(), imbalance_tolerance);
  if (handovers.empty()) return 0;
  std::vector<std::size_t> arriving;
  parallel::Exchange exchange(team_);
  for (const Handover& handover : handovers) {
    EntryPointer& entry = entries_[handover.position];
    if (handover.from == team_.rank()) {
      exchange.send(handover.to, pack(*entry));
      spare_.push_back(std::move(entry));
    } else if (handover.to == team_.rank()) {
      exchange.receive(handover.from, packed_bytes());
      arriving.push_back(handover.position);
    }
    owner_[handover.position] = handover.to;
  }
  const std::vector<std::vector<std::byte>> received = exchange.finish();
  for (std::size_t i = 0; i < received.size(); ++i) {
    entries_[arriving[i]] = make_entry();
    unpack(*entries_[arriving[i]], received[i]);
  }
  return std::ssize(handovers);
}

template <class Label>
std::vector<std::vector<std::byte>> EntryList<Label>::gather(
    const std::vector<std::size_t>& positions, bool with_centres) const {
  const std::size_t labels = static_cast<std::size_t>(problem_.points()) * sizeof(Label);
  const std::size_t centres = with_centres ? centre_values_ * sizeof(double) : 0;
  parallel::Exchange exchange(team_);
  for (const std::size_t position : positions) {
    if (team_.is_root() && !owned(position)) exchange.receive(owner_[position], labels + centres);
    if (!team_.is_root() && owned(position)) {
      exchange.send(0, labels_of(*entries_[position], with_centres));
    }
  }
  std::vector<std::vector<std::byte>> received = exchange.finish();
  std::vector<std::vector<std::byte>> all;
  if (!team_.is_root()) return all;
  auto next = received.begin();
  for (const std::size_t position : positions) {
    all.push_back(owned(position) ? labels_of(*entries_[position], with_centres)
                                  : std::move(*next++));
  }
  return all;
}

template class EntryList<std::uint8_t>;
template class EntryList<std::uint16_t>;

}  // namespace fairfront::clustering
