#include "data/group_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "data/cell_text.hpp"
#include "data/group_columns.hpp"

namespace fairfront::data {
namespace {

/// Where the columns of one attribute stand in a table.
struct Places {
  std::size_t number;
  std::size_t category;
};

/// What the level is called; null: it is none.
const std::string* called(const GroupRule& rule, const std::string& level) {
  if (const auto place = place_of_name(rule.levels, level)) return &rule.names[*place];
  return rule.others.empty() ? nullptr : &rule.others;
}

std::vector<double> column_of_numbers(const Table& table, std::size_t column) {
  const std::size_t width = table.number_names.size();
  std::vector<double> values;
  for (std::size_t i = column; i < table.numbers.size(); i += width) {
    values.push_back(table.numbers[i]);
  }
  return values;
}

}  // namespace

GroupRule rule_of(const std::string& text, const Category& cells, const Category& attribute,
                  const std::vector<std::string>& group_map) {
  std::vector<std::string> names(cells.levels.size());
  for (std::size_t row = 0; row < cells.codes.size(); ++row) {
    names[static_cast<std::size_t>(cells.codes[row])] =
        attribute.levels[static_cast<std::size_t>(attribute.codes[row])];
  }
  GroupRule rule{.text = text, .levels = {}};
  for (std::size_t level = 0; level < names.size(); ++level) {
    if (names[level].empty()) continue;
    rule.levels.push_back(cells.levels[level]);
    rule.names.push_back(names[level]);
  }
  for (const Renaming& entry : parsed_group_map(group_map)) {
    if (entry.of_others) rule.others = entry.name;
  }
  return rule;
}

std::size_t GroupFinder::Attribute::numbers() const { return test ? 1 : largest.size(); }

GroupFinder::GroupFinder(std::vector<GroupRule> rules, std::vector<std::string> groups)
    : groups_{std::move(groups)} {
  for (GroupRule& rule : rules) {
    SensitiveText text = parse_sensitive(rule.text);
    attributes_.push_back(
        {std::move(rule), std::move(text.column), std::move(text.test), std::move(text.largest)});
  }
}

std::vector<TableColumn> GroupFinder::wanted() const {
  std::vector<TableColumn> wanted;
  for (const Attribute& attribute : attributes_) {
    if (attribute.of_names()) {
      const GroupRule& rule = attribute.rule;
      wanted.push_back({.name = attribute.column,
                        .kind = CellKind::category,
                        .levels = rule.others.empty() ? rule.levels : std::vector<std::string>{}});
    } else if (attribute.test) {
      wanted.push_back({.name = attribute.test->column});
    }
    for (const std::string& name : attribute.largest) wanted.push_back({.name = name});
  }
  return wanted;
}

std::int32_t GroupFinder::number_of(const std::vector<const std::string*>& names) const {
  std::string name;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) name += " x ";
    if (names[i] != nullptr) name += *names[i];
  }
  const auto found = std::ranges::find(groups_, name);
  return found == groups_.end() ? -1 : static_cast<std::int32_t>(found - groups_.begin());
}

std::vector<std::int32_t> GroupFinder::groups(const Table& table, std::int64_t before) const {
  Places places{table.number_names.size(), table.categories.size()};
  for (const Attribute& attribute : attributes_) {
    places.number -= attribute.numbers();
    places.category -= attribute.of_names() ? 1 : 0;
  }
  std::vector<std::vector<const std::string*>> names(static_cast<std::size_t>(table.rows));
  for (const Attribute& attribute : attributes_) {
    Category made;
    if (attribute.test) {
      made = category_of_test(*attribute.test, column_of_numbers(table, places.number));
    } else if (!attribute.largest.empty()) {
      std::vector<std::vector<double>> columns;
      for (std::size_t c = 0; c < attribute.largest.size(); ++c) {
        columns.push_back(column_of_numbers(table, places.number + c));
      }
      made = category_of_largest(attribute.largest, columns);
    }
    const Category& cells = attribute.of_names() ? table.categories[places.category++] : made;
    places.number += attribute.numbers();
    std::vector<const std::string*> of_level;
    for (const std::string& level : cells.levels) of_level.push_back(called(attribute.rule, level));
    for (std::size_t row = 0; row < names.size(); ++row) {
      names[row].push_back(of_level[static_cast<std::size_t>(cells.codes[row])]);
    }
  }
  std::vector<std::int32_t> numbers;
  for (const auto& of_row : names) {
    numbers.push_back(number_of(of_row));
    if (numbers.back() >= 0) continue;
    throw base::InputError(fmt::format(
        "row {} of those kept is in none of the groups that the model knows, as its attributes "
        "never came together in training: {}",
        before + std::ssize(numbers), base::list_some(groups_)));
  }
  return numbers;
}

}  // namespace fairfront::data
