#include "data/category.hpp"

#include <algorithm>
#include <numeric>

namespace fairfront::data {
namespace {

/// Joins one more column to a grouping. `combined` numbers every possible pair; only those that
/// occur become groups, in ascending order, so the table stays small however many columns follow.
Grouping join_column(const Grouping& left, const Category& right) {
  const std::size_t width = right.levels.size();
  std::vector<std::size_t> combined(left.group.size());
  std::vector<std::int32_t> new_code(left.names.size() * width, -1);
  for (std::size_t i = 0; i < combined.size(); ++i) {
    combined[i] =
        static_cast<std::size_t>(left.group[i]) * width + static_cast<std::size_t>(right.codes[i]);
    new_code[combined[i]] = 0;
  }
  Grouping result;
  for (std::size_t pair = 0; pair < new_code.size(); ++pair) {
    if (new_code[pair] < 0) continue;
    new_code[pair] = static_cast<std::int32_t>(result.names.size());
    result.names.push_back(left.names[pair / width] + " x " + right.levels[pair % width]);
  }
  for (const std::size_t pair : combined) result.group.push_back(new_code[pair]);
  return result;
}

/// Leaves out the levels that no row holds.
Grouping occurring_levels(const Category& column) {
  std::vector<std::int32_t> new_code(column.levels.size(), -1);
  for (const std::int32_t code : column.codes) new_code[static_cast<std::size_t>(code)] = 0;
  Grouping result;
  for (std::size_t level = 0; level < new_code.size(); ++level) {
    if (new_code[level] < 0) continue;
    new_code[level] = static_cast<std::int32_t>(result.names.size());
    result.names.push_back(column.levels[level]);
  }
  for (const std::int32_t code : column.codes) {
    result.group.push_back(new_code[static_cast<std::size_t>(code)]);
  }
  return result;
}

}  // namespace

void order_levels(Category& category, std::span<const std::string> order) {
  const std::size_t count = category.levels.size();
  std::vector<std::size_t> old_code(count);
  std::iota(old_code.begin(), old_code.end(), std::size_t{0});
  const auto place = [&](std::size_t code) {
    return std::find(order.begin(), order.end(), category.levels[code]) - order.begin();
  };
  std::stable_sort(old_code.begin(), old_code.end(),
                   [&](std::size_t a, std::size_t b) { return place(a) < place(b); });

  Category sorted;
  std::vector<std::int32_t> new_code(count);
  for (std::size_t code = 0; code < count; ++code) {
    new_code[old_code[code]] = static_cast<std::int32_t>(code);
    sorted.levels.push_back(category.levels[old_code[code]]);
    sorted.first_line.push_back(category.first_line[old_code[code]]);
  }
  for (const std::int32_t code : category.codes) {
    sorted.codes.push_back(new_code[static_cast<std::size_t>(code)]);
  }
  category = std::move(sorted);
}

void rename_levels(Category& category,
                   const std::function<std::string(const std::string& level)>& name_of) {
  Category renamed;
  std::vector<std::int32_t> new_code;
  for (std::size_t code = 0; code < category.levels.size(); ++code) {
    const std::string name = name_of(category.levels[code]);
    const auto found = std::find(renamed.levels.begin(), renamed.levels.end(), name);
    new_code.push_back(static_cast<std::int32_t>(found - renamed.levels.begin()));
    if (found != renamed.levels.end()) continue;
    renamed.levels.push_back(name);
    renamed.first_line.push_back(category.first_line[code]);
  }
  for (const std::int32_t code : category.codes) {
    renamed.codes.push_back(new_code[static_cast<std::size_t>(code)]);
  }
  category = std::move(renamed);
}

Grouping product_groups(std::span<const Category> columns) {
  Grouping result = occurring_levels(columns.front());
  for (const Category& column : columns.subspan(1)) result = join_column(result, column);
  return result;
}

}  // namespace fairfront::data
