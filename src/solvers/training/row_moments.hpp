/// @file
/// Bounds of a mean logistic loss around a point by its moments: Taylor polynomials whose remainder
/// is bounded for all rows at once.
#pragma once

#include <functional>
#include <vector>

#include "optimise/eigen.hpp"
#include "solvers/training/curvature_bounds.hpp"

namespace fairfront::training {

/// Second, third and fourth derivatives. With the vector p of the n (n + 1) / 2 products d_i d_j,
/// i <= j, of which those with i < j have a factor sqrt(2), so that |p| = |d|^2:
///   d'(second) d / 2 + d'(third) p / 6 + p'(fourth) p / 24.
struct Moments {
  Eigen::MatrixXd second;  ///< shape (n, n)
  Eigen::MatrixXd third;   ///< shape (n, m)
  Eigen::MatrixXd fourth;  ///< shape (m, m), symmetric

  void add(double factor, const Moments& other);
  void scale(double factor);
};

/// One score a row and how far it may move.
struct RowsAt {
  const Eigen::MatrixXd& x;      ///< a column a row, shape (n, rows)
  const Eigen::ArrayXd& score;   ///< z_i
  const Eigen::ArrayXd& chance;  ///< sigma(z_i)
  Eigen::ArrayXd reach;          ///< >= |x_i'd|
};

/// For m = 0, 1, .. moments that bound mean_i [softplus(z_i + x_i'd) - softplus(z_i) -
/// sigma(z_i) x_i'd] from one side, for all d of these reaches. Rows of a reach of at most
/// moment_reaches[m - 1] have derivatives of their own, with the averaged fourth one; the others
/// (with m = 0 all) have their averaged curvature as the second.
///
/// @param below  bounds from below, else from above.
/// @param beat  called now and then; may throw.
[[nodiscard]] std::vector<Moments> bounding_moments(const RowsAt& rows, bool below,
                                                    const FourthDerivatives& fourth,
                                                    const std::function<void()>& beat);
inline constexpr double moment_reaches[] = {1.5, 2.2, 3.0, 3.9};

/// What the moments of degree three and four can take from a quadratic form:
/// d'(third) p / 6 + p'(fourth) p / 24 >= -d' at(radius) d / 2 for all |d| <= radius.
///
/// The form does not change where the product of d_i^2 and d_j d_k is written as that of d_i d_j
/// and d_i d_k; three quarters of it are. (Of E[(x'd)^4], x normal, that makes 3 (d'd)^2 with one
/// eigenvalue 3, which were n + 2 before.) Then by |d'Mp| <= (a |M'd|^2 + |p|^2 / a) / 2, with
/// a = radius / |M|, and the least eigenvalue of the fourth.
class Penalty {
 public:
  explicit Penalty(const Moments& moments);
  [[nodiscard]] Eigen::MatrixXd at(double radius) const;

 private:
  Eigen::MatrixXd square_;  ///< M M'
  double norm_ = 0;         ///< at least |M|
  double fourth_ = 0;       ///< at least minus the least eigenvalue, at least 0
};

/// The same forms, written in the other way. @param share  of it, in [0, 1].
[[nodiscard]] Moments balanced(Moments moments, double share);

/// p of the columns of x: shape (n (n + 1) / 2, columns).
[[nodiscard]] Eigen::MatrixXd products_of(const Eigen::MatrixXd& x);

}  // namespace fairfront::training
