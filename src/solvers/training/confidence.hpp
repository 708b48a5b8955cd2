/// @file
/// How sure a bound on differences of mean losses is for rows that were not trained on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/training/problem.hpp"

namespace fairfront::training {

/// Upper bounds U_i with P(|d_i| <= U_i for every gap i) >= confidence, where d are the gaps of the
/// distribution that the rows of a part come from:
///
///     U_i = |gap_i| + z s_i,   s_i^2 = sum_k D_ik^2 var_k / n_k,   P(Z <= z) = 1 - a,
///     a = (1 - confidence) / (gaps looks),
///
/// with the mean, the sample variance and the number of rows of each cell k. One-sided is enough
/// for |d|: where d >= 0 only an estimate that is too small can mislead, elsewhere one too large.
/// All gaps at once by Bonferroni.
///
/// Assumes rows that are independent of each other and of the weights, losses of finite variance,
/// and cells large enough for the central limit theorem: losses have no upper bound, so that there
/// is no bound without such an assumption. The factors D count as known.
///
/// @param losses  of the rows of the part, in their order.
/// @param looks   how many weights the same rows have been asked about before one was taken; >= 1.
/// @return shape (gaps,); infinity where a cell has fewer than two rows.
/// @throws std::invalid_argument  confidence is not in (0, 1), or looks < 1.
[[nodiscard]] std::vector<double> gap_bounds(const GapConstraints& constraints, const Part& part,
                                             std::span<const double> losses, double confidence,
                                             std::int64_t looks = 1);

}  // namespace fairfront::training
