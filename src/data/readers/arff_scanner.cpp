#include "data/readers/arff_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/error.hpp"

namespace fairfront::data {
namespace {

constexpr std::string_view missing_cell = "?";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool is_quote(char c) { return c == '\'' || c == '"'; }

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

char unescaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    default:
      return c;
  }
}

}  // namespace

ArffScanner::ArffScanner(TextWindow text) : window_{std::move(text)}, at_{window_.begin()} {
  read_header();
}

bool ArffScanner::is_missing(std::string_view cell) noexcept {
  return cell.data() == missing_cell.data();
}

/// Moves to the next line that is neither blank nor a comment, and behind its leading blanks.
bool ArffScanner::next_line() {
  while (true) {
    const char* const end = std::find(at_, window_.end(), '\n');
    if (end == window_.end() && !window_.complete()) {
      window_.extend(at_);
      at_ = window_.begin();
      continue;
    }
    if (at_ == window_.end()) return false;
    rest_ = trimmed({at_, static_cast<std::size_t>(end - at_)});
    at_ = end == window_.end() ? end : end + 1;
    ++line_;
    skip_blanks();
    if (!rest_.empty() && !at('%')) return true;
  }
}

void ArffScanner::skip_blanks() noexcept {
  while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
}

void ArffScanner::read_header() {
  unescaped_.clear();
  while (next_line()) {
    const std::string_view keyword = read_value(" \t");
    if (equals_ignoring_case(keyword, "@data")) {
      if (attributes_.empty()) fail("@data stands before any @attribute");
      return;
    }
    if (equals_ignoring_case(keyword, "@attribute")) {
      read_attribute();
    } else if (!equals_ignoring_case(keyword, "@relation")) {
      fail("the header holds @relation, @attribute and @data lines, and comments behind %");
    }
  }
  throw base::InputError(fmt::format("{}: the file has no @data line", file()));
}

void ArffScanner::read_attribute() {
  skip_blanks();
  ArffAttribute attribute{std::string{read_value(" \t{")}, {}};
  if (attribute.name.empty()) fail("@attribute needs a name and a type");
  skip_blanks();
  if (at('{')) {
    read_levels(attribute);
  } else {
    const std::string_view type = read_value(" \t");
    constexpr std::array known{"numeric", "real", "integer", "string", "date"};
    if (std::none_of(known.begin(), known.end(),
                     [&](const char* name) { return equals_ignoring_case(type, name); })) {
      fail("the type must be numeric, real, integer, string, date or a list in braces");
    }
  }
  attributes_.push_back(std::move(attribute));
}

void ArffScanner::read_levels(ArffAttribute& attribute) {
  do {
    rest_.remove_prefix(1);
    skip_blanks();
    attribute.levels.emplace_back(read_value(",}"));
    skip_blanks();
  } while (at(','));
  if (!at('}')) fail("a list of names is opened and not closed on its line");
  rest_.remove_prefix(1);
  skip_blanks();
  if (!rest_.empty() && !at('%')) fail("text stands behind a list of names");
}

bool ArffScanner::next() {
  cells_.clear();
  unescaped_.clear();
  if (!next_line()) return false;
  if (at('{')) fail("sparse rows, {index value, ...}, are not read; write them out");
  while (true) {
    skip_blanks();
    if (at('{')) fail("weights of rows, {w}, are not read");
    const bool quoted = !rest_.empty() && is_quote(rest_.front());
    const std::string_view cell = read_value(",");
    if (!quoted && cell.empty()) fail("a value is empty; a missing one is written ?");
    cells_.push_back(!quoted && cell == missing_cell ? missing_cell : cell);
    skip_blanks();
    if (rest_.empty()) return true;
    if (!at(',')) fail("text stands behind a closing quote");
    rest_.remove_prefix(1);
  }
}

/// A quoted value, or the text up to one of `ends` or the end of the line, without its blanks.
std::string_view ArffScanner::read_value(std::string_view ends) {
  if (!rest_.empty() && is_quote(rest_.front())) return read_quoted();
  const std::size_t length = std::min(rest_.find_first_of(ends), rest_.size());
  const std::string_view value = trimmed(rest_.substr(0, length));
  if (value.find('%') != std::string_view::npos) {
    fail("a % outside of quotes begins a comment, which must have a line of its own");
  }
  rest_.remove_prefix(length);
  return value;
}

std::string_view ArffScanner::read_quoted() {
  const char quote = rest_.front();
  rest_.remove_prefix(1);
  const char special[] = {quote, '\\', '\0'};
  std::size_t length = rest_.find_first_of(special);
  if (length != std::string_view::npos && rest_[length] == quote) {
    const std::string_view value = rest_.substr(0, length);
    rest_.remove_prefix(length + 1);
    return value;
  }
  std::string& copy = unescaped_.emplace_back();
  while (length != std::string_view::npos && length + 1 < rest_.size() && rest_[length] == '\\') {
    copy.append(rest_.substr(0, length));
    copy += unescaped(rest_[length + 1]);
    rest_.remove_prefix(length + 2);
    length = rest_.find_first_of(special);
  }
  if (length == std::string_view::npos || rest_[length] != quote) {
    fail("a quote is opened and not closed on its line");
  }
  copy.append(rest_.substr(0, length));
  rest_.remove_prefix(length + 1);
  return copy;
}

void ArffScanner::fail(std::string_view rule) const {
  throw base::InputError(fmt::format("{}: line {}: {}", file(), line_, rule));
}

}  // namespace fairfront::data
