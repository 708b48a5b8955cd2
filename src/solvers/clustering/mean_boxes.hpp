/// @file
/// A proven bound of the cheapest priced cluster, by boxes that its mean may lie in.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "solvers/clustering/cluster_pricing.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::clustering {

struct MeanBoxesOptions {
  std::int64_t boxes = 200'000;  ///< looked at, at most
  double tolerance = 0;          ///< ends when no box is farther below the best cluster, >= 0
  std::int64_t enough = 20;      ///< ends when so many better clusters have been met
  double margin = 0;             ///< clusters that are better by no more are none, >= 0
  std::int64_t stride = 20;      ///< a descent from the centre of every such box that is halved
};

struct MeanBoxesResult {
  double lower = 0;  ///< proven: no cluster has a smaller value, rounding included
  double best = 0;   ///< value of the best cluster known, those met included
  std::int64_t boxes = 0;
  bool complete = false;           ///< lower >= best - tolerance
  std::vector<PricedCluster> met;  ///< different ones, better than those known by half a tolerance
};

/// Best first branch and bound for min_C cost(C) - pi(C) over the clusters of a ClusterPricing.
///
/// A cluster C whose mean m lies in the box with centre c and squared half diagonal r^2 has
///     cost(C) - pi(C) = sum_{p in C} (|x_p - c|^2 - pi_p) - |C| |m - c|^2
///                    >= sum_{p in C} (|x_p - c|^2 - pi_p - r^2) >= phi(c) with slack r^2.
/// Every mean lies in the box around all points. The box of least bound is halved along its longest
/// side. Descents from centres of boxes find clusters that are better than those known.
///
/// Proof in floating point: r^2 is rounded up, and ClusterPricing::rounding() is taken off the
/// bound of every box, so that a box is done only where that leaves it good enough.
///
/// @param best     value of the best cluster known.
/// @param between  called for every box; what it throws ends the work.
/// @param control  of checkpoints, between two boxes.
/// @throws base::CheckpointError  `control` has a state to go on from that is of another problem.
[[nodiscard]] MeanBoxesResult bound_by_mean_boxes(ClusterPricing& pricing, double best,
                                                  const MeanBoxesOptions& options,
                                                  const std::function<void()>& between,
                                                  const solvers::Control& control = {});

}  // namespace fairfront::clustering
