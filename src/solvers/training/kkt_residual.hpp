/// @file
/// How far weights are from a KKT point of training under bounds.
#pragma once

#include <vector>

#include "solvers/training/full_data.hpp"

namespace fairfront::training {

/// Multipliers y >= 0 of both sides of every gap, or of the only one, chosen for the smallest
/// |stationarity|^2 + |complementarity|^2: of all multipliers those by which the point is nearest
/// to a KKT point. So methods with and without duals of their own are judged alike.
struct KktResidual {
  double stationarity = 0;          ///< |grad f + J'(y+ - y-)|, Euclidean
  double violation = 0;             ///< largest |gap| less delta, at least 0
  double complementarity = 0;       ///< largest y_i |c_i|
  std::vector<double> multipliers;  ///< y+ - y-, shape (gaps,)
};
/// @param has_one_side  see GapConstraints.
[[nodiscard]] KktResidual kkt_residual(const Derivatives& at, double delta,
                                       bool has_one_side = false);

}  // namespace fairfront::training
