/// @file
/// A config file as it is written: sections and `key = value` lines with their places.
///
/// Boost.Program_options parses the command line, but not this file: its parse_config_file keeps
/// no line numbers, so no later check could tell the user where the wrong value stands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/ini_text.hpp"

namespace fairfront::config {

using TextSection = base::IniSection;
using TextEntry = base::IniEntry;  ///< `where` may be "--set clustering.k=3", too

struct ConfigText : base::IniText {
  std::vector<TextEntry> overrides;  ///< from the command line; a later one wins
};

/// As base::scan_ini.
[[nodiscard]] ConfigText scan_config(std::string_view text, const std::string& file);

/// Adds `key=value` or `section.key=value` of the command line.
/// @throws base::InputError  no '=', no key, or a quotation without end.
void add_override(ConfigText& config, const std::string& assignment);

}  // namespace fairfront::config
