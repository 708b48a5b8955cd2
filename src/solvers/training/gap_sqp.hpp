/// @file
/// A local minimum of a linear score's mean loss under bounds on gaps, from a start.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/common/control.hpp"
#include "solvers/common/state.hpp"
#include "solvers/training/cell_losses.hpp"

namespace fairfront::training {

struct GapSqpOptions {
  double delta = 0.005;      ///< bound of every |gap|, > 0
  double tolerance = 1e-8;   ///< of stationarity and complementarity; violation is 0
  std::int64_t steps = 200;  ///< at most
  /// What a unit beyond the bounds costs at first, beside the loss, >= 1. A low price lets a search
  /// leave them, to where the loss is small, and come back; with a high one it stays near its
  /// start.
  double price = 1;
};

struct LocalOptimum {
  std::vector<double> w;            ///< shape (parameters,)
  double loss = 0;                  ///< mean loss on the training part
  std::vector<double> gaps;         ///< shape (gaps,)
  std::vector<double> multipliers;  ///< y, of upper less of lower bounds, shape (gaps,)
  double stationarity = 0;          ///< largest component of grad f + J'y
  double violation = 0;             ///< largest |gap| less delta, at least 0
  double complementarity = 0;       ///< largest product of multiplier and |constraint|
  std::int64_t steps = 0;           ///< Hessians
  std::int64_t passes = 0;          ///< over the training rows, of losses with derivatives
  bool converged = false;           ///< feasible, and the other residuals within tolerance
};
template <solvers::MaybeConst<LocalOptimum> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.w, self.loss, self.gaps, self.multipliers, self.stationarity, self.violation,
        self.complementarity, self.steps, self.passes, self.converged);
}

/// Sequential quadratic programming with the exact penalty function f + cap sum_i excess_i, the
/// Hessian of the Lagrangian, second-order corrections and a line search. Where the Hessian is not
/// positive definite it is shifted along the gradients of active gaps, which changes no step that
/// keeps them active, and then, if need be, its negative eigenvalues change their sign. Has
/// checkpoints. Local: never communicates.
///
/// Source: Nocedal, Wright, Numerical Optimization (2006), section 18.4.
///
/// @param losses  left evaluated somewhere.
/// @throws solvers::Interrupted  `control` wants a stop.
/// @throws base::CheckpointError  `control` has a state to go on from that is of another problem.
[[nodiscard]] LocalOptimum minimise_within_gaps(CellLosses& losses, std::span<const double> start,
                                                const GapSqpOptions& options,
                                                const solvers::Control& control = {});

}  // namespace fairfront::training
