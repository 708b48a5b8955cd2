#include "data/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/quotation.hpp"
#include "base/text.hpp"

namespace fairfront::data {
namespace {

constexpr std::size_t most_classes = 1000;

std::vector<double> distinct_values(const std::vector<double>& values) {
  std::vector<double> distinct = values;
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  return distinct;
}

/// The place of every row's value among the distinct ones.
void use_classes(RawTable& raw, const std::vector<double>& values,
                 const std::vector<double>& distinct) {
  raw.target = distinct.size() == 2 ? TargetKind::binary : TargetKind::classes;
  raw.label.clear();
  for (const double value : values) {
    const auto place = std::ranges::lower_bound(distinct, value) - distinct.begin();
    raw.label.push_back(static_cast<double>(place));
  }
}

/// Level and number of each "level:number".
std::vector<std::pair<std::string, double>> parsed_label_map(
    const std::vector<std::string>& label_map) {
  std::vector<std::pair<std::string, double>> entries;
  for (const std::string& text : label_map) {
    auto pair = base::parse_pair(text);
    const auto number = pair ? base::parse_double(pair->second) : std::nullopt;
    if (!number || !std::isfinite(*number)) {
      throw base::InputError(
          fmt::format("data.label_map: '{}' must be level:number, such as yes:1", text));
    }
    const auto before =
        std::ranges::find(entries, pair->first, &std::pair<std::string, double>::first);
    if (before != entries.end() && before->second != *number) {
      throw base::InputError(fmt::format("data.label_map: '{}' is both {} and {}", pair->first,
                                         base::format_double(before->second),
                                         base::format_double(*number)));
    }
    entries.emplace_back(std::move(pair->first), *number);
  }
  return entries;
}

std::vector<double> values_of_rows(const Category& cells, const std::vector<double>& of_level) {
  std::vector<double> values;
  values.reserve(cells.codes.size());
  for (const std::int32_t code : cells.codes) {
    values.push_back(of_level[static_cast<std::size_t>(code)]);
  }
  return values;
}

void map_label(RawTable& raw, const Category& cells, const std::vector<std::string>& label_map,
               TargetChoice choice, const std::string& place) {
  const auto entries = parsed_label_map(label_map);
  std::vector<double> of_level;
  for (std::size_t level = 0; level < cells.levels.size(); ++level) {
    const auto found =
        std::ranges::find(entries, cells.levels[level], &std::pair<std::string, double>::first);
    if (found == entries.end()) {
      throw base::InputError(fmt::format("{}, line {}: the label is in no entry of data.label_map",
                                         place, cells.first_line[level]));
    }
    of_level.push_back(found->second);
  }
  set_label(raw, values_of_rows(cells, of_level), choice, place);
  if (raw.class_names.empty()) return;
  const std::vector<double> distinct = distinct_values(of_level);
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    const auto level = std::ranges::find(of_level, distinct[i]) - of_level.begin();
    raw.class_names[i] = cells.levels[static_cast<std::size_t>(level)];
  }
}

void positive_label(RawTable& raw, const Category& cells, const std::vector<std::string>& positive,
                    const std::string& place) {
  for (const std::string& name : positive) {
    if (std::ranges::find(cells.levels, name) != cells.levels.end()) continue;
    // Many levels are no classes, but perhaps something personal.
    constexpr std::size_t most_shown = 20;
    throw base::InputError(fmt::format(
        "{}: data.positive names '{}', which does not occur in this column, the label{}", place,
        base::excerpt(name),
        cells.levels.size() > most_shown
            ? fmt::format(", of {} different values", cells.levels.size())
            : base::name_hint(name, cells.levels)));
  }
  std::vector<double> of_level;
  std::vector<std::string> others;
  for (const std::string& level : cells.levels) {
    const bool is_positive = std::ranges::find(positive, level) != positive.end();
    of_level.push_back(is_positive ? 1 : 0);
    if (!is_positive) others.push_back(level);
  }
  set_label(raw, values_of_rows(cells, of_level), TargetChoice::binary, place);
  raw.class_names = {others.size() == 1 ? others[0] : "other", base::join(positive, ", ")};
}

/// The levels as numbers, when all of them are.
std::optional<std::vector<double>> numeric_levels(const Category& cells, const std::string& place) {
  std::vector<double> values;
  std::optional<std::size_t> first_name;
  for (std::size_t level = 0; level < cells.levels.size(); ++level) {
    const auto number = base::parse_double(cells.levels[level]);
    if (number && std::isfinite(*number)) {
      values.push_back(*number);
    } else if (!first_name) {
      first_name = level;
    }
  }
  if (!first_name) return values;
  if (values.empty()) return std::nullopt;
  throw base::InputError(
      fmt::format("{}, line {}: the label must be finite numbers throughout, or names throughout "
                  "(data.positive "
                  "or data.label_map say what is what)",
                  place, cells.first_line[*first_name]));
}

void named_label(RawTable& raw, const Category& cells, TargetChoice choice,
                 const std::string& place) {
  const std::size_t levels = cells.levels.size();
  if (choice == TargetChoice::real) {
    throw base::InputError(fmt::format("{}: data.target = real, but the label is names", place));
  }
  if (levels < 2 || levels > most_classes || (choice == TargetChoice::binary && levels > 2)) {
    throw base::InputError(fmt::format(
        "{}: the label has {} different values, must have {}; data.positive makes two of "
        "them",
        place, levels,
        choice == TargetChoice::binary ? "2" : fmt::format("2 to {}", most_classes)));
  }
  raw.target = levels == 2 ? TargetKind::binary : TargetKind::classes;
  raw.label.assign(cells.codes.begin(), cells.codes.end());
  raw.class_names = cells.levels;
}

}  // namespace

