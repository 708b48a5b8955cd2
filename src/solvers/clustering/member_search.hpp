/// @file
/// Where the members of a cluster are, by their ranks and many at a time, compiled for several
/// processors.
#pragma once

#include <cstdint>

#include "base/simd.hpp"

namespace fairfront::clustering {

/// The blocks in which the members of one cluster are looked for; a member's rank is its place
/// among all members in them.
template <class Label>
struct RankedBlocks {
  const Label* labels;          ///< (N,)
  std::int64_t points;          ///< N
  Label cluster;                ///< whose members they are
  std::int64_t count;           ///< of blocks
  const std::int32_t* through;  ///< (count,): members in each block and those before it
  const std::int32_t* begins;   ///< (count,): the first point of each block
  const double* rows;           ///< (N, d): those of what is found are fetched into the cache
  std::int64_t columns;         ///< d
};

/// Replaces `count` ranks, each below the last of `through`, by points.
template <class Label>
using FindMembers = void (*)(const RankedBlocks<Label>& blocks, std::int64_t* ranks,
                             std::int64_t count) noexcept;

/// Of both types of labels.
struct MemberSearch {
  FindMembers<std::uint8_t> bytes;
  FindMembers<std::uint16_t> words;

  template <class Label>
  [[nodiscard]] FindMembers<Label> of() const noexcept {
    if constexpr (sizeof(Label) == 1) {
      return bytes;
    } else {
      return words;
    }
  }
};

extern const MemberSearch member_search_baseline;
extern const MemberSearch member_search_avx2;  ///< only on x86-64, as the next
extern const MemberSearch member_search_avx512;

/// @param simd  one of base::available_simd()
[[nodiscard]] const MemberSearch& member_search(base::Simd simd) noexcept;

}  // namespace fairfront::clustering
