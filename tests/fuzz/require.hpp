/// @file
/// What a fuzzer checks besides not crashing.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/printable.hpp"

namespace fairfront::fuzz {

/// Ends the process when it does not hold; the fuzzer then keeps the input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// A message of ours is short, and does nothing to a terminal.
inline void require_message(std::string_view message) {
  constexpr std::size_t longest = 4'000;
  bool printable = message.size() <= longest;
  for (std::string_view rest = message; printable && !rest.empty();) {
    const auto next = base::first_character(rest);
    printable =
        next && (next->code == '\n' || next->code == '\t' || !base::is_invisible(next->code));
    if (next) rest.remove_prefix(next->bytes);
  }
  if (!printable)
    std::fprintf(stderr, "message of %zu bytes: %.300s\n", message.size(), message.data());
  require(printable);
}

}  // namespace fairfront::fuzz
