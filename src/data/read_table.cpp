#include "data/read_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/arff.hpp"
#include "data/prepare.hpp"

namespace fairfront::data {
namespace {

MissingCell missing_cell(const TablePlan& plan) {
  return plan.drop_missing ? MissingCell::drop : MissingCell::error;
}

TableColumn feature_column(const std::string& name, const TablePlan& plan) {
  const LevelOrder* const order = find_order(plan.ordinals, name);
  if (order == nullptr) return {name, CellKind::number, missing_cell(plan)};
  return {name, CellKind::ordinal, missing_cell(plan), order->levels};
}

/// The columns to read: features, then the categories in the order in which they are taken again.
std::vector<TableColumn> columns_of(const TablePlan& plan) {
  std::vector<TableColumn> columns;
  for (const std::string& name : plan.features) columns.push_back(feature_column(name, plan));
  for (const std::string& name : plan.sensitive) {
    columns.push_back({name, CellKind::category, missing_cell(plan)});
  }
  for (const std::string& name : {plan.label, plan.split}) {
    if (!name.empty()) columns.push_back({name, CellKind::category, missing_cell(plan)});
  }
  if (!plan.block_column.empty())
    columns.push_back({plan.block_column, CellKind::category, MissingCell::drop});
  return columns;
}

void apply_level_orders(Table& table, std::span<const LevelOrder> orders) {
  for (std::size_t i = 0; i < table.categories.size(); ++i) {
    const LevelOrder* const order = find_order(orders, table.category_names[i]);
    if (order != nullptr) order_levels(table.categories[i], order->levels);
  }
}

/// The levels as numbers, when all of them are; otherwise their codes.
std::vector<double> level_values(const Category& label, const std::string& place) {
  std::vector<double> values;
  const std::size_t count = label.levels.size();
  std::optional<std::size_t> first_name;
  for (std::size_t level = 0; level < count; ++level) {
    const auto number = base::parse_double(label.levels[level]);
    if (number && std::isfinite(*number)) {
      values.push_back(*number);
    } else if (!first_name) {
      first_name = level;
    }
  }
  if (!first_name) return values;
  if (!values.empty()) {
    throw base::InputError(
        fmt::format("{}, line {}: the label must be finite numbers throughout, or names throughout",
                    place, label.first_line[*first_name]));
  }
  values.resize(count);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

std::vector<double> label_values(const Category& label, const std::string& place) {
  const std::vector<double> of_level = level_values(label, place);
  std::vector<double> values;
  values.reserve(label.codes.size());
  for (const std::int32_t code : label.codes) {
    values.push_back(of_level[static_cast<std::size_t>(code)]);
  }
  return values;
}

/// Rows by the block column's level, file order inside a level.
std::vector<std::int64_t> block_order(const Category& blocks) {
  std::vector<std::int64_t> rows(blocks.codes.size());
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  std::stable_sort(rows.begin(), rows.end(), [&](std::int64_t a, std::int64_t b) {
    return blocks.codes[static_cast<std::size_t>(a)] < blocks.codes[static_cast<std::size_t>(b)];
  });
  return rows;
}

void check_rows(const Table& table, const std::string& path) {
  if (table.rows > 0) return;
  throw base::InputError(
      table.rows_read == 0
          ? fmt::format("{}: the file has a header and no rows", path)
          : fmt::format("{}: no row is left: all {} have a missing cell in a chosen column", path,
                        table.rows_read));
}

Table read_file(DataFile& file, const TablePlan& plan) {
  const std::vector<TableColumn> columns = columns_of(plan);
  return plan.kind == FileKind::arff ? read_arff(file.text(), columns)
                                     : read_csv(file.text(), plan.format, columns);
}

/// Groups and attributes from the columns that the plan calls sensitive.
void set_groups(Dataset& set, std::span<Category> sensitive, const TablePlan& plan) {
  for (std::size_t i = 0; i < sensitive.size(); ++i) {
    if (const LevelOrder* const order = find_order(plan.level_orders, plan.sensitive[i])) {
      name_levels(sensitive[i], *order);
    }
    Grouping alone = product_groups(sensitive.subspan(i, 1));
    set.attributes.push_back({plan.sensitive[i], std::move(alone.group), std::move(alone.names)});
  }
  Grouping groups = product_groups(sensitive);
  set.group = std::move(groups.group);
  set.group_names = std::move(groups.names);
}

}  // namespace

Dataset read_table(DataFile& file, const TablePlan& plan) {
  Table table = read_file(file, plan);
  check_rows(table, file.path());
  apply_level_orders(table, plan.level_orders);

  Dataset set;
  set.rows = table.rows;
  set.columns = static_cast<std::int64_t>(plan.features.size());
  set.features = std::move(table.numbers);
  set.feature_names = plan.features;
  const std::span<Category> categories = table.categories;
  std::size_t next = plan.sensitive.size();
  set_groups(set, categories.first(next), plan);
  if (!plan.label.empty()) {
    set.label =
        label_values(categories[next++], fmt::format("{}: column '{}'", file.path(), plan.label));
  }
  if (!plan.split.empty()) {
    set.split = categories[next].codes;
    set.split_names = categories[next++].levels;
  }
  if (!plan.block_column.empty()) keep_rows(set, block_order(categories[next]));
  set.provenance.files = {file.name()};
  set.provenance.file_rows = table.rows_read;
  return set;
}

std::vector<std::string> column_names(DataFile& file, const TablePlan& plan) {
  return plan.kind == FileKind::arff ? arff_column_names(file.text())
                                     : csv_column_names(file.text(), plan.format);
}

}  // namespace fairfront::data
