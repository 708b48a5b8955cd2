/// @file
/// What tasks have proven about the points of fronts: how far from the best each can be.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "results/content.hpp"

namespace fairfront::results {

/// No solution of the task's problem whose second objective, which is maximised, is at least
/// `floor` has a smaller first objective, which is minimised.
struct ProvenBound {
  std::size_t task = 0;  ///< that has proven it
  double floor = 0;
  double lower = 0;  ///< of the first objective
};

/// Of all done tasks of the method `lower_bound` of experiment `clustering`, in their order; empty
/// for other experiments.
[[nodiscard]] std::vector<ProvenBound> proven_bounds(const Content& content);

/// Whether both tasks, of whatever methods, have the same values on all axes of shared sections:
/// the data, the number of clusters.
[[nodiscard]] bool same_problem(const Content& content, std::size_t task, std::size_t other);

/// What is proven of one point of a front; NaN where nothing is.
struct ProvenPoint {
  double lower = std::numeric_limits<double>::quiet_NaN();
  double gap = std::numeric_limits<double>::quiet_NaN();  ///< see relative_gap()
};

/// For every point of a task the greatest bound of its problem whose floor its second objective
/// reaches. Shape (points of the task,); empty where no bound is of its problem.
[[nodiscard]] std::vector<ProvenPoint> proven_points(const Content& content,
                                                     const FrontGroup& group, std::size_t task,
                                                     const std::vector<ProvenBound>& bounds);

/// (value - lower) / value: nothing at the floor is better by more. A value that is zero up to its
/// own rounding has the gap 0.
/// @param largest  the value that a front's reference point has: rounding is below 2^-76 of it, as
///                 costs are sums of fewer than 2^26 terms with twice the digits of a double.
[[nodiscard]] double relative_gap(double value, double lower, double largest);

/// The point of least first objective, among all methods, to which a bound applies.
struct BestPoint {
  std::size_t task = 0;
  double value = 0;  ///< its first objective
  double gap = 0;    ///< relative_gap()
};
[[nodiscard]] std::optional<BestPoint> best_point(const Content& content, const ProvenBound& bound);

}  // namespace fairfront::results
