/// @file
/// What a convex sum of losses is never below, proven at weights that need not be its minimum.
#pragma once

#include <span>

#include "solvers/training/cell_losses.hpp"

namespace fairfront::training {

/// A bound of sum_k weights_k L_k from below, for all weights w of the score. By Fenchel's
/// inequality any slopes u with sum_i c_i u_i x_i = 0 give one, c_i what a row weighs:
///
///     sum_i c_i l(x_i'w, y_i) >= - sum_i c_i l*(u_i, y_i)
///
/// u are the slopes at w, moved by steps of Newton's method, cut off where the conjugate l* ends
/// (u_i = 0 of rows that any further weights only help). At a minimum the bound is tight, also
/// where none exists, as of data that a line separates. Negative infinity where no such slopes were
/// found. Rounding is covered, of u for weights of which no row has a score beyond 1,000.
///
/// Source: Rockafellar, Convex Analysis (1970), section 31.
///
/// @param weights  of the slots, at least 0.
/// @throws base::Interrupted  see base::stop_point().
[[nodiscard]] double convex_lower_bound(const CellLosses& losses, std::span<const double> weights,
                                        std::span<const double> w);

}  // namespace fairfront::training
