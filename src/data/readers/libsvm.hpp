/// @file
/// Reads the text format of LIBSVM and SVMlight: "label index:value index:value ...", a row a line.
#pragma once

#include <cstdint>
#include <vector>

#include "data/readers/csv.hpp"
#include "data/readers/text_window.hpp"
#include "data/sparse_rows.hpp"

namespace fairfront::data {

/// The rows of a file that were read, with a label each.
struct LibsvmRows {
  SparseRows features;  ///< index 1 of the file is column 0; entries that are 0 are left out
  std::vector<double> label;
};

/// Reads a text. Labels and values are finite numbers ("+1" too), indices are integers from 1 that
/// ascend within a row; blank lines and what follows a '#' are skipped. Format: LIBSVM, README,
/// "Usage".
///
/// @param columns  d; 0: the largest index that occurs.
/// @throws base::InputError  a line that breaks the format, an index that is below 1, above
///         `columns`, given twice or descending, a ranking's "qid:"; a text without rows. Messages
///         name file, line and rule, and never a value.
[[nodiscard]] LibsvmRows read_libsvm(TextWindow text, std::int64_t columns);

/// What the label of a LIBSVM row is called where the row is one of a table.
inline constexpr const char* libsvm_label = "label";

/// How libsvm_as_csv() writes rows: the columns are "label" and the numbers of the features, 1 to
/// d.
[[nodiscard]] CsvFormat libsvm_format(std::int64_t columns);

/// The rows as CSV without a header, made as they are read: the label and all values of a row,
/// those that it does not name as 0. Each row is on the line that it is on in the text.
/// @param columns  d, >= 1.
/// @throws base::InputError  as read_libsvm(), while the window is read.
[[nodiscard]] TextWindow libsvm_as_csv(TextWindow text, std::int64_t columns);

}  // namespace fairfront::data
