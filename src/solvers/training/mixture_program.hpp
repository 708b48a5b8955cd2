/// @file
/// The best mixture of given classifiers: a small linear program with its multipliers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fairfront::training {

struct Mixture {
  std::vector<double> shares;       ///< of the members, >= 0, sum 1
  std::vector<double> multipliers;  ///< of the constraints, >= 0, sum <= penalty
  double value = 0;                 ///< error + penalty * violation
};

/// min over shares q of sum_j q_j errors_j + penalty * max(0, max_k sum_j q_j excess_kj), by the
/// simplex method with Bland's rule, which ends whatever is degenerate.
/// @param errors  shape (m,), m >= 1.
/// @param excess  of constraint k by member j, <= 0 where it holds: row-major, shape (K, m).
/// @throws std::invalid_argument  shapes that do not fit, or a penalty that is not above 0.
/// @throws base::Interrupted
[[nodiscard]] Mixture best_mixture(std::span<const double> errors, std::span<const double> excess,
                                   double penalty);

}  // namespace fairfront::training
