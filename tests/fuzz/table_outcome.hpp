/// @file
/// The fuzzers of table readers: what a text gives must not depend on the pieces it comes in.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "data/readers/text_window.hpp"
#include "data/table.hpp"
#include "fuzz/require.hpp"

namespace fairfront::fuzz {

/// A window on the text that gets `step` bytes at a time.
inline data::TextWindow in_pieces(std::string_view text, std::size_t step) {
  return {[text, step](std::span<char> buffer) mutable {
            const std::size_t count = std::min({step, buffer.size(), text.size()});
            std::memcpy(buffer.data(), text.data(), count);
            text.remove_prefix(count);
            return count;
          },
          "fuzz"};
}

/// Every bit of a table.
inline std::string bits_of(const data::Table& table) {
  std::string bits = fmt::format("{} {} {}\n", table.rows, table.rows_read, table.rows_left_out);
  bits.append(reinterpret_cast<const char*>(table.numbers.data()),
              table.numbers.size() * sizeof(double));
  for (const data::Category& category : table.categories) {
    for (const std::string& level : category.levels) bits += level + '\n';
    for (const std::int32_t code : category.codes) bits += fmt::format("{} ", code);
  }
  return bits;
}

/// Reads the text at once and in pieces by `read`, which gives bits or throws. What is wrong with a
/// text may be met in another order.
template <class Read>
void compare_windows(std::string_view text, std::size_t step, Read&& read) {
  const auto outcome = [&](auto&& window) -> std::string {
    try {
      return read(window());
    } catch (const base::InputError& error) {
      require_message(error.what());
      return "error";
    }
  };
  require(outcome([&] {
            return data::TextWindow{text, "fuzz"};
          }) == outcome([&] { return in_pieces(text, step); }));
}

}  // namespace fairfront::fuzz
