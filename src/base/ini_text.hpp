/// @file
/// Text of sections and `key = value` lines, with their places.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fairfront::base {

struct IniSection {
  std::string name;
  std::string where;  ///< "quickstart.ini:7"
};

struct IniEntry {
  std::string section;  ///< empty above the first section
  std::string key;
  std::string value;  ///< trimmed, without comment, quotation marks kept
  std::string where;  ///< "quickstart.ini:8"
};

struct IniText {
  std::string file;
  std::vector<IniSection> sections;
  std::vector<IniEntry> entries;
};

/// Reads INI text: `[section]`, `key = value`, comments behind `#` or `;`, quoted values, which may
/// hold line ends, UTF-8 with or without a byte order mark, any line ends.
/// @param file  name used in messages.
/// @throws InputError  "<file>:<line>: ..." for a line that is none of these, and for a section or
/// a
///         key that occurs twice.
[[nodiscard]] IniText scan_ini(std::string_view text, const std::string& file);

}  // namespace fairfront::base
