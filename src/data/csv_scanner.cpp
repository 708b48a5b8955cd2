#include "data/csv_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace fairfront::data {

CsvScanner::CsvScanner(std::string_view text, std::string file, char separator, std::string comment)
    : file_{std::move(file)},
      separator_{separator},
      comment_{std::move(comment)},
      at_{text.data()},
      end_{text.data() + text.size()} {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.find('\0') != std::string_view::npos) {
    throw base::InputError(fmt::format(
        "'{}' is no UTF-8 or ASCII text: it holds a zero byte (UTF-16, or a binary file?)", file_));
  }
  if (text.starts_with(byte_order_mark)) at_ += byte_order_mark.size();
}

bool CsvScanner::next() {
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
    if (quote == end_) fail(opened, "a quote is opened and never closed");
    next_line_ += std::count(at_, quote, '\n');
    at_ = quote + 1;
    const bool doubled = at_ != end_ && *at_ == '"';
    if (copy == nullptr && doubled) copy = &unquoted_.emplace_back();
    if (copy != nullptr) copy->append(begin, doubled ? at_ : quote);
    if (!doubled) {
      if (copy != nullptr) {
        add_cell(copy->data(), copy->data() + copy->size());
      } else {
        add_cell(begin, quote);
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
  throw base::InputError(fmt::format("{}: line {}: {}", file_, line, rule));
}

}  // namespace fairfront::data
