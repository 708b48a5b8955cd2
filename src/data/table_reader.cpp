#include "data/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fairfront::data {

TableReader::TableReader(TableSource source, std::span<const TableColumn> columns)
    : source_{std::move(source)} {
  for (const TableColumn& column : columns) {
    wanted_.push_back({column, find_column(column.name), table_.category_names.size()});
    const bool is_name = column.kind == CellKind::category;
    (is_name ? table_.category_names : table_.number_names).push_back(column.name);
  }
  table_.categories.resize(table_.category_names.size());
  codes_.resize(table_.category_names.size());
}

std::size_t TableReader::find_column(const std::string& name) const {
  const auto& names = source_.names;
  const auto count = std::count(names.begin(), names.end(), name);
  if (count == 1) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }
  if (count > 1) {
    throw base::InputError(fmt::format("{}: the {} names column '{}' {} times", source_.file,
                                       source_.named_by, name, count));
  }
  throw base::InputError(
      source_.numbered
          ? fmt::format("{}: no column '{}': without a header, columns are 1 to {}", source_.file,
                        name, names.size())
          : fmt::format("{}: no column '{}'{}", source_.file, name, base::name_hint(name, names)));
}

void TableReader::read_row(std::span<const std::string_view> cells, std::int64_t line) {
  cells_ = cells;
  line_ = line;
  check_width();
  ++table_.rows_read;
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
  throw base::InputError(fmt::format("{}: line {}: the row has {} cells, the {} has {}",
                                     source_.file, line_, cells_.size(), source_.named_by,
                                     source_.names.size()));
}

/// Looks at all cells before any is stored, so that a dropped row leaves no level behind.
bool TableReader::drops_row() const {
  const Wanted* missing = nullptr;
  for (const Wanted& wanted : wanted_) {
    if (!source_.is_missing(cells_[wanted.place])) continue;
    if (wanted.column.drop_missing) return true;
    if (missing == nullptr) missing = &wanted;
  }
  if (missing == nullptr) return false;
  fail(*missing, "the cell is missing (missing_rule = drop leaves such rows out)");
}

double TableReader::number(const Wanted& wanted) const {
  const auto value = base::parse_double(cells_[wanted.place]);
  if (!value || !std::isfinite(*value)) fail(wanted, "the cell must be a finite number");
  return *value;
}

double TableReader::ordinal(const Wanted& wanted) const {
  const auto& levels = wanted.column.levels;
  const auto found = std::find(levels.begin(), levels.end(), cells_[wanted.place]);
  if (found == levels.end()) {
    fail(wanted, fmt::format("the cell must be one of {}", base::join(levels, ", ")));
  }
  return static_cast<double>(found - levels.begin() + 1);
}

void TableReader::add_name(const Wanted& wanted) {
  const std::string_view cell = cells_[wanted.place];
  LevelCodes& codes = codes_[wanted.category];
  Category& category = table_.categories[wanted.category];
  auto found = codes.find(cell);
  if (found == codes.end()) {
    const auto& allowed = wanted.column.levels;
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), cell) == allowed.end()) {
      fail(wanted, "the cell is none of the names that the file declares for the column");
    }
    found = codes.emplace(cell, static_cast<std::int32_t>(category.levels.size())).first;
    category.levels.emplace_back(cell);
    category.first_line.push_back(line_);
  }
  category.codes.push_back(found->second);
}

void TableReader::fail(const Wanted& wanted, std::string_view rule) const {
  throw base::InputError(
      fmt::format("{}: line {}, column '{}': {}", source_.file, line_, wanted.column.name, rule));
}

Table TableReader::finish() {
  for (const Wanted& wanted : wanted_) {
    const bool ordered = wanted.column.kind == CellKind::category && !wanted.column.levels.empty();
    if (ordered) order_levels(table_.categories[wanted.category], wanted.column.levels);
  }
  return std::move(table_);
}

}  // namespace fairfront::data
