/// @file
/// Internal: which of 64 labels are equal to one, as the bits of a word, and the bits of a word by
/// rank. For the processors that the including unit is compiled for.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace fairfront::clustering {
namespace {

constexpr std::int64_t labels_of_mask = 64;

// matches_of_64(labels, wanted): bit i is set where the i-th of 64 labels is equal to `wanted`.

#if defined(__AVX512BW__)

inline std::uint64_t matches_of_64(const std::uint8_t* labels, std::uint8_t wanted) noexcept {
  return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(labels),
                                _mm512_set1_epi8(static_cast<char>(wanted)));
}
inline std::uint64_t matches_of_64(const std::uint16_t* labels, std::uint16_t wanted) noexcept {
  const __m512i pattern = _mm512_set1_epi16(static_cast<short>(wanted));
  const std::uint64_t low = _mm512_cmpeq_epi16_mask(_mm512_loadu_si512(labels), pattern);
  const std::uint64_t high = _mm512_cmpeq_epi16_mask(_mm512_loadu_si512(labels + 32), pattern);
  return high << 32 | low;
}

#elif defined(__SSE2__)

/// Of the highest bit of 16 bytes.
inline std::uint64_t bits_of(__m128i bytes) noexcept {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
}
inline __m128i load(const void* from) noexcept {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

inline std::uint64_t matches_of_64(const std::uint8_t* labels, std::uint8_t wanted) noexcept {
  const __m128i pattern = _mm_set1_epi8(static_cast<char>(wanted));
  std::uint64_t mask = 0;
  for (int first = 0; first < labels_of_mask; first += 16) {
    mask |= bits_of(_mm_cmpeq_epi8(load(labels + first), pattern)) << first;
  }
  return mask;
}
inline std::uint64_t matches_of_64(const std::uint16_t* labels, std::uint16_t wanted) noexcept {
  const __m128i pattern = _mm_set1_epi16(static_cast<short>(wanted));
  std::uint64_t mask = 0;
  for (int first = 0; first < labels_of_mask; first += 16) {
    const __m128i low = _mm_cmpeq_epi16(load(labels + first), pattern);
    const __m128i high = _mm_cmpeq_epi16(load(labels + first + 8), pattern);
    mask |= bits_of(_mm_packs_epi16(low, high)) << first;
  }
  return mask;
}

#else

template <class Label>
inline std::uint64_t matches_of_64(const Label* labels, Label wanted) noexcept {
  std::uint64_t mask = 0;
  for (int i = 0; i < labels_of_mask; ++i) {
    mask |= std::uint64_t{labels[i] == wanted ? 1u : 0u} << i;
  }
  return mask;
}

#endif

/// The set bits of a word by rank, without a branch.
class BitRanks {
 public:
#if defined(__BMI2__) && defined(__POPCNT__)
  explicit BitRanks(std::uint64_t mask) noexcept : mask_{mask} {}
  [[nodiscard]] std::int64_t count() const noexcept { return __builtin_popcountll(mask_); }
  /// Position of the set bit number `rank`; there must be more.
  [[nodiscard]] std::int64_t operator[](std::int64_t rank) const noexcept {
    return __builtin_ctzll(_pdep_u64(1ULL << rank, mask_));
  }
#else
  explicit BitRanks(std::uint64_t mask) noexcept : mask_{mask} {
    mask -= mask >> 1 & 0x5555555555555555ULL;
    mask = (mask & 0x3333333333333333ULL) + (mask >> 2 & 0x3333333333333333ULL);
    through_ = ((mask + (mask >> 4)) & 0x0f0f0f0f0f0f0f0fULL) * each_byte;
  }
  [[nodiscard]] std::int64_t count() const noexcept {
    return static_cast<std::int64_t>(through_ >> 56);
  }
  /// Position of the set bit number `rank`; there must be more.
  [[nodiscard]] std::int64_t operator[](std::int64_t rank) const noexcept {
    // The highest bit of a byte stays where no more than `rank` bits are set up to that byte.
    constexpr std::uint64_t high = 0x80 * each_byte;
    const auto wanted = static_cast<std::uint64_t>(rank);
    const std::uint64_t passed = (((wanted * each_byte) | high) - through_) & high;
    const std::uint64_t first = ((passed >> 7) * each_byte >> 56) * 8;
    const std::uint64_t before = (through_ << 8) >> first & 0xff;
    const std::uint64_t byte = mask_ >> first & 0xff;
    return static_cast<std::int64_t>(first + bits.of[wanted - before][byte]);
  }

 private:
  static constexpr std::uint64_t each_byte = 0x0101010101010101ULL;
  /// [rank][byte]: position of the byte's set bit of that rank.
  struct Bits {
    std::uint8_t of[8][256];
  };
  static constexpr Bits bits = [] {
    Bits table{};
    for (unsigned byte = 0; byte < 256; ++byte) {
      unsigned rank = 0;
      for (std::uint8_t bit = 0; bit < 8; ++bit) {
        if ((byte >> bit & 1u) != 0) table.of[rank++][byte] = bit;
      }
    }
    return table;
  }();
  std::uint64_t through_;  ///< byte i: number of set bits in bytes 0 .. i
#endif
 private:
  std::uint64_t mask_;
};

/// The match of that rank from `point` on; there must be one. What is behind it does not matter.
/// @param points  N, the number of labels.
template <class Label>
inline std::int64_t match_from(const Label* labels, std::int64_t points, Label wanted,
                               std::int64_t point, std::int64_t rank) noexcept {
  for (; point + labels_of_mask <= points; point += labels_of_mask) {
    const BitRanks matches(matches_of_64(labels + point, wanted));
    if (rank < matches.count()) return point + matches[rank];
    rank -= matches.count();
  }
  for (;; ++point) {
    if (labels[point] == wanted && rank-- == 0) return point;
  }
}

}  // namespace
}  // namespace fairfront::clustering
