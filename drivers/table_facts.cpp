#include "table_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "data/cell_text.hpp"
#include "data/readers/csv_scanner.hpp"
#include "data/readers/data_file.hpp"

namespace fairfront::drivers {
namespace {

using RowCells = std::span<const std::string_view>;

bool is_missing(const TableFormat& format, std::string_view cell) {
  return cell.empty() || std::ranges::find(format.missing, cell) != format.missing.end();
}

bool is_incomplete(const TableFormat& format, RowCells cells,
                   const std::vector<std::size_t>& columns) {
  return std::ranges::any_of(columns,
                             [&](std::size_t column) { return is_missing(format, cells[column]); });
}

/// Words that stand for a missing number: some of them may be names that mean something.
bool is_missing_word(std::string_view cell) {
  constexpr std::array words{"NA",  "N/A",     "n/a",     "na",      "#N/A", "NaN",  "NAN",
                             "nan", "null",    "NULL",    "Null",    "None", "none", "unknown",
                             "?",   "Unknown", "UNKNOWN", "missing", "-",    "--",   "."};
  return std::ranges::find(words, cell) != words.end();
}

/// Those that are hardly the name of anything.
bool is_missing_name(std::string_view cell) {
  constexpr std::array words{"NA", "N/A", "n/a", "#N/A", "null", "NULL", "?"};
  return std::ranges::find(words, cell) != words.end();
}

std::optional<double> finite_number(std::string_view cell) {
  const auto value = base::parse_double(cell);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Calls `see` with every row; returns the header.
std::vector<std::string> read_rows(const std::string& path, const TableFormat& format,
                                   const std::function<void(RowCells)>& see) {
  data::DataFile file(path);
  data::CsvScanner scanner(file.text(), format.separator, "");
  if (!scanner.next_names()) {
    throw base::InputError(fmt::format(
        "'{}' is empty: its first line must name the columns, and the others hold the rows", path));
  }
  const std::vector<std::string> names(scanner.cells().begin(), scanner.cells().end());
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) continue;
    if (name.empty()) {
      throw base::InputError(
          fmt::format("{}: several columns have no name: name them in the first line, as column {}",
                      path, 1 + (std::ranges::find(names, name) - names.begin())));
    }
    throw base::InputError(fmt::format(
        "{}: the first line must name the columns, each by another name: rename one of the columns "
        "'{}', or where it is a row already, write a line of names above it (in a config of yours "
        "data.header = false calls the columns 1, 2, ...)",
        path, base::excerpt(name)));
  }
  while (scanner.next()) {
    if (scanner.cells().size() != names.size()) {
      throw base::InputError(fmt::format(
          "{}, line {}: {} cells, and the first line names {} columns: complete the line, or where "
          "every line is like that, --separator says what stands between the cells",
          path, scanner.line(), scanner.cells().size(), names.size()));
    }
    see(scanner.cells());
  }
  return names;
}

void add(ColumnFacts& column, const TableFormat& format, std::string_view cell) {
  if (is_missing(format, cell)) {
    ++column.missing;
    return;
  }
  ++column.known;
  if (const auto value = finite_number(cell)) {
    column.least = column.numbers == 0 ? *value : std::min(column.least, *value);
    column.greatest = column.numbers == 0 ? *value : std::max(column.greatest, *value);
    column.whole = column.whole && *value == std::trunc(*value);
    ++column.numbers;
  } else if (is_missing_word(cell)) {
    ++column.missing_words[std::string{cell}];
  } else if (data::has_decimal_comma(cell)) {
    ++column.decimal_commas;
  } else if (data::is_number_written_otherwise(cell)) {
    if (column.otherwise++ == 0) column.first_otherwise = cell;
  } else if (base::first_not_utf8(cell)) {
    column.is_utf8 = false;
  }
  const std::string level{cell};
  const bool is_new = !column.levels.contains(level);
  if (is_new && column.levels.size() == ColumnFacts::most_levels) {
    column.many = true;
  } else {
    ++column.levels[level];
  }
}

/// The level of a row without a missing cell.
std::string level_of(const GroupSource& source, RowCells cells) {
  if (source.text.is_column()) return std::string{cells[source.places.front()]};
  std::vector<std::vector<double>> values;
  for (const std::size_t place : source.places) {
    values.push_back({finite_number(cells[place]).value_or(0)});
  }
  const data::Category category = source.text.test
                                      ? data::category_of_test(*source.text.test, values.front())
                                      : data::category_of_largest(source.text.largest, values);
  return category.levels[static_cast<std::size_t>(category.codes.front())];
}

/// How many cells each of the first rows has; 0 where they differ, or cannot be read.
std::size_t cells_by(const std::string& path, char separator) {
  constexpr int most_rows = 100;
  data::DataFile file(path);
  std::size_t cells = 0;
  try {
    data::CsvScanner scanner(file.text(), separator, "");
    for (int row = 0; row < most_rows && scanner.next(); ++row) {
      if (row > 0 && scanner.cells().size() != cells) return 0;
      cells = scanner.cells().size();
    }
  } catch (const base::InputError&) {
    return 0;
  }
  return cells;
}

}  // namespace

