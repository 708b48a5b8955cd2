#include "data/group_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/quotation.hpp"
#include "base/text.hpp"

namespace fairfront::data {
namespace {

constexpr std::string_view largest_of = "largest(";

/// What stands between `opening` and the parenthesis that ends the text.
std::optional<std::string_view> argument_of(std::string_view opening, std::string_view text) {
  if (!text.starts_with(opening) || !text.ends_with(')')) return std::nullopt;
  return text.substr(opening.size(), text.size() - opening.size() - 1);
}

/// @throws base::InputError  a quotation that does not close.
std::vector<std::string> columns_of_largest(std::string_view names, const std::string& text) {
  try {
    return base::parse_list(names);
  } catch (const std::invalid_argument& error) {
    throw base::InputError(fmt::format("data.sensitive: {}: {}", text, error.what()));
  }
}

}  // namespace

std::vector<Renaming> parsed_group_map(const std::vector<std::string>& group_map) {
  std::vector<Renaming> entries;
  for (const std::string& text : group_map) {
    auto pair = base::parse_pair(text);
    if (!pair || pair->first.empty() || pair->second.empty()) {
      throw base::InputError(
          fmt::format("data.group_map: '{}' must be level:name, such as 7:White or *:other", text));
    }
    const bool of_others = pair->first == "*" && !pair->first_is_quoted;
    const auto before = std::ranges::find_if(entries, [&](const Renaming& entry) {
      return entry.level == pair->first && entry.of_others == of_others;
    });
    if (before != entries.end() && before->name != pair->second) {
      throw base::InputError(fmt::format("data.group_map: '{}' is called both '{}' and '{}'",
                                         pair->first, before->name, pair->second));
    }
    entries.push_back({std::move(pair->first), std::move(pair->second), of_others});
  }
  return entries;
}

std::optional<std::string> literal_column(const std::string& text) {
  const auto name = argument_of(column_called, text);
  return name ? std::optional{std::string{*name}} : std::nullopt;
}

std::string column_text(const std::string& name) {
  try {
    const SensitiveText read = parse_sensitive(name);
    if (read.is_column() && read.column == name) return name;
  } catch (const base::InputError&) {  // a comparison that is broken
  }
  return fmt::format("{}{})", column_called, name);
}

SensitiveText parse_sensitive(const std::string& text) {
  SensitiveText sensitive{.text = text};
  if (auto name = literal_column(text)) {
    sensitive.column = *std::move(name);
    return sensitive;
  }
  if (const auto names = argument_of(largest_of, text)) {
    sensitive.largest = columns_of_largest(*names, text);
    if (sensitive.largest.size() > 1) return sensitive;
    throw base::InputError(fmt::format("data.sensitive: {} must name two columns or more", text));
  }
  try {
    sensitive.test = parse_column_test(text);
  } catch (const std::invalid_argument& rule) {
    throw base::InputError(fmt::format("data.sensitive: '{}', must be {}", text, rule.what()));
  }
  if (!sensitive.test) sensitive.column = text;
  return sensitive;
}

Category category_of_test(const ColumnTest& test, std::span<const double> values) {
  Category category;
  category.levels = {"other", test.text};
  category.first_line = {0, 0};
  for (const double value : values) category.codes.push_back(test.passes(value) ? 1 : 0);
  return category;
}

Category category_of_largest(std::span<const std::string> names,
                             std::span<const std::vector<double>> columns) {
  Category category;
  category.levels.assign(names.begin(), names.end());
  category.first_line.assign(names.size(), 0);
  for (std::size_t i = 0; i < columns.front().size(); ++i) {
    std::size_t best = 0;
    for (std::size_t c = 1; c < columns.size(); ++c) {
      if (columns[c][i] > columns[best][i]) best = c;
    }
    category.codes.push_back(static_cast<std::int32_t>(best));
  }
  return category;
}

void map_groups(std::span<Category> attributes, const std::vector<std::string>& group_map,
                std::vector<std::string>& warnings) {
  const std::vector<Renaming> entries = parsed_group_map(group_map);
  const auto others = std::ranges::find(entries, true, &Renaming::of_others);
  if (others != entries.end() && attributes.size() > 1) {
    throw base::InputError("data.group_map: * needs a single sensitive attribute");
  }
  std::vector<std::string> order;
  for (const Renaming& entry : entries) {
    const std::string& level = entry.level;
    order.push_back(entry.name);
    const bool occurs = std::ranges::any_of(attributes, [&](const Category& attribute) {
      return std::ranges::find(attribute.levels, level) != attribute.levels.end();
    });
    if (occurs || entry.of_others) continue;
    warnings.push_back(fmt::format("data.group_map: '{}' is no level of the data", level));
  }
  if (entries.empty()) return;
  for (Category& attribute : attributes) {
    rename_levels(attribute, [&](const std::string& level) {
      const auto found = std::ranges::find_if(
          entries, [&](const Renaming& entry) { return entry.level == level && !entry.of_others; });
      if (found != entries.end()) return found->name;
      return others == entries.end() ? level : others->name;
    });
    order_levels(attribute, order);
  }
}

void set_groups(RawTable& raw, std::span<const Category> attributes,
                const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    Grouping alone = product_groups(attributes.subspan(i, 1));
    raw.attributes.push_back({names[i], std::move(alone.group), std::move(alone.names)});
  }
  Grouping groups = product_groups(attributes);
  raw.group = std::move(groups.group);
  raw.group_names = std::move(groups.names);
}

std::string recipe_of_groups(std::span<const std::string> names) {
  return names.empty()
             ? ""
             : fmt::format("; groups 0 .. {}: {}", names.size() - 1, base::format_list(names));
}

}  // namespace fairfront::data
