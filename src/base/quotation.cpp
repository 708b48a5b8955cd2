#include "base/quotation.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "base/text.hpp"

namespace fairfront::base {
namespace {

constexpr char mark = '"';

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Just behind the mark that closes the quotation at `begin`; nothing where none does.
std::optional<std::size_t> closed_quotation(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] != mark) continue;
    const bool doubled = i + 1 < text.size() && text[i + 1] == mark;
    if (!doubled) return i + 1;
    ++i;
  }
  return std::nullopt;
}

std::size_t end_of_quotation(std::string_view text, std::size_t begin) {
  if (const auto end = closed_quotation(text, begin)) return *end;
  throw std::invalid_argument("the quotation has no closing \"");
}

/// Just behind the quotation at `begin` if that is all of a part behind a colon: inside other words
/// marks mean nothing.
std::optional<std::size_t> quoted_part(std::string_view text, std::size_t begin) {
  const auto end = closed_quotation(text, begin);
  const bool ends = end && (*end == text.size() || is_blank(text[*end]) ||
                            std::string_view{",|)"}.find(text[*end]) != std::string_view::npos);
  return ends ? end : std::nullopt;
}

/// Calls `visit(i)` for each character outside quotations until it returns false.
template <class Visit>
void walk_outside_quotations(std::string_view text, Visit visit) {
  bool item_starts = true;
  bool part_starts = false;  // behind a colon
  for (std::size_t i = 0; i < text.size();) {
    const auto part = part_starts && text[i] == mark ? quoted_part(text, i) : std::nullopt;
    if (part || (item_starts && text[i] == mark)) {
      i = part ? *part : end_of_quotation(text, i);
      item_starts = part_starts = false;
      continue;
    }
    if (!visit(i)) return;
    const bool separates = text[i] == ',' || text[i] == '|';
    item_starts = separates || (item_starts && is_blank(text[i]));
    part_starts = text[i] == ':' || (part_starts && is_blank(text[i]));
    ++i;
  }
}

/// A quotation behind one of its colons, whatever separators it holds.
bool has_quoted_part(std::string_view text) {
  for (auto colon = text.find(':'); colon < text.size(); colon = text.find(':', colon + 1)) {
    const auto begin = text.find_first_not_of(" \t", colon + 1);
    if (begin < text.size() && text[begin] == mark && quoted_part(text, begin)) return true;
  }
  return false;
}

/// The colon that parts the item; npos: none.
std::size_t colon_of_pair(std::string_view item) {
  if (is_quoted(item)) {
    const auto end = closed_quotation(item, 0);
    const auto colon = end ? item.find_first_not_of(" \t", *end) : std::string_view::npos;
    return colon < item.size() && item[colon] == ':' ? colon : std::string_view::npos;
  }
  for (auto colon = item.find(':'); colon < item.size(); colon = item.find(':', colon + 1)) {
    const std::string_view rest = trim(item.substr(colon + 1));
    if (is_quoted(rest) && closed_quotation(rest, 0) == rest.size()) return colon;
  }
  return item.rfind(':');
}

/// The text of a part, which stands in marks or as it is.
std::string text_of_part(std::string_view part) {
  const bool whole = is_quoted(part) && closed_quotation(part, 0) == part.size();
  return whole ? unquoted(part) : std::string{part};
}

bool parentheses_pair(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0) return false;
  }
  return depth == 0;
}

std::string in_quotes(std::string_view text) {
  std::string result{mark};
  for (const char c : text) result += c == mark ? std::string(2, mark) : std::string(1, c);
  return result + mark;
}

}  // namespace

std::vector<std::string> split_items(std::string_view value, char separator) {
  std::vector<std::string> items;
  if (base::trim(value).empty()) return items;
  int depth = 0;
  std::size_t begin = 0;
  walk_outside_quotations(value, [&](std::size_t i) {
    if (value[i] == '(') ++depth;
    if (value[i] == ')') --depth;
    if (value[i] == separator && depth <= 0) {
      items.emplace_back(base::trim(value.substr(begin, i - begin)));
      begin = i + 1;
    }
    return true;
  });
  items.emplace_back(base::trim(value.substr(begin)));
  return items;
}

std::string_view without_comment(std::string_view value) {
  std::size_t end = value.size();
  walk_outside_quotations(value, [&](std::size_t i) {
    const bool comments = value[i] == '#' || value[i] == ';';
    if (!comments || i == 0 || !is_blank(value[i - 1])) return true;
    end = i;
    return false;
  });
  return value.substr(0, end);
}

bool is_quoted(std::string_view item) noexcept { return item.starts_with(mark); }

std::string unquoted(std::string_view item) {
  const std::size_t end = end_of_quotation(item, 0);
  if (end != item.size()) throw std::invalid_argument("there is text behind the closing \"");
  std::string text;
  for (std::size_t i = 1; i + 1 < end; ++i) {
    text += item[i];
    if (item[i] == mark) ++i;
  }
  return text;
}

std::optional<ItemPair> parse_pair(std::string_view item) {
  const std::size_t colon = colon_of_pair(item);
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view first = trim(item.substr(0, colon));
  return ItemPair{text_of_part(first), text_of_part(trim(item.substr(colon + 1))),
                  is_quoted(first)};
}

bool begins_with_quoted_part(std::string_view item) noexcept {
  return is_quoted(item) && colon_of_pair(item) != std::string_view::npos;
}

std::vector<std::string> parse_list(std::string_view text) {
  // Text without quotations may hold any number of parentheses, which need not pair.
  std::vector<std::string> plain = split_outside_parentheses(text);
  if (std::ranges::none_of(plain, is_quoted) && !has_quoted_part(text)) return plain;
  std::vector<std::string> items = split_items(text, ',');
  for (std::string& item : items) {
    if (is_quoted(item) && !begins_with_quoted_part(item)) item = unquoted(item);
  }
  return items;
}

std::string format_list(std::span<const std::string> items) {
  const auto joined = [&](auto stands_as_it_is) {
    std::vector<std::string> texts;
    for (const std::string& item : items) {
      texts.push_back(stands_as_it_is(item) ? item : in_quotes(item));
    }
    return join(texts, ", ");
  };
  const auto is_one_item = [](const std::string& item) {
    return item.empty() || (item.find_first_of("\"|\n") == std::string::npos &&
                            split_outside_parentheses(item) == std::vector{item});
  };
  // Parentheses need not pair where nothing is quoted and no comma is between two of them.
  std::string plain = joined(is_one_item);
  if (std::ranges::all_of(items, is_one_item) &&
      std::ranges::equal(split_outside_parentheses(plain), items)) {
    return plain;
  }
  const auto is_pair = [](const std::string& item) {
    const bool has_marks = begins_with_quoted_part(item) || has_quoted_part(item);
    return has_marks && item.find('\n') == std::string::npos &&
           parse_list(item) == std::vector{item};
  };
  return joined([&](const std::string& item) {
    return (is_one_item(item) || is_pair(item)) && parentheses_pair(item);
  });
}

std::string quoted_if_needed(std::string_view text, std::string_view separators) {
  const std::string special = "\"#;\n" + std::string{separators};
  const bool plain = text.find_first_of(special) == std::string_view::npos &&
                     base::trim(text) == text && parentheses_pair(text) && !text.empty();
  return plain ? std::string{text} : in_quotes(text);
}

}  // namespace fairfront::base
