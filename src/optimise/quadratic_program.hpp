/// @file
/// Small dense convex programs with one quadratic.
#pragma once

#include "optimise/eigen.hpp"

namespace fairfront::optimise {

/// min cost^T x + bend q(x) over low <= x <= high with A x + q(x) row_bend <= b, where q(x) is
/// sum_j metric_j x_j^2 / 2.
struct QuadraticProgram {
  Eigen::VectorXd metric;       ///< shape (n,), >= 0
  Eigen::VectorXd cost;         ///< shape (n,)
  double bend = 0;              ///< >= 0
  Eigen::VectorXd low;          ///< shape (n,), finite or -infinity
  Eigen::VectorXd high;         ///< shape (n,), finite or infinity
  Eigen::MatrixXd matrix;       ///< A, shape (m, n)
  Eigen::VectorXd right;        ///< b, shape (m,)
  Eigen::VectorXd row_bend;     ///< shape (m,), >= 0
  Eigen::VectorXd start;        ///< strictly within all bounds, shape (n,)
  Eigen::VectorXd multipliers;  ///< of the rows, where theirs start: > 0, shape (m,)
};

struct QuadraticProgramResult {
  Eigen::VectorXd x;            ///< strictly within low and high, shape (n,)
  Eigen::VectorXd multipliers;  ///< of the rows, > 0, shape (m,)
};

/// By the primal-dual interior-point method of S. Mehrotra, SIAM J. Optim. 2(4), 1992, with Newton
/// steps for the quadratic: one Cholesky factorisation of n x n numbers for each of some 10 steps.
/// Ends where products of slacks and multipliers are 1e-9 on average, or where rounding ends it: by
/// the multipliers, of which any say a bound, the caller knows how far it came. There must be a
/// least value. Deterministic.
[[nodiscard]] QuadraticProgramResult solve_quadratic_program(const QuadraticProgram& program);

}  // namespace fairfront::optimise
