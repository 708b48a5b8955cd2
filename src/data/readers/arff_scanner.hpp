/// @file
/// Splits an ARFF text into attributes and rows of cells. Knows nothing of numbers.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/readers/text_window.hpp"

namespace fairfront::data {

/// One `@attribute` line.
struct ArffAttribute {
  std::string name;
  std::vector<std::string> levels;  ///< of a nominal attribute; otherwise empty
};

/// One pass over a text. Rows are lines: ARFF's quotes hold no line ends.
class ArffScanner {
 public:
  /// Reads the header, to the `@data` line.
  /// @throws base::InputError  it breaks the format, or declares a relational attribute.
  explicit ArffScanner(TextWindow text);

  [[nodiscard]] std::span<const ArffAttribute> attributes() const noexcept { return attributes_; }
  [[nodiscard]] const std::string& file() const noexcept { return window_.file(); }

  /// Moves to the next row; false when there is none.
  /// @throws base::InputError  an open quote, a comment behind a value, a sparse row, a weight.
  bool next();

  /// The row's cells; valid until the next call of next().
  [[nodiscard]] std::span<const std::string_view> cells() const noexcept { return cells_; }
  [[nodiscard]] std::int64_t line() const noexcept { return line_; }  ///< the row's, from 1

  /// An unquoted question mark; '?' in quotes is a value.
  [[nodiscard]] static bool is_missing(std::string_view cell) noexcept;

 private:
  bool next_line();
  void read_header();
  void read_attribute();
  void read_levels(ArffAttribute& attribute);
  std::string_view read_value(std::string_view ends);
  std::string_view read_quoted();
  void skip_blanks() noexcept;
  [[nodiscard]] bool at(char c) const noexcept { return !rest_.empty() && rest_.front() == c; }
  [[noreturn]] void fail(std::string_view rule) const;

  TextWindow window_;
  const char* at_;
  std::string_view rest_;  ///< what is left of the current line
  std::int64_t line_ = 0;
  std::vector<ArffAttribute> attributes_;
  std::vector<std::string_view> cells_;
  std::deque<std::string> unescaped_;  ///< a deque, because the views must survive its growth
};

}  // namespace fairfront::data
