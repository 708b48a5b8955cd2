/// @file
/// From a point of a front that may be weakly efficient only to an efficient one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/alternating/front_surface.hpp"
#include "solvers/alternating/level_merit.hpp"

namespace fairfront::alternating {

/// Beyond so many variables its linear programs would take longer than what they are for.
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
/// choose). By cutting planes of all three objectives in a trust region, linear programs that end
/// at kinks exactly (J. E. Kelley, J. SIAM 8(4), 1960). No step is taken that raises an objective
/// above y's by more than `second_stage_slack`. Of convex objectives the end is certified: the
/// sum cannot be less by more than `second_stage_gap`. Curved bounds may take more cuts than are
/// made, which kinks do not: the point is then better, and not proven to be efficient.
class SecondStage {
 public:
  /// @param widths  of the box's intervals, shape (n,).
  SecondStage(Oracle<3>& oracle, const SurfaceUnits& units, std::span<const double> widths)
      : oracle_{oracle}, units_{units}, widths_{widths} {}

  /// Moves a point, with its values and weights. Draws on the oracle's budget, at most 30 gradients
  /// of each objective.
  /// @return  whether the end was reached; where not, the point is as good as before or better.
  bool improve(SurfacePoint& point);

 private:
  using Values = std::array<double, 3>;

  /// What an objective is at least, if it is convex, shape (n,) in units of widths.
  struct Cut {
    std::size_t objective = 0;
    double at_origin = 0;  ///< of the line, at the box's lower corner
    std::vector<double> slope;
  };
  struct Step {
    std::vector<double> x;
    Values weights{};
    double sum = 0;  ///< that the cuts promise
  };

  [[nodiscard]] Values in_units(const Values& values) const;
  void add_cuts(std::span<const double> x, const Values& u);
  [[nodiscard]] Step step_within(std::span<const double> x, const Values& u, double radius) const;
  [[nodiscard]] double least_of(const Cut& cut, std::span<const double> low,
                                std::span<const double> high) const;

  Oracle<3>& oracle_;
  SurfaceUnits units_;
  std::span<const double> widths_;
  Values bounds_{};
  std::vector<Cut> cuts_;
};

}  // namespace fairfront::alternating
