/// @file
/// Reads chosen columns of separated text as numbers or as categories.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/comparison.hpp"
#include "data/readers/csv_scanner.hpp"
#include "data/readers/table_reader.hpp"
#include "data/readers/text_window.hpp"
#include "data/table.hpp"

namespace fairfront::data {

/// How the text is written; see CsvScanner for quotes, blanks, line ends and blank lines.
struct CsvFormat {
  char separator = ',';  ///< ' ' means runs of blanks and tabs
  bool header = true;    ///< the first row holds the columns' names
  std::vector<std::string> missing{
      "?"};                          ///< cells that equal one are missing; empty cells are, too
  std::string comment{};             ///< lines that begin with it are skipped; empty: none are
  std::vector<std::string> names{};  ///< without a header: the names; empty: "1", "2", ...
  TableAdvice advice{};
};

/// Reads `columns` from a text some rows at a time, and forgets them when it reads on: memory is
/// that of the rows in hand and of the names that have occurred.
class CsvStream {
 public:
  /// As read_csv().
  CsvStream(TextWindow text, const CsvFormat& format, std::span<const TableColumn> columns,
            std::span<const ColumnTest> where = {});

  /// The next rows, `most` of them or as many as are left: no rows at the end of the text. Numbers
  /// and names as read_csv(), but the levels of categories are in order of first appearance, so
  /// that the code of one never changes. Valid until the next call.
  /// @throws base::InputError  as read_csv().
  const Table& next(std::int64_t most);
  /// All rows that are left; ends the reading.
  [[nodiscard]] Table rest();

  /// The rows that next() returned last.
  [[nodiscard]] const Table& table() const noexcept { return reader_.table(); }
  /// Of all columns of the text.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return reader_.names(); }
  /// See CsvScanner::blank_lines().
  [[nodiscard]] std::int64_t blank_lines() const noexcept { return scanner_.blank_lines(); }
  /// Calls `see` with the scanner on every row that next() keeps.
  void watch(std::function<void(const CsvScanner&)> see) { see_ = std::move(see); }

 private:
  bool read_row();

  CsvScanner scanner_;
  TableReader reader_;
  bool on_row_;  ///< the scanner stands on a row that is not read yet
  std::function<void(const CsvScanner&)> see_;
};

/// Reads `columns` from `text`; numbers and categories come out in the order asked for.
/// Only the chosen columns are parsed; of the others no more than their number is checked.
/// @param where  rows that do not pass all of these are left out.
///
/// @throws base::InputError  no such column or an ambiguous one (with the nearest name), a row
///         with another number of cells, a cell that is missing or no finite number. Messages
///         name file, line, column and rule, and never the cell's value: it may be personal.
[[nodiscard]] Table read_csv(TextWindow text, const CsvFormat& format,
                             std::span<const TableColumn> columns,
                             std::span<const ColumnTest> where = {});

/// The columns' names: the header's, or those of `format`, or "1", "2", ...; none for empty text.
[[nodiscard]] std::vector<std::string> csv_column_names(TextWindow text, const CsvFormat& format);

}  // namespace fairfront::data
