/// @file
/// The exact optimum of regression under demographic parity: no sampling of rows.
#pragma once

#include <cstdint>

#include "solvers/common/control.hpp"
#include "solvers/regression/certificate.hpp"
#include "solvers/regression/parity_dual.hpp"

namespace fairfront::regression {

struct OptimumOptions {
  double tolerance = 1e-9;            ///< of the shortest subgradient's norm, > 0
  std::int64_t max_iterations = 200;  ///< of proximal Newton, >= 1
  double no_penalty = 0;              ///< norm of epsilons up to which they are taken for 0
};

struct Optimum {
  double beta = 0;
  Eigen::VectorXd v;             ///< of the ParityDual
  double value = 0;              ///< of the dual's objective
  double gradient_norm = 0;      ///< shortest subgradient: the projected gradient in Lambda, V >= 0
  bool converged = false;        ///< gradient_norm <= tolerance
  std::int64_t iterations = 0;   ///< Newton steps with all rows
  std::int64_t evaluations = 0;  ///< of single rows, each at one point and one beta
};

/// Minimises the dual by proximal Newton steps with backtracking; what curvature is missing is
/// added as the steps need it. Quadratic convergence. Where there are many groups, or twenty such
/// steps were not enough, from an interior_point(), unless the probabilities of all rows are more
/// than its memory. Without a start, two groups of fewer than 4,000 rows are given thirty steps of
/// a balanced_path() before: cheaper ones, behind whose failure the above does what it does without
/// them. Deterministic. A run that goes on from a checkpoint, of which every step has one, comes
/// out at the same bits.
/// @param start  a point to begin with, such as the optimum for another epsilon or beta. Empty: of
///               many rows, the optimum of an eighth as many, see merged_rows(); of few, 0 and, for
///               a beta that is large, the optima of smaller ones.
/// @throws std::invalid_argument  an option out of range, a start of the wrong size.
/// @throws std::domain_error      infeasible bounds.
/// @throws solvers::Interrupted   `control` wants a stop.
/// @throws base::CheckpointError  the state to go on from is damaged, or of another problem.
[[nodiscard]] Optimum minimise_dual(const ParityDual& dual, double beta,
                                    const OptimumOptions& options = {},
                                    const Eigen::VectorXd& start = {},
                                    const solvers::Control& control = {});

struct LimitOptions {
  /// Of the certificate, in squared units of the target; > 0. More than 1e-3 is aimed at as 1e-3.
  double gap = 1e-7;
  double relative_gap = 1e-4;         ///< the same over `upper`; > 0. Gaps below 1e-12 are rounding
  double first_beta = 262144;         ///< > 0
  double factor = 8;                  ///< of the next beta, > 1
  double last_beta = 1e9;             ///< >= first_beta
  std::int64_t max_iterations = 200;  ///< steps of all kinds, about; >= 1
  std::int64_t most_inside = 1 << 23;  ///< probabilities that interior points may hold in memory
};
struct Limit {
  Optimum optimum;          ///< for the last beta
  Certificate certificate;  ///< of it
  bool converged = false;   ///< both gaps reached
  std::int64_t stages = 0;
};
/// The linear program (3). Its dual is solved by an InteriorPath, for `lower`; the prediction
/// is the softmax of the dual's optimum for the least of first_beta, factor times that, and so on,
/// of which the certificate's gaps are small enough; if none of them is, the same from a small beta
/// on. Of more probabilities than `most_inside`, the
/// limit of optima for beta = 64, 256, and so on: each starts from those before, continued as
/// linear in 1 / beta. `lower` is the best of all that were met. Checkpoints as of minimise_dual().
/// @param start  used by the latter.
[[nodiscard]] Limit minimise_limit(const ParityDual& dual, const LimitOptions& options = {},
                                   const Eigen::VectorXd& start = {},
                                   const solvers::Control& control = {});

}  // namespace fairfront::regression
