/// @file
/// Text of unknown origin as part of a message: what is in it, not what it does to a terminal.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fairfront::base {

/// No message is longer than this many bytes, with room for what the program puts in front of it.
inline constexpr std::size_t longest_message = 3'500;

/// One character of a text in UTF-8.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 1 .. 4
};

/// The first character of `text`; nothing when that is not UTF-8 (or `text` is empty): a stray or
/// overlong byte, a surrogate, a character that is cut off.
[[nodiscard]] std::optional<Character> first_character(std::string_view text) noexcept;

/// The first byte that is not UTF-8; nothing when all of `text` is.
[[nodiscard]] std::optional<std::size_t> first_not_utf8(std::string_view text) noexcept;

/// A character that is not seen where it is printed, or changes what is printed around it: control
/// characters, blanks but the common one, marks of direction, byte order marks.
[[nodiscard]] bool is_invisible(char32_t code) noexcept;

/// `text` on one line: a byte that is not UTF-8 as `\xNN`, an invisible character as `\xNN`, `\t`,
/// `\n` or `\uNNNN`. Of a text that gets longer than `most` bytes, the middle is left out.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = longest_message);

/// As printable(), the whole of it, with the characters in `kept` (such as line breaks) as they
/// are.
[[nodiscard]] std::string visible(std::string_view text, std::string_view kept);

/// A value or name for a message: as printable(), of no more than about a line.
[[nodiscard]] std::string excerpt(std::string_view text);

/// "a, b, c", or for many names the first ones "and 480 more"; each as excerpt(), and quoted as
/// parse_list() reads it where it would not come back as it stands.
[[nodiscard]] std::string list_some(std::span<const std::string> names);

}  // namespace fairfront::base