void set_label(RawTable& raw, std::vector<double> values, TargetChoice choice,
               const std::string& place) {
  const std::vector<double> distinct = distinct_values(values);
  const std::size_t count = distinct.size();
  const bool real =
      choice == TargetChoice::real || (choice == TargetChoice::automatic && count != 2);
  if (count < 2 || (choice == TargetChoice::binary && count > 2) ||
      (choice == TargetChoice::classes && count > most_classes)) {
    throw base::InputError(fmt::format(
        "{}: the label has {} different value{}, must have {}{}", place, count,
        count == 1 ? "" : "s",
        choice == TargetChoice::binary    ? "2"
        : choice == TargetChoice::classes ? fmt::format("2 to {}", most_classes)
                                          : "2 or more",
        count > 2 ? "; data.positive or a comparison such as y > 1 makes two of them" : ""));
  }
  if (real) {
    raw.target = TargetKind::real;
    raw.label = std::move(values);
    return;
  }
  use_classes(raw, values, distinct);
  for (const double value : distinct) raw.class_names.push_back(base::format_double(value));
}

void set_label(RawTable& raw, Category cells, const SupervisedTask& task,
               const std::string& place) {
  const TargetChoice choice = task.target;
  if (!task.positive.empty()) return positive_label(raw, cells, task.positive, place);
  if (!task.label_map.empty()) return map_label(raw, cells, task.label_map, choice, place);
  if (const auto of_level = numeric_levels(cells, place)) {
    return set_label(raw, values_of_rows(cells, *of_level), choice, place);
  }
  named_label(raw, cells, choice, place);
}

void set_label(RawTable& raw, std::vector<double> values, const ColumnTest& test) {
  for (double& value : values) value = test.passes(value) ? 1 : 0;
  set_label(raw, std::move(values), TargetChoice::binary,
            fmt::format("data.label = {}", test.text));
  raw.class_names = {"other", test.text};
}

void divide_label(RawTable& raw, double divisor) {
  if (divisor == 1) return;
  if (raw.target != TargetKind::real) {
    throw base::InputError(
        fmt::format("data.label_divisor is for real labels; this one is {}", name_of(raw.target)));
  }
  for (double& label : raw.label) label /= divisor;
  raw.label_divisor = divisor;
}

}  // namespace fairfront::data
