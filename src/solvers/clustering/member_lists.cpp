#include "solvers/clustering/member_lists.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/clustering/member_search.hpp"

namespace fairfront::clustering {
namespace {

double squared_between(const double* x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

}  // namespace

float MemberList::within_reach(float least, std::span<const double> towards) const {
  const double moved = std::sqrt(squared_between(from.data(), towards));
  const double reach = std::sqrt(double{least}) + 2 * moved;
  return static_cast<float>(reach * reach * (1 + 1e-6) + std::numeric_limits<float>::min());
}

float MemberList::least() const noexcept {
  constexpr std::size_t lanes = 8;
  float least[lanes];
  std::ranges::fill(least, squared.front());
  std::size_t i = 0;
  for (; i + lanes <= squared.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const float value = squared[i + lane];
      least[lane] = value < least[lane] ? value : least[lane];
    }
  }
  for (; i < squared.size(); ++i) least[0] = std::min(least[0], squared[i]);
  return std::ranges::min(least);
}

template <class Label>
const MemberList& MemberLists<Label>::find(const Partition<Label>& partition, const SwapSide& side,
                                           std::span<const LabelChange<Label>> changes) {
  const auto concern = [&](const LabelChange<Label>& change) { return concerns(side, change); };
  const bool changed = std::ranges::any_of(changes, concern);
  const auto end = kept_.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto found = std::find_if(kept_.begin(), end, [&](const Kept& kept) {
    return kept.cluster == side.cluster && kept.groups == side.groups.data() &&
           kept.towards == side.towards;
  });
  if (found != end) {
    if (!changed) return found->list;
    changed_ = found->list;
    for (const LabelChange<Label>& change : changes) {
      if (concern(change)) follow(changed_, side, change.point, change.from, change.to);
    }
    return changed_;
  }
  if (count_ == kept_.size()) kept_.emplace_back();
  Kept& kept = kept_[count_++];
  kept.cluster = side.cluster;
  kept.groups = side.groups.data();
  kept.towards = side.towards;
  fill(kept.list, partition, side);
  if (!changed) return kept.list;
  changed_ = kept.list;
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    if (concern(*change)) follow(kept.list, side, change->point, change->to, change->from);
  }
  return changed_;
}

template <class Label>
void MemberLists<Label>::fill(MemberList& list, const Partition<Label>& partition,
                              const SwapSide& side) const {
  list.from.assign(side.centre.begin(), side.centre.end());
  list.members.clear();
  for (const std::int64_t group : side.groups) {
    partition.append_members(problem_, side.cluster, group, list.members);
  }
  list.squared.resize(list.members.size());
  static const MeasureRows measure = member_search(base::simd()).measure;
  measure({problem_.point(0), problem_.columns(), list.members.data(), std::ssize(list.members),
           list.from.data()},
          list.squared.data());
}

template <class Label>
float MemberLists<Label>::squared_from(const MemberList& list, std::int64_t point) const {
  return static_cast<float>(squared_between(problem_.point(point), list.from));
}

template <class Label>
bool MemberLists<Label>::concerns(const SwapSide& side, const LabelChange<Label>& change) const {
  if (change.from != side.cluster && change.to != side.cluster) return false;
  return std::ranges::find(side.groups, problem_.group_of(change.point)) != side.groups.end();
}

/// Takes a point out that leaves, or puts one in that comes.
template <class Label>
void MemberLists<Label>::follow(MemberList& list, const SwapSide& side, std::int64_t point,
                                Label from, Label to) const {
  const auto member = std::ranges::lower_bound(list.members, point);
  const auto squared = list.squared.begin() + (member - list.members.begin());
  if (from == side.cluster) {
    list.members.erase(member);
    list.squared.erase(squared);
  } else if (to == side.cluster) {
    list.squared.insert(squared, squared_from(list, point));
    list.members.insert(member, static_cast<std::int32_t>(point));
  }
}

template class MemberLists<std::uint8_t>;
template class MemberLists<std::uint16_t>;

}  // namespace fairfront::clustering
