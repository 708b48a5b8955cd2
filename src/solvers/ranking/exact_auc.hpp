/// @file
/// The optimum of the surrogate problem for a linear score, to rounding. For a quadratic surrogate
/// it is a quadratic program with two constraints of one and the same matrix for each comparison.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "optimise/eigen.hpp"
#include "optimise/quadratic_bounds.hpp"
#include "solvers/ranking/linear_scores.hpp"
#include "solvers/ranking/pair_loss.hpp"

namespace fairfront::base {
class PageReader;
class PageWriter;
}  // namespace fairfront::base

namespace fairfront::ranking {

/// The losses as functions of w. With c1 = scale and c2 = margin of the surrogate
///
///     f0 = c1 (w^T A0 w - 2 c2 d0^T w + c2^2),     f1, f2 = c1 (2 c2^2 + w^T Aq w +- 2 c2 d^T w),
///
/// A0 = S_1 + S_0 + d0 d0^T, Aq = S_G1 + S_G1' + S_G2 + S_G2' + d1 d1^T + d2 d2^T, d = d1 - d2 with
/// the covariances S and the differences d of the means of the sets. Every comparison has its own
/// Aq and d.
class QuadraticLosses {
 public:
  /// O(rows columns^2), and much less for rows kept as lists.
  QuadraticLosses(const LinearScores& rows, const PairSets& pairs, const Surrogate& surrogate);

  /// The losses that lay_down() has written, to the bit, without a look at the rows.
  /// @throws base::PagesError  they end before.
  explicit QuadraticLosses(base::PageReader& pages);
  void lay_down(base::PageWriter& pages) const;

  [[nodiscard]] Losses operator()(std::span<const double> w) const;

  [[nodiscard]] const Surrogate& surrogate() const { return surrogate_; }
  [[nodiscard]] const Eigen::MatrixXd& objective_matrix() const { return a0_; }  ///< A0
  [[nodiscard]] const Eigen::VectorXd& objective_slope() const { return d0_; }   ///< d0
  /// Aq and d of every comparison.
  [[nodiscard]] const std::vector<optimise::QuadraticBound>& constraints() const {
    return constraints_;
  }

  /// Largest |m_G|, |m_G'| and |m_G - m_G'| over the pair sets: with |w| <= R the a, b and alpha
  /// that are best for w are at most R times this.
  [[nodiscard]] double mean_bound() const { return mean_bound_; }

 private:
  Surrogate surrogate_;
  Eigen::MatrixXd a0_;
  Eigen::VectorXd d0_;
  std::vector<optimise::QuadraticBound> constraints_;
  double mean_bound_ = 0;
};

/// An optimum and what proves it.
struct ExactOptimum {
  std::vector<double> w;  ///< of all optima the one of least norm
  Losses losses;
  /// Of every comparison lambda, the sum of the multipliers of f1 and f2, and delta, their
  /// difference, |delta| <= lambda.
  std::vector<optimise::BoundMultipliers> multipliers;
  double dual_value = 0;  ///< a lower bound of the optimal value: no w does better
  double kkt_residual =
      0;  ///< largest component of the Lagrangian's gradient, relative to that at 0
};

/// Minimises f0 under f1, f2 <= 1 + kappa of every comparison for any kappa. With one comparison:
/// one generalised eigendecomposition, then one equation in one unknown per kappa. With
/// V^T A0 V = 1 on the range of A0, V^T Aq V = diag(sigma), b0 = c2 V^T d0, b = c2 V^T d
///
///     w = V z,  z = (b0 - delta b) / (1 + lambda sigma),
///     delta = sum b b0 / (1 + lambda sigma) / sum b^2 / (1 + lambda sigma)  cut off at +-lambda,
///
/// and lambda >= 0 is the least one with w^T Aq w + 2 c2 |d^T w| <= (1 + kappa) / c1 - 2 c2^2. With
/// several comparisons, whose matrices have no common eigenvectors, minimise_bounded() finds z.
class ExactAuc {
 public:
  /// O(columns^3) for each comparison. @param losses  are copied.
  /// @param rank_tolerance  eigenvalues of A0 below this share of the largest one count as 0.
  explicit ExactAuc(QuadraticLosses losses, double rank_tolerance = 1e-10);

  [[nodiscard]] const QuadraticLosses& losses() const { return losses_; }
  [[nodiscard]] std::int64_t rank() const { return basis_.cols(); }  ///< of A0

  /// Without constraints.
  [[nodiscard]] ExactOptimum unconstrained() const;
  /// Minimises f0 + c1 ridge |w|^2 without constraints: (A0 + ridge 1) w = c2 d0.
  /// @param ridge  > 0. O(columns^3).
  [[nodiscard]] std::vector<double> penalised(double ridge) const;
  /// w(delta) = A0^+ (d0 - delta d) c2: the least f0 for a given value of d^T w. Of one comparison.
  [[nodiscard]] std::vector<double> tilted(double delta) const;
  /// The delta with d^T w(delta) = 0; 0 if d has no part in the range of A0. Of one comparison.
  [[nodiscard]] double tilt_without_difference() const;
  /// V z: any w of the range of A0, those of |z| = 1 on the sphere w^T A0 w = 1.
  /// @param z  shape (rank(),).
  [[nodiscard]] std::vector<double> weights(std::span<const double> z) const;
  /// From here on the constraints are void.
  [[nodiscard]] double void_kappa() const;

  /// @throws std::invalid_argument  kappa is not above Surrogate::infeasible_kappa().
  [[nodiscard]] ExactOptimum solve(double kappa) const;

 private:
  struct Point;
  [[nodiscard]] Point point(double lambda) const;
  [[nodiscard]] Point solve_pencil(double bound) const;
  [[nodiscard]] optimise::BoundedOptimum bounded(const Point& point, double bound) const;
  [[nodiscard]] optimise::BoundedOptimum without_constraints() const;
  /// From here on the constraints are void.
  [[nodiscard]] double void_bound() const;
  [[nodiscard]] ExactOptimum optimum(const optimise::BoundedOptimum& found) const;

  QuadraticLosses losses_;
  Eigen::MatrixXd basis_;                         ///< V
  Eigen::ArrayXd b0_;                             ///< c2 V^T d0
  Eigen::ArrayXd sigma_, b_;                      ///< of a single comparison: V^T Aq V, c2 V^T d
  std::vector<optimise::QuadraticBound> bounds_;  ///< the same of several ones; else empty
};

}  // namespace fairfront::ranking
