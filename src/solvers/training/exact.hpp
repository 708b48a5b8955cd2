/// @file
/// The optimum of the constrained problem for a linear score and a smooth loss, to rounding: what
/// other methods on such a problem are measured by.
#pragma once

#include <cstdint>
#include <vector>

#include "base/options.hpp"
#include "solvers/common/control.hpp"
#include "solvers/training/problem.hpp"

namespace fairfront::training {

struct ExactOptions {
  double delta = 0.005;      ///< bound of every |gap|, > 0
  double tolerance = 1e-8;   ///< of stationarity and complementarity; violation is 0
  std::int64_t starts = 4;   ///< random ones, beside two that are always tried
  std::int64_t rounds = 60;  ///< multiplier updates from a start, at most
};
[[nodiscard]] base::OptionTable options_of(ExactOptions& options);

/// Whether there is such an optimum: the model is a linear score, and its loss logistic or square.
[[nodiscard]] bool has_exact_optimum(const Problem& problem);

/// A KKT point, and what is known of better ones.
///
/// The gaps are differences of convex functions, so that a KKT point need not be the optimum. The
/// Lagrangian weighs the rows of cell k by n_k / N + sum_i y_i D_ik. Where no weight is below 0 it
/// is convex, and with it the KKT point is proven to be optimal. In general `lower` is the least
/// value of a convex Lagrangian: no feasible weights have a smaller loss.
struct ExactOptimum {
  std::vector<double> w;            ///< shape (parameters,)
  double loss = 0;                  ///< mean loss on the training part
  std::vector<double> gaps;         ///< shape (gaps,)
  std::vector<double> multipliers;  ///< y, of upper less of lower bounds, shape (gaps,)
  double stationarity = 0;          ///< largest component of grad f + J'y
  double violation = 0;             ///< largest |gap| less delta, at least 0
  double complementarity = 0;       ///< largest product of multiplier and |constraint|
  double lower = 0;                 ///< loss - lower is a proven distance to the global optimum
  std::int64_t newton_steps = 0;    ///< from all starts
  std::int64_t ended = 0;           ///< starts that ended at a KKT point
  std::int64_t best = 0;            ///< of these, those that ended at this loss, up to tolerance
  bool converged = false;           ///< feasible, and the other residuals within tolerance
};

/// Augmented Lagrangians, each minimised by Newton's method with the Hessian of all rows made
/// positive definite: from the optimum without constraints, from weights 0, which are feasible
/// whatever delta is, and from random weights around both. Returns the KKT point of least loss.
/// Time O(steps N n^2). Deterministic, the starts included. Local: never communicates.
///
/// Source: Nocedal, Wright, Numerical Optimization (2006), algorithm 17.4 for inequalities.
/// @throws std::invalid_argument  has_exact_optimum() is false, or an option out of range.
/// @throws solvers::Interrupted  `control` wants a stop.
[[nodiscard]] ExactOptimum exact_training(const Problem& problem, const ExactOptions& options,
                                          const solvers::Control& control = {});

/// Mean loss of the training part and of its cells at w, with derivatives: what exact_training() is
/// made of.
class CellLosses {
 public:
  /// Keeps a reference.
  /// @throws std::invalid_argument  has_exact_optimum() is false.
  explicit CellLosses(const Problem& problem);

  /// Loss, cell losses and, row by row, their gradients (cells + 1, n): the mean of all rows first.
  void evaluate(std::span<const double> w);
  [[nodiscard]] double loss() const { return values_.front(); }
  [[nodiscard]] std::span<const double> gaps() const { return gaps_; }
  [[nodiscard]] std::span<const double> gradient() const {
    return std::span(gradients_).first(columns_);
  }
  /// out += J'v. @param v  shape (gaps,).
  void add_pulled_back(std::span<const double> v, std::span<double> out);
  /// Gradient of one gap.
  [[nodiscard]] std::vector<double> gap_gradient(std::size_t gap) const;

  /// The Hessian of f + v'd at w, lower triangle, column-major (n, n).
  void hessian(std::span<const double> w, std::span<const double> v, std::span<double> out);

  /// What rows of no cell and of each cell weigh in f + v'd, of all weights: shape (cells + 1,).
  /// Where none is below 0 the function is convex.
  [[nodiscard]] std::vector<double> weights(std::span<const double> v) const;

  [[nodiscard]] std::size_t parameters() const { return columns_; }
  [[nodiscard]] std::size_t num_gaps() const { return gaps_.size(); }

 private:
  template <class Visit>
  void for_each_block(std::span<const double> w, Visit visit);
  [[nodiscard]] std::size_t slot(std::size_t row) const {
    return static_cast<std::size_t>(problem_.train.cell[row] + 1);
  }

  const Problem& problem_;
  std::size_t columns_;
  std::vector<double> values_, gradients_, gaps_;  ///< of cells + 1 slots; slot 0 is all rows
  std::vector<double> of_cells_;
};

}  // namespace fairfront::training
