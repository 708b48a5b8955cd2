/// @file
/// Integers of 128 bits, for sums and squares without rounding.
#pragma once

#include "base/double_double.hpp"

namespace fairfront::base {

__extension__ using WideInteger = __int128;

/// The same number, without error up to 2^106 in magnitude.
[[nodiscard]] inline DoubleDouble as_double_double(WideInteger value) noexcept {
  const auto high = static_cast<double>(value);
  return {high, static_cast<double>(value - static_cast<WideInteger>(high))};
}

}  // namespace fairfront::base
