#include "base/ini_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/plain_text.hpp"
#include "base/printable.hpp"
#include "base/quotation.hpp"
#include "base/text.hpp"

namespace fairfront::base {
namespace {

bool is_comment(std::string_view line) { return line.starts_with('#') || line.starts_with(';'); }

/// In front of the '=', so that it belongs to the comment: `epsilon # = 3`.
bool has_comment(std::string_view key) {
  const auto begin = key.find_first_of("#;");
  return begin != std::string_view::npos && begin > 0 &&
         (key[begin - 1] == ' ' || key[begin - 1] == '\t');
}

/// One line at a time, or more where a quotation holds line ends; knows the section it is in.
class Scanner {
 public:
  explicit Scanner(IniText& ini) : ini_{ini} {}

  void scan_line(std::string_view line, std::size_t number) {
    where_ = fmt::format("{}:{}", ini_.file, number);
    line = trim(line);
    if (line.empty() || is_comment(line)) return;
    if (line.starts_with('[')) {
      begin_section(line);
    } else {
      add_entry(line);
    }
  }

 private:
  void begin_section(std::string_view line) {
    const auto close = line.find(']');
    if (close == std::string_view::npos)
      fail(where_, fmt::format("'{}' has no closing ]", excerpt(line)));
    const std::string_view rest = line.substr(close + 1);
    const std::string_view behind = trim(rest);
    if (!behind.empty() && (!is_comment(behind) || is_comment(rest))) {
      fail(where_, fmt::format("there is text behind the section name: '{}'", excerpt(behind)));
    }
    const std::string name{trim(line.substr(1, close - 1))};
    if (name.empty()) fail(where_, "a section needs a name between [ and ]");
    const auto [earlier, is_new] = sections_.emplace(name, where_);
    if (!is_new) {
      fail(where_,
           fmt::format("section [{}] occurs twice, first at {}", excerpt(name), earlier->second));
    }
    ini_.sections.push_back({name, where_});
    section_ = name;
  }

  void add_entry(std::string_view line) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos || has_comment(line.substr(0, equals))) {
      fail(where_, fmt::format("'{}' is neither [section] nor key = value; a comment begins with #",
                               excerpt(line)));
    }
    const std::string key{trim(line.substr(0, equals))};
    if (key.empty()) fail(where_, "there is no key in front of '='");
    const auto [earlier, is_new] = keys_.emplace(std::pair{section_, key}, where_);
    if (!is_new) {
      fail(where_,
           fmt::format("key '{}' occurs twice, first at {}", excerpt(key), earlier->second));
    }
    ini_.entries.push_back({section_, key, value_of(key, line.substr(equals + 1)), where_});
  }

  std::string value_of(const std::string& key, std::string_view text) const {
    try {
      return std::string{trim(without_comment(text))};
    } catch (const std::invalid_argument& broken) {
      fail(where_, fmt::format("{} = {}: {}", excerpt(key), excerpt(trim(text)), broken.what()));
    }
  }

  IniText& ini_;
  std::string section_;
  std::string where_;
  std::map<std::string, std::string> sections_;  ///< where each begins
  std::map<std::pair<std::string, std::string>, std::string> keys_;
};

/// A value whose quotation has not ended: the next line belongs to it.
bool goes_on(std::string_view entry) {
  const std::string_view line = trim(entry);
  if (is_comment(line) || line.starts_with('[')) return false;
  const auto equals = line.find('=');
  if (equals == std::string_view::npos) return false;
  try {
    static_cast<void>(without_comment(line.substr(equals + 1)));
    return false;
  } catch (const std::invalid_argument&) {
    return true;
  }
}

/// Where the entry at the front of `text` ends: at its first line end outside quotations; that of
/// its first line where the quotation does not end within some lines, as one that was forgotten.
std::size_t end_of_entry(std::string_view text) {
  constexpr int most_lines = 100;
  const std::size_t first = std::min(text.find('\n'), text.size());
  std::size_t end = first;
  for (int lines = 1; goes_on(text.substr(0, end)); ++lines) {
    if (end == text.size() || lines == most_lines) return first;
    end = std::min(text.find('\n', end + 1), text.size());
  }
  return end;
}

}  // namespace

IniText scan_ini(std::string_view text, const std::string& file) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  check_plain_text(text, file);
  IniText ini;
  ini.file = file;
  Scanner scanner(ini);
  std::size_t number = 1;
  while (!text.empty()) {
    const std::size_t end = end_of_entry(text);
    const std::string_view entry = text.substr(0, end);
    scanner.scan_line(entry, number);
    number += static_cast<std::size_t>(std::ranges::count(entry, '\n')) + 1;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return ini;
}

}  // namespace fairfront::base
