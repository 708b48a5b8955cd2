#include "data/cell_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "base/text.hpp"

namespace fairfront::data {
namespace {

/// Without one of these at its begin or end, and the blanks beside it.
std::string_view without_unit(std::string_view text) {
  for (const std::string_view unit : {"$", "%", "\u20ac", "\u00a3", "\u00a5"}) {
    if (text.starts_with(unit)) return base::trim(text.substr(unit.size()));
    if (text.ends_with(unit)) return base::trim(text.substr(0, text.size() - unit.size()));
  }
  return text;
}

/// Without marks before every three digits of the whole part; the text itself where the marks do
/// not stand so.
std::string without_thousands_marks(std::string_view text, char mark) {
  const std::size_t begin = text.find_first_of("0123456789");
  const std::size_t end = std::min(text.find('.'), text.size());
  if (begin >= end || text.find(mark) >= end) return std::string{text};
  std::string plain{text.substr(0, begin)};
  for (std::size_t i = begin; i < end; ++i) {
    const bool is_place = (end - i) % 4 == 0;  // not that of the first digit
    if ((text[i] == mark) != is_place) return std::string{text};
    if (!is_place) plain += text[i];
  }
  return plain.append(text.substr(end));
}

/// Digits of a number that no double holds, such as 1e400; one that is too near to 0 is 0.
bool is_too_large(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return stop == end && error == std::errc::result_out_of_range;
}

}  // namespace

std::optional<double> cell_number(std::string_view cell) noexcept {
  if (cell == "True" || cell == "TRUE" || cell == "true") return 1;
  if (cell == "False" || cell == "FALSE" || cell == "false") return 0;
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

bool is_number_written_otherwise(std::string_view cell) {
  if (cell_number(cell)) return false;
  const std::string_view text = without_unit(base::trim(cell));
  const auto number = base::parse_double(text);
  if (number && !std::isnan(*number)) return true;
  return is_too_large(text) || cell_number(without_thousands_marks(text, ',')).has_value() ||
         cell_number(without_thousands_marks(text, ' ')).has_value() ||
         cell_number(without_thousands_marks(text, '\'')).has_value();
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
