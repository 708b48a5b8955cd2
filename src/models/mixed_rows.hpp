/// @file
/// Rows of which columns with a rare second value, such as levels of a category, are kept as lists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/rows.hpp"

namespace fairfront::models {

/// A row (1, x), which linear models learn from, as (1, z): where z of a column with two values of
/// which one is rare is whether the row has the rare one, and of any other column x itself. First
/// stands 1, then columns of many values, then those with a rare one. x = usual + step * z, so that
/// scores, gradients and curvatures of z are those of x by one step each, whatever the number of
/// rows; of a table of categories that costs as much as their number, not that of their levels.
///
/// All numbers hang on the rows alone, not on the processor.
class MixedRows {
 public:
  /// A second value is rare in at most this share of the rows.
  static constexpr double rare = 0.2;

  /// @param rows  views what must outlive this.
  explicit MixedRows(const Rows& rows);

  [[nodiscard]] std::int64_t size() const { return rows_.size(); }
  /// 1 + columns: the length of z with its 1, and of w.
  [[nodiscard]] std::int64_t parameters() const { return rows_.columns() + 1; }
  /// Of row i in the matrix.
  [[nodiscard]] std::int64_t number(std::int64_t i) const { return rows_.number(i); }

  /// Weights of z that give the scores of `w`, shape (parameters(),) with the intercept first.
  [[nodiscard]] std::vector<double> weights_of_coded(std::span<const double> w) const;
  /// sum_i f_i (1, x_i) from sum_i f_i (1, z_i). Shapes (parameters(),).
  void add_from_coded(std::span<const double> sums, std::span<double> out) const;
  /// sum_i f_i (1, x_i) (1, x_i)^T from the lower part of that of z, both row-major; out is whole.
  void square_from_coded(std::span<const double> sums, std::span<double> out) const;

  /// Of rows from `first` on. @param coded  weights_of_coded().
  void scores(std::span<const double> coded, std::int64_t first, std::span<double> out) const;
  /// sums += sum_i factors_i (1, z_i), rows from `first` on.
  void add_rows(std::int64_t first, std::span<const double> factors, std::span<double> sums) const;
  /// The lower part of sums += sum_i factors_i (1, z_i) (1, z_i)^T, row-major. @param factors >= 0.
  void add_squares(std::int64_t first, std::span<const double> factors,
                   std::span<double> sums) const;

 private:
  struct Column {
    std::size_t place = 0;  ///< in (1, z)
    double usual = 0;       ///< of many values: 0
    double step = 1;        ///< to the rare value
  };

  void place_columns();
  void fill_rows();
  [[nodiscard]] std::span<const std::int32_t> listed(std::int64_t row) const;

  Rows rows_;
  std::vector<Column> columns_;  ///< the constant first
  std::size_t many_ = 0;         ///< columns of many values
  std::vector<double> values_;   ///< of these, row-major; empty: those of rows_ itself
  std::vector<std::int64_t> begins_;
  std::vector<std::int32_t> listed_;  ///< places of rare values, row by row
};

}  // namespace fairfront::models
