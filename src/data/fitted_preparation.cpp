#include "data/fitted_preparation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "data/source_columns.hpp"

namespace fairfront::data {
std::vector<TableColumn> FittedPreparation::wanted() const {
  std::vector<TableColumn> wanted;
  for (const FittedColumn& column : columns) {
    wanted.push_back({.name = column.name,
                      .kind = column.categorical ? CellKind::category : CellKind::number,
                      .missing = missing_cell_of_feature(missing)});
  }
  return wanted;
}

RowPreparer::RowPreparer(const FittedPreparation& fitted) : fitted_{&fitted} {
  if (fitted.columns.empty()) {
    throw base::InputError("rows that come later must have columns with names, as CSV files have");
  }
  if (fitted.uses_group) {
    throw base::InputError(
        "preparation.group_feature = true needs the group of every row, and rows that come later "
        "have none");
  }
  for (const FittedColumn& column : fitted.columns) {
    if (column.categorical) level_of_code_.emplace_back();
  }
}

const std::vector<double>& RowPreparer::features(const Table& table) {
  features_.clear();
  for (std::int64_t row = 0; row < table.rows; ++row) {
    features_.insert(features_.end(), fitted_->unset.begin(), fitted_->unset.end());
  }
  std::size_t numbers = 0, names = 0;
  for (const FittedColumn& column : fitted_->columns) {
    if (column.categorical) {
      write_names(column, table.categories[names], names);
      ++names;
    } else {
      write_numbers(column, table, numbers++);
    }
  }
  return features_;
}

void RowPreparer::write_numbers(const FittedColumn& column, const Table& table, std::size_t which) {
  const std::size_t width = table.number_names.size(), d = fitted_->unset.size();
  for (std::size_t row = 0; row < static_cast<std::size_t>(table.rows); ++row) {
    double value = table.numbers[row * width + which];
    if (std::isnan(value)) value = column.filler;
    if (column.log1p) {
      if (!(value > -1)) {
        throw base::InputError(fmt::format(
            "preparation.log1p: column '{}' holds a value <= -1, whose log(1 + x) is not finite",
            base::excerpt(column.name)));
      }
      value = base::log1p(value);
    }
    features_[row * d + column.place] = column.scale(value);
  }
}

void RowPreparer::write_names(const FittedColumn& column, const Category& names,
                              std::size_t which) {
  std::vector<std::int32_t>& level_of_code = level_of_code_[which];
  for (std::size_t code = level_of_code.size(); code < names.levels.size(); ++code) {
    const auto found = std::ranges::find(column.levels, names.levels[code]);
    level_of_code.push_back(found == column.levels.end()
                                ? -1
                                : static_cast<std::int32_t>(found - column.levels.begin()));
  }
  const std::size_t d = fitted_->unset.size();
  for (std::size_t row = 0; row < names.codes.size(); ++row) {
    const std::int32_t code = names.codes[row];
    const std::int32_t level =
        code < 0 ? column.filler_level : level_of_code[static_cast<std::size_t>(code)];
    if (level < 0) {
      if (code >= 0) ++unseen_;
      continue;
    }
    const std::int64_t place = column.places[static_cast<std::size_t>(level)];
    if (place < 0) continue;
    features_[row * d + static_cast<std::size_t>(place)] =
        column.set[static_cast<std::size_t>(level)];
  }
}

}  // namespace fairfront::data
