/// @file
/// Splits separated text into rows of cells. Knows nothing of names, numbers or missing cells.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/readers/text_window.hpp"

namespace fairfront::data {

/// One pass over a text, in memory or read in pieces; cells are views into it, and only cells with
/// doubled quotes are copied.
///
/// Rows end with LF or CRLF, the last one also with the end of the text. A cell may be quoted
/// ("..."); inside, separators and line ends are text and "" is a quote. Blanks around a cell's
/// text are dropped, but those inside the quotes of a name. Blank lines are skipped, and so are
/// lines that begin with `comment`, and a UTF-8 byte order mark.
class CsvScanner {
 public:
  /// @param separator  ' ' means runs of blanks and tabs.
  /// @param comment    empty: the text has no comment lines.
  CsvScanner(TextWindow text, char separator, std::string comment);

  /// Moves to the next row; false when there is none.
  /// @throws base::InputError  a quote that is never closed, text behind a closing quote, or a
  ///         zero byte.
  bool next();
  /// The same for a row of names: blanks belong to one that stands in quotes.
  bool next_names();

  /// The row's cells; valid until the next call of next().
  [[nodiscard]] std::span<const std::string_view> cells() const noexcept { return cells_; }
  /// A cell of the row with the blanks at its ends, as the text has it; of one in quotes all that
  /// stands between them. Where blanks separate the cells they belong to none.
  [[nodiscard]] std::string_view whole_cell(std::size_t place) const noexcept;
  /// The line on which the row begins, counted from 1.
  [[nodiscard]] std::int64_t line() const noexcept { return line_; }
  /// Lines of nothing but blanks that were skipped so far: of a table of one column they may have
  /// been rows.
  [[nodiscard]] std::int64_t blank_lines() const noexcept { return blank_lines_; }
  [[nodiscard]] const std::string& file() const noexcept { return window_.file(); }

 private:
  [[nodiscard]] bool is_blank(char c) const noexcept {
    return c == ' ' || c == '\r' || (c == '\t' && separator_ != '\t');
  }
  [[nodiscard]] bool ends_cell(char c) const noexcept {
    return c == separator_ || c == '\n' || (separator_ == ' ' && c == '\t');
  }
  bool scan_row();
  void skip_blanks() noexcept;
  bool skip_empty_line() noexcept;
  void read_plain_cell();
  void read_quoted_cell();
  void add_cell(const char* begin, const char* end);
  bool more_cells() noexcept;
  [[noreturn]] void fail(std::int64_t line, std::string_view rule) const;

  TextWindow window_;
  char separator_;
  std::string comment_;
  const char* at_;
  const char* end_;
  std::int64_t line_ = 0;
  std::int64_t next_line_ = 1;
  std::int64_t blank_lines_ = 0;
  std::vector<std::string_view> cells_;
  bool on_names_ = false;
  std::deque<std::string> unquoted_;  ///< a deque, because the views must survive its growth
};

}  // namespace fairfront::data
