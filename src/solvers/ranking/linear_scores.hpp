/// @file
/// The rows that a linear score h = w^T (x - mean) learns from.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/rows.hpp"
#include "solvers/ranking/pair_loss.hpp"

namespace fairfront::base {
class PageReader;
class PageWriter;
}  // namespace fairfront::base

namespace fairfront::models {
class IndicatorRows;
}

namespace fairfront::ranking {

/// Rows with the cell of each. Features are centred by their mean, which no loss of pairs notices:
/// scores stay near 0. Rows of indicators with few ones are kept as lists of their columns.
class LinearScores {
 public:
  struct Scratch {};  ///< nothing is needed

  /// Copies the features.
  /// @param cells   of each row of `rows`.
  /// @param groups  2 .. max_groups.
  /// @throws std::invalid_argument  another number of cells, one that does not exist, or one
  ///         without rows: then some AUC is undefined.
  LinearScores(const models::Rows& rows, std::vector<std::uint8_t> cells, std::size_t groups = 2);

  /// The rows that lay_down() has written, as the same memory.
  /// @throws base::PagesError  they end before.
  explicit LinearScores(base::PageReader& pages);
  void lay_down(base::PageWriter& pages) const;

  [[nodiscard]] std::int64_t rows() const { return std::ssize(cells_); }
  [[nodiscard]] std::int64_t columns() const { return std::ssize(mean_); }
  [[nodiscard]] std::int64_t parameters() const { return columns(); }
  [[nodiscard]] std::size_t groups() const { return groups_; }
  [[nodiscard]] std::span<const double> mean() const { return mean_; }  ///< shape (columns,)
  [[nodiscard]] std::span<const std::uint8_t> cells() const { return cells_; }
  [[nodiscard]] const std::array<double, max_cells>& rows_of_cell() const { return rows_of_cell_; }
  [[nodiscard]] bool is_indexed() const { return indicators_ != nullptr; }  ///< lists of columns
  [[nodiscard]] std::size_t bytes() const;

  /// @param batch  row numbers, 0 .. rows() - 1. @param out  shape (batch,).
  void scores(std::span<const double> w, std::span<const std::int64_t> batch,
              std::span<double> out) const;
  /// gradient += sum_i slopes[i] (x_i - mean).
  void add_gradient(std::span<const std::int64_t> batch, std::span<const double> slopes,
                    std::span<double> gradient) const;
  /// Both as methods for any model call them: see ScoreRows.
  void scores(std::span<const double> w, std::span<const std::int64_t> batch, Scratch& /*scratch*/,
              std::span<double> out) const {
    scores(w, batch, out);
  }
  void add_gradient(std::span<const double> /*w*/, std::span<const std::int64_t> batch,
                    Scratch& /*scratch*/, std::span<const double> slopes,
                    std::span<double> gradient) const {
    add_gradient(batch, slopes, gradient);
  }
  /// Of all rows.
  [[nodiscard]] CellSums sums(std::span<const double> w) const;

  /// w <- factor w.
  static void multiply_scores(std::span<double> w, double factor) {
    for (double& value : w) value *= factor;
  }
  /// radius / |w|.
  [[nodiscard]] static double most_factor(std::span<const double> w, double radius);

  /// The row less the mean. Of rows kept as features.
  [[nodiscard]] std::span<const double> centred(std::int64_t row) const;
  /// Columns of the ones of a row, ascending. Of rows kept as lists.
  [[nodiscard]] std::span<const std::int32_t> ones(std::int64_t row) const;
  [[nodiscard]] const models::IndicatorRows& indicators() const { return *indicators_; }

 private:
  template <class Pages, class Self>
  static void walk_rows(Pages& pages, Self& self);

  std::vector<std::uint8_t> cells_;
  std::size_t groups_ = 0;
  std::array<double, max_cells> rows_of_cell_{};
  std::vector<double> mean_;
  std::vector<double> features_;  ///< centred, row-major; empty where lists do
  std::shared_ptr<const models::IndicatorRows> indicators_;  ///< or none
};

}  // namespace fairfront::ranking