bool ColumnFacts::is_number_but_for_words() const noexcept {
  std::int64_t words = 0;
  for (const auto& [word, cells] : missing_words) words += cells;
  return words > 0 && numbers > 0 && numbers + words == known;
}

bool ColumnFacts::has_numbers_otherwise() const noexcept {
  std::int64_t all = numbers + decimal_commas + otherwise;
  for (const auto& [word, cells] : missing_words) all += cells;
  return otherwise > 0 && all == known;
}

bool ColumnFacts::has_two_but_for_words() const {
  if (many) return false;
  const auto words =
      std::ranges::count_if(levels, [](const auto& level) { return is_missing_name(level.first); });
  return words > 0 && std::ssize(levels) - words == 2;
}

char separator_of(const std::string& path) {
  char best = ',';
  std::size_t most = std::max<std::size_t>(cells_by(path, best), 1);
  for (const char separator : {';', '\t', '|'}) {
    const std::size_t cells = cells_by(path, separator);
    if (cells <= most) continue;
    most = cells;
    best = separator;
  }
  return best;
}

TableFacts facts_of(const std::string& path, const TableFormat& format) {
  TableFacts table;
  const std::vector<std::string> names = read_rows(path, format, [&](RowCells cells) {
    table.columns.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) add(table.columns[i], format, cells[i]);
    ++table.rows;
  });
  table.columns.resize(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    table.columns[i].name = names[i];
    if (base::first_not_utf8(names[i])) table.columns[i].is_utf8 = false;
  }
  return table;
}

std::vector<GroupSize> group_sizes(const std::string& path, const TableFormat& format,
                                   const std::vector<GroupSource>& sources,
                                   const std::vector<std::size_t>& needed) {
  std::map<std::string, GroupSize> sizes;
  read_rows(path, format, [&](RowCells cells) {
    std::vector<std::string> levels;
    for (const GroupSource& source : sources) {
      if (is_incomplete(format, cells, source.places)) return;
      levels.push_back(level_of(source, cells));
    }
    GroupSize& group = sizes[base::join(levels, " x ")];
    group.levels = std::move(levels);
    ++group.rows;
    if (!is_incomplete(format, cells, needed)) ++group.complete;
  });
  std::vector<GroupSize> groups;
  for (auto& [name, group] : sizes) {
    group.name = name;
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<std::size_t> same_columns(const std::string& path, const TableFormat& format,
                                      std::size_t label, bool has_two) {
  struct Pairs {
    bool same = true;
    std::map<std::string, std::string, std::less<>> forth, back;
  };
  std::vector<Pairs> columns;
  const auto agrees = [](auto& known, std::string_view from, std::string_view to) {
    const auto found = known.find(from);
    if (found != known.end()) return found->second == to;
    known.emplace(from, to);
    return true;
  };
  read_rows(path, format, [&](RowCells cells) {
    columns.resize(cells.size());
    const std::string_view value = cells[label];
    if (is_missing(format, value)) return;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      Pairs& pairs = columns[i];
      if (!pairs.same || is_missing(format, cells[i])) continue;
      pairs.same = has_two
                       ? agrees(pairs.forth, cells[i], value) && agrees(pairs.back, value, cells[i])
                       : cells[i] == value;
    }
  });
  std::vector<std::size_t> same;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i != label && columns[i].same && (!has_two || columns[i].forth.size() == 2)) {
      same.push_back(i);
    }
  }
  return same;
}

std::vector<std::map<std::string, Moments>> moments_by_label(
    const std::string& path, const TableFormat& format, std::size_t label,
    const std::vector<std::size_t>& columns) {
  std::vector<std::map<std::string, Moments>> found(columns.size());
  read_rows(path, format, [&](RowCells cells) {
    if (is_missing(format, cells[label])) return;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto value = finite_number(cells[columns[i]]);
      if (!value || is_missing(format, cells[columns[i]])) continue;
      Moments& moments = found[i][std::string{cells[label]}];
      const double before = *value - moments.mean;
      moments.mean += before / static_cast<double>(++moments.rows);
      moments.squares += before * (*value - moments.mean);
    }
  });
  return found;
}

std::int64_t incomplete_rows(const std::string& path, const TableFormat& format,
                             const std::vector<std::size_t>& columns) {
  std::int64_t rows = 0;
  read_rows(path, format, [&](RowCells cells) {
    if (is_incomplete(format, cells, columns)) ++rows;
  });
  return rows;
}

}  // namespace fairfront::drivers
