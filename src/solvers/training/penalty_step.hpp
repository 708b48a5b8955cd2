/// @file
/// A step of sequential quadratic programming with an exact penalty on gaps.
#pragma once

#include <span>
#include <vector>

#include "optimise/decomposition.hpp"
#include "optimise/eigen.hpp"
#include "solvers/training/constraints.hpp"

namespace fairfront::training {

/// The quadratic problem
///
///     min_s  g's + s'Ps / 2 + cap sum_i (|d_i + J_i s| - bound)_+
///
/// of all gaps i (R. Fletcher, 1985), in the cells' losses L + C s instead of the gaps.
struct PenaltyModel {
  Eigen::VectorXd gradient;   ///< g, shape (n,)
  Eigen::MatrixXd jacobian;   ///< C, shape (cells, n)
  std::vector<double> cells;  ///< L, shape (cells,)
};
struct PenaltyStep {
  Eigen::VectorXd s;
  std::vector<double> of_gaps;      ///< y, multipliers, shape (gaps,)
  std::vector<double> multipliers;  ///< D'y, shape (cells,)
  double value = 0;                 ///< of the model at s, less the loss at s = 0
};
/// By optimise::minimise_penalty_quadratic().
/// @param factor  of P.
[[nodiscard]] PenaltyStep penalty_step(const GapConstraints& constraints, const PenaltyModel& model,
                                       const optimise::Cholesky& factor, double cap, double bound);

/// sum_i (|gap_i| - bound)_+.
[[nodiscard]] double total_excess(std::span<const double> gaps, double bound);

}  // namespace fairfront::training
