/// @file
/// Decisions of a last layer near where it stands: the rows next to the threshold alone.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/rows.hpp"
#include "optimise/eigen.hpp"
#include "solvers/training/cell_values.hpp"
#include "solvers/training/problem.hpp"

namespace fairfront::training {

/// Rows of one cell, one after the other.
struct BandCell {
  std::int64_t first = 0, count = 0;
  double rows = 0;     ///< of the cell, whether in the band or not
  double outside = 0;  ///< what the others and an offset add to its rate
  /// The least |score| of the others.
  double reach = std::numeric_limits<double>::infinity();
};

/// Rows of every cell whose scores are next to 0. As long as no other row's decision changes, the
/// rates that are counted here are those of all rows, and a change of weights costs a part of what
/// it costs there.
class DecisionBand {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;

  /// @param numbers  of rows in the matrix that `rows` is of, cell by cell.
  /// @param labels, scores  of them.
  DecisionBand(const Problem& problem, const models::Rows& rows, std::vector<std::int64_t> numbers,
               std::vector<BandCell> cells, std::vector<double> labels, std::vector<double> scores);

  [[nodiscard]] std::int64_t rows() const { return std::ssize(numbers_); }
  /// Of a cell, whether in the band or not.
  [[nodiscard]] double rows_of(std::size_t cell) const { return cells_[cell].rows; }
  [[nodiscard]] std::vector<double> cells() const;
  /// Row by row of the cells' rates, shape (cells, weights): slopes of the rows of each cell within
  /// the distance of its nearest ones, that `share` of the cell and at least `least`, by a
  /// triangular kernel.
  [[nodiscard]] Matrix slopes(double share, std::int64_t least) const;

  /// Where a change of weights leads.
  /// @return how much of the way there leaves most other rows' decisions what they are: the root
  /// mean square by which scores of each cell have changed is its reach at most.
  double aim(const Vector& change);
  /// Rates at t = (k + 1) / count of the way there, shape (count, cells).
  [[nodiscard]] std::vector<std::vector<double>> cells_on_way(int count) const;
  /// Goes that part of the way.
  void go(double t);
  [[nodiscard]] const std::vector<double>& scores() const { return scores_; }
  /// Back to where scores were those.
  void go_back(const std::vector<double>& scores) { scores_ = scores; }

 private:
  const Problem& problem_;
  std::vector<std::int64_t> numbers_;
  models::Rows rows_;
  std::vector<BandCell> cells_;
  std::vector<double> labels_, first_scores_, scores_, aimed_;
};

/// Changes of rates on the way between two scores of the same rows.
/// @param values  of the rows.
/// @param share  what one of them counts in the rate.
/// @param changes  what is added between each point and the one before, shape (points,), added to.
/// @param points  of a way of length 1: some of `changes` may be beyond its end.
void add_decision_changes(const DecisionValues& values, std::span<const double> labels,
                          std::span<const double> from, std::span<const double> to, double share,
                          double points, std::span<double> changes);

}  // namespace fairfront::training
