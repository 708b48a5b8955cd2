/// @file
/// Many blocks of one random stream at a time, compiled for several processors: see random.hpp.
#pragma once

#include <cstdint>

#include "base/simd.hpp"

namespace fairfront::base {

/// Where blocks of Philox4x32-10 are: the key, and the counter of the first.
struct PhiloxBlocks {
  std::uint32_t key[2];
  std::uint32_t counter[4];  ///< [0] + number of blocks must be <= 2^32
};

/// Writes `count` blocks one after another. @param words  shape (count, 4).
using Philox = void (*)(const PhiloxBlocks& from, std::int64_t count,
                        std::uint32_t* words) noexcept;

extern const Philox philox_baseline;
extern const Philox philox_avx2;  ///< only on x86-64, as the next
extern const Philox philox_avx512;

/// @param simd  one of available_simd()
[[nodiscard]] Philox philox(Simd simd) noexcept;

}  // namespace fairfront::base
