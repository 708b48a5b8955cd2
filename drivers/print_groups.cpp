#include "print_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "results/by_group.hpp"
#include "table.hpp"

namespace fairfront::drivers {
namespace {

using results::Content;
using results::Measure;
using Cells = std::vector<std::string>;

/// Of a line of a table, in characters.
constexpr std::size_t line_width = 118;

/// A header and what stands below it.
struct Column {
  Cells cells;

  [[nodiscard]] std::size_t width() const {
    constexpr std::size_t between = 2;
    return between + std::ranges::max(cells, {}, &std::string::size).size();
  }
};

/// Columns beside each other, as many as fit; the first one begins every block.
std::string blocks_text(const Column& first, const std::vector<Column>& others) {
  std::string text;
  for (std::size_t next = 0; next < others.size();) {
    std::vector<const Column*> block{&first};
    std::size_t width = first.width();
    do {
      width += others[next].width();
      block.push_back(&others[next++]);
    } while (next < others.size() && width + others[next].width() <= line_width);
    const auto row = [&](std::size_t number) {
      Cells cells;
      for (const Column* column : block) cells.push_back(column->cells[number]);
      return cells;
    };
    Table table(row(0));
    for (std::size_t number = 1; number < first.cells.size(); ++number) table.add(row(number));
    text += table.text();
  }
  return text;
}

/// Four digits tell groups apart; counts have all of theirs.
std::string short_text(const results::Measured& measured) {
  const auto digits = [](double value) {
    const bool rounded = !std::isnan(value) && value != std::round(value);
    return rounded ? fmt::format("{:.4g}", value) : format_value(value);
  };
  if (std::isnan(measured.low) || std::isnan(measured.high)) return digits(measured.value);
  return fmt::format("{} [{}, {}]", digits(measured.value), digits(measured.low),
                     digits(measured.high));
}

/// What is shown of a task's part.
struct Shown {
  const std::vector<const Measure*>& measures;
  std::size_t task = 0;
  const std::string& part;

  /// A group's name, with a mark where few rows say little of it. One that ends as if it had the
  /// mark stands in quotes.
  [[nodiscard]] std::string name_of(const std::string& group) const {
    const std::string name = group.ends_with('*') ? fmt::format("'{}'", group) : group;
    return has_few_rows(measures, task, part, group) ? name + " *" : name;
  }
};

/// A value without an interval, where others of its column have theirs, looks as if it were sure.
void mark_bare_values(const Shown& shown, const Measure& measure, const Cells& groups,
                      Cells& cells) {
  const auto bare = [&](const std::string& group) {
    const results::Measured measured = measured_of(measure, shown.task, {shown.part, group});
    return std::isnan(measured.low) || std::isnan(measured.high);
  };
  if (std::ranges::all_of(groups, bare)) return;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const bool known = measured_of(measure, shown.task, {shown.part, groups[i]}).known();
    const bool few = has_few_rows(shown.measures, shown.task, shown.part, groups[i]);
    if (known && few && bare(groups[i])) cells[i + 1] += " *";
  }
}

std::string table_text(const Shown& shown, const Cells& groups) {
  Column names{{"group"}};
  for (const std::string& group : groups) names.cells.push_back(shown.name_of(group));
  std::vector<Column> columns;
  for (const Measure* measure : shown.measures) {
    Column column{{measure->what.name}};
    bool known = false;
    for (const std::string& group : groups) {
      const results::Measured measured = measured_of(*measure, shown.task, {shown.part, group});
      known = known || measured.known();
      column.cells.push_back(short_text(measured));
    }
    if (!known) continue;
    mark_bare_values(shown, *measure, groups, column.cells);
    columns.push_back(std::move(column));
  }
  return blocks_text(names, columns);
}

std::string makers_text(const Shown& shown, const std::vector<results::MadeGap>& gaps) {
  if (gaps.empty()) return {};
  Table table({"measure", "made by", "its part", "and", "its part", "value"});
  for (const results::MadeGap& gap : gaps) {
    Cells row{gap.measure->what.name};
    for (std::size_t i = 0; i < 2; ++i) {
      const bool has = i < gap.made_by.size();
      row.push_back(has ? shown.name_of(gap.made_by[i].first) : "");
      row.push_back(has ? format_value(gap.made_by[i].second) : "");
    }
    row.push_back(measured_text(gap.gap));
    table.add(std::move(row));
  }
  return table.text();
}

/// The meaning of the mark, where a group has it.
std::string mark_text(const Shown& shown, const Cells& groups) {
  const bool marked = std::ranges::any_of(groups, [&](const std::string& group) {
    return has_few_rows(shown.measures, shown.task, shown.part, group);
  });
  if (!marked) return {};
  return fmt::format("  * fewer than {} rows: too few to say much of the group\n",
                     results::few_rows);
}

}  // namespace

std::string measured_text(const results::Measured& measured, int digits) {
  const std::string value = format_value(measured.value, digits);
  if (std::isnan(measured.low) || std::isnan(measured.high)) return value;
  return fmt::format("{} [{}, {}]", value, format_value(measured.low), format_value(measured.high));
}

std::string groups_text(const Content& content, std::size_t tasks) {
  const std::vector<const Measure*> columns = results::group_columns(content);
  std::string text;
  std::size_t shown = 0, hidden = 0;
  for (std::size_t task = 0; task < content.tasks.key.size(); ++task) {
    std::string of_task;
    for (const std::string& part : results::parts_with_groups(content)) {
      const Shown of_part{columns, task, part};
      const Cells groups = results::known_groups(columns, task, part);
      const std::string makers = makers_text(of_part, results::made_gaps(content, task, part));
      const std::string mark = mark_text(of_part, groups);
      if (!groups.empty()) {
        of_task += fmt::format("\nby group: task {}, {}\n{}{}", task, part,
                               table_text(of_part, groups), mark);
      }
      if (makers.empty()) continue;
      of_task +=
          fmt::format("\nwhich groups make a gap: task {}, {}\n{}{}", task, part, makers, mark);
    }
    if (of_task.empty()) continue;
    if (tasks > 0 && shown == tasks) {
      ++hidden;
      continue;
    }
    ++shown;
    text += of_task;
  }
  if (hidden == 0) return text;
  return text + fmt::format("  ... and of {} more tasks (--groups 0 shows all)\n", hidden);
}

}  // namespace fairfront::drivers
