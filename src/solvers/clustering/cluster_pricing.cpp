#include "solvers/clustering/cluster_pricing.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace fairfront::clustering {

using base::at;

namespace {

constexpr double rounding_unit = 0x1p-53;
constexpr double rounding_guard = 1.01;  // of the terms in u^2, and of the magnitude's own rounding

}  // namespace

ClusterPricing::ClusterPricing(const Problem& problem, double floor)
    : points_{problem.points()},
      columns_{problem.columns()},
      floor_{floor},
      coordinates_(at(points_ * columns_)),
      potentials_(at(points_), 0.0),
      values_(at(points_), 0.0),
      groups_(at(problem.groups())) {
  for (std::int64_t p = 0; p < points_; ++p) {
    for (std::int64_t i = 0; i < columns_; ++i) {
      coordinates_[at(i * points_ + p)] = problem.point(p)[i];
    }
  }
  for (std::int64_t i = 0; i < columns_; ++i) {
    const auto [least, greatest] = std::ranges::minmax(column(i));
    squared_diameter_ += (greatest - least) * (greatest - least);
  }
  for (std::int64_t j = 0; j < problem.groups(); ++j) {
    groups_[at(j)].begin = problem.group_begin(j);
    groups_[at(j)].end = problem.group_begin(j + 1);
  }
  set_potentials(potentials_);
}

std::span<const double> ClusterPricing::column(std::int64_t i) const noexcept {
  return std::span(coordinates_).subspan(at(i * points_), at(points_));
}

void ClusterPricing::set_potentials(std::span<const double> potentials) {
  potentials_.assign(potentials.begin(), potentials.end());
  magnitude_ = 0;
  for (const double potential : potentials) magnitude_ += std::abs(potential);
  const auto points = static_cast<double>(points_);
  const double operations =
      points + static_cast<double>(groups_.size()) + static_cast<double>(columns_) + 8;
  rounding_ =
      rounding_guard * operations * rounding_unit * (magnitude_ + 2 * points * squared_diameter_);
}

double ClusterPricing::rounding(double value, double slack) const noexcept {
  if (fewest(points_) > 0) return rounding_;
  const auto points = static_cast<double>(points_);
  const double operations =
      points + static_cast<double>(groups_.size()) + 4 * static_cast<double>(columns_) + 16;
  return rounding_guard * operations * rounding_unit *
         (magnitude_ + points * slack + std::max(0.0, value));
}

std::int64_t ClusterPricing::fewest(std::int64_t most) const noexcept {
  return static_cast<std::int64_t>(std::ceil(floor_ * static_cast<double>(most) - 1e-9));
}

std::int64_t ClusterPricing::wanted(const Group& group, std::int64_t most) const noexcept {
  return std::clamp(group.negative, fewest(most), most);
}

std::int64_t ClusterPricing::greatest_for(std::int64_t count, std::int64_t most) const noexcept {
  if (fewest(most) <= count) return std::max<std::int64_t>(most, 1);
  const double quotient = static_cast<double>(count) / floor_;  // the floor is above 0 here
  auto result =
      quotient < static_cast<double>(most) ? static_cast<std::int64_t>(quotient) + 1 : most;
  result = std::clamp<std::int64_t>(result, 1, std::max<std::int64_t>(most, 1));
  while (result > 1 && fewest(result) > count) --result;
  return result;
}

void ClusterPricing::set_values(const double* centre, double slack) {
  double* const values = values_.data();
  for (std::int64_t p = 0; p < points_; ++p) values[p] = -potentials_[at(p)] - slack;
  for (std::int64_t i = 0; i < columns_; ++i) {
    const double* const x = coordinates_.data() + i * points_;
    const double c = centre[i];
    for (std::int64_t p = 0; p < points_; ++p) values[p] += (x[p] - c) * (x[p] - c);
  }
}

void ClusterPricing::count_negative(Group& group) const {
  group.negative = 0;
  group.negative_sum = 0;
  for (std::int64_t p = group.begin; p < group.end; ++p) {
    const double value = values_[at(p)];
    group.negative += value < 0 ? 1 : 0;
    group.negative_sum += value < 0 ? value : 0.0;
  }
}

/// Sets `next` to the values in places least .. most - 1 of the sorted group.
/// @return the sum of the values before them.
double ClusterPricing::take_smallest(Group& group, std::int64_t least, std::int64_t most) const {
  group.next.clear();
  group.at = 0;
  group.taken = least;
  group.best = least;
  if (least == group.negative && most == group.negative) return group.negative_sum;
  // Those before or behind the sign's change are left out where that is known to be right.
  const bool below = most <= group.negative;
  const bool above = least >= group.negative;
  for (std::int64_t p = group.begin; p < group.end; ++p) {
    const double value = values_[at(p)];
    if (below ? value < 0 : !above || value >= 0) group.next.push_back(value);
  }
  const std::int64_t skipped = above ? group.negative : 0;
  const auto first = group.next.begin() + (least - skipped);
  const auto last = group.next.begin() + (most - skipped);
  if (last != group.next.end()) std::nth_element(group.next.begin(), last, group.next.end());
  if (first != last) std::nth_element(group.next.begin(), first, last);
  const double sum = std::accumulate(group.next.begin(), first, above ? group.negative_sum : 0.0);
  group.next.erase(last, group.next.end());
  group.next.erase(group.next.begin(), first);
  std::ranges::sort(group.next);
  return sum;
}

