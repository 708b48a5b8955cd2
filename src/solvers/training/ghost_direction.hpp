/// @file
/// The subproblem of the stochastic ghost method: a direction that lowers the linearised objective
/// and does not break the linearised constraints more than need be.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fairfront::training {

/// Estimates at one point; n weights, q gaps. Spans only.
struct Linearised {
  std::span<const double> gradient;  ///< g, shape (n,)
  std::span<const double> gaps;      ///< shape (q,)
  std::span<const double> jacobian;  ///< of the gaps, row-major, shape (q, n)
};

struct GhostSubproblem {
  double delta = 0.005;  ///< bound of every |gap|
  double lambda = 0.5;   ///< weight of what can be reached within the radius
  double radius = 0.8;   ///< rho
  double tau = 1;
  double box = 10;  ///< beta
};

/// The least t >= 0 for which a d with |d|_inf <= radius has |gap_i + J_i d| <= delta + t for all
/// i. In closed form for one gap; for several by Newton's method on a dual, to 1e-10.
[[nodiscard]] double least_violation(const Linearised& at, double delta, double radius);

/// kappa = (1 - lambda) max_i (|gap_i| - delta)_+ + lambda least_violation().
[[nodiscard]] double relaxation(const Linearised& at, const GhostSubproblem& options);

/// Minimises g'd + tau/2 |d|^2 over d with |gap_i + J_i d| <= delta + kappa and |d|_inf <= beta.
///
/// The dual has one multiplier a gap, since opposite sides of a bound are never both active, and
/// d = clip(-(g + J'm) / tau). One gap: closed form, or where the box is active the root of a
/// monotone piecewise linear function. Several: exact maximisation over one multiplier after the
/// other (Hildreth, 1957).
/// @param d  shape (n,).
void ghost_direction(const Linearised& at, const GhostSubproblem& options, std::span<double> d);

}  // namespace fairfront::training
