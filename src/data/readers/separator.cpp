#include "data/readers/separator.hpp"

#include <stdexcept>
#include <string_view>

namespace fairfront::data {
namespace {

constexpr const char* separator_rule =
    "comma, semicolon, tab, blank (runs of blanks), or one character other than a quote";

/// Empty when `text` breaks the rule. The comma has a name, because it parts values in a config.
std::string separator_from(std::string_view text) {
  if (text == "comma") return ",";
  if (text == "semicolon") return ";";
  if (text == "tab" || text == "blank") return std::string{text};
  const bool unusable = text.size() != 1 || text.find_first_of("\"\r\n") != std::string_view::npos;
  return unusable ? std::string{} : std::string{text};
}

}  // namespace

void add_separator(base::OptionTable& table, std::string& field) {
  table.add_parsed(
      {.name = "separator",
       .type = "text",
       .rule = separator_rule,
       .unit = {},
       .meaning = "This stands between the cells of a csv file."},
      [&field](std::string_view text) {
        const std::string separator = separator_from(text);
        if (separator.empty()) throw std::invalid_argument(separator_rule);
        field = separator;
      },
      [&field]() -> std::string { return field == "," ? "comma" : field; },
      [&field]() -> std::string { return separator_from(field).empty() ? separator_rule : ""; });
}

char parse_separator(std::string_view text) {
  const std::string separator = separator_from(text);
  if (separator.empty()) throw std::invalid_argument(separator_rule);
  return separator_char(separator);
}

char separator_char(const std::string& separator) {
  if (separator == "tab") return '\t';
  if (separator == "blank") return ' ';
  return separator.front();
}

}  // namespace fairfront::data
