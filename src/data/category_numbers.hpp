/// @file
/// Columns of names that are numbers.
#pragma once

#include <optional>
#include <vector>

#include "data/category.hpp"

namespace fairfront::data {

/// The rows' numbers, NaN where missing, when every level is a finite one.
[[nodiscard]] std::optional<std::vector<double>> as_numbers(const Category& category);

}  // namespace fairfront::data
