#include "data/cell_text.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.hpp"

namespace fairfront::data {

std::optional<double> cell_number(std::string_view cell) noexcept {
  if (cell == "True") return 1;
  if (cell == "False") return 0;
  const auto number = base::parse_double(cell);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

bool has_decimal_comma(std::string_view cell) {
  const std::size_t comma = cell.find(',');
  if (comma == cell.npos) return false;
  std::string text{cell};
  text[comma] = '.';
  const auto number = base::parse_double(text);
  return number && std::isfinite(*number);
}

std::optional<std::string_view> whole_number(std::string_view text) noexcept {
  constexpr std::string_view digits = "0123456789";
  const bool is_negative = text.starts_with('-');
  std::string_view magnitude = text.substr(is_negative ? 1 : 0);
  const std::size_t point = std::min(magnitude.find('.'), magnitude.size());
  const std::string_view zeros = magnitude.substr(std::min(point + 1, magnitude.size()));
  magnitude = magnitude.substr(0, point);
  const bool is_whole = !magnitude.empty() &&
                        magnitude.find_first_not_of(digits) == std::string_view::npos &&
                        zeros.find_first_not_of('0') == std::string_view::npos;
  if (!is_whole || (magnitude.size() > 1 && magnitude.front() == '0')) return std::nullopt;
  return is_negative && magnitude != "0" ? text.substr(0, magnitude.size() + 1) : magnitude;
}

std::optional<std::size_t> place_of_name(std::span<const std::string> names,
                                         std::string_view cell) noexcept {
  const auto place_of = [&](const auto& found) {
    return static_cast<std::size_t>(found - names.begin());
  };
  const auto same = std::ranges::find(names, cell);
  if (same != names.end()) return place_of(same);
  const auto whole = whole_number(cell);
  if (!whole) return std::nullopt;
  const auto equal = std::ranges::find_if(
      names, [&](const std::string& name) { return whole_number(name) == whole; });
  if (equal == names.end()) return std::nullopt;
  return place_of(equal);
}

}  // namespace fairfront::data
