/// @file
/// Text and numbers: strict parsing, round-trip formatting, nearest names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairfront::base {

/// Without the blanks, tabs and carriage returns at both ends.
[[nodiscard]] std::string_view trim(std::string_view text) noexcept;

/// ASCII letters in lower case; all other bytes as they are.
[[nodiscard]] std::string in_lower_case(std::string_view text);

/// The trimmed parts of `text` between `separator`s that stand outside parentheses.
/// Blank text has no parts; an empty part between separators is kept as "".
[[nodiscard]] std::vector<std::string> split_outside_parentheses(std::string_view text,
                                                                 char separator = ',');

[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);

/// The whole of `text` as a number, or nothing. "1e3" is a double but no integer.
[[nodiscard]] std::optional<double> parse_double(std::string_view text) noexcept;
[[nodiscard]] std::optional<std::int64_t> parse_int64(std::string_view text) noexcept;
[[nodiscard]] std::optional<bool> parse_bool(std::string_view text) noexcept;  ///< true, false

/// The shortest decimal text that parse_double reads back to the same bits.
[[nodiscard]] std::string format_double(double value);

/// The candidate with the smallest edit distance to `name`, if it is near enough to be meant, or
/// the only one that `name` is the beginning of.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      std::span<const std::string> candidates);

/// " (did you mean 'x'?)", or a list of the valid names where none is near; how a name with a comma
/// is written where one begins with `name`.
[[nodiscard]] std::string name_hint(std::string_view name, std::span<const std::string> valid);

/// The bytes of a small file, or of a pipe.
/// @throws InputError naming the path and the system's reason, for more than 64 MiB, and for a pipe
///         out of which nothing comes for 10 seconds.
/// @throws Interrupted  a stop is wanted while a pipe is waited for; see stop_point().
[[nodiscard]] std::string read_file(const std::string& path);

}  // namespace fairfront::base
