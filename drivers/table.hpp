/// @file
/// Aligned columns of text for the terminal.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fairfront::drivers {

/// Rows of cells; the first row is the header.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  /// Numbers to the right, everything else to the left.
  /// @param indent  blanks in front of every line.
  [[nodiscard]] std::string text(std::size_t indent = 2) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

constexpr int usual_digits = 6;  // significant ones, of a value

/// "-" for a value that is not there (NaN).
[[nodiscard]] std::string format_value(double value, int digits = usual_digits);

/// At least the usual digits, and so many that values which are compared read alike only where
/// eight do not tell them apart, either.
[[nodiscard]] int digits_apart(std::span<const double> values);

/// "0, 1, 2, ..., 199, 200 (201 values)"; short lists as they are.
[[nodiscard]] std::string format_list(const std::vector<std::string>& values);

/// "1.5 GB" and the like, in powers of 1000.
[[nodiscard]] std::string format_bytes(double bytes);

}  // namespace fairfront::drivers
