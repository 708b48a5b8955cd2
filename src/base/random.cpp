#include "base/random.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "base/elementary.hpp"
#include "base/philox.hpp"
#include "base/sha256.hpp"

namespace fairfront::base {

Philox philox([[maybe_unused]] Simd simd) noexcept {
#if defined(__x86_64__)
  if (simd == Simd::avx512) return philox_avx512;
  if (simd == Simd::avx2) return philox_avx2;
#endif
  return philox_baseline;
}

StreamKey::StreamKey(std::uint64_t seed, std::string_view task_key, std::string_view purpose) {
  Sha256 hash;
  hash.add_values(std::span<const std::uint64_t>{&seed, 1});
  hash.add_text(task_key);
  hash.add_text(purpose);
  value_ = std::stoull(hash.finish().substr(0, 16), nullptr, 16);
}

void Stream::fill_below(std::uint32_t bound, std::span<std::int64_t> result) noexcept {
  static const Philox make_blocks = philox(simd());
  constexpr std::size_t most_blocks = 64;
  constexpr std::size_t least_blocks = 4;  // fewer are as fast one by one
  std::array<std::uint32_t, 4 * most_blocks> words;
  std::size_t filled = 0;
  while (filled < result.size()) {
    const std::size_t blocks = std::min((result.size() - filled) / 4, most_blocks);
    const bool counter_wraps = counter_[0] > 0xffffffff - most_blocks;
    if (used_ < block_.size() || blocks < least_blocks || counter_wraps) {
      result[filled++] = below(bound);
      continue;
    }
    make_blocks({{key_[0], key_[1]}, {counter_[0], counter_[1], counter_[2], counter_[3]}},
                static_cast<std::int64_t>(blocks), words.data());
    counter_[0] += static_cast<std::uint32_t>(blocks);
    for (std::size_t i = 0; i < 4 * blocks; ++i) {
      const std::uint64_t product = std::uint64_t{words[i]} * bound;
      if (low(product) < bound && low(product) < (0u - bound) % bound) continue;  // as below() does
      result[filled++] = high(product);
    }
  }
}

double Stream::normal() noexcept {
  const double radius = std::sqrt(-2.0 * base::log(1.0 - uniform()));
  return radius * base::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace fairfront::base
