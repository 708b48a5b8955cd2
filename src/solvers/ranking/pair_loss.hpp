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
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fairfront::ranking {

/// Rows with the same label and group are a cell: label 0 of every group, then label 1. Of two
/// groups the second one is the protected one: (0, other), (0, protected), (1, other),
/// (1, protected).
inline constexpr std::size_t max_groups = 32;
inline constexpr std::size_t max_cells = 2 * max_groups;
[[nodiscard]] constexpr std::uint8_t cell_of(bool positive, std::size_t group,
                                             std::size_t groups = 2) {
  return static_cast<std::uint8_t>((positive ? groups : 0) + group);
}

/// A union of cells: bit c stands for cell c.
using CellSet = std::uint64_t;
[[nodiscard]] constexpr bool contains(CellSet set, std::size_t cell) {
  return (set >> cell & 1) != 0;
}

/// Calls visit(c) for the cells of a set, ascending.
template <class Visit>
constexpr void for_each_cell(CellSet set, Visit visit) {
  for (; set != 0; set &= set - 1) visit(static_cast<std::size_t>(std::countr_zero(set)));
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

/// Two AUCs that should be equal: AUC(first) - AUC(second) is their difference.
struct Comparison {
  PairSet first, second;
  std::int32_t group = 1;  ///< in the place of the protected one; -1: the sets name their groups
  std::int32_t other = 0;  ///< the group beside it; -1: all rows are
};

/// What a metric compares. Of two groups the second one is protected. Of more, each is compared
/// with each group before it; or with all rows, where the metric knows no other group.
/// @param groups  2 .. max_groups.
[[nodiscard]] std::vector<Comparison> comparisons_of(FairnessMetric metric, std::size_t groups = 2);

/// Rows with label 1 and rows with label 0.
[[nodiscard]] PairSet label_pair(std::size_t groups = 2);

/// The pair losses of the problem: (1, 0), then with the pair sets (G1, G1') and (G2, G2') of each
/// comparison (G1', G1), (G2, G2'), (G2', G2), (G1, G1'). One comparison makes five.
using PairSets = std::vector<PairSet>;
[[nodiscard]] PairSets pair_sets(std::span<const Comparison> compared, std::size_t groups = 2);
[[nodiscard]] PairSets pair_sets(FairnessMetric metric, std::size_t groups = 2);

/// Objective (0) or constraint (1, 2, ...) that a pair loss is a summand of.
[[nodiscard]] constexpr std::size_t row_of_pair(std::size_t pair) { return (pair + 1) / 2; }
/// Of so many pair losses: the objective and two for each comparison.
[[nodiscard]] constexpr std::size_t rows_of_pairs(std::size_t pairs) { return (pairs + 1) / 2; }

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
  std::array<double, max_cells> rows{};
  std::array<double, max_cells> sum{};
  std::array<double, max_cells> squares{};

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
  std::array<double, max_cells> of_score{}, constant{};
};
/// Of the rows that the sums are of. NaN if a set is empty.
[[nodiscard]] PairLossSlopes pair_loss_slopes(const CellSums& sums, const PairSet& pair,
                                              const Surrogate& surrogate);

/// The objective and what 1 + kappa bounds.
struct Losses {
  double objective = 0;  ///< f0: (1, 0)
  /// f1: (G1', G1) + (G2, G2'); f2: (G2', G2) + (G1, G1'); both of every comparison.
  std::vector<double> constraints{};

  /// max(f1, f2) - 1 - kappa: feasible where this is <= 0.
  [[nodiscard]] double excess(double kappa) const;
};
[[nodiscard]] Losses losses_of(const CellSums& sums, const PairSets& pairs,
                               const Surrogate& surrogate);

/// Which multiple of all scores has the least objective of those that are feasible: objective and
/// constraints are parabolas of the factor, and 0 is feasible.
/// @param kappa  above Surrogate::infeasible_kappa(). @param most  the factor is in [0, most].
[[nodiscard]] double best_factor(const CellSums& sums, const PairSets& pairs,
                                 const Surrogate& surrogate, double kappa, double most);

/// The sums of the scores times a factor.
[[nodiscard]] CellSums scaled(const CellSums& sums, double factor);

}  // namespace fairfront::ranking
