/// @file
/// The blocks for the processors that the including unit is compiled for.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>

#include "base/philox.hpp"
#include "base/widest_vector.hpp"

namespace fairfront::base {
namespace {

constexpr int words_at_once = widest_vector;

/// One word of each of several blocks, in the lower halves; what is in the upper ones is of no use.
using Words [[gnu::vector_size(words_at_once * sizeof(std::uint64_t))]] = std::uint64_t;

/// Products of the lower halves.
inline Words multiply(Words a, std::uint32_t b) {
  const Words factor = Words{} + b;
#if defined(__AVX512F__)
  constexpr __mmask8 all = 0xff;  // GCC 12 warns of the form without a mask
  return reinterpret_cast<Words>(
      _mm512_maskz_mul_epu32(all, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(factor)));
#elif defined(__AVX2__)
  return reinterpret_cast<Words>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(factor)));
#elif defined(__SSE2__)
  return reinterpret_cast<Words>(
      _mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(factor)));
#else
  return (a & 0xffffffff) * factor;
#endif
}

void blocks_of_philox(const PhiloxBlocks& from, std::int64_t count, std::uint32_t* words) noexcept {
  constexpr int chains = 2;  // as a round waits for the one before
  constexpr std::int64_t at_once = chains * words_at_once;
  std::uint64_t numbers[at_once];
  for (std::int64_t i = 0; i < at_once; ++i) numbers[i] = static_cast<std::uint64_t>(i);
  for (std::int64_t first = 0; first < count; first += at_once) {
    Words a[chains];
    Words b[chains];
    Words c[chains];
    Words d[chains];
    std::memcpy(a, numbers, sizeof a);
    for (int chain = 0; chain < chains; ++chain) {
      a[chain] += from.counter[0] + static_cast<std::uint64_t>(first);
      b[chain] = Words{} + from.counter[1];
      c[chain] = Words{} + from.counter[2];
      d[chain] = Words{} + from.counter[3];
    }
    std::uint32_t key = from.key[0];
    std::uint32_t other_key = from.key[1];
    for (int round = 0; round < 10; ++round, key += 0x9E3779B9, other_key += 0xBB67AE85) {
      for (int chain = 0; chain < chains; ++chain) {
        const Words product = multiply(a[chain], 0xD2511F53);
        const Words other = multiply(c[chain], 0xCD9E8D57);
        a[chain] = other >> 32 ^ b[chain] ^ std::uint64_t{key};
        b[chain] = other;
        c[chain] = product >> 32 ^ d[chain] ^ std::uint64_t{other_key};
        d[chain] = product;
      }
    }
    std::uint64_t made[4][at_once];
    std::memcpy(made[0], a, sizeof a);
    std::memcpy(made[1], b, sizeof b);
    std::memcpy(made[2], c, sizeof c);
    std::memcpy(made[3], d, sizeof d);
    const std::int64_t here = count - first < at_once ? count - first : at_once;
    for (std::int64_t i = 0; i < here; ++i) {
      for (int word = 0; word < 4; ++word) *words++ = static_cast<std::uint32_t>(made[word][i]);
    }
  }
}

}  // namespace
}  // namespace fairfront::base
