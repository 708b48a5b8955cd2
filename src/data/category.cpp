#include "data/category.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace fairfront::data {
namespace {

/// "a" with "b x c" is called as "a x b" with "c": one of them would be lost wherever groups are
/// found by their names.
void require_distinct(std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return;
  throw base::InputError(
      fmt::format("data.sensitive: two groups have the name '{}', as levels hold ' x ' themselves: "
                  "give these other names by data.group_map",
                  base::excerpt(*twice)));
}

/// Joins one more column to a grouping. `combined` numbers every possible pair; only those that
/// occur become groups, in ascending order: their number never exceeds that of rows.
Grouping join_column(const Grouping& left, const Category& right) {
  const std::size_t width = right.levels.size();
  std::vector<std::size_t> combined(left.group.size());
  for (std::size_t i = 0; i < combined.size(); ++i) {
    combined[i] =
        static_cast<std::size_t>(left.group[i]) * width + static_cast<std::size_t>(right.codes[i]);
  }
  std::vector<std::size_t> occurring = combined;
  std::ranges::sort(occurring);
  occurring.erase(std::unique(occurring.begin(), occurring.end()), occurring.end());
  Grouping result;
  for (const std::size_t pair : occurring) {
    result.names.push_back(left.names[pair / width] + " x " + right.levels[pair % width]);
  }
  require_distinct(result.names);
  result.group.reserve(combined.size());
  for (const std::size_t pair : combined) {
    const auto place = std::ranges::lower_bound(occurring, pair) - occurring.begin();
    result.group.push_back(static_cast<std::int32_t>(place));
  }
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
  std::unordered_map<std::string_view, std::size_t> place_of;
  for (std::size_t i = 0; i < order.size(); ++i) place_of.try_emplace(order[i], i);
  std::vector<std::size_t> place;
  for (const std::string& level : category.levels) {
    const auto found = place_of.find(level);
    place.push_back(found == place_of.end() ? order.size() : found->second);
  }
  std::stable_sort(old_code.begin(), old_code.end(),
                   [&](std::size_t a, std::size_t b) { return place[a] < place[b]; });

  Category sorted;
  std::vector<std::int32_t> new_code(count);
  for (std::size_t code = 0; code < count; ++code) {
    new_code[old_code[code]] = static_cast<std::int32_t>(code);
    sorted.levels.push_back(category.levels[old_code[code]]);
    sorted.first_line.push_back(category.first_line[old_code[code]]);
  }
  for (const std::int32_t code : category.codes) {
    sorted.codes.push_back(code < 0 ? code : new_code[static_cast<std::size_t>(code)]);
  }
  category = std::move(sorted);
}

void sort_levels(Category& category) {
  std::vector<std::pair<double, std::string>> order;
  for (const std::string& level : category.levels) {
    const auto number = base::parse_double(level);
    if (!number || !std::isfinite(*number)) break;
    order.emplace_back(*number, level);
  }
  std::vector<std::string> texts = category.levels;
  std::ranges::sort(texts);
  if (order.size() == texts.size()) {
    std::ranges::sort(order);
    std::ranges::transform(order, texts.begin(), [](const auto& level) { return level.second; });
  }
  order_levels(category, texts);
}

void rename_levels(Category& category,
                   const std::function<std::string(const std::string& level)>& name_of) {
  Category renamed;
  std::vector<std::int32_t> new_code;
  std::unordered_map<std::string, std::int32_t> code_of;
  for (std::size_t code = 0; code < category.levels.size(); ++code) {
    const std::string name = name_of(category.levels[code]);
    const auto next = static_cast<std::int32_t>(renamed.levels.size());
    const auto [found, is_new] = code_of.try_emplace(name, next);
    new_code.push_back(found->second);
    if (!is_new) continue;
    renamed.levels.push_back(name);
    renamed.first_line.push_back(category.first_line[code]);
  }
  for (const std::int32_t code : category.codes) {
    renamed.codes.push_back(code < 0 ? code : new_code[static_cast<std::size_t>(code)]);
  }
  category = std::move(renamed);
}

const LevelOrder* find_order(std::span<const LevelOrder> orders, const std::string& column) {
  const auto found = std::ranges::find(orders, column, &LevelOrder::column);
  return found == orders.end() ? nullptr : &*found;
}

void name_levels(Category& category, const LevelOrder& order) {
  if (order.names.empty()) return;
  rename_levels(category, [&order](const std::string& level) {
    const auto found = std::ranges::find(order.levels, level);
    if (found == order.levels.end()) return level;
    return order.names[static_cast<std::size_t>(found - order.levels.begin())];
  });
}

Grouping product_groups(std::span<const Category> columns) {
  Grouping result = occurring_levels(columns.front());
  for (const Category& column : columns.subspan(1)) result = join_column(result, column);
  return result;
}

}  // namespace fairfront::data
