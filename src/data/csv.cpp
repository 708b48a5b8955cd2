#include "data/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <unordered_map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/csv_scanner.hpp"

namespace fairfront::data {
namespace {

/// Lets a map of strings be searched by a view.
struct TextHash : std::hash<std::string_view> {
  using is_transparent = void;
};
using LevelCodes = std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>>;

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

std::size_t find_column(const std::string& name, const std::vector<std::string>& names,
                        const CsvFormat& format, const std::string& file) {
  const auto count = std::count(names.begin(), names.end(), name);
  if (count == 1) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }
  if (count > 1) {
    throw base::InputError(
        fmt::format("{}: the header names column '{}' {} times", file, name, count));
  }
  const bool numbered = !format.header && format.names.empty();
  throw base::InputError(
      numbered ? fmt::format("{}: no column '{}': without a header, columns are 1 to {}", file,
                             name, names.size())
               : fmt::format("{}: no column '{}'{}", file, name, base::name_hint(name, names)));
}

/// Fills a table row by row.
class TableReader {
 public:
  TableReader(CsvScanner& scanner, const CsvFormat& format, std::span<const CsvColumn> columns,
              std::vector<std::string> names);
  void read_row();
  CsvTable finish() { return std::move(table_); }

 private:
  struct Wanted {
    std::size_t place;     ///< which cell of the row
    std::size_t category;  ///< which of the table's categories; unused for numbers
    CellKind kind;
    bool drop_missing;
  };
  bool drops_row() const;
  void check_width() const;
  double number(const Wanted& wanted) const;
  void add_name(const Wanted& wanted);
  [[noreturn]] void fail(const Wanted& wanted, std::string_view rule) const;

  CsvScanner& scanner_;
  const CsvFormat& format_;
  std::vector<std::string> names_;
  std::vector<Wanted> wanted_;
  std::vector<LevelCodes> codes_;
  CsvTable table_;
};

TableReader::TableReader(CsvScanner& scanner, const CsvFormat& format,
                         std::span<const CsvColumn> columns, std::vector<std::string> names)
    : scanner_{scanner}, format_{format}, names_{std::move(names)} {
  for (const CsvColumn& column : columns) {
    const std::size_t place = find_column(column.name, names_, format, scanner.file());
    const bool is_number = column.kind == CellKind::number;
    wanted_.push_back({place, table_.category_names.size(), column.kind, column.drop_missing});
    (is_number ? table_.number_names : table_.category_names).push_back(column.name);
  }
  table_.categories.resize(table_.category_names.size());
  codes_.resize(table_.category_names.size());
}

void TableReader::read_row() {
  check_width();
  ++table_.rows_read;
  if (drops_row()) return;
  for (const Wanted& wanted : wanted_) {
    if (wanted.kind == CellKind::number) {
      table_.numbers.push_back(number(wanted));
    } else {
      add_name(wanted);
    }
  }
  ++table_.rows;
}

void TableReader::check_width() const {
  const std::size_t width = scanner_.cells().size();
  if (width == names_.size()) return;
  throw base::InputError(fmt::format("{}: line {}: the row has {} cells, the {} has {}",
                                     scanner_.file(), scanner_.line(), width,
                                     format_.header ? "header" : "first row", names_.size()));
}

/// Looks at all cells before any is stored, so that a dropped row leaves no level behind.
bool TableReader::drops_row() const {
  const Wanted* missing = nullptr;
  for (const Wanted& wanted : wanted_) {
    const std::string_view cell = scanner_.cells()[wanted.place];
    if (!cell.empty() && cell != format_.missing) continue;
    if (wanted.drop_missing) return true;
    if (missing == nullptr) missing = &wanted;
  }
  if (missing == nullptr) return false;
  fail(*missing, "the cell is missing (missing_rule = drop leaves such rows out)");
}

double TableReader::number(const Wanted& wanted) const {
  const auto value = base::parse_double(scanner_.cells()[wanted.place]);
  if (!value || !std::isfinite(*value)) fail(wanted, "the cell must be a finite number");
  return *value;
}

void TableReader::add_name(const Wanted& wanted) {
  const std::string_view cell = scanner_.cells()[wanted.place];
  LevelCodes& codes = codes_[wanted.category];
  Category& category = table_.categories[wanted.category];
  auto found = codes.find(cell);
  if (found == codes.end()) {
    found = codes.emplace(cell, static_cast<std::int32_t>(category.levels.size())).first;
    category.levels.emplace_back(cell);
    category.first_line.push_back(scanner_.line());
  }
  category.codes.push_back(found->second);
}

void TableReader::fail(const Wanted& wanted, std::string_view rule) const {
  throw base::InputError(fmt::format("{}: line {}, column '{}': {}", scanner_.file(),
                                     scanner_.line(), names_[wanted.place], rule));
}

}  // namespace

CsvTable read_csv(std::string_view text, const std::string& file, const CsvFormat& format,
                  std::span<const CsvColumn> columns) {
  CsvScanner scanner(text, file, format.separator, format.comment);
  if (!scanner.next()) throw base::InputError(fmt::format("{}: the file has no rows", file));
  TableReader reader(scanner, format, columns, names_at(scanner, format));
  if (!format.header) reader.read_row();
  while (scanner.next()) reader.read_row();
  return reader.finish();
}

std::vector<std::string> csv_column_names(std::string_view text, const std::string& file,
                                          const CsvFormat& format) {
  CsvScanner scanner(text, file, format.separator, format.comment);
  if (!scanner.next()) return {};
  return names_at(scanner, format);
}

}  // namespace fairfront::data
