/// @file
/// From a point of a front that may be weakly efficient only to an efficient one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "solvers/alternating/front_surface.hpp"
#include "solvers/alternating/level_merit.hpp"
#include "solvers/alternating/objective_cuts.hpp"

namespace fairfront::alternating {

/// Beyond so many variables its quadratic programs would take longer than what they are for.
inline constexpr std::int64_t most_variables_of_second_stage = 100;

inline constexpr double second_stage_slack = 1e-4;  ///< of a range: an objective may rise so much
inline constexpr double second_stage_gap = 1e-4;    ///< of the ranges, of the sum at its end

/// What is minimised, and what may not become worse, is measured so: u_i = (f_i - lowest) / range.
struct SurfaceUnits {
  std::array<double, 3> lowest{};
  std::array<double, 3> range{1, 1, 1};
};

/// Solves, from a point y,
///
///     min u_1 + u_2 + u_3   subject to   u_i(x) <= u_i(y) for every i, x in the box,
///
/// whose minimisers are efficient whatever y is: what dominated one would have a smaller sum and
/// keep the bounds (H. P. Benson, J. Optim. Theory Appl. 26(4), 1978; it is what AUGMECON's small
/// multiples of the slacks do in G. Mavrotas, Appl. Math. Comput. 213(2), 2009, without a factor to
/// choose). Where objectives bend and y is all but efficient, the points within the bounds are a
/// thin lens. What exceeds a bound therefore has a price, a thousand times what it is of the sum,
/// ten times as much where the end exceeds one by more than `second_stage_slack`: minimisers of
/// this sum are efficient too. By a bundle method: steps to the least of a model of the objectives,
/// ObjectiveCuts, and a multiple of the distance (C. Lemarechal, "Bundle methods in nonsmooth
/// optimization", 1978). What has been looked at near by before, at no cost, is where it begins.
///
/// Of convex objectives the end is certified: the sum cannot be less by more than
/// `second_stage_gap`. Kinks of straight pieces take few rounds, and so do objectives that tell how
/// convex they are (KnowsConvexity). Where others bend the end is as good, and may not be proven.
class SecondStage {
 public:
  /// @param widths  of the box's intervals, shape (n,).
  SecondStage(Oracle<3>& oracle, const SurfaceUnits& units, std::span<const double> widths);

  /// Moves a point, with its values and weights. Draws on the oracle's budget, at most 40 gradients
  /// of each objective.
  /// @return  whether the end is proven: then no point of the box has a sum of the objectives, with
  ///          the weights, that is less by more than `second_stage_gap`; where not, the point is as
  ///          good as before or better.
  bool improve(SurfacePoint& point);

  /// Moves a point to the least of sum_i u_i + price max_i (u_i - levels_i): efficient, too, and
  /// where no objective lies below, u_i = levels_i + t for every i. Kinks are no matter. Draws as
  /// many gradients as improve() at most.
  /// @return  whether the end is proven, as improve() has it.
  bool reach(SurfacePoint& point, const std::array<double, 3>& levels);

  /// Of a place that somebody else has drawn gradients for. The last ones are remembered.
  void observe(std::span<const double> x, const std::array<double, 3>& values,
               const std::array<std::vector<double>, 3>& gradients);

 private:
  using Values = std::array<double, 3>;

  [[nodiscard]] const ObjectiveLook& look_at(std::span<const double> x, const Values& values);
  [[nodiscard]] std::vector<double> point_at(const Eigen::VectorXd& place) const;
  [[nodiscard]] const ObjectiveLook* begin_at(const SurfacePoint& point);
  /// @param levels  null: not to be worse than the point.
  bool move(SurfacePoint& point, const std::array<double, 3>* levels);
  bool descend_from(const ObjectiveLook& start, SurfacePoint& point);
  [[nodiscard]] bool keeps_bounds(const ObjectiveLook& look) const;
  [[nodiscard]] const ObjectiveLook& best_look() const;

  Oracle<3>& oracle_;
  SurfaceUnits units_;
  std::span<const double> widths_;
  ObjectiveCuts cuts_;
  PenalisedSum sum_;
  std::deque<ObjectiveLook> known_;  ///< the oldest first
};

}  // namespace fairfront::alternating
