#include "base/plain_text.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "base/error.hpp"
#include "base/printable.hpp"

namespace fairfront::base {
namespace {

/// With or without a byte order mark: one of the two bytes of an ASCII character is zero.
bool looks_like_utf16(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return true;
  if (text.size() < 4) return false;
  const auto zeros_at = [text](std::size_t i) { return text[i] == '\0' && text[i + 2] == '\0'; };
  const auto letters_at = [text](std::size_t i) { return text[i] != '\0' && text[i + 2] != '\0'; };
  return (zeros_at(0) && letters_at(1)) || (zeros_at(1) && letters_at(0));
}

/// Every line ends in a carriage return alone.
bool has_carriage_returns_for_line_feeds(std::string_view text) {
  const auto first = text.find('\r');
  return first != std::string_view::npos && first + 1 < text.size() &&
         text.find('\n') == std::string_view::npos;
}

/// What is wrong with the first character of `rest`; empty: nothing.
std::string flaw_of(std::string_view rest) {
  const auto character = base::first_character(rest);
  if (!character) {
    return fmt::format("the byte 0x{:02X} is not UTF-8 (convert a file in Latin-1)",
                       static_cast<unsigned char>(rest.front()));
  }
  const char32_t code = character->code;
  const bool ends_line = code == '\r' && (rest.size() == 1 || rest[1] == '\n');
  if (code == '\n' || code == '\t' || ends_line) return {};
  if (code == 0) return "a zero byte, which no text has";
  if (code == '\r') return "a carriage return that ends no line";
  constexpr char32_t byte_order_mark = 0xFEFF;
  const bool controls = code < 0x20 || (code >= 0x7F && code < 0xA0) || code == byte_order_mark;
  return controls ? fmt::format("the control character U+{:04X}", static_cast<std::uint32_t>(code))
                  : std::string{};
}

}  // namespace

[[noreturn]] void fail(const std::string& where, const std::string& reason) {
  throw base::InputError(fmt::format("{}: {}", where, reason));
}

void check_plain_text(std::string_view text, const std::string& file) {
  if (looks_like_utf16(text)) fail(file, "the text is in UTF-16; save it in UTF-8");
  if (has_carriage_returns_for_line_feeds(text)) {
    fail(file, "its lines end in carriage returns alone; save it with line feeds");
  }
  std::int64_t line = 1;
  std::int64_t column = 1;
  while (!text.empty()) {
    const std::string flaw = flaw_of(text);
    if (!flaw.empty()) {
      fail(fmt::format("{}:{}", file, line), fmt::format("column {}: {}", column, flaw));
    }
    ++column;
    if (text.front() == '\n') {
      ++line;
      column = 1;
    }
    text.remove_prefix(base::first_character(text)->bytes);
  }
}

void check_plain_line(std::string_view text, const std::string& where) {
  bool quoted = false;
  while (!text.empty()) {
    if (text.front() == '"') quoted = !quoted;
    const bool ends_line = text.front() == '\n' && !quoted;
    const std::string flaw = ends_line ? "a line feed outside quotation marks" : flaw_of(text);
    if (!flaw.empty()) fail(where, flaw);
    text.remove_prefix(base::first_character(text)->bytes);
  }
}

}  // namespace fairfront::base
