/// @file
/// Quoted text in config values: "..." stands for one text taken literally, a double quote inside
/// it is doubled. A quotation can only start a value or an item of a list.
#pragma once

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

/// The trimmed items between commas outside parentheses; one that begins with a quotation stands
/// for its text, which may hold commas. Blank text has no items.
/// @throws std::invalid_argument  no closing mark, or text behind it.
[[nodiscard]] std::vector<std::string> parse_list(std::string_view text);

/// A text that parse_list() reads back, with quotation marks only where they are needed.
[[nodiscard]] std::string format_list(std::span<const std::string> items);

/// `text` as an item that reads back to it, with quotation marks only where they are needed.
/// @param separators  characters that would end the item.
[[nodiscard]] std::string quoted_if_needed(std::string_view text, std::string_view separators);

}  // namespace fairfront::base
