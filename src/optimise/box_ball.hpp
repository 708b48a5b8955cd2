/// @file
/// Lower bounds of a quadratic function over a box in some coordinates and a ball in the others.
#pragma once

#include "optimise/eigen.hpp"

namespace fairfront::optimise {

/// Where g'd + d'hd / 2 <= most; without coordinates everywhere.
struct Ellipsoid {
  Eigen::VectorXd g;  ///< shape (n,) or (0,)
  Eigen::MatrixXd h;  ///< positive semidefinite, shape (n, n)
  double most = 0;
};

/// The set |d_j| <= half_j for the first coordinates and |rest of d| <= radius, or = radius, in an
/// ellipsoid.
struct BoxBall {
  Eigen::VectorXd half;  ///< shape (k,), k <= n, each > 0
  double radius = 0;     ///< > 0; without meaning where k = n
  bool sphere = false;   ///< the rest has this very norm
  Ellipsoid within = {};
};

/// At most the least value of g'd + d'Hd / 2 over the set: the greatest value that was found of its
/// Lagrange dual with one multiplier for every coordinate of the box, one for the ball and one for
/// the ellipsoid. Minus infinity where no multipliers were found. Time O(k n^3) a step.
///
/// The matrix of the Lagrangian has a pivot of at least 1e-7 times the greatest, so that rounding
/// changes the bound by at most some 1e-8 of its size.
///
/// @param h  symmetric, shape (n, n).
[[nodiscard]] double least_over(const BoxBall& set, const Eigen::VectorXd& g,
                                const Eigen::MatrixXd& h);

}  // namespace fairfront::optimise
