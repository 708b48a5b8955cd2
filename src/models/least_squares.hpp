/// @file
/// Least squares and ridge regression, for any design.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/linear_model.hpp"
#include "models/rows.hpp"

namespace fairfront::models {

struct LeastSquaresOptions {
  Intercept intercept = Intercept::first;
  double l2 = 0;  ///< >= 0; in the same units as l2 of a logistic fit
  /// Relative, in (0, 1): see LeastSquares. A design that is nearly deficient gives weights of the
  /// size 1 / rank_tolerance; a small l2 is the way to keep them in bounds.
  double rank_tolerance = 1e-10;
  /// >= 0; where the rank is deficient, the penalty of the scaled columns' weights as a share of
  /// the square of their largest singular value; 0: none, see LeastSquares.
  double deficient_ridge = 0;
};

struct LeastSquaresResult {
  std::vector<double> weights;  ///< of a LinearModel with the same intercept
  std::int64_t rank = 0;        ///< of the design, the intercept included
  double gradient_norm = 0;     ///< largest component of the objective's gradient, by direct sums
};

/// Minimises (1/m) sum_i (w_0 + w^T x_i - y_i)^2 / 2 + l2 |w|^2 / 2 over the m rows; the intercept
/// w_0 is not penalised. Factorises once, for any number of targets.
///
/// Blocked Householder QR with the intercept's column first, by which all others are centred; then
/// a complete orthogonal decomposition of the triangle of columns scaled to the same norm. Columns
/// whose centred norm is below rank_tolerance of their norm count as constant and get weight 0;
/// pivots below rank_tolerance of the largest count as 0. If that leaves freedom, the weights are
/// those of least norm in units of the columns' standard deviations: the same model in any units.
///
/// A deficient_ridge r adds r s_1^2 |z|^2 / 2 to half of the sum of squares of such a design, z the
/// weights in those units, s_1 >= s_2 >= .. its singular values that count. Its solution has the
/// component of the least-norm one along the j-th singular vector times 1 / (1 + r (s_1 / s_j)^2):
/// it is that one up to a relative r (s_1 / s_j)^2, and tends to it linearly in r.
class LeastSquares {
 public:
  /// @throws std::invalid_argument  no rows, or an option out of range.
  explicit LeastSquares(const Rows& rows, const LeastSquaresOptions& options = {});
  LeastSquares(LeastSquares&&) noexcept;
  LeastSquares& operator=(LeastSquares&&) noexcept;
  ~LeastSquares();

  /// @param targets  by row number of the matrix that the rows are a view of.
  [[nodiscard]] LeastSquaresResult solve(std::span<const double> targets) const;

 private:
  struct Factors;
  std::unique_ptr<const Factors> factors_;
};

/// LeastSquares for one vector of targets.
[[nodiscard]] LeastSquaresResult fit_least_squares(const Rows& rows,
                                                   std::span<const double> targets,
                                                   const LeastSquaresOptions& options = {});

}  // namespace fairfront::models
