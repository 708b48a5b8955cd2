#include "data/readers/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "data/cell_text.hpp"

namespace fairfront::data {

namespace {

bool look_like_a_row(std::span<const std::string> names) {
  return std::ranges::any_of(
      names, [](const std::string& name) { return name.empty() || base::parse_double(name); });
}

}  // namespace

std::string names_for_message(std::span<const std::string> names) {
  return look_like_a_row(names) ? "cells that look like a row of data; is there a header?"
                                : base::list_some(names);
}

TableReader::TableReader(TableSource source, std::span<const TableColumn> columns,
                         std::span<const ColumnTest> where)
    : source_{std::move(source)}, has_header_{false} {
  const NamePlaces places = places_of_names();
  has_header_ = has_header(columns, places);
  for (const ColumnTest& test : where) filters_.push_back({test, find_column(test.column, places)});
  for (const TableColumn& column : columns) {
    wanted_.push_back({column, find_column(column.name, places), table_.category_names.size()});
    const bool is_name = column.kind == CellKind::category;
    (is_name ? table_.category_names : table_.number_names).push_back(column.name);
  }
  table_.categories.resize(table_.category_names.size());
  codes_.resize(table_.category_names.size());
}

TableReader::NamePlaces TableReader::places_of_names() const {
  NamePlaces places;
  for (std::size_t i = 0; i < source_.names.size(); ++i) {
    NamePlace& place = places.try_emplace(source_.names[i], NamePlace{i, 0}).first->second;
    ++place.count;
  }
  return places;
}

bool TableReader::has_header(std::span<const TableColumn> columns, const NamePlaces& places) const {
  return std::ranges::any_of(columns, [&](const TableColumn& column) {
    const bool is_cell = column.name.empty() || base::parse_double(column.name);
    return source_.names_are_cells && !is_cell && places.contains(column.name);
  });
}

std::size_t TableReader::find_column(const std::string& name, const NamePlaces& places) const {
  const auto& names = source_.names;
  if (base::first_not_utf8(name)) {
    throw base::InputError(fmt::format("{}: the name of column '{}' is not UTF-8; convert the file",
                                       source_.file, base::excerpt(name)));
  }
  const auto found = places.find(name);
  if (found != places.end() && found->second.count == 1) return found->second.first;
  if (found != places.end()) {
    throw base::InputError(fmt::format("{}: the {} names column '{}' {} times", source_.file,
                                       source_.named_by, base::excerpt(name), found->second.count));
  }
  if (source_.numbered) {
    throw base::MissingColumnError(
        fmt::format("{}: there is no column '{}': without a header, columns are 1 to {}",
                    source_.file, base::excerpt(name), names.size()),
        name);
  }
  const bool other_separator = source_.names_are_cells && names.size() < 3 &&
                               names.front().find_first_of(";\t|") != std::string::npos;
  if (other_separator) {
    throw base::MissingColumnError(
        fmt::format("{}: there is no column '{}', but one that is called '{}': {} says what stands "
                    "between the cells",
                    source_.file, base::excerpt(name), base::excerpt(names.front()),
                    source_.advice.separator),
        name);
  }
  const std::string hint = source_.names_are_cells && !has_header_ && look_like_a_row(names)
                               ? fmt::format(": its first row has {}", names_for_message(names))
                               : base::name_hint(name, names);
  throw base::MissingColumnError(
      fmt::format("{}: there is no column '{}'{}", source_.file, base::excerpt(name), hint), name);
}

void TableReader::read_row(std::span<const std::string_view> cells, std::int64_t line) {
  cells_ = cells;
  line_ = line;
  check_width();
  ++table_.rows_read;
  if (leaves_out_row()) {
    ++table_.rows_left_out;
    return;
  }
  if (drops_row()) return;
  for (const Wanted& wanted : wanted_) {
    switch (wanted.column.kind) {
      case CellKind::number:
        table_.numbers.push_back(number(wanted));
        break;
      case CellKind::ordinal:
        table_.numbers.push_back(ordinal(wanted));
        break;
      case CellKind::category:
        add_name(wanted);
        break;
    }
  }
  ++table_.rows;
}

void TableReader::check_width() const {
  if (cells_.size() == source_.names.size()) return;
  throw base::InputError(
      fmt::format("{}: line {}: the row has {} cells, the {} has {}; a cell with "
                  "the separator in it stands in quotes",
                  source_.file, line_, cells_.size(), source_.named_by, source_.names.size()));
}

bool TableReader::leaves_out_row() const {
  for (const auto& [test, place] : filters_) {
    const std::string_view cell = cells_[place];
    if (source_.is_missing(cell)) return true;
    const auto passes = test.passes(cell);
    if (!passes) {
      throw base::InputError(
          fmt::format("{}: line {}, column '{}': the cell must be a number to be compared ({})",
                      source_.file, line_, base::excerpt(test.column), base::excerpt(test.text)));
    }
    if (!*passes) return true;
  }
  return false;
}

/// Looks at all cells before any is stored, so that a dropped row leaves no level behind.
bool TableReader::drops_row() const {
  const Wanted* missing = nullptr;
  for (const Wanted& wanted : wanted_) {
    if (wanted.column.missing == MissingCell::keep) continue;
    if (!source_.is_missing(cells_[wanted.place])) continue;
    if (wanted.column.missing == MissingCell::drop) return true;
    if (missing == nullptr) missing = &wanted;
  }
  if (missing == nullptr) return false;
  fail(*missing, "the cell is missing" + source_.advice.missing);
}

bool TableReader::keeps_missing(const Wanted& wanted) const {
  return wanted.column.missing == MissingCell::keep && source_.is_missing(cells_[wanted.place]);
}

double TableReader::number(const Wanted& wanted) const {
  if (keeps_missing(wanted)) return std::numeric_limits<double>::quiet_NaN();
  const auto value = cell_number(cells_[wanted.place]);
  if (!value) fail(wanted, "the cell must be a finite number" + advice_of_number(wanted));
  if (std::abs(*value) > largest_number) {
    fail(wanted,
         "the cell must be a number of magnitude up to 1e100, or sums of squares "
         "overflow; use another unit");
  }
  if (wanted.column.has_logarithm && !(*value > -1)) {
    fail(wanted,
         "the cell must be > -1: log(1 + x) is taken of the column" + source_.advice.logarithm);
  }
  return *value;
}

std::string TableReader::advice_of_number(const Wanted& wanted) const {
  const std::string_view cell = cells_[wanted.place];
  const bool is_word = cell.find_first_of("0123456789") == cell.npos;
  if (is_word && base::parse_double(cell)) {  // nan or inf, which say nothing of anybody
    const bool is_argument = source_.advice.missing_texts.starts_with("--");
    return fmt::format(", and is '{0}': {1}{2}{0} takes such cells as missing", base::excerpt(cell),
                       source_.advice.missing_texts, is_argument ? " " : " = ");
  }
  if (has_decimal_comma(cell)) {
    return ", and has a decimal comma: write decimals with points, and thousands without a mark";
  }
  return wanted.column.advice;
}

double TableReader::ordinal(const Wanted& wanted) const {
  if (keeps_missing(wanted)) return std::numeric_limits<double>::quiet_NaN();
  const auto& levels = wanted.column.levels;
  const auto place = place_of_name(levels, cells_[wanted.place]);
  if (!place) fail(wanted, fmt::format("the cell must be one of {}", base::list_some(levels)));
  return static_cast<double>(*place + 1);
}

void TableReader::add_name(const Wanted& wanted) {
  const std::string_view cell = cells_[wanted.place];
  LevelCodes& codes = codes_[wanted.category];
  Category& category = table_.categories[wanted.category];
  if (keeps_missing(wanted)) {
    category.codes.push_back(-1);
    return;
  }
  auto found = codes.find(cell);
  if (found == codes.end()) found = codes.emplace(cell, code_of_name(wanted, cell)).first;
  category.codes.push_back(found->second);
}

/// Of a cell that no row before has held; it may be another way to write a name that one has.
std::int32_t TableReader::code_of_name(const Wanted& wanted, std::string_view cell) {
  const std::vector<std::string>& known = wanted.column.levels;
  Category& category = table_.categories[wanted.category];
  std::string_view name = cell;
  if (!known.empty()) {
    const auto place = place_of_name(known, cell);
    if (!place) fail(wanted, fmt::format("the cell must be one of {}", base::list_some(known)));
    name = known[*place];
    const auto same = std::ranges::find(category.levels, name);
    if (same != category.levels.end()) {
      return static_cast<std::int32_t>(same - category.levels.begin());
    }
  }
  if (base::first_not_utf8(cell)) fail(wanted, "the name is not UTF-8; convert the file");
  category.levels.emplace_back(name);
  category.first_line.push_back(line_);
  return static_cast<std::int32_t>(category.levels.size() - 1);
}

void TableReader::fail(const Wanted& wanted, std::string_view rule) const {
  throw base::InputError(fmt::format("{}: line {}, column '{}': {}", source_.file, line_,
                                     base::excerpt(wanted.column.name), rule));
}

void TableReader::forget_rows() {
  table_.rows = 0;
  table_.numbers.clear();
  for (Category& category : table_.categories) category.codes.clear();
}

Table TableReader::finish() {
  for (const Wanted& wanted : wanted_) {
    const bool ordered = wanted.column.kind == CellKind::category && !wanted.column.levels.empty();
    if (ordered) order_levels(table_.categories[wanted.category], wanted.column.levels);
  }
  return std::move(table_);
}

}  // namespace fairfront::data
