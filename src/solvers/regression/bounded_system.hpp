/// @file
/// The linear system of an interior point's step where gaps are bounded.
#pragma once

#include <span>
#include <vector>

#include "optimise/decomposition.hpp"
#include "optimise/eigen.hpp"
#include "solvers/regression/free_tilts.hpp"
#include "solvers/regression/parity_dual.hpp"

namespace fairfront::regression {

/// (H + S^-1) x = r, H the weighted_hessian() of a ParityDual in all blocks, S > 0 diagonal.
///
/// H is nearly singular where the groups' tilts nearly depend on each other, with small S^-1 where
/// bounds are small or bind; S differs by 20 orders of magnitude near a solution. With the free
/// tilts' coordinates c = F x, H = F^T H' F and, atom by atom, the QR decomposition
/// S^(1/2) F^T = Q R, it is x = S^(1/2) ((1 - Q Q^T) g + Q z), c = R^T z with g = S^(1/2) r and
/// (1 + R H' R^T) z = Q^T g, a system that is well conditioned up to the scale of its unknowns.
/// What H' R^T maps to 0 with bounds of atoms, scores that all atoms have in common, is solved
/// apart.
class BoundedSystem {
 public:
  /// @param free    of the dual's kept groups, of rank > 0.
  /// @param smooth  the dual of free.rows with the same grid and bound; must outlive the system.
  BoundedSystem(const ParityDual& dual, const FreeTilts& free, const ParityDual& smooth);

  /// @param weights  of weighted_hessian(), shape (N, n).
  /// @param softness  the diagonal of S, > 0, shape (dual.size(),).
  /// @return whether rounding has left the system a solution.
  /// @throws base::Interrupted  see base::stop_point().
  [[nodiscard]] bool factorise(std::span<const double> weights, const Eigen::VectorXd& softness);
  struct Solution {
    Eigen::VectorXd x;  ///< shape (dual.size(),)
    Eigen::VectorXd c;  ///< F x, with less rounding than by a product, shape (smooth.size(),)
  };
  /// Of the right side a - gaps(moved).
  /// @param right  a, shape (dual.size(),).
  /// @param moved  probabilities, shape (N, n).
  [[nodiscard]] Solution solve(const Eigen::VectorXd& right, std::span<const double> moved) const;

 private:
  using Matrix = Eigen::MatrixXd;

  void decompose(const Eigen::VectorXd& softness);
  void find_kernel();
  [[nodiscard]] Matrix without_kernel() const;
  [[nodiscard]] Eigen::VectorXd beside_kernel(const Eigen::VectorXd& z) const;
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& right) const;
  [[nodiscard]] Matrix assembled(const Matrix& hessian) const;

  Matrix to_free_;  ///< F
  const ParityDual& smooth_;
  Eigen::Index blocks_, of_block_;
  /// Of every atom: Q, a basis of what is orthogonal to it, and R.
  std::vector<Matrix> q_, rest_, r_;
  Eigen::VectorXd root_;  ///< S^(1/2)
  Matrix system_;
  bool has_kernel_;
  Matrix kernel_;  ///< of R H' R^T, orthonormal columns; shape (any, 0) without
  optimise::Cholesky factors_;
};

}  // namespace fairfront::regression
