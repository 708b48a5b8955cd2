/// @file
/// Internal: numbers of measures and choices in JSON, which has no infinite ones.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace fairfront::results {

/// Null: not known. What is infinite is the text "inf" or "-inf", as in parameters of models.
[[nodiscard]] inline nlohmann::ordered_json json_number(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return base::format_double(value);
  return value;
}

}  // namespace fairfront::results
