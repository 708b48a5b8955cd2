/// @file
/// Reads chosen columns of Weka's attribute-relation files as numbers or as categories.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/comparison.hpp"
#include "data/readers/text_window.hpp"
#include "data/table.hpp"

namespace fairfront::data {

/// Reads `columns` from an ARFF text; numbers and categories come out in the order asked for.
/// Rows that do not pass all of `where` are left out.
///
/// Known: numeric, real, integer, nominal, string and date attributes; names and values in single
/// or double quotes with backslash escapes; lines of comment; ? as a missing value. The levels of
/// a nominal column are numbered as the file declares them. A nominal column whose levels are
/// numbers may be read as numbers. Format: Weka wiki, "ARFF (stable version)".
///
/// @throws base::InputError  as read_csv; a header that breaks the format, a nominal value that
///         was not declared; sparse rows, weights of rows and relational attributes, which are
///         not read. Messages name file, line, column and rule, and never the value.
[[nodiscard]] Table read_arff(TextWindow text, std::span<const TableColumn> columns,
                              std::span<const ColumnTest> where = {});

/// The attributes' names.
[[nodiscard]] std::vector<std::string> arff_column_names(TextWindow text);

}  // namespace fairfront::data
