/// @file
/// The front of three objectives, a surface, found cell by cell.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "solvers/alternating/epsilon_constraint.hpp"

namespace fairfront::alternating {

struct FrontSurfaceOptions {
  std::int64_t samples = 2000;           ///< points of the box whose values are compared, >= 1
  std::int64_t starts = 12;              ///< nondominated samples to begin at, >= 1
  double spacing = 0.033;                ///< of the grid, a share of the front's ranges, > 0
  std::int64_t most_gradients = 60'000;  ///< of single objectives, >= 3
  std::int64_t descent_iterations = 30;  ///< for one multiplier, >= 1
};
[[nodiscard]] base::OptionTable options_of(FrontSurfaceOptions& options);

/// @throws std::invalid_argument  a field out of range.
void validate(const FrontSurfaceOptions& options);

/// One point of the surface.
struct SurfacePoint {
  std::vector<double> x;            ///< shape (n,)
  std::array<double, 3> values{};   ///< f_1, f_2, f_3
  std::array<double, 3> weights{};  ///< as TracedPoint has them
};

struct FrontSurface {
  std::vector<SurfacePoint> front;  ///< mutually nondominated, in the order of pareto::precedes
  std::int64_t gradients = 0;       ///< of single objectives
  std::int64_t values = 0;          ///< of single objectives
  std::int64_t levels = 0;          ///< cells tried
  std::int64_t dominated = 0;       ///< of them: placed, but behind a point found before
  std::int64_t unplaced = 0;  ///< of them: their levels were not met, as past the front's edge
  /// Points where a descent ended at a kink, or with a weight of 0, and the second stage has not
  /// proven that they are efficient, or was not made.
  std::int64_t unproven = 0;
  bool exhausted = false;  ///< `most_gradients` ended it
};

/// Traces the front of three objectives. Two levels fix a point of it: with u_i the objectives in
/// units of the front's ranges and z a point of the plane sum z = 0,
///
///     min t   subject to   u_i = z_i + t   for every i,
///
/// the scalarisation of A. Pascoletti, P. Serafini, J. Optim. Theory Appl. 42(4), 1984, with
/// equalities whose multipliers have any sign, by augmented Lagrangians minimised with
/// ProjectedLbfgs. Points of a front that lie above one z dominate each other, so that no two do:
/// the plane is a map of the whole front, whatever its shape.
///
/// 1. `samples` points are drawn in the box; from the best of them each objective is minimised,
///    which gives the ranges.
/// 2. The plane has a grid of triangles with sides `spacing`. From the cells of spread
///    nondominated samples the search goes on to neighbour after neighbour, each from where the
///    neighbours' points lead to in a straight line; then from cells between those and the middle
///    of the ends, as samples far behind the front lie above cells beyond its edge.
/// 3. Where a multiplier is negative the front has ended: that objective is dropped from the cell's
///    levels, which gives a point of the edge, and the search does not go on from there.
/// 4. Where a descent ended at a kink, or with a weight of 0 (once cuts have taken a level, one
///    below .02), the point may be weakly efficient
///    only: the front has what SecondStage makes of it, and the search goes on from the point
///    found.
/// 5. Where a descent ended at a kink and did not meet the levels, or seems to have passed an edge,
///    and in cells among such ones, SecondStage::reach() takes the level.
///
/// Local: never communicates. But for the samples nothing is drawn.
///
/// @param seed, task_key  address of the samples' streams.
/// @throws std::invalid_argument  options out of range.
/// @throws solvers::Interrupted  `control` wants a stop.
[[nodiscard]] FrontSurface front_surface(const ObjectiveFunctions& problem,
                                         const FrontSurfaceOptions& options, std::uint64_t seed,
                                         const std::string& task_key,
                                         const solvers::Control& control = {});

/// The same for any problem with three objectives; draws exact gradients, never estimates.
template <Objectives P>
[[nodiscard]] FrontSurface front_surface(const P& problem, const FrontSurfaceOptions& options,
                                         std::uint64_t seed, const std::string& task_key,
                                         const solvers::Control& control = {}) {
  return front_surface(functions_of(problem), options, seed, task_key, control);
}

}  // namespace fairfront::alternating
