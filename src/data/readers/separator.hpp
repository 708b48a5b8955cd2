/// @file
/// The option that says what stands between the cells of a CSV file.
#pragma once

#include <string>
#include <string_view>

#include "base/options.hpp"

namespace fairfront::data {

/// Adds the option "separator"; comma, semicolon, tab and blank have names, because a comma parts
/// values in a config.
void add_separator(base::OptionTable& table, std::string& field);

/// The character that a valid value of the option means; ' ' stands for runs of blanks and tabs.
[[nodiscard]] char separator_char(const std::string& separator);

/// The character that a text means which may be no valid value.
/// @throws std::invalid_argument  with the rule that it breaks.
[[nodiscard]] char parse_separator(std::string_view text);

}  // namespace fairfront::data
