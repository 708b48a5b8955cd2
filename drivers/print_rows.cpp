#include "print_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/printable.hpp"
#include "base/quotation.hpp"
#include "base/text.hpp"
#include "sweep/idle_options.hpp"
#include "table.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::size_t most_columns = 12;
constexpr std::size_t most_groups = 48;
constexpr std::size_t most_classes = 10;

/// As a list in a config has it, on one line.
std::string shown(const std::string& name) {
  return base::printable(base::quoted_if_needed(name, ","));
}

/// The first few of them, and how many there are.
std::string some_of(std::vector<std::string> names) {
  const std::size_t all = names.size();
  if (all == 0) return "none";
  names.resize(std::min(all, most_columns));
  std::string text = base::join(names, ", ");
  if (all > names.size()) {
    text += fmt::format(", and {} more ({} in all)", all - names.size(), all);
  }
  return text;
}

/// How many rows have each value of 0 .. K-1.
template <class Values>
std::vector<std::int64_t> counts_of(const Values& values, std::size_t levels) {
  std::vector<std::int64_t> counts(levels);
  for (const auto value : values) ++counts[static_cast<std::size_t>(value)];
  return counts;
}

/// Empty where there is none.
std::string label_text(const data::SupervisedSet& rows, const sweep::Task& task) {
  if (rows.set.label.empty()) return {};
  const auto option = task.values.find("data.label");
  const bool named = option != task.values.end() && !option->second.empty();
  std::string text = "    label       ";
  if (named) text += fmt::format("{}: ", base::printable(option->second));
  const std::vector<std::string>& names = rows.class_names;
  if (rows.target == data::TargetKind::real || names.empty()) return text + "numbers\n";
  const auto counts = counts_of(rows.set.label, names.size());
  std::vector<std::string> classes;
  for (std::size_t i = 0; i < std::min(names.size(), most_classes); ++i) {
    const std::string number = std::to_string(i);
    const std::string name = names[i] == number ? "" : fmt::format(" is {}", shown(names[i]));
    classes.push_back(fmt::format("{}{} ({} rows)", number, name, counts[i]));
  }
  if (names.size() > classes.size()) {
    classes.push_back(fmt::format("and {} more classes", names.size() - classes.size()));
  }
  return text + base::join(classes, ", ") + '\n';
}

}  // namespace

bool has_rows(const sweep::Experiment& experiment, const sweep::Task& task) {
  const auto conditions = config::conditions_of(experiment.sections());
  return task.values.contains("data.data") && !sweep::why_idle(conditions, task, "data.data");
}

std::string columns_text(const data::SupervisedSet& rows, const sweep::Task& task) {
  std::vector<std::string> numbers;
  std::vector<std::string> categories;
  for (const data::FittedColumn& column : rows.fitted.columns) {
    const std::string levels =
        column.levels.empty() ? "" : fmt::format(" ({} names)", column.levels.size());
    const bool ordinal = !column.categorical && !levels.empty();
    (column.categorical ? categories : numbers)
        .push_back(shown(column.name) + (ordinal ? levels + " in order" : levels));
  }
  return fmt::format("    numbers     {}\n    categories  {}\n{}", some_of(numbers),
                     some_of(categories), label_text(rows, task));
}

std::string groups_text(const data::SupervisedSet& rows) {
  const data::Dataset& set = rows.set;
  std::vector<std::string> attributes;
  for (const data::Attribute& attribute : set.attributes) {
    attributes.push_back(shown(attribute.name));
  }
  std::vector<std::string> header{"group", "rows"};
  std::ranges::copy(set.split_names, std::back_inserter(header));
  Table table(header);
  const std::size_t groups = set.group_names.size();
  const std::size_t parts = set.split_names.size();
  // [group][part], the last of all parts together; the last row of all groups.
  std::vector<std::vector<std::int64_t>> counts(groups + 1, std::vector<std::int64_t>(parts + 1));
  for (std::size_t i = 0; i < set.group.size(); ++i) {
    for (const std::size_t group : {static_cast<std::size_t>(set.group[i]), groups}) {
      ++counts[group][parts];
      if (parts > 0) ++counts[group][static_cast<std::size_t>(set.split[i])];
    }
  }
  const auto add = [&](const std::string& name, const std::vector<std::int64_t>& of) {
    std::vector<std::string> cells{name, std::to_string(of[parts])};
    for (std::size_t part = 0; part < parts; ++part) cells.push_back(std::to_string(of[part]));
    table.add(cells);
  };
  const std::size_t told = std::min(groups, most_groups);
  for (std::size_t group = 0; group < told; ++group) {
    add(shown(set.group_names[group]), counts[group]);
  }
  add("all", counts[groups]);
  std::string text =
      fmt::format("    {} groups of {}\n{}", groups, base::join(attributes, " x "), table.text(6));
  if (told < groups) text += fmt::format("      ... and {} more groups\n", groups - told);
  return text;
}

}  // namespace fairfront::drivers
