#include "data/readers/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "data/cell_text.hpp"

namespace fairfront::data {
namespace {

/// Names of the columns, from the row the scanner stands on.
std::vector<std::string> names_at(const CsvScanner& scanner, const CsvFormat& format) {
  const auto cells = scanner.cells();
  if (format.header) return {cells.begin(), cells.end()};
  if (format.names.empty()) {
    std::vector<std::string> numbers;
    for (std::size_t i = 1; i <= cells.size(); ++i) numbers.push_back(std::to_string(i));
    return numbers;
  }
  if (format.names.size() != cells.size()) {
    throw base::InputError(fmt::format("{}: line {}: the row has {} cells, must have {}",
                                       scanner.file(), scanner.line(), cells.size(),
                                       format.names.size()));
  }
  return format.names;
}

/// Most cells are numbers, and most markers are not: those are looked for by their texts alone.
std::function<bool(std::string_view)> is_one_of(std::vector<std::string> markers) {
  const bool has_numbers = std::ranges::any_of(
      markers, [](const std::string& marker) { return whole_number(marker).has_value(); });
  return [markers = std::move(markers), has_numbers](std::string_view cell) {
    return cell.empty() || (has_numbers ? place_of_name(markers, cell).has_value()
                                        : std::ranges::count(markers, cell) > 0);
  };
}

TableSource source_of(const CsvScanner& scanner, const CsvFormat& format) {
  return {.file = scanner.file(),
          .names = names_at(scanner, format),
          .named_by = format.header ? "header" : "first row",
          .numbered = !format.header && format.names.empty(),
          .names_are_cells = format.header,
          .is_missing = is_one_of(format.missing),
          .advice = format.advice};
}

/// Moves to the first row, which may be the header.
bool first_row(CsvScanner& scanner, const CsvFormat& format) {
  return format.header ? scanner.next_names() : scanner.next();
}

/// On the first row.
CsvScanner on_first_row(TextWindow text, const CsvFormat& format) {
  CsvScanner scanner(std::move(text), format.separator, format.comment);
  if (!first_row(scanner, format)) {
    throw base::InputError(fmt::format(
        "{}: the file has no rows; write one for each person or thing", scanner.file()));
  }
  return scanner;
}

}  // namespace

CsvStream::CsvStream(TextWindow text, const CsvFormat& format, std::span<const TableColumn> columns,
                     std::span<const ColumnTest> where)
    : scanner_{on_first_row(std::move(text), format)},
      reader_{source_of(scanner_, format), columns, where},
      on_row_{!format.header} {}

bool CsvStream::read_row() {
  if (!on_row_ && !scanner_.next()) return false;
  on_row_ = false;
  const std::int64_t before = reader_.table().rows;
  reader_.read_row(scanner_.cells(), scanner_.line());
  if (see_ && reader_.table().rows > before) see_(scanner_);
  return true;
}

const Table& CsvStream::next(std::int64_t most) {
  reader_.forget_rows();
  while (reader_.table().rows < most && read_row()) {
  }
  return reader_.table();
}

Table CsvStream::rest() {
  while (read_row()) {
  }
  return reader_.finish();
}

Table read_csv(TextWindow text, const CsvFormat& format, std::span<const TableColumn> columns,
               std::span<const ColumnTest> where) {
  return CsvStream(std::move(text), format, columns, where).rest();
}

std::vector<std::string> csv_column_names(TextWindow text, const CsvFormat& format) {
  CsvScanner scanner(std::move(text), format.separator, format.comment);
  if (!first_row(scanner, format)) return {};
  return names_at(scanner, format);
}

}  // namespace fairfront::data
