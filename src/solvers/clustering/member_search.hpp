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

/// Writes first + i for every i below `length` where labels[i] is `wanted`, in order; there is room
/// for all. @return the end of what it wrote.
template <class Label, class Number>
using WriteMatches = Number* (*)(const Label* labels, std::int64_t length, Label wanted,
                                 std::int64_t first, Number* to) noexcept;

/// Rows that are measured from a point.
struct MeasuredRows {
  const double* rows;           ///< (N, d)
  std::int64_t columns;         ///< d
  const std::int32_t* members;  ///< (count,): which rows
  std::int64_t count;
  const double* from;  ///< (d,)
};

/// Writes the squared distance of each from there: shape (count,). To single precision, so that
/// processors may add columns up in any order.
using MeasureRows = void (*)(const MeasuredRows& measured, float* squared) noexcept;

/// Of one type of labels.
template <class Label>
struct MemberLoops {
  FindMembers<Label> find;
  WriteMatches<Label, std::int32_t> write_short;
  WriteMatches<Label, std::int64_t> write_long;

  template <class Number>
  [[nodiscard]] WriteMatches<Label, Number> write() const noexcept {
    if constexpr (sizeof(Number) == 4) {
      return write_short;
    } else {
      return write_long;
    }
  }
};

/// Of both types of labels.
struct MemberSearch {
  MemberLoops<std::uint8_t> bytes;
  MemberLoops<std::uint16_t> words;
  MeasureRows measure;

  template <class Label>
  [[nodiscard]] const MemberLoops<Label>& of() const noexcept {
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
