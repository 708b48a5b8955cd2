#include "base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/quotation.hpp"

namespace fairfront::base {
namespace {

constexpr std::size_t longest_excerpt = 120;

constexpr bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Bytes and smallest code of a character by its first byte; no bytes for one that begins none.
struct Lead {
  std::size_t bytes = 0;
  char32_t bits = 0;   ///< of the code, in the first byte
  char32_t least = 0;  ///< a smaller code must not be written with so many bytes
};

constexpr Lead lead_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x80) return {1, byte, 0};
  if (byte >= 0xC2 && byte < 0xE0) return {2, byte & 0x1FU, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return {3, byte & 0x0FU, 0x800};
  if (byte >= 0xF0 && byte < 0xF5) return {4, byte & 0x07U, 0x10000};
  return {};
}

/// How one character, or one byte that is none, is printed.
std::string printed(std::string_view bytes, std::optional<Character> character) {
  if (!character) return fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes.front()));
  if (!is_invisible(character->code)) return std::string{bytes};
  if (character->code == '\t') return "\\t";
  if (character->code == '\n') return "\\n";
  const auto code = static_cast<std::uint32_t>(character->code);
  return code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

}  // namespace

std::optional<Character> first_character(std::string_view text) noexcept {
  if (text.empty()) return std::nullopt;
  const Lead lead = lead_of(text.front());
  if (lead.bytes == 0 || lead.bytes > text.size()) return std::nullopt;
  char32_t code = lead.bits;
  for (const char c : text.substr(1, lead.bytes - 1)) {
    if (!is_continuation(c)) return std::nullopt;
    code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < lead.least || surrogate || code > 0x10FFFF) return std::nullopt;
  return Character{code, lead.bytes};
}

std::optional<std::size_t> first_not_utf8(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    const auto character = first_character(text.substr(i));
    if (!character) return i;
    i += character->bytes;
  }
  return std::nullopt;
}

bool is_invisible(char32_t code) noexcept {
  struct Block {
    char32_t first;
    char32_t last;
  };
  constexpr std::array blocks{Block{0, 0x1F},        Block{0x7F, 0xA0},     Block{0xAD, 0xAD},
                              Block{0x1680, 0x1680}, Block{0x180E, 0x180E}, Block{0x2000, 0x200F},
                              Block{0x2028, 0x202F}, Block{0x205F, 0x206F}, Block{0x3000, 0x3000},
                              Block{0xFEFF, 0xFEFF}, Block{0xFFF9, 0xFFFB}};
  return std::ranges::any_of(
      blocks, [code](const Block& block) { return code >= block.first && code <= block.last; });
}

std::string printable(std::string_view text, std::size_t most) {
  constexpr std::string_view gap = " ... ";
  const std::size_t front_size = most / 2;
  const std::size_t back_size = most - std::min(most, front_size + gap.size());
  std::string front;
  std::string back;  // what does not fit into `front`
  std::size_t left_out = 0;
  bool front_is_full = false;
  while (!text.empty()) {
    const auto character = first_character(text);
    const std::size_t bytes = character ? character->bytes : 1;
    const std::string piece = printed(text.substr(0, bytes), character);
    text.remove_prefix(bytes);
    front_is_full = front_is_full || front.size() + piece.size() > front_size;
    if (!front_is_full) {
      front += piece;
      continue;
    }
    back += piece;
    if (back.size() < 4 * most + 16) continue;
    // Only its end is wanted; cut now and then, so that a long text costs no more than its length.
    left_out += back.size() - 2 * most;
    back.erase(0, back.size() - 2 * most);
  }
  if (left_out == 0 && front.size() + back.size() <= most) return front + back;
  if (back.size() > back_size) back.erase(0, back.size() - back_size);
  while (!back.empty() && is_continuation(back.front())) back.erase(0, 1);
  return front + std::string{gap} + back;
}

std::string visible(std::string_view text, std::string_view kept) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto character = first_character(text);
    const std::string_view bytes = text.substr(0, character ? character->bytes : 1);
    const bool is_kept = character && bytes.size() == 1 && kept.find(bytes[0]) != kept.npos;
    if (is_kept || (character && !is_invisible(character->code))) {
      shown += bytes;
    } else {
      shown += printed(bytes, character);
    }
    text.remove_prefix(bytes.size());
  }
  return shown;
}

std::string excerpt(std::string_view text) { return printable(text, longest_excerpt); }

std::string list_some(std::span<const std::string> names) {
  constexpr std::size_t most = 24;
  std::string text;
  for (const std::string& name : names.first(std::min(most, names.size()))) {
    if (!text.empty()) text += ", ";
    text += excerpt(quoted_if_needed(name, ","));
  }
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

}  // namespace fairfront::base
