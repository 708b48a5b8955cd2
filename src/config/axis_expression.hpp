/// @file
/// Short forms of many numbers in a config value:
///   1..10   0..200..10           whole numbers, the last one included when the step hits it
///   range(a, b[, step])          the same for decimal numbers, in exact decimal arithmetic
///   linspace(a, b, n)            n evenly spaced numbers from a to b
///   logspace(a, b, n)            n numbers from a to b with even ratios
///   powers(base, first, last)    base^first, ..., base^last
///   2^-4                         one power
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairfront::config {

/// An expression of more values than this is an error, found before they are built.
inline constexpr std::int64_t max_axis_values = 1'000'000;

/// The numbers that `item` stands for, as text; nothing when it has none of the forms above.
/// @throws std::invalid_argument  the form is one of the above, but what it says makes no sense.
[[nodiscard]] std::optional<std::vector<std::string>> expand_expression(std::string_view item);

}  // namespace fairfront::config
