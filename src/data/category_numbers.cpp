#include "data/category_numbers.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "base/text.hpp"

namespace fairfront::data {

std::optional<std::vector<double>> as_numbers(const Category& category) {
  std::vector<double> of_level;
  for (const std::string& level : category.levels) {
    const auto number = base::parse_double(level);
    if (!number || !std::isfinite(*number)) return std::nullopt;
    of_level.push_back(*number);
  }
  std::vector<double> values;
  values.reserve(category.codes.size());
  for (const std::int32_t code : category.codes) {
    values.push_back(code < 0 ? std::numeric_limits<double>::quiet_NaN()
                              : of_level[static_cast<std::size_t>(code)]);
  }
  return values;
}

}  // namespace fairfront::data
