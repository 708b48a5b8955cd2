/// @file
/// Internal: what the rows and columns of a data set are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/fields.hpp"

namespace fairfront::archive {

/// The dimensions of one row of a data set; none: a row is one element.
using RowShape = std::vector<std::int64_t>;

/// Rows of `columns` elements; 0: of one, without a dimension of its own.
[[nodiscard]] inline RowShape row_shape_of(std::int64_t columns) {
  return columns > 0 ? RowShape{columns} : RowShape{};
}

/// The attribute "dimensions" of a column: such as "task", or "point" and "objective"; empty where
/// rows are entries of no name.
[[nodiscard]] std::vector<std::string> dimensions_of(const results::Use& use,
                                                     std::string_view name);

/// That of a measure's values.
[[nodiscard]] std::vector<std::string> measure_dimensions();

/// The names along its last dimension: the value and what bounds it.
[[nodiscard]] std::vector<std::string> end_names();

}  // namespace fairfront::archive
