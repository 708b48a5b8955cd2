#include "data/fitted_preparation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/stop.hpp"
#include "data/cell_text.hpp"
#include "data/source_columns.hpp"

namespace fairfront::data {

void scale_rows_to_unit(std::span<double> features, std::size_t columns) {
  constexpr double least_squared_norm = 1e-14;
  constexpr std::size_t rows_between_stops = 4096;
  for (std::size_t first = 0; first < features.size(); first += columns) {
    if (first / columns % rows_between_stops == 0) base::stop_point();
    const std::span<double> row = features.subspan(first, columns);
    double squares = 0;
    for (const double value : row) squares += value * value;
    if (!std::isfinite(squares)) {
      throw base::InputError("the rows cannot be normalised: the sum of a row's squares overflows");
    }
    const double norm = std::sqrt(std::max(squares, least_squared_norm));
    for (double& value : row) value /= norm;
  }
}

std::vector<TableColumn> FittedPreparation::wanted() const {
  std::vector<TableColumn> wanted;
  for (const FittedColumn& column : columns) {
    TableColumn& cells = wanted.emplace_back();
    cells.name = column.name;
    cells.missing = missing_cell_of_feature(missing);
    cells.kind = column.categorical ? CellKind::category : CellKind::number;
    cells.has_logarithm = column.log1p;
    if (column.categorical || column.levels.empty()) continue;
    cells.kind = CellKind::ordinal;
    cells.levels = column.levels;
  }
  return wanted;
}

void require_columns(const FittedPreparation& fitted) {
  if (!fitted.columns.empty()) return;
  throw base::InputError(
      "the model is of an archive that was made before features of LIBSVM files had names: run its "
      "config anew");
}

FittedPreparation as_they_are(const std::vector<std::string>& columns) {
  FittedPreparation fitted;
  for (const std::string& name : columns) {
    fitted.columns.push_back({.name = name, .place = fitted.unset.size()});
    fitted.unset.push_back(0);
  }
  return fitted;
}

RowPreparer::RowPreparer(const FittedPreparation& fitted, bool with_groups) : fitted_{&fitted} {
  require_columns(fitted);
  if (fitted.uses_group && !with_groups) {
    throw base::InputError(
        "preparation.group_feature = true needs the group of every row, and rows that come later "
        "have none");
  }
  for (const FittedColumn& column : fitted.columns) {
    if (column.categorical) level_of_code_.emplace_back();
  }
}

const std::vector<double>& RowPreparer::features(const Table& table,
                                                 std::span<const std::int32_t> groups) {
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
  if (fitted_->uses_group) {
    for (std::size_t row = 0; row < groups.size(); ++row) {
      set_level(fitted_->group, groups[row], row);
    }
  }
  if (fitted_->unit_rows) scale_rows_to_unit(features_, fitted_->unset.size());
  rows_ += table.rows;
  return features_;
}

void RowPreparer::write_numbers(const FittedColumn& column, const Table& table, std::size_t which) {
  const std::size_t width = table.number_names.size(), d = fitted_->unset.size();
  for (std::size_t row = 0; row < static_cast<std::size_t>(table.rows); ++row) {
    double value = table.numbers[row * width + which];
    if (std::isnan(value)) {
      value = column.filler;
      ++filled_;
    }
    if (column.log1p) {
      if (!(value > -1)) {
        throw base::InputError(
            fmt::format("column '{}' holds a value <= -1 in row {} of those to be predicted, which "
                        "has no finite log(1 + x)",
                        base::excerpt(column.name), rows_ + static_cast<std::int64_t>(row) + 1));
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
    const auto place = place_of_name(column.levels, names.levels[code]);
    level_of_code.push_back(place ? static_cast<std::int32_t>(*place) : -1);
  }
  for (std::size_t row = 0; row < names.codes.size(); ++row) {
    const std::int32_t code = names.codes[row];
    const std::int32_t level =
        code < 0 ? column.filler_level : level_of_code[static_cast<std::size_t>(code)];
    if (code < 0) ++filled_;
    if (code >= 0 && level < 0) ++unseen_;
    set_level(column, level, row);
  }
}

/// @param level  -1: none.
void RowPreparer::set_level(const FittedColumn& column, std::int32_t level, std::size_t row) {
  if (level < 0) return;
  const std::int64_t place = column.places[static_cast<std::size_t>(level)];
  if (place < 0) return;
  features_[row * fitted_->unset.size() + static_cast<std::size_t>(place)] =
      column.set[static_cast<std::size_t>(level)];
}

}  // namespace fairfront::data
