/// @file
/// AUC by a quadratic surrogate, and differences of AUCs between groups: Y. Yao, Q. Lin, T. Yang,
/// "Stochastic methods for AUC optimization subject to AUC-based fairness constraints" (2023).
///
///     l(s) = scale (s - margin)^2
///
/// of the difference s of the scores of a pair stands for "the pair is in the wrong order". Sums
/// over all pairs of two sets of rows follow from the sums of 1, h and h^2 over each set, so that a
/// pass over n rows does for n^2 pairs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fairfront::ranking {

/// Rows with the same label and group, in the order (0, other), (0, protected), (1, other),
/// (1, protected).
inline constexpr std::size_t num_cells = 4;
[[nodiscard]] constexpr std::uint8_t cell_of(bool positive, bool is_protected) {
  return static_cast<std::uint8_t>(2 * int{positive} + int{is_protected});
}

/// A union of cells: bit c stands for cell c.
using CellSet = std::uint8_t;
[[nodiscard]] constexpr bool contains(CellSet set, std::size_t cell) {
  return (set >> cell & 1) != 0;
}

/// All pairs of a row of `above` with one of `below`, a row with itself where the sets overlap.
struct PairSet {
  CellSet above = 0;
  CellSet below = 0;
};

/// Which two AUCs should be equal: table 1 of the paper.
enum class FairnessMetric {
  group,             ///< (protected, other) and (all, all)
  inter_group,       ///< (1 protected, 0 other) and (1 other, 0 protected)
  intra_group,       ///< (1 protected, 0 protected) and (1 other, 0 other)
  positive_average,  ///< (1 protected, 1) and (all, all)
  negative_average,  ///< (0 protected, 0) and (all, all)
  background,        ///< (1, 0 protected) and (1 protected, 0)
};

/// The five pair losses of the problem. With the pair sets (G1, G1') and (G2, G2') of the metric:
/// (1, 0), (G1', G1), (G2, G2'), (G2', G2), (G1, G1').
inline constexpr std::size_t num_pairs = 5;
using PairSets = std::array<PairSet, num_pairs>;
[[nodiscard]] PairSets pair_sets(FairnessMetric metric);

/// Objective (0) or constraint (1, 2) that each pair loss is a summand of.
inline constexpr std::array<std::size_t, num_pairs> row_of_pair{0, 1, 1, 2, 2};

/// c1 and c2 of the surrogate, both > 0.
struct Surrogate {
  double scale = 0.5;
  double margin = 1;

  /// What a constant score has for a pair loss.
  [[nodiscard]] double at_zero() const { return scale * margin * margin; }
  /// f1 + f2 >= 2 (1 + this) whatever the scores: kappa must be greater.
  [[nodiscard]] double infeasible_kappa() const { return 2 * at_zero() - 1; }
};

/// Rows, scores and squared scores of every cell.
struct CellSums {
  std::array<double, num_cells> rows{};
  std::array<double, num_cells> sum{};
  std::array<double, num_cells> squares{};

  void add(std::size_t cell, double score) {
    ++rows[cell];
    sum[cell] += score;
    squares[cell] += score * score;
  }
};

/// Mean of the surrogate over all pairs: scale (var + var' + (m - m' - margin)^2) by the means and
/// variances of both sets. NaN if one is empty.
[[nodiscard]] double pair_loss(const CellSums& sums, const PairSet& pair,
                               const Surrogate& surrogate);

/// Gradient of a pair loss in the score of row i: of_score h_i + constant, by the row's cell.
struct PairLossSlopes {
  std::array<double, num_cells> of_score{}, constant{};
};
/// Of the rows that the sums are of. NaN if a set is empty.
[[nodiscard]] PairLossSlopes pair_loss_slopes(const CellSums& sums, const PairSet& pair,
                                              const Surrogate& surrogate);

/// The objective and what 1 + kappa bounds.
struct Losses {
  double objective = 0;                 ///< f0: (1, 0)
  std::array<double, 2> constraints{};  ///< f1: (G1', G1) + (G2, G2'); f2: (G2', G2) + (G1, G1')

  /// max(f1, f2) - 1 - kappa: feasible where this is <= 0.
  [[nodiscard]] double excess(double kappa) const;
};
[[nodiscard]] Losses losses_of(const CellSums& sums, const PairSets& pairs,
                               const Surrogate& surrogate);

}  // namespace fairfront::ranking
