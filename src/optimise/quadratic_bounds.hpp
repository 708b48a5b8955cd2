/// @file
/// A strictly convex quadratic under several convex quadratic bounds, to rounding and with a
/// certificate.
#pragma once

#include <span>
#include <vector>

#include "optimise/eigen.hpp"

namespace fairfront::optimise {

/// The matrix, positive semidefinite, and the slope of z^T matrix z + 2 |slope^T z|.
struct QuadraticBound {
  Eigen::MatrixXd matrix;
  Eigen::VectorXd slope;
};

/// Of both signs of the absolute value: |difference| <= sum.
struct BoundMultipliers {
  double sum = 0;         ///< lambda
  double difference = 0;  ///< delta
};

/// An optimum, and the terms of the dual value -least - price, below which no z within the bounds
/// has |z|^2 - 2 b0^T z.
struct BoundedOptimum {
  Eigen::VectorXd z;
  std::vector<BoundMultipliers> multipliers;  ///< one pair for each bound
  double least = 0;                           ///< s^T (1 + sum lambda M)^-1 s, s = b0 - sum delta b
  double price = 0;                           ///< bound times the sum of lambda
};

/// Minimises |z|^2 - 2 b0^T z with z^T M_j z + 2 |b_j^T z| <= bound for every j, by the primal-dual
/// interior-point method of S. Boyd, L. Vandenberghe (2004), "Convex Optimization", algorithm 11.2,
/// from z = 0: every iterate is within the bounds. One Cholesky factorisation for each of some 30
/// steps. Deterministic. Local: never communicates.
/// @param bounds  at least one.
/// @param bound   > 0.
/// @throws base::Interrupted  the calling thread's StopScope wants a stop.
[[nodiscard]] BoundedOptimum minimise_bounded(const Eigen::VectorXd& b0,
                                              std::span<const QuadraticBound> bounds, double bound);

}  // namespace fairfront::optimise
