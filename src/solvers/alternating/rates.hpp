/// @file
/// The convergence bounds of SA2GD: S. Liu, L. N. Vicente (2022), Theorems 3.1 and 3.2,
/// Corollaries 3.2 and 3.3.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "solvers/alternating/step_sizes.hpp"

namespace fairfront::alternating {

/// What the assumptions of the theorems say about a problem, for one number of inner steps, step
/// rule and noise. Gradients are drawn at inner iterates, which may leave the box: the constants
/// hold there too.
struct RateConstants {
  bool smooth = true;
  double convexity = 0;        ///< c: every objective is c-strongly convex; 0: convex
  double gradient_change = 0;  ///< L: Lipschitz constant of the gradients; smooth problems
  double value_change = 0;     ///< Lh: Lipschitz constant of the objectives; non-smooth problems
  double second_moment = 0;    ///< G^2 or Lt^2: bound of E |g_i|^2
  double diameter = 0;         ///< Theta of the box
};

/// How far a run can move in one iteration; what some of the constants depend on.
struct RunReach {
  std::int64_t inner_steps = 1;  ///< n = sum n_i
  double first_step = 0;         ///< the largest step, alpha_0
  double noise = 0;              ///< standard deviation of each component of the additive noise

  /// In the L2 norm, how far noise can carry a coordinate out of the box within an iteration when
  /// noiseless steps never lead farther away: 4 alpha_0 sigma sqrt(n).
  ///
  /// The excess over one end of the interval follows u <- max(u + alpha xi, 0) at most, so u is at
  /// most the range of the partial sums M_k of alpha xi, and at most 2 max |M_k|; Doob's inequality
  /// gives E max M_k^2 <= 4 n alpha^2 sigma^2.
  [[nodiscard]] double excursion() const {
    return 4 * first_step * noise * std::sqrt(static_cast<double>(inner_steps));
  }
};

/// Bound of min_(t=1..T) E[S(x_t)] - S(x_*), and of E[S(average of x_1 .. x_T)] - S(x_*).
/// NaN where the rule has no theorem: fixed steps, or `strongly_convex` with the wrong c.
[[nodiscard]] inline double rate_bound(const RateConstants& constants, const StepOptions& step,
                                       std::int64_t iterations) {
  const double moment = constants.second_moment;
  const double root = std::sqrt(moment);
  const auto last = static_cast<double>(iterations);
  if (step.rule == StepRule::strongly_convex && step.convexity <= constants.convexity) {
    // A smaller c than the problem's own is one, too.
    const double c = step.convexity;
    const double sum =
        constants.smooth
            ? moment + constants.gradient_change * constants.diameter * root
            : 2 * moment + constants.value_change * root + c * constants.diameter * root;
    return 4 / (c * (last + 1)) * sum;
  }
  if (step.rule == StepRule::convex) {
    const double sum = constants.smooth
                           ? 2 * moment + 2 * constants.gradient_change * constants.diameter * root
                           : 4 * moment + 2 * root * constants.value_change;
    return (constants.diameter * constants.diameter / (2 * step.step) + step.step * sum) /
           std::sqrt(last);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace fairfront::alternating
