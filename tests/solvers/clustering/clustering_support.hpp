/// @file
/// What the tests of the methods with one clustering share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "solvers/clustering/clustering.hpp"
#include "solvers/clustering/small_problems.hpp"

namespace fairfront::clustering {

/// Labels of either width as integers, in the data set's row order.
inline std::vector<std::int64_t> as_integers(const LabelVector& labels) {
  return std::visit(
      [](const auto& values) { return std::vector<std::int64_t>(values.begin(), values.end()); },
      labels);
}

/// The labels have the objectives that the clustering claims, no cluster is empty, and the balance
/// does not exceed its bound.
inline void expect_consistent(const data::Dataset& dataset, std::int64_t clusters,
                              const Clustering& clustering) {
  const std::vector<std::int64_t> labels = as_integers(clustering.labels);
  ASSERT_EQ(std::ssize(labels), dataset.rows);
  std::vector<int> sizes(static_cast<std::size_t>(clusters), 0);
  for (const std::int64_t label : labels) ++sizes.at(static_cast<std::size_t>(label));
  EXPECT_EQ(std::ranges::count(sizes, 0), 0);
  const std::vector<std::uint16_t> narrow(labels.begin(), labels.end());
  const std::span<const std::uint16_t> span{narrow};
  EXPECT_NEAR(naive_cost(dataset, clusters, span), clustering.cost, 1e-12);
  EXPECT_EQ(naive_balance(dataset, clusters, span), clustering.balance);
  EXPECT_LE(clustering.balance, Problem(dataset, clusters).balance_bound());
}

/// Every reported point is what its labels have.
inline void expect_consistent_front(const data::Dataset& dataset, std::int64_t clusters,
                                    const ClusteringFront& front) {
  ASSERT_EQ(front.points.size(), 2 * front.labels.size());
  for (std::size_t i = 0; i < front.labels.size(); ++i) {
    expect_consistent(dataset, clusters,
                      {front.points[2 * i], front.points[2 * i + 1], front.labels[i]});
  }
}

inline bool same_bits(const Clustering& a, const Clustering& b) {
  return a.cost == b.cost && a.balance == b.balance && a.labels == b.labels;
}

}  // namespace fairfront::clustering
