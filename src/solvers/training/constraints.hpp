/// @file
/// Fairness constraints as bounds on differences of mean losses: Table 1 of A. Kliachkin,
/// J. Lepsova, G. Bareilles, J. Marecek (2025), for two or many groups. Or of rates of decisions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solvers/training/rate_constraints.hpp"

namespace fairfront::training {

/// What is to be close between groups. L is a mean loss, of all rows or of those of one label.
enum class Fairness {
  loss_gap,           ///< demographic parity of losses: |L_a - L_b| of every pair of groups
  equal_opportunity,  ///< the same of the rows with label +1
  equalised_odds,     ///< |L_a - L_b| of label +1 plus that of label -1, of every pair
  group_to_overall,   ///< |L_a - L| of every group and all rows
};

/// The rows of one group, or those of one group and label.
struct Cell {
  std::int32_t group = 0;
  std::optional<bool> positive{};
  [[nodiscard]] bool contains(std::int32_t of_group, bool label_positive) const noexcept {
    return of_group == group && (!positive || *positive == label_positive);
  }
  bool operator==(const Cell&) const = default;
};

/// The bounds |d_i| <= delta on gaps d = D L, where L are the mean losses of disjoint cells, or
/// their rates: means of what cell_values() has of every row. Every bound is two constraints, c_i =
/// d_i - delta <= 0 and -d_i - delta <= 0, whose gradients are opposite: one Jacobian of the gaps
/// serves both.
///
/// Of losses, |u| + |v| <= delta is |u + v| <= delta and |u - v| <= delta, so that a pair of groups
/// has two gaps in equalised odds. Of rates, every event is bounded by itself.
class GapConstraints {
 public:
  /// @param group_shares  of the training rows, shape (groups,): what L is made of.
  /// @throws std::invalid_argument  fewer than two groups.
  GapConstraints(Fairness fairness, std::span<const double> group_shares);
  /// Of every pair of groups in each event of the rates: cells as RateCells has them.
  /// @throws std::invalid_argument  fewer than two groups, or a width of 0 or less.
  GapConstraints(const RateBound& rate, std::int64_t groups);

  /// Of losses, where rate() has no value.
  [[nodiscard]] Fairness fairness() const noexcept { return fairness_; }
  /// The rates that L are, if it is not losses.
  [[nodiscard]] const std::optional<RateBound>& rate() const noexcept { return rate_; }
  [[nodiscard]] const std::vector<Cell>& cells() const noexcept { return cells_; }
  [[nodiscard]] std::int64_t gaps() const noexcept {
    return std::ssize(matrix_) / std::ssize(cells_);
  }
  /// D: the factor of a cell's loss in a gap.
  [[nodiscard]] double factor(std::int64_t gap, std::int64_t cell) const {
    return matrix_[static_cast<std::size_t>(gap * std::ssize(cells_) + cell)];
  }

  /// out = D L. @param cell_losses  shape (cells,). @param out  shape (gaps,).
  void gaps_of(std::span<const double> cell_losses, std::span<double> out) const;
  /// out = D' y: what a row of each cell weighs in sum_i y_i d_i, up to the number of its rows.
  /// @param of_gaps  shape (gaps,). @param out  shape (cells,).
  void pull_back(std::span<const double> of_gaps, std::span<double> out) const;

 private:
  void add_gap() { matrix_.resize(matrix_.size() + cells_.size(), 0.0); }
  double& last_factor(std::size_t cell) {
    return *(matrix_.end() - std::ssize(cells_) + static_cast<std::ptrdiff_t>(cell));
  }
  /// Of cells that follow each other from `first` on.
  void add_pairs(std::size_t groups, std::size_t first = 0);
  void add_odds(std::size_t groups);
  void add_overall(std::span<const double> group_shares);

  Fairness fairness_ = Fairness::loss_gap;
  std::optional<RateBound> rate_;
  std::vector<Cell> cells_;
  std::vector<double> matrix_;  ///< D, row-major
};

/// The largest |value|, such as that of gaps; NaN if one is, 0 of none.
[[nodiscard]] double largest_size(std::span<const double> values);

}  // namespace fairfront::training
