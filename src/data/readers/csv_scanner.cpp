#include "data/readers/csv_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.hpp"

namespace fairfront::data {

CsvScanner::CsvScanner(TextWindow text, char separator, std::string comment)
    : window_{std::move(text)},
      separator_{separator},
      comment_{std::move(comment)},
      at_{window_.begin()},
      end_{window_.end()} {}

bool CsvScanner::next() {
  while (true) {
    const char* const begin = at_;
    const std::int64_t begin_line = next_line_;
    const std::int64_t begin_blank_lines = blank_lines_;
    const bool found = scan_row();
    if (at_ != end_ || window_.complete()) return found;
    // The row may go on behind the window.
    window_.extend(begin);
    at_ = window_.begin();
    end_ = window_.end();
    next_line_ = begin_line;
    blank_lines_ = begin_blank_lines;
  }
}

bool CsvScanner::next_names() {
  on_names_ = true;
  const bool found = next();
  on_names_ = false;
  return found;
}

/// The next row of the window; one that touches its end may be cut off.
bool CsvScanner::scan_row() {
  cells_.clear();
  unquoted_.clear();
  while (at_ != end_ && skip_empty_line()) {
  }
  if (at_ == end_) return false;
  line_ = next_line_;
  do {
    skip_blanks();
    if (at_ != end_ && *at_ == '"') {
      read_quoted_cell();
    } else {
      read_plain_cell();
    }
  } while (more_cells());
  return true;
}

void CsvScanner::skip_blanks() noexcept {
  while (at_ != end_ && is_blank(*at_)) ++at_;
}

/// Moves behind the line if it is blank or a comment, else stays where it is.
bool CsvScanner::skip_empty_line() noexcept {
  const char* const begin = at_;
  skip_blanks();
  if (at_ != end_ && *at_ != '\n') {
    at_ = begin;
    const auto rest = static_cast<std::size_t>(end_ - at_);
    if (comment_.empty() || !std::string_view{at_, rest}.starts_with(comment_)) return false;
    at_ = std::find(at_, end_, '\n');
  } else if (at_ != end_) {
    ++blank_lines_;
  }
  if (at_ != end_) ++at_;
  ++next_line_;
  return true;
}

void CsvScanner::read_plain_cell() {
  const char* const begin = at_;
  while (at_ != end_ && !ends_cell(*at_)) ++at_;
  add_cell(begin, at_);
}

void CsvScanner::read_quoted_cell() {
  const std::int64_t opened = next_line_;
  const char* begin = ++at_;
  std::string* copy = nullptr;
  while (true) {
    const char* const quote = std::find(at_, end_, '"');
    if (quote == end_) {
      if (window_.complete())
        fail(
            opened,
            "a quote is opened and never closed: close it, or write it twice where it is a letter");
      at_ = end_;
      return;
    }
    next_line_ += std::count(at_, quote, '\n');
    at_ = quote + 1;
    const bool doubled = at_ != end_ && *at_ == '"';
    if (copy == nullptr && doubled) copy = &unquoted_.emplace_back();
    if (copy != nullptr) copy->append(begin, doubled ? at_ : quote);
    if (!doubled) {
      const std::string_view text =
          copy != nullptr ? *copy
                          : std::string_view{begin, static_cast<std::size_t>(quote - begin)};
      if (on_names_) {
        cells_.push_back(text);
      } else {
        add_cell(text.data(), text.data() + text.size());
      }
      break;
    }
    begin = ++at_;
  }
  if (separator_ != ' ') skip_blanks();
  const bool ended = at_ == end_ || ends_cell(*at_) || *at_ == '\r';
  if (!ended) fail(next_line_, "text stands behind a closing quote");
}

void CsvScanner::add_cell(const char* begin, const char* end) {
  while (begin != end && is_blank(*begin)) ++begin;
  while (begin != end && is_blank(end[-1])) --end;
  cells_.emplace_back(begin, static_cast<std::size_t>(end - begin));
}

/// Cells are views of what was trimmed: what lies beside them is still there.
std::string_view CsvScanner::whole_cell(std::size_t place) const noexcept {
  const std::string_view cell = cells_[place];
  if (separator_ == ' ') return cell;
  const char* begin = cell.data();
  const char* end = begin + cell.size();
  for (const std::string& copy : unquoted_) {
    const bool is_before = std::less<>{}(begin, copy.data());
    if (!is_before && !std::less<>{}(copy.data() + copy.size(), end)) return copy;
  }
  while (begin != window_.begin() && is_blank(begin[-1])) --begin;
  while (end != window_.end() && is_blank(*end)) ++end;
  const bool ends_line = end == window_.end() || *end == '\n';
  if (ends_line && begin != end && end[-1] == '\r') --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// Behind a cell: moves over the separator, or over the end of the line.
bool CsvScanner::more_cells() noexcept {
  if (separator_ == ' ') {
    skip_blanks();
    if (at_ != end_ && *at_ != '\n') return true;
  } else if (at_ != end_ && *at_ == separator_) {
    ++at_;
    return true;
  }
  if (at_ != end_) ++at_;
  ++next_line_;
  return false;
}

void CsvScanner::fail(std::int64_t line, std::string_view rule) const {
  throw base::InputError(fmt::format("{}: line {}: {}", file(), line, rule));
}

}  // namespace fairfront::data
