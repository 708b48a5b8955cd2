#include "table_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/readers/csv_scanner.hpp"
#include "data/readers/data_file.hpp"

namespace fairfront::drivers {
namespace {

using Cells = std::span<const std::string_view>;

bool is_missing(std::string_view cell) { return cell.empty() || cell == "?"; }

/// Calls `see` with every row; returns the header.
std::vector<std::string> read_rows(const std::string& path, char separator,
                                   const std::function<void(Cells)>& see) {
  data::DataFile file(path);
  data::CsvScanner scanner(file.text(), separator, "");
  if (!scanner.next()) throw base::InputError(fmt::format("'{}' is empty", path));
  const std::vector<std::string> names(scanner.cells().begin(), scanner.cells().end());
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
    throw base::InputError(fmt::format(
        "{}: the first line must name the columns, each by another name: see data.header", path));
  }
  while (scanner.next()) {
    if (scanner.cells().size() != names.size()) {
      throw base::InputError(
          fmt::format("{}, line {}: {} cells, and the first line names {} columns", path,
                      scanner.line(), scanner.cells().size(), names.size()));
    }
    see(scanner.cells());
  }
  return names;
}

void add(ColumnFacts& column, std::string_view cell) {
  if (is_missing(cell)) {
    ++column.missing;
    return;
  }
  ++column.known;
  if (const auto value = base::parse_double(cell)) {
    column.least = column.numbers == 0 ? *value : std::min(column.least, *value);
    column.greatest = column.numbers == 0 ? *value : std::max(column.greatest, *value);
    ++column.numbers;
  }
  const std::string level{cell};
  const bool is_new = !column.levels.contains(level);
  if (is_new && column.levels.size() == ColumnFacts::most_levels) {
    column.many = true;
  } else {
    ++column.levels[level];
  }
}

}  // namespace

TableFacts facts_of(const std::string& path, char separator) {
  TableFacts table;
  const std::vector<std::string> names = read_rows(path, separator, [&](Cells cells) {
    table.columns.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) add(table.columns[i], cells[i]);
    ++table.rows;
  });
  table.columns.resize(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) table.columns[i].name = names[i];
  return table;
}

std::vector<GroupSize> group_sizes(const std::string& path, char separator,
                                   const std::vector<std::size_t>& columns) {
  std::map<std::string, std::int64_t> sizes;
  read_rows(path, separator, [&](Cells cells) {
    std::vector<std::string> levels;
    for (const std::size_t column : columns) {
      if (is_missing(cells[column])) return;
      levels.emplace_back(cells[column]);
    }
    ++sizes[base::join(levels, " x ")];
  });
  std::vector<GroupSize> groups;
  for (const auto& [name, rows] : sizes) groups.push_back({name, rows});
  return groups;
}

}  // namespace fairfront::drivers
