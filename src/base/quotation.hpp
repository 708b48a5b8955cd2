/// @file
/// Quoted text in config values: "..." stands for one text taken literally, a double quote inside
/// it is doubled. A quotation can only start a value or an item of a list, or be all that stands
/// behind a colon of an item, such as level:"a name".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairfront::base {

/// The trimmed items of `value` between `separator`s outside parentheses and quotations; quotation
/// marks stay. Blank text has no items.
/// @throws std::invalid_argument  a quotation without its closing mark.
[[nodiscard]] std::vector<std::string> split_items(std::string_view value, char separator);

/// `value` up to a `#` or `;` that stands behind a blank and outside quotations.
/// @throws std::invalid_argument  a quotation without its closing mark.
[[nodiscard]] std::string_view without_comment(std::string_view value);

[[nodiscard]] bool is_quoted(std::string_view item) noexcept;

/// The text that a quoted item stands for.
/// @throws std::invalid_argument  no closing mark, or text behind it.
[[nodiscard]] std::string unquoted(std::string_view item);

/// An item such as level:name, either of which may be a quotation.
struct ItemPair {
  std::string first;
  std::string second;
  bool first_is_quoted = false;  ///< then it is the text itself, with no meaning of its own
};

/// Cut at the last colon, or at that beside a quotation; nothing where there is no such colon.
[[nodiscard]] std::optional<ItemPair> parse_pair(std::string_view item);

/// Whether a colon stands behind the quotation that the item begins with: its marks are a part's.
[[nodiscard]] bool begins_with_quoted_part(std::string_view item) noexcept;

/// The trimmed items between commas outside parentheses; one that begins with a quotation stands
/// for its text, which may hold commas, but for parts of a pair, which keep their marks. Blank text
/// has no items.
/// @throws std::invalid_argument  no closing mark, or text behind it.
[[nodiscard]] std::vector<std::string> parse_list(std::string_view text);

/// A text that parse_list() reads back, with quotation marks only where they are needed.
[[nodiscard]] std::string format_list(std::span<const std::string> items);

/// `text` as an item that reads back to it, with quotation marks only where they are needed.
/// @param separators  characters that would end the item.
[[nodiscard]] std::string quoted_if_needed(std::string_view text, std::string_view separators);

}  // namespace fairfront::base
