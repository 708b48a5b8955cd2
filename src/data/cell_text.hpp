/// @file
/// What a cell of a table says, whoever wrote it: other programs make 1.0 of the name 1 where a
/// column has missing cells, and True of the number 1 where all are 0 or 1.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fairfront::data {

/// A finite number, or one of the truth values True and False, which are 1 and 0.
[[nodiscard]] std::optional<double> cell_number(std::string_view cell) noexcept;

/// A number once its comma is a point.
[[nodiscard]] bool has_decimal_comma(std::string_view cell);

/// A number that no reader takes as it is written: with marks between thousands ("45,123.00"), a
/// sign of money or of hundredths ("$12", "50%"), or infinite, as 1e400 is.
[[nodiscard]] bool is_number_written_otherwise(std::string_view cell);

/// The digits of a whole number, "1" of "1", "1." and "1.0"; nothing of any other text, such as
/// "01", "+1" and "1e0", which are names of their own.
[[nodiscard]] std::optional<std::string_view> whole_number(std::string_view text) noexcept;

/// Which of the names a cell holds: its own text, else the first one that is the same whole number.
[[nodiscard]] std::optional<std::size_t> place_of_name(std::span<const std::string> names,
                                                       std::string_view cell) noexcept;

}  // namespace fairfront::data
