/// @file
/// Decisions led within their bounds by the rows next to the threshold.
#pragma once

#include <cstdint>
#include <limits>

#include "optimise/eigen.hpp"
#include "solvers/training/constraints.hpp"
#include "solvers/training/decision_band.hpp"

namespace fairfront::training {

/// The loss next to the point where a band was taken, as a function of a change of the weights:
/// gradient'change + change'hessian change / 2.
struct LossModel {
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian;  ///< both triangles
  [[nodiscard]] Eigen::VectorXd slope(const Eigen::VectorXd& change) const {
    return gradient + hessian * change;
  }
};

struct BandMove {
  Eigen::VectorXd change;    ///< of the weights
  double excess = 0;         ///< sum of what is left beyond the bound
  double loss = 0;           ///< its change, by the model
  std::int64_t passes = 0;   ///< over the rows of the band
  bool is_at_reach = false;  ///< farther, other rows' decisions would change
};

/// Looks for a change of the weights with all |gaps| of counted decisions within a bound, and there
/// for a small loss. On the way to each change tried, counted decisions are known everywhere, and
/// it goes to where price x excess + loss is least. Changes are those of penalty_step(), and such
/// that move the rate of one cell alone: that of most gaps beyond the bound first. Where none of
/// them helps, slopes are taken of fewer rows, and then all rates moved by the same, or one row of
/// one cell whatever others lose: rates of small groups are multiples of one row, and which of them
/// agree depends on where the others are.
/// @param passes  over the rows of the band, at most one more.
/// @param most_loss  no way leads to where the loss has changed by more.
/// @throws base::Interrupted  see base::stop_point().
[[nodiscard]] BandMove lead_within(DecisionBand& band, const GapConstraints& constraints,
                                   const LossModel& loss, double bound, std::int64_t passes,
                                   double most_loss = std::numeric_limits<double>::infinity());

}  // namespace fairfront::training
