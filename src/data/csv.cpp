#include "data/csv.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "data/csv_scanner.hpp"
#include "data/table_reader.hpp"

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

TableSource source_of(const CsvScanner& scanner, const CsvFormat& format) {
  return {.file = scanner.file(),
          .names = names_at(scanner, format),
          .named_by = format.header ? "header" : "first row",
          .numbered = !format.header && format.names.empty(),
          .is_missing = [marker = format.missing](std::string_view cell) {
            return cell.empty() || cell == marker;
          }};
}

}  // namespace

Table read_csv(TextWindow text, const CsvFormat& format, std::span<const TableColumn> columns) {
  CsvScanner scanner(std::move(text), format.separator, format.comment);
  if (!scanner.next()) {
    throw base::InputError(fmt::format("{}: the file has no rows", scanner.file()));
  }
  TableReader reader(source_of(scanner, format), columns);
  if (!format.header) reader.read_row(scanner.cells(), scanner.line());
  while (scanner.next()) reader.read_row(scanner.cells(), scanner.line());
  return reader.finish();
}

std::vector<std::string> csv_column_names(TextWindow text, const CsvFormat& format) {
  CsvScanner scanner(std::move(text), format.separator, format.comment);
  if (!scanner.next()) return {};
  return names_at(scanner, format);
}

}  // namespace fairfront::data
