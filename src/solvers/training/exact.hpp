/// @file
/// The optimum of the constrained problem for a linear score and a smooth loss, to rounding: what
/// other methods on such a problem are measured by.
#pragma once

#include <cstdint>
#include <limits>

#include "base/options.hpp"
#include "solvers/common/control.hpp"
#include "solvers/training/gap_sqp.hpp"
#include "solvers/training/problem.hpp"

namespace fairfront::training {

struct ExactOptions {
  double delta = 0.005;       ///< bound of every |gap|, or group's loss, > 0
  double tolerance = 1e-8;    ///< of stationarity and complementarity; violation is 0
  std::int64_t starts = 6;    ///< of ExactStarts, beside those that are always tried
  std::int64_t rounds = 100;  ///< steps from a start, at most
  std::int64_t cells = 1200;  ///< that raise the lower bound, at most; 0: no search
};
[[nodiscard]] base::OptionTable options_of(ExactOptions& options);

/// A KKT point, and what is known of better ones.
///
/// The gaps are differences of convex functions, so that a KKT point need not be the optimum. The
/// Lagrangian weighs the rows of cell k by n_k / N + sum_i y_i D_ik. Where no weight is below 0 it
/// is convex, and with it the KKT point is proven to be optimal. In general `lower` is what a
/// convex Lagrangian is never below, see convex_lower_bound(): no feasible weights have a smaller
/// loss. With one gap, of two cells, the logistic loss and at most most_bounded_weights weights a
/// search raises it, see raise_lower_bound().
///
/// Bounds on the losses of groups leave it convex: the KKT point is the optimum, and `lower` is as
/// near to it as rounding lets it be. Where delta is below the least largest loss of a group, which
/// least_worst_loss() finds, nothing is within: the bounds are then that loss and a millionth of
/// it, of which `loss`, `violation`, `lower` and `converged` are.
///
/// Two ends are one point where their scores differ by at most 0.01 in root mean square over the
/// rows, in units of 1 + the root mean square of the score: of directions that hardly change the
/// loss, such as rare levels of a category, a small gradient says little.
struct ExactOptimum : LocalOptimum {  ///< `steps` are those from all starts, `passes` those of all
                                      ///< searches, without what proves the lower bounds
  double lower = 0;                   ///< loss - lower is a proven distance to the global optimum
  std::int64_t cells = 0;             ///< that the search for it looked at
  std::int64_t ended = 0;             ///< starts that ended at a KKT point
  std::int64_t distinct = 0;          ///< different KKT points among these ends
  std::int64_t best = 0;              ///< starts that ended at this very point
  /// Of bounds on the losses of groups: the least that weights keep, and what is proven of it.
  double least_bound = std::numeric_limits<double>::quiet_NaN();
  double least_bound_lower = std::numeric_limits<double>::quiet_NaN();
};

/// Whether `cells` make a difference: one gap, of two cells, the logistic loss and few weights.
[[nodiscard]] bool can_search_bound(const Problem& problem);

/// Sequential quadratic programs from the points of ExactStarts; where what they find is not proven
/// to be the optimum, along a path from the optimum without constraints by ever smaller deltas, and
/// where few starts have converged, or to several points, or the path ends better, along other
/// paths and from where the last layer of certified training leads; and from the best of all ends
/// by way of neighbouring deltas. Of several gaps that layer leads from six more starts, and
/// where it comes to a smaller loss a search begins; from thirty more, as long as all that is known
/// is next to scores that are all alike. Returns the KKT point of least loss, or where
/// weights within the bounds have a smaller one, these, which have not converged. Time O(steps N
/// n^2). Deterministic, the starts included. Has checkpoints: going on from one gives the bits of a
/// run that was never stopped. Local: never communicates.
///
/// @throws std::invalid_argument  has_exact_optimum() is false, or an option out of range.
/// @throws solvers::Interrupted  `control` wants a stop.
/// @throws base::CheckpointError  `control` has a state to go on from that is of another problem.
[[nodiscard]] ExactOptimum exact_training(const Problem& problem, const ExactOptions& options,
                                          const solvers::Control& control = {});

}  // namespace fairfront::training
