#include "sweep/task_key.hpp"

namespace fairfront::sweep {
namespace {

constexpr std::string_view digits = "0123456789abcdef";
constexpr std::size_t digits_of_word = 16;

}  // namespace

TaskKey TaskKey::of(std::string_view text) {
  TaskKey key;
  if (text.size() != key.words.size() * digits_of_word) return {};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char digit = text[i];
    const bool decimal = '0' <= digit && digit <= '9';
    if (!decimal && (digit < 'a' || digit > 'f')) return {};
    std::uint64_t& word = key.words[i / digits_of_word];
    word = word << 4U | static_cast<std::uint64_t>(decimal ? digit - '0' : digit - 'a' + 10);
  }
  return key;
}

std::string TaskKey::text() const {
  std::string text;
  text.reserve(words.size() * digits_of_word);
  for (const std::uint64_t word : words) {
    for (std::size_t i = digits_of_word; i-- > 0;) text += digits[word >> 4 * i & 0xfU];
  }
  return text;
}

}  // namespace fairfront::sweep
