/// @file
/// Comparisons of a column with constants: which rows are kept, who is in a group, what is
/// positive.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairfront::data {

enum class Comparison { less, at_most, greater, at_least, equal, different };

/// One column compared with one or two constants, such as "PINCP > 50000" or "25 <= age <= 60".
struct ColumnTest {
  struct Part {
    Comparison comparison;
    std::string text;              ///< the constant, without its quotation marks
    std::optional<double> number;  ///< the constant, if it is one and stands in no marks
  };
  std::string column;
  std::vector<Part> parts;  ///< all must hold; one or two
  std::string text;         ///< as it was written

  /// Whether a cell passes. Equality of numbers is that of their values, of other texts that of
  /// the texts; nothing when an order is asked of a cell that is no finite number.
  [[nodiscard]] std::optional<bool> passes(std::string_view cell) const;
  /// The same for a number; a test for equality with a text that is no number never passes.
  [[nodiscard]] bool passes(double value) const;
};

/// Before the name of a column that is meant by itself, whatever it looks like; ")" is behind it.
inline constexpr std::string_view column_called = "column(";

/// Reads "NAME OP CONSTANT" or "NUMBER OP NAME OP NUMBER", the second with < or <= alone; OP is
/// <, <=, >, >=, == or !=, with blanks around it. All behind the first == or != is the constant, in
/// double quotes a text ("1.0" is not 1), which may look like a comparison itself, as the NAME of
/// "column(NAME) OP CONSTANT" may. Nothing when `text` holds no such operator: it is a name then.
/// @throws std::invalid_argument  with the rule that `text` breaks.
[[nodiscard]] std::optional<ColumnTest> parse_column_test(std::string_view text);

}  // namespace fairfront::data
