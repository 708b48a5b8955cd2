/// @file
/// A proven bound of the cost of two clusters of two groups, by boxes that both means may lie in.
#pragma once

#include <cstdint>
#include <functional>

#include "solvers/clustering/problem.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::clustering {

struct PairBoxesOptions {
  double floor = 0;              ///< on the balance of both clusters, as BalancedSearch holds it
  double known = 0;              ///< cost f1 of a clustering at the floor
  double tolerance = 0;          ///< ends when no pair of boxes is farther below it, a share of it
  std::int64_t boxes = 200'000;  ///< pairs looked at, at most
};

struct PairBoxesResult {
  double cost_lower = 0;  ///< proven: no clustering at the floor costs less, rounding included
  std::int64_t boxes = 0;
  double rounding = 0;    ///< cost that is taken off for errors of rounding
  bool complete = false;  ///< the bound is within the tolerance, rounding included
};

/// Whether a problem has two clusters and two groups.
[[nodiscard]] bool has_pair_boxes(const Problem& problem);

/// Best first branch and bound over pairs of boxes, for what the linear relaxation of set
/// partitioning leaves open. With the means in boxes with centres c, e and squared half diagonals
/// r^2, s^2 the cost is at least
///     sum_{p in C} (|x_p - c|^2 - r^2) + sum_{p not in C} (|x_p - e|^2 - s^2).
/// With n_j points of group j in the first cluster they are those whose change v_p between the two
/// terms is least. For every n_1 the floors of both clusters leave an interval of n_2, in which the
/// number of negative v_p, or the nearest to it, is best. O(N d + N log N) a pair of boxes, in 2 d
/// dimensions. Clusters have no names: the first one has the smaller mean along the first column.
///
/// Proof in floating point: what rounding may add is taken off. With D the diagonal of the box
/// around all points, every sum has at most 2 N + d + 16 roundings of terms whose magnitudes sum to
/// at most 6 N D^2.
///
/// @param between  called for every pair; what it throws ends the work.
/// @param control  of checkpoints, between two boxes.
/// @throws base::CheckpointError  `control` has a state to go on from that is of another problem.
[[nodiscard]] PairBoxesResult bound_by_pair_boxes(const Problem& problem,
                                                  const PairBoxesOptions& options,
                                                  const std::function<void()>& between,
                                                  const solvers::Control& control = {});

/// The same of a cost that is claimed: proven when `cost_lower` of the result is no smaller. What
/// bound_by_pair_boxes() has proven takes no more pairs here.
/// @param claim  a cost, > 0.
/// @param boxes  pairs looked at, at most.
[[nodiscard]] PairBoxesResult prove_by_pair_boxes(const Problem& problem, double floor,
                                                  double claim, std::int64_t boxes,
                                                  const std::function<void()>& between);

}  // namespace fairfront::clustering
