/// @file
/// Bounds on the mean losses of cells for a linear score: convex programs, solved to rounding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/common/state.hpp"
#include "solvers/training/cell_losses.hpp"
#include "solvers/training/gap_sqp.hpp"

namespace fairfront::training {

struct LeastWorstLoss {
  std::vector<double> w;
  double value = 0;         ///< the largest mean loss of a cell there
  double lower = 0;         ///< proven: no weights have a smaller one
  std::int64_t steps = 0;   ///< Hessians
  std::int64_t passes = 0;  ///< over the training rows, without the proof's
};
template <solvers::MaybeConst<LeastWorstLoss> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.w, self.value, self.lower, self.steps, self.passes);
}

/// min_w max_k L_k(w) by a logarithmic barrier: Newton's method on
///
///     t / mu - sum_k log(t - L_k(w))    in w and t, for mu that falls to 1e-10 / cells.
///
/// The minimum for a mu is at most cells mu above the least t, and 1 / (t - L_k), scaled to a sum
/// of 1, are multipliers that prove it: see convex_lower_bound(). Deterministic. Local.
///
/// Source: S. Boyd, L. Vandenberghe, Convex Optimization (2004), section 11.3; of the problem
/// E. Diana, W. Gill, M. Kearns, K. Kenthapadi, A. Roth (2021).
///
/// @param losses  left evaluated somewhere. @param start  shape (parameters,).
/// @throws base::Interrupted  see base::stop_point().
[[nodiscard]] LeastWorstLoss least_worst_loss(CellLosses& losses, std::span<const double> start);

/// The least mean loss of all rows with L_k(w) <= bound for all cells, by the same barrier, with
/// the mean loss in the place of t and bound in that of the other: bounded group loss (A. Agarwal,
/// M. Dudik, Z. S. Wu, 2019).
///
/// @param losses     of a problem that bounds the worst group. Left evaluated somewhere.
/// @param inside     L_k(inside) < bound. @param start  any, towards which the first point lies.
/// @param tolerance  of stationarity and complementarity.
/// @throws base::Interrupted  see base::stop_point().
[[nodiscard]] LocalOptimum minimise_within_losses(CellLosses& losses,
                                                  std::span<const double> inside,
                                                  std::span<const double> start, double bound,
                                                  double tolerance);

}  // namespace fairfront::training