/// Goes through M = from + 1 .. to. @param sum  at M = from. @return the least.
double ClusterPricing::grow(std::int64_t from, std::int64_t to, double sum) {
  double best = sum;
  for (std::int64_t most = from + 1; most <= to; ++most) {
    for (Group& group : groups_) {
      for (const std::int64_t count = wanted(group, most); group.taken < count; ++group.taken) {
        sum += group.next[group.at++];
      }
    }
    if (sum >= best) continue;
    best = sum;
    for (Group& group : groups_) group.best = group.taken;
  }
  return best;
}

double ClusterPricing::least_value() const { return std::ranges::min(values_); }

double ClusterPricing::least(const double* centre, double slack) {
  set_values(centre, slack);
  std::int64_t rarest = points_;
  std::int64_t top = 1;
  for (Group& group : groups_) {
    count_negative(group);
    rarest = std::min(rarest, group.negative);
    top = std::max(top, group.negative);
  }
  // As M grows the sum falls until a group has to take more than its negative values.
  for (const Group& group : groups_) top = greatest_for(group.end - group.begin, top);
  const std::int64_t from = greatest_for(rarest, top);
  double sum = 0;
  std::int64_t members = 0;
  for (Group& group : groups_) {
    sum += take_smallest(group, wanted(group, from), wanted(group, top));
    members += group.taken;
  }
  return members == 0 ? least_value() : grow(from, top, sum);
}

std::vector<std::vector<std::int32_t>> members_of(std::span<const PricedCluster> clusters) {
  std::vector<std::vector<std::int32_t>> all;
  for (const PricedCluster& cluster : clusters) all.push_back(cluster.members);
  return all;
}

PricedCluster ClusterPricing::minimiser() {
  const auto before = [&](std::int32_t p, std::int32_t q) {
    const double here = values_[at(p)];
    const double there = values_[at(q)];
    return here < there || (here == there && p < q);
  };
  std::vector<std::int32_t> members;
  for (const Group& group : groups_) {
    order_.resize(at(group.end - group.begin));
    std::iota(order_.begin(), order_.end(), static_cast<std::int32_t>(group.begin));
    const auto last = order_.begin() + group.best;
    if (last != order_.end()) std::nth_element(order_.begin(), last, order_.end(), before);
    members.insert(members.end(), order_.begin(), last);
  }
  if (members.empty()) {
    members.push_back(
        static_cast<std::int32_t>(std::ranges::min_element(values_) - values_.begin()));
  }
  std::ranges::sort(members);
  return cluster_of(std::move(members));
}

PricedCluster ClusterPricing::cluster_of(std::vector<std::int32_t> members) const {
  PricedCluster cluster;
  cluster.bits.assign(at((points_ + 63) / 64), 0);
  for (const std::int32_t p : members) cluster.bits[at(p / 64)] |= std::uint64_t{1} << (p % 64);
  for (std::int64_t i = 0; i < columns_; ++i) {
    const std::span<const double> x = column(i);
    double sum = 0;
    for (const std::int32_t p : members) sum += x[at(p)];
    const double mean = sum / static_cast<double>(members.size());
    for (const std::int32_t p : members) cluster.cost += (x[at(p)] - mean) * (x[at(p)] - mean);
    cluster.mean.push_back(mean);
  }
  cluster.members = std::move(members);
  return cluster;
}

PricedCluster ClusterPricing::kept_cluster(std::vector<std::int32_t> members) const {
  const bool ascends = std::ranges::adjacent_find(members, std::greater_equal{}) == members.end();
  if (members.empty() || members.front() < 0 || members.back() >= points_ || !ascends) {
    throw base::CheckpointError("a checkpoint has clusters of another problem");
  }
  return cluster_of(std::move(members));
}

double ClusterPricing::value(const PricedCluster& cluster) const noexcept {
  double value = cluster.cost;
  for (const std::int32_t p : cluster.members) value -= potentials_[at(p)];
  return value;
}

ClusterPricing::Descent ClusterPricing::descend(std::vector<double> centre) {
  constexpr int most_rounds = 50;
  Descent best{{}, std::numeric_limits<double>::infinity()};
  for (int round = 0; round < most_rounds; ++round) {
    static_cast<void>(least(centre.data(), 0));
    PricedCluster cluster = minimiser();
    const double now = value(cluster);
    if (!(now < best.value)) break;
    centre = cluster.mean;
    best = {std::move(cluster), now};
  }
  return best;
}

}  // namespace fairfront::clustering
