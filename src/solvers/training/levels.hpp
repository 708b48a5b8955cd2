/// @file
/// The bounds on gaps by levels instead of pairs: as many terms as groups, not as many as pairs.
#pragma once

#include <span>
#include <vector>

#include "solvers/common/packing.hpp"
#include "solvers/training/problem.hpp"

namespace fairfront::training {

/// Levels a = A L, where L are the mean losses of cells, such that all |gaps| are <= delta where
/// each family of levels has a centre c with |a_j - c| <= half_width delta for its levels j.
///
/// loss_gap, equal_opportunity: the cells' losses are one family, c free, half_width 1/2: all pairs
/// are within delta of each other where all are within half of it of something.
/// equalised_odds: |u| + |v| <= delta is |u + v| <= delta and |u - v| <= delta, so that the sums of
/// a group's two losses are one family and their differences another.
/// Rates: the cells of each event are a family.
/// group_to_overall, and bounds on the worst group and on ratios: the gaps themselves, c = 0 and
/// half_width 1.
struct Levels {
  std::size_t cells = 0;
  std::vector<double> matrix;   ///< A, row-major, shape (levels, cells)
  std::size_t per_family = 0;   ///< levels of each family, which follow each other
  bool has_free_centre = true;  ///< else c is 0
  double half_width = 0.5;
  double constant = 0;  ///< added to all levels, which are A L otherwise

  [[nodiscard]] std::size_t size() const { return matrix.size() / cells; }
  [[nodiscard]] std::span<const double> row(std::size_t level) const {
    return std::span(matrix).subspan(level * cells, cells);
  }
};
[[nodiscard]] Levels levels_of(const GapConstraints& constraints);

/// Multipliers of an augmented Lagrangian of the levels' bounds,
///
///     v_j = rho_j shrink(a_j - c + y_j / rho_j, half_width delta),  sum of a family's v = 0,
///     y  += rate (v - y),        shrink(x, h) = sign(x) (|x| - h)_+,
///
/// with c by bisection. rho_j is `penalty` times the share of the training rows that the level is
/// made of, so that a row weighs the same in a small group and in a large one.
class LevelMultipliers {
 public:
  LevelMultipliers(const Problem& problem, double penalty);

  /// @param cell_losses  shape (cells,). @param rate  in [0, 1].
  /// @return A'v: what a cell's mean loss weighs beside the objective. Valid until the next call.
  std::span<const double> update(std::span<const double> cell_losses, double delta, double rate);
  /// A'v of the last update; 0 before the first.
  [[nodiscard]] std::span<const double> pulled() const { return pulled_; }
  void reset();

  void pack(solvers::Packer& packer) const;
  void unpack(solvers::Unpacker& unpacker);

 private:
  [[nodiscard]] double sum_at(double centre, std::size_t first, double width) const;
  [[nodiscard]] double centre_of(std::size_t first, double width) const;

  Levels levels_;
  std::vector<double> rho_, y_, v_;
  std::vector<double> shifted_;  ///< a_j + y_j / rho_j
  std::vector<double> pulled_;
};

}  // namespace fairfront::training
