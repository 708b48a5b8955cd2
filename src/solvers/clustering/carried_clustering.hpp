/// @file
/// Clusterings of a sample, carried over to all points.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "solvers/clustering/clustering.hpp"
#include "solvers/clustering/comparisons.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// A clustering as a rule for every point x of group j: the cluster k with the least
/// |x - c_k|^2 - L_jk. With the centres fixed, labels by such a rule are the cheapest of all with
/// the same counts of every group in every cluster (duality of the transportation problem).
struct CarriedClustering {
  double floor = 0;                ///< on the balance
  std::vector<double> centres;     ///< c, shape (K, d)
  std::vector<double> potentials;  ///< L, shape (J, K)
  std::int64_t comparisons = 0;    ///< of the sample's rows, to find it
};

/// Points of a front and their labels alone: those nearest to `count` places that are evenly spaced
/// along it, both objectives scaled to their range.
[[nodiscard]] ClusteringFront spaced_front(const ClusteringFront& front, std::int64_t count);

/// Of things that ranks part among themselves: number `first` and every `step`-th after it.
struct Share {
  std::size_t first = 0;
  std::size_t step = 1;
};

/// Clusterings of a sample's front as rules for all points, by ascending floor: a share of them.
/// The potentials are such that the rule gives the sample nearly the counts that it has: one
/// cluster after the other gets the L_jk that makes its own count right, until all are.
/// Floors are scaled from the sample's bound on the balance to the problem's; the first is 0.
/// @param between  called now and then; what it throws ends the work.
[[nodiscard]] std::vector<CarriedClustering> carry_front(const Problem& sample,
                                                         const ClusteringFront& front,
                                                         const Problem& problem, Share share,
                                                         const std::function<void()>& between);

/// What the rule says. Shape (N,), in the problem's order, no cluster empty: see
/// refill_empty_clusters. O(N K d).
template <class Label>
[[nodiscard]] CountedLabels<Label> labels_by_rule(const Problem& problem,
                                                  const CarriedClustering& rule,
                                                  const std::function<void()>& between);

}  // namespace fairfront::clustering
