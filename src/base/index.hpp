/// @file
/// Counts and places are signed, what the standard library indexes with is not.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fairfront::base {

/// @param index  >= 0.
[[nodiscard]] constexpr std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace fairfront::base
