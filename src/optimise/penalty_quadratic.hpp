/// @file
/// The step of sequential quadratic programming with an exact penalty on bounded residuals.
#pragma once

#include "optimise/decomposition.hpp"
#include "optimise/eigen.hpp"

namespace fairfront::optimise {

/// minimise g'p + p'Bp / 2 + cap sum_i (|d_i + (D G'p)_i| - bound)_+ over p (R. Fletcher, 1985).
struct PenaltyQuadratic {
  Eigen::VectorXd g;          ///< shape (n,)
  Cholesky b;                 ///< factors of B, shape (n, n)
  Eigen::VectorXd d;          ///< residuals at p = 0, shape (residuals,)
  Eigen::MatrixXd factors;    ///< D: residuals are sums of fewer values, shape (residuals, values)
  Eigen::MatrixXd gradients;  ///< G, of the values, shape (n, values)
  double bound = 0;           ///< of every residual, > 0
  double cap = 1;             ///< of every multiplier: the price of an excess, > 0
};

struct PenaltyQuadraticResult {
  Eigen::VectorXd p;  ///< shape (n,)
  Eigen::VectorXd
      multipliers;  ///< of upper less of lower bounds, in [-cap, cap], shape (residuals,)
};

/// By the dual, a quadratic of rank at most `values` over a box, and a primal-dual interior-point
/// method: every step solves one system of that rank, so that many residuals of few values are
/// cheap. g + Bp + G D'y = 0 holds to rounding.
///
/// Source: Nocedal, Wright, Numerical Optimization (2006), algorithm 16.4, with both bounds.
[[nodiscard]] PenaltyQuadraticResult minimise_penalty_quadratic(const PenaltyQuadratic& problem);

}  // namespace fairfront::optimise
