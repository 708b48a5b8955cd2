/// @file
/// What preparing a table has fitted, kept for rows that come later, some at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/supervised_options.hpp"
#include "data/table.hpp"

namespace fairfront::data {

/// value -> (value - shift) / divisor; a divisor of 0 gives 0.
struct Affine {
  double shift = 0;
  double divisor = 1;
  [[nodiscard]] double operator()(double value) const {
    return divisor == 0 ? 0.0 : (value - shift) / divisor;
  }
  [[nodiscard]] double inverse(double scaled) const { return scaled * divisor + shift; }
};

/// One column of the table, and the features that it becomes.
struct FittedColumn {
  std::string name;
  bool categorical = false;
  bool log1p = false;                  ///< numbers: taken before `scale`
  double filler = 0;                   ///< numbers: of a missing cell, before log1p
  Affine scale{};                      ///< numbers
  std::size_t place = 0;               ///< numbers: which feature
  std::vector<std::string> levels{};   ///< names of the fitted rows; numbers: what 1, 2, ... are
  std::vector<std::int64_t> places{};  ///< names: which feature each level sets; -1: none
  std::vector<double> set{};           ///< names: to which value
  std::int32_t filler_level = -1;      ///< names: of a missing cell; -1: none
};

/// Divides every row by its Euclidean norm, the squared norm floored at 1e-14: rows land on the
/// unit sphere, and a row of zeros stays.
/// @param features  row-major, rows of `columns` values.
/// @throws base::InputError  a row whose squared norm overflows.
void scale_rows_to_unit(std::span<double> features, std::size_t columns);

struct FittedPreparation {
  /// In the order of the table; the features of a LIBSVM file are called "1", "2", ... Archives of
  /// before that have none.
  std::vector<FittedColumn> columns;
  std::vector<double> unset;  ///< shape (d,): a row in which nothing is set
  bool uses_group = false;    ///< the group is a feature
  FittedColumn group{};       ///< then: what it sets; its levels are all groups, in order
  bool unit_rows = false;     ///< rows are divided by their norm, after all else
  MissingPolicy missing = MissingPolicy::error;
  std::vector<std::string> missing_cells{"?"};  ///< CSV: cells that are missing, beside empty ones

  /// What a reader of later rows is to read, in the order that RowPreparer expects.
  [[nodiscard]] std::vector<TableColumn> wanted() const;
};

/// @throws base::InputError  it has no columns: nobody knows what the features of its rows are.
void require_columns(const FittedPreparation& fitted);

/// Of columns of numbers that are features without any change.
[[nodiscard]] FittedPreparation as_they_are(const std::vector<std::string>& columns);

/// Makes features of rows that come later, with the bits that they would have in the table: by
/// what is fitted, and nothing else. Names that the table does not hold set no indicator.
class RowPreparer {
 public:
  /// @param fitted       must outlive it.
  /// @param with_groups  features() is told every row's group.
  /// @throws base::InputError  the group is a feature and is not told, or there are no columns.
  explicit RowPreparer(const FittedPreparation& fitted, bool with_groups = false);

  /// @param table   columns FittedPreparation::wanted(). The codes of its names may go on from one
  ///                call to the next, but not change.
  /// @param groups  shape (table.rows,), where the group is a feature.
  /// @return row-major, shape (table.rows, d); valid until the next call.
  /// @throws base::InputError  a value <= -1 of a column whose log(1 + x) is wanted.
  const std::vector<double>& features(const Table& table,
                                      std::span<const std::int32_t> groups = {});

  /// Cells so far with a name that the fitted rows do not hold.
  [[nodiscard]] std::int64_t unseen_levels() const noexcept { return unseen_; }
  /// Missing cells so far, filled by the rule of the fitted rows.
  [[nodiscard]] std::int64_t filled() const noexcept { return filled_; }

 private:
  void write_numbers(const FittedColumn& column, const Table& table, std::size_t which);
  void write_names(const FittedColumn& column, const Category& names, std::size_t which);
  void set_level(const FittedColumn& column, std::int32_t level, std::size_t row);

  const FittedPreparation* fitted_;
  std::vector<std::vector<std::int32_t>> level_of_code_;  ///< by column of names
  std::vector<double> features_;
  std::int64_t unseen_ = 0;
  std::int64_t filled_ = 0;
  std::int64_t rows_ = 0;  ///< so far
};

}  // namespace fairfront::data
