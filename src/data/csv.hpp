/// @file
/// Reads chosen columns of separated text as numbers or as categories.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/category.hpp"

namespace fairfront::data {

/// How the text is written; see CsvScanner for quotes, blanks, line ends and blank lines.
struct CsvFormat {
  char separator = ',';              ///< ' ' means runs of blanks and tabs
  bool header = true;                ///< the first row holds the columns' names
  std::string missing = "?";         ///< a cell that equals it is missing; an empty cell is, too
  std::string comment{};             ///< lines that begin with it are skipped; empty: none are
  std::vector<std::string> names{};  ///< without a header: the names; empty: "1", "2", ...
};

enum class CellKind { number, category };

/// One column to read.
struct CsvColumn {
  std::string name;
  CellKind kind = CellKind::number;
  bool drop_missing = false;  ///< a missing cell drops its row, else it is an error
};

/// The chosen columns of the rows that were kept.
struct CsvTable {
  std::int64_t rows = 0;                  ///< N, kept
  std::int64_t rows_read = 0;             ///< N and those dropped for a missing cell
  std::vector<std::string> number_names;  ///< w names
  std::vector<double> numbers;            ///< row-major, shape (N, w), all finite
  std::vector<std::string> category_names;
  std::vector<Category> categories;  ///< one per name, N codes each
};

/// Reads `columns` from `text`; numbers and categories come out in the order asked for.
/// Only the chosen columns are parsed; of the others no more than their number is checked.
///
/// @param file  named in messages.
/// @throws base::InputError  no such column or an ambiguous one (with the nearest name), a row
///         with another number of cells, a cell that is missing or no finite number. Messages
///         name file, line, column and rule, and never the cell's value: it may be personal.
[[nodiscard]] CsvTable read_csv(std::string_view text, const std::string& file,
                                const CsvFormat& format, std::span<const CsvColumn> columns);

/// The columns' names: the header's, or those of `format`, or "1", "2", ...; none for empty text.
[[nodiscard]] std::vector<std::string> csv_column_names(std::string_view text,
                                                        const std::string& file,
                                                        const CsvFormat& format);

}  // namespace fairfront::data
