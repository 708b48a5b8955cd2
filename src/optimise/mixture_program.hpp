/// @file
/// The best mixture of given members: a small linear program with its multipliers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fairfront::optimise {

struct Mixture {
  std::vector<double> shares;       ///< of the members, >= 0, sum 1
  std::vector<double> multipliers;  ///< of the constraints, >= 0, sum <= penalty
  double value = 0;                 ///< error + penalty * violation
};

/// What enters the basis next.
enum class Pricing {
  first,  ///< the first that lowers the value: Bland's rule, which ends whatever is degenerate
  /// The one that lowers it fastest, with larger tolerances and, of what may leave the basis, the
  /// largest pivot: for many constraints that are nearly the same. After 20 pivots a row and member
  /// it takes the first, and after 40 it ends where it is, which keeps shares what they must be.
  steepest
};

/// min over shares q of sum_j q_j errors_j + penalty * max(0, max_k sum_j q_j excess_kj), by the
/// simplex method.
/// @param errors  shape (m,), m >= 1.
/// @param excess  of constraint k by member j, <= 0 where it holds: row-major, shape (K, m).
/// @throws std::invalid_argument  shapes that do not fit, or a penalty that is not above 0.
/// @throws base::Interrupted
[[nodiscard]] Mixture best_mixture(std::span<const double> errors, std::span<const double> excess,
                                   double penalty, Pricing pricing = Pricing::first);

}  // namespace fairfront::optimise
