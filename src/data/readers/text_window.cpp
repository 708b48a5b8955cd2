#include "data/readers/text_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace fairfront::data {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t block = std::size_t{1} << 18;  // fits the second-level cache

}  // namespace

TextWindow::TextWindow(std::string_view text, std::string file)
    : file_{std::move(file)}, text_{text}, complete_{true} {
  check(text_);
  check_line_ends();
  if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
}

TextWindow::TextWindow(ReadBytes read, std::string file)
    : file_{std::move(file)}, read_{std::move(read)} {
  while (!complete_ && text_.size() < byte_order_mark.size()) extend(text_.data());
  if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
}

void TextWindow::extend(const char* from) {
  if (complete_) return;
  const auto kept = static_cast<std::size_t>(end() - from);
  // The free part is at least as long as the kept one: a long item is not copied again and again.
  if (buffer_.size() < 2 * kept + block / 2) {
    std::vector<char> wider(2 * kept + block);
    std::copy(from, end(), wider.begin());
    buffer_ = std::move(wider);
  } else {
    std::copy(from, end(), buffer_.begin());
  }
  const std::size_t count = read_(std::span{buffer_}.subspan(kept));
  complete_ = count == 0;
  text_ = {buffer_.data(), kept + count};
  check(text_.substr(kept));
  check_line_ends();
}

/// Once all of the text is known: it may be a header alone.
void TextWindow::check_line_ends() const {
  if (!complete_ || has_line_feed_ || !has_return_inside_) return;
  throw base::InputError(
      fmt::format("'{}': its lines end in carriage returns alone; save it with line feeds", file_));
}

void TextWindow::check(std::string_view piece) {
  if (piece.find('\0') != std::string_view::npos) {
    throw base::InputError(
        fmt::format("'{}' is no UTF-8 or ASCII text: it holds a zero byte (UTF-16, or a binary "
                    "file?); save it as "
                    "CSV in UTF-8",
                    file_));
  }
  if (has_line_feed_ || piece.empty()) return;
  has_line_feed_ = piece.find('\n') != std::string_view::npos;
  const auto first = piece.find('\r');
  has_return_inside_ = has_return_inside_ || ends_in_return_ || first < piece.size() - 1;
  ends_in_return_ = piece.ends_with('\r');
}

}  // namespace fairfront::data
