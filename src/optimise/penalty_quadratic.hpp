/// @file
/// The step of sequential quadratic programming under bounds on gaps.
#pragma once

#include "optimise/eigen.hpp"

namespace fairfront::optimise {

/// minimise g'p + p'Bp / 2 + cap sum_i (|d_i + (D G'p)_i| - bound)_+ over p.
struct PenaltyQuadratic {
  Eigen::VectorXd g;          ///< shape (n,)
  Eigen::MatrixXd b;          ///< positive definite, shape (n, n)
  Eigen::VectorXd d;          ///< gaps, shape (gaps,)
  Eigen::MatrixXd factors;    ///< D, shape (gaps, cells)
  Eigen::MatrixXd gradients;  ///< G, of the cells' losses, shape (n, cells)
  double bound = 0;           ///< of every gap, > 0
  double cap = 1;             ///< of every multiplier: the price of an excess, > 0
};

struct PenaltyQuadraticResult {
  Eigen::VectorXd p;            ///< shape (n,)
  Eigen::VectorXd multipliers;  ///< of upper less of lower bounds, in [-cap, cap], shape (gaps,)
};

/// By the dual, a quadratic of rank at most `cells` over a box, and a primal-dual interior-point
/// method: every step solves one system of that rank, so that many gaps of few cells are cheap.
/// g + Bp + G D'y = 0 holds to rounding.
///
/// Source: Nocedal, Wright, Numerical Optimization (2006), algorithm 16.4, with both bounds.
[[nodiscard]] PenaltyQuadraticResult minimise_penalty_quadratic(const PenaltyQuadratic& problem);

}  // namespace fairfront::optimise
