/// @file
/// Reads chosen columns of separated text as numbers or as categories.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/table.hpp"
#include "data/text_window.hpp"

namespace fairfront::data {

/// How the text is written; see CsvScanner for quotes, blanks, line ends and blank lines.
struct CsvFormat {
  char separator = ',';              ///< ' ' means runs of blanks and tabs
  bool header = true;                ///< the first row holds the columns' names
  std::string missing = "?";         ///< a cell that equals it is missing; an empty cell is, too
  std::string comment{};             ///< lines that begin with it are skipped; empty: none are
  std::vector<std::string> names{};  ///< without a header: the names; empty: "1", "2", ...
};

/// Reads `columns` from `text`; numbers and categories come out in the order asked for.
/// Only the chosen columns are parsed; of the others no more than their number is checked.
///
/// @throws base::InputError  no such column or an ambiguous one (with the nearest name), a row
///         with another number of cells, a cell that is missing or no finite number. Messages
///         name file, line, column and rule, and never the cell's value: it may be personal.
[[nodiscard]] Table read_csv(TextWindow text, const CsvFormat& format,
                             std::span<const TableColumn> columns);

/// The columns' names: the header's, or those of `format`, or "1", "2", ...; none for empty text.
[[nodiscard]] std::vector<std::string> csv_column_names(TextWindow text, const CsvFormat& format);

}  // namespace fairfront::data
