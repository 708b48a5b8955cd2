/// @file
/// Fairness constraints as bounds on differences of mean losses: Table 1 of A. Kliachkin,
/// J. Lepsova, G. Bareilles, J. Marecek (2025), for two or many groups. Or of rates of decisions,
/// on their ratios, or on the losses or errors of every group.
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
///
/// Bounds on the worst group and on ratios have one side, and d is never below 0: so |d_i| <= delta
/// says it. Of the worst group d are the losses or errors of the cells themselves (bounded group
/// loss: A. Agarwal, M. Dudik, Z. S. Wu, 2019). Of a ratio r, d = 1 + r L_a - L_b of every ordered
/// pair of an event's cells, which is at most delta = 1 where L_b >= r L_a (L. E. Celis, L. Huang,
/// V. Keswani, N. K. Vishnoi, 2019): r is part of D, see with_ratio().
class GapConstraints {
 public:
  /// @param group_shares  of the training rows, shape (groups,): what L is made of.
  /// @throws std::invalid_argument  fewer than two groups; ratios, or the worst group of
  /// group_to_overall, which compares with all rows.
  GapConstraints(Fairness fairness, std::span<const double> group_shares,
                 BoundOf of = BoundOf::gap);
  /// Of every pair of groups in each event of the rates: cells as RateCells has them. Of ratios 1
  /// is asked for.
  /// @throws std::invalid_argument  fewer than two groups, or a width of 0 or less; the worst group
  /// of demographic_parity, which has no errors.
  GapConstraints(const RateBound& rate, std::int64_t groups, BoundOf of = BoundOf::gap);
  /// The same with another ratio asked for, in [0, 1]. Only of ratios.
  [[nodiscard]] GapConstraints with_ratio(double ratio) const;
  /// A bound within `bound` that leaves this share of the room which a |d| has there: of a gap
  /// `share * bound`. Of a worst group an error has a room of 0.05 at most: what matters there is
  /// how far off the bound it is. Of a ratio r, which asks for d <= 1, rates have the room of what
  /// r lets them differ by, (1 - r) times their mean, in the event where that is least; but no
  /// less than what a thousandth of all rows decided 1 would have.
  /// @param cell_losses  shape (cells,).
  [[nodiscard]] double inside(double bound, double share,
                              std::span<const double> cell_losses) const;

  [[nodiscard]] BoundOf bound_of() const noexcept { return of_; }
  /// Whether d is never below 0, and only its upper bound a constraint.
  [[nodiscard]] bool has_one_side() const noexcept { return of_ != BoundOf::gap; }
  /// What every d has beside D L: 1 of ratios, else 0.
  [[nodiscard]] double constant() const noexcept { return of_ == BoundOf::ratio ? 1 : 0; }
  /// The largest |d| of those bounds that may not be kept; NaN if a number is. Of a ratio, d is at
  /// most 1 where the quotient of the rates is no less than it, however d is rounded; a pair whose
  /// rates are equal, as where nothing is decided 1, or of which a ratio of 0 is asked, is left
  /// out: it keeps its ratio though d is 1, which room for rounding below delta would call beyond.
  /// @param cell_losses  shape (cells,). @param gaps  d there, shape (gaps,).
  [[nodiscard]] double largest_gap(std::span<const double> cell_losses,
                                   std::span<const double> gaps) const;
  /// How unfair that is of which the bound is: the largest |d|, of a ratio 1 less the smallest of
  /// two cells of an event, see smallest_ratio(). NaN if a number is.
  /// @param cell_losses  shape (cells,). @param gaps  d there, shape (gaps,).
  [[nodiscard]] double unfairness(std::span<const double> cell_losses,
                                  std::span<const double> gaps) const;
  /// Both sides of every bound: out = d_i - delta and -d_i - delta in turn, shape (2 gaps,). A side
  /// that is no constraint is 0.
  void sides_of(std::span<const double> gaps, double delta, std::span<double> out) const;

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

  /// out = d. @param cell_losses  L, shape (cells,). @param out  shape (gaps,).
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
  void add_cells();
  /// Of ordered pairs.
  void add_ratios(std::size_t groups, std::size_t first, double ratio);
  void add_events(double ratio);

  BoundOf of_ = BoundOf::gap;
  double ratio_ = 1;  ///< asked for, of ratios
  Fairness fairness_ = Fairness::loss_gap;
  std::optional<RateBound> rate_;
  std::vector<Cell> cells_;
  std::vector<double> matrix_;  ///< D, row-major
};

/// The largest |value|, such as that of gaps; NaN if one is, 0 of none.
[[nodiscard]] double largest_size(std::span<const double> values);

}  // namespace fairfront::training
