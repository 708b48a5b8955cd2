/// @file
/// Where [exact_training] begins its searches: points that lie apart.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/random.hpp"
#include "solvers/training/cell_losses.hpp"

namespace fairfront::training {

/// Minimises sum_k weights_k L_k, weights at least 0, with Newton's method: the weights of the
/// minimum and its value. @param weights  of the slots.
struct ConvexMinimum {
  std::vector<double> w;
  double value = 0;
  bool converged = false;
  std::int64_t steps = 0;
};
[[nodiscard]] ConvexMinimum minimise_weighted(CellLosses& losses, std::span<const double> weights,
                                              std::span<const double> from, double tolerance,
                                              std::int64_t most_steps,
                                              const std::function<void()>& beat);

/// Starts no. 0, 1, ..: the optimum without constraints, weights 0, which are feasible whatever
/// delta is, and then in turn
/// - random directions of random length, in units of the features' spread;
/// - the optimum of one cell's loss, later of randomly weighted ones;
/// - from the optimum without constraints along a direction in which one cell's loss curves most
///   against that of all rows: there the Lagrangian is convex no longer, and may have several
///   minima;
/// - the end of a search at another delta, from 1/4 to 16 times, itself from a random direction.
/// Random numbers hang on the number of the start alone. Costs no more than a search.
class ExactStarts {
 public:
  /// @param free  the optimum without constraints.
  ExactStarts(CellLosses& losses, std::vector<double> free, double delta,
              std::function<void()> beat);
  [[nodiscard]] std::vector<double> operator()(std::int64_t k);
  /// Hessians so far.
  [[nodiscard]] std::int64_t steps() const { return steps_; }

 private:
  [[nodiscard]] std::vector<double> random_direction(base::Stream& stream) const;
  [[nodiscard]] std::vector<double> fit_of_cells(base::Stream& stream, std::int64_t turn);
  [[nodiscard]] std::vector<double> along_curvature(base::Stream& stream, std::int64_t turn);
  [[nodiscard]] std::vector<double> of_another_delta(base::Stream& stream);

  CellLosses& losses_;
  std::vector<double> free_;
  double delta_;
  std::function<void()> beat_;
  std::int64_t steps_ = 0;
};

}  // namespace fairfront::training
