/// @file
/// A config file as it is written: sections and `key = value` lines with their places.
///
/// Boost.Program_options parses the command line, but not this file: its parse_config_file keeps
/// no line numbers, so no later check could tell the user where the wrong value stands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fairfront::config {

struct TextSection {
  std::string name;
  std::string where;  ///< "quickstart.ini:7"
};

struct TextEntry {
  std::string section;  ///< empty above the first section
  std::string key;
  std::string value;  ///< trimmed, without comment, quotation marks kept
  std::string where;  ///< "quickstart.ini:8" or "--set clustering.k=3"
};

struct ConfigText {
  std::string file;
  std::vector<TextSection> sections;
  std::vector<TextEntry> entries;
  std::vector<TextEntry> overrides;  ///< from the command line; a later one wins
};

/// Reads INI text: `[section]`, `key = value`, comments behind `#` or `;`, quoted values, UTF-8
/// with or without a byte order mark, any line ends.
/// @param file  name used in messages.
/// @throws base::InputError  "<file>:<line>: ..." for a line that is none of these, and for a
///         section or a key that occurs twice.
[[nodiscard]] ConfigText scan_config(std::string_view text, const std::string& file);

/// Adds `key=value` or `section.key=value` of the command line.
/// @throws base::InputError  no '=', no key, or a quotation without end.
void add_override(ConfigText& config, const std::string& assignment);

}  // namespace fairfront::config
