/// @file
/// Newton's method for a convex function in a box, with a certificate.
#pragma once

#include <span>
#include <vector>

#include "optimise/box.hpp"
#include "optimise/eigen.hpp"

namespace fairfront::optimise {

/// What a function at w exceeds its minimum over a box by at most, up to rounding, if it is convex
/// and `convexity`-strongly so. For every v in the box
///
///     F(v) >= F(w) + gradient^T (v - w) + (convexity / 2) |v - w|^2,
///
/// and the right side has its minimum over the box coordinate by coordinate (Y. Nesterov,
/// "Introductory Lectures on Convex Optimization" (2004), definition 2.1.2).
///
/// @param w, gradient  shape (n,).
/// @param convexity    >= 0; 0: convex.
[[nodiscard]] double certified_gap(const Box& box, std::span<const double> w,
                                   std::span<const double> gradient, double convexity);

/// What Newton's method asks of a function.
class ConvexFunction {
 public:
  virtual ~ConvexFunction() = default;
  [[nodiscard]] virtual double value(std::span<const double> x) = 0;
  virtual void gradient(std::span<const double> x, std::span<double> out) = 0;
  /// Its lower triangle is looked at.
  [[nodiscard]] virtual Eigen::MatrixXd hessian(std::span<const double> x) = 0;
};

struct BoxMinimum {
  std::vector<double> x;     ///< shape (n,), in the box
  double certified_gap = 0;  ///< there
};

/// The minimiser over the box, by Newton steps in the variables that are free to move, with
/// backtracking along the projected arc (D. P. Bertsekas, SIAM J. Control Optim. 20(2), 1982). Ends
/// where the certified gap is at most `gap`, or where double precision finds no lower value: the
/// gap says which.
///
/// @param convexity  of the function, see certified_gap().
/// @param start      shape (n,); projected first.
/// @throws base::Interrupted  at a stop point.
[[nodiscard]] BoxMinimum minimise_in_box(ConvexFunction& function, double convexity, const Box& box,
                                         std::span<const double> start, double gap);

}  // namespace fairfront::optimise
