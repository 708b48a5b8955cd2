/// @file
/// The exact optimum of regression under demographic parity for two groups, in few cheap steps:
/// what minimise_dual() tries before all else.
#pragma once

#include "solvers/regression/optimum.hpp"

namespace fairfront::regression {

/// Whether balanced_path() may be asked: one block of unknowns, as two groups have, and neither so
/// many rows that an optimum of fewer is the better start, nor more than a million probabilities.
[[nodiscard]] bool has_balanced_path(const ParityDual& dual) noexcept;

/// Minimises the dual from 0 by at most thirty proximal Newton steps. Where the optimum is far,
/// beta begins small, and each step raises it, the more the shorter the step was. Of atoms that
/// have hardly any mass, the gradient is a difference of exponentials, of which a Newton step
/// undoes a factor e: their curvature is that of the secant to where the two balance.
///
/// Quadratic convergence. It may end without: then `converged` is false, and nothing is lost but
/// time. Deterministic; with a checkpoint before every step, as minimise_dual().
/// @param dual  has_balanced_path().
[[nodiscard]] Optimum balanced_path(const ParityDual& dual, double beta,
                                    const OptimumOptions& options, const solvers::Control& control);

}  // namespace fairfront::regression
