/// @file
/// Where [exact_training] begins its searches: points that lie apart.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "solvers/common/control.hpp"
#include "solvers/common/state.hpp"
#include "solvers/training/cell_losses.hpp"

namespace fairfront::training {

/// Minimises sum_k weights_k L_k, weights at least 0, with Newton's method: the weights of the
/// minimum and its value. @param weights  of the slots.
struct ConvexMinimum {
  std::vector<double> w;
  double value = 0;
  bool converged = false;
  std::int64_t steps = 0;
  std::int64_t passes = 0;  ///< over the training rows
};
template <solvers::MaybeConst<ConvexMinimum> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.w, self.value, self.converged, self.steps, self.passes);
}
/// Has checkpoints. @throws solvers::Interrupted, base::CheckpointError
[[nodiscard]] ConvexMinimum minimise_weighted(CellLosses& losses, std::span<const double> weights,
                                              std::span<const double> from, double tolerance,
                                              std::int64_t most_steps,
                                              const solvers::Control& control);

/// Of searches that stay near their starts, of losses: that of scores 0 is 1 at most.
inline constexpr double high_price = 100;

struct ExactStart {
  std::vector<double> w;
  std::int64_t steps = 0;   ///< Hessians that it took
  std::int64_t passes = 0;  ///< over the training rows
  double price = 1;         ///< of a search from there, see GapSqpOptions
};
template <solvers::MaybeConst<ExactStart> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.w, self.steps, self.passes, self.price);
}

/// Starts no. 0, 1, ..: the optimum without constraints, weights 0, which are feasible whatever
/// delta is, and then in turn
/// - random directions of random length, in units of the features' spread;
/// - the optimum of one cell's loss, later of randomly weighted ones;
/// - from the optimum without constraints along a direction in which one cell's loss curves most
///   against that of all rows: there the Lagrangian is convex no longer, and may have several
///   minima;
/// - the end of a search at another delta, from 1/4 to 16 times, itself from a random direction.
/// From every second one a search pays a high price outside the bounds: at a low one many searches
/// come by the optimum without constraints, and from there to the same end.
/// Random numbers hang on the number of the start alone. Costs no more than a search.
class ExactStarts {
 public:
  /// @param free  the optimum without constraints.
  ExactStarts(CellLosses& losses, std::vector<double> free, double delta);
  /// Has checkpoints. @throws solvers::Interrupted, base::CheckpointError
  [[nodiscard]] ExactStart operator()(std::int64_t k, const solvers::Control& control);
  /// Where last_layer_step() leads from the optimum without constraints, and of k > 0 from random
  /// directions: within the bounds, by steps that search no optimum there. Of k > 3 these are
  /// as long as usual fits are, and as those of steep ones, in turn.
  /// @throws base::Interrupted  see base::stop_point().
  [[nodiscard]] ExactStart led(std::int64_t k) const;

 private:
  [[nodiscard]] ExactStart start(std::int64_t k, const solvers::Control& control);
  /// @param size  of the score, in root mean square.
  [[nodiscard]] std::vector<double> random_direction(double size, base::Stream& stream) const;
  [[nodiscard]] ExactStart fit_of_cells(base::Stream& stream, std::int64_t turn,
                                        const solvers::Control& control);
  [[nodiscard]] ExactStart along_curvature(base::Stream& stream, std::int64_t turn);
  [[nodiscard]] ExactStart of_another_delta(base::Stream& stream, const solvers::Control& control);

  CellLosses& losses_;
  std::vector<double> free_;
  double delta_;
};

}  // namespace fairfront::training
