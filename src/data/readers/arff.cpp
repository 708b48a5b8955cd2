#include "data/readers/arff.hpp"

#include <algorithm>
#include <utility>

#include "data/readers/arff_scanner.hpp"
#include "data/readers/table_reader.hpp"

namespace fairfront::data {
namespace {

std::vector<std::string> names_of(const ArffScanner& scanner) {
  std::vector<std::string> names;
  for (const ArffAttribute& attribute : scanner.attributes()) names.push_back(attribute.name);
  return names;
}

/// Categories take the levels that the file declares for them.
std::vector<TableColumn> declared(std::span<const TableColumn> columns,
                                  const ArffScanner& scanner) {
  std::vector<TableColumn> result(columns.begin(), columns.end());
  for (TableColumn& column : result) {
    if (column.kind != CellKind::category) continue;
    const auto found = std::ranges::find(scanner.attributes(), column.name, &ArffAttribute::name);
    if (found != scanner.attributes().end()) column.levels = found->levels;
  }
  return result;
}

}  // namespace

Table read_arff(TextWindow text, std::span<const TableColumn> columns,
                std::span<const ColumnTest> where) {
  ArffScanner scanner(std::move(text));
  TableReader reader({.file = scanner.file(),
                      .names = names_of(scanner),
                      .named_by = "header",
                      .is_missing = ArffScanner::is_missing},
                     declared(columns, scanner), where);
  while (scanner.next()) reader.read_row(scanner.cells(), scanner.line());
  return reader.finish();
}

std::vector<std::string> arff_column_names(TextWindow text) {
  return names_of(ArffScanner(std::move(text)));
}

}  // namespace fairfront::data
