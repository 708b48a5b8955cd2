/// @file
/// The search for the processors that the including unit is compiled for.
#pragma once

#include <cstdint>

#include "solvers/clustering/label_matches.hpp"
#include "solvers/clustering/member_search.hpp"

namespace fairfront::clustering {
namespace {

/// Of several ranks: the first block through which there are more, without a branch.
template <int ranks_at_once>
inline void blocks_of_ranks(const std::int32_t* through, std::int64_t count,
                            const std::int64_t* ranks, std::int64_t* blocks) noexcept {
  std::int64_t found[ranks_at_once] = {};
  std::int64_t rank[ranks_at_once];
  for (int i = 0; i < ranks_at_once; ++i) rank[i] = ranks[i];
  for (std::int64_t length = count; length > 1; length -= length / 2) {
    const std::int64_t half = length / 2;
    const std::int32_t* const last = through + half - 1;
    for (int i = 0; i < ranks_at_once; ++i) {
      // A negative difference as a mask: of a condition some compilers make a branch.
      found[i] += half & (std::int64_t{last[found[i]]} - rank[i] - 1) >> 63;
    }
  }
  for (int i = 0; i < ranks_at_once; ++i) blocks[i] = found[i];
}

/// The block of every rank, laid down once where many are asked for.
class BlockTable {
 public:
  static constexpr std::int64_t most_ranks = 8192;

  /// Whether this takes less time than as many searches.
  template <class Label>
  static bool pays(const RankedBlocks<Label>& blocks, std::int64_t searches) noexcept {
    const std::int64_t ranks = blocks.through[blocks.count - 1];
    const std::int64_t steps = 64 - __builtin_clzll(static_cast<std::uint64_t>(blocks.count));
    return ranks <= most_ranks && blocks.count <= 65536 &&
           searches * steps > 2 * (blocks.count + ranks / at_once);
  }

  void fill(const std::int32_t* through, std::int64_t count) noexcept {
    std::int64_t rank = 0;
    for (std::int64_t block = 0; block < count; ++block) {
      const Numbers number = Numbers{} + static_cast<std::uint16_t>(block);
      const std::int64_t end = through[block];
      // Of what is written beyond the end the next block writes again.
      __builtin_memcpy(blocks_ + rank, &number, sizeof number);
      for (rank += at_once; rank < end; rank += at_once) {
        __builtin_memcpy(blocks_ + rank, &number, sizeof number);
      }
      rank = end;
    }
  }
  [[nodiscard]] std::int64_t operator[](std::int64_t rank) const noexcept { return blocks_[rank]; }

 private:
  static constexpr std::int64_t at_once = 16;
  using Numbers [[gnu::vector_size(at_once * sizeof(std::uint16_t))]] = std::uint16_t;
  std::uint16_t blocks_[most_ranks + at_once];  // no more blocks than ranks and a few have numbers
};

/// As match_from(), for blocks of several words: four at a time, as nobody foresees in which it is.
template <class Label>
inline std::int64_t match_in_long(const Label* labels, std::int64_t points, Label wanted,
                                  std::int64_t point, std::int64_t rank) noexcept {
  constexpr int words = 4;
  for (; point + words * labels_of_mask <= points; point += words * labels_of_mask) {
    std::uint64_t masks[words];
    std::int64_t before[words + 1] = {};
    for (int i = 0; i < words; ++i) {
      masks[i] = matches_of_64(labels + point + i * labels_of_mask, wanted);
      before[i + 1] = before[i] + BitRanks(masks[i]).count();
    }
    if (rank >= before[words]) {
      rank -= before[words];
      continue;
    }
    int word = 0;
    for (int i = 1; i < words; ++i) word += rank >= before[i] ? 1 : 0;
    return point + word * labels_of_mask + BitRanks(masks[word])[rank - before[word]];
  }
  return match_from(labels, points, wanted, point, rank);
}

/// Step by step for all, so that none waits for what another one fetches.
template <class Label>
void find_members(const RankedBlocks<Label>& given, std::int64_t* ranks,
                  std::int64_t count) noexcept {
  const RankedBlocks<Label> blocks = given;  // a copy: it stays in registers
  constexpr std::int64_t together = 64;
  constexpr std::int64_t at_once = 4;
  std::int64_t begins[together];
  constexpr std::int64_t labels_of_line = 64 / sizeof(Label);
  const std::int64_t length = blocks.count > 1 ? blocks.begins[1] - blocks.begins[0] : 1;
  const bool is_long = length > labels_of_mask;
  BlockTable table;
  const bool tabled = BlockTable::pays(blocks, count);
  if (tabled) table.fill(blocks.through, blocks.count);
  for (std::int64_t first = 0; first < count; first += together, ranks += together) {
    const std::int64_t here = count - first < together ? count - first : together;
    std::int64_t i = 0;
    for (; tabled && i < here; ++i) begins[i] = table[ranks[i]];
    for (; i + at_once <= here; i += at_once) {
      blocks_of_ranks<at_once>(blocks.through, blocks.count, ranks + i, begins + i);
    }
    for (; i < here; ++i) {
      blocks_of_ranks<1>(blocks.through, blocks.count, ranks + i, begins + i);
    }
    for (i = 0; i < here; ++i) {
      const std::int64_t block = begins[i];
      begins[i] = blocks.begins[block];
      for (std::int64_t label = 0; label < length; label += labels_of_line) {
        __builtin_prefetch(blocks.labels + begins[i] + label);
      }
      ranks[i] -= block == 0 ? 0 : blocks.through[block - 1];
    }
    for (i = 0; i < here; ++i) {
      ranks[i] =
          is_long ? match_in_long(blocks.labels, blocks.points, blocks.cluster, begins[i], ranks[i])
                  : match_from(blocks.labels, blocks.points, blocks.cluster, begins[i], ranks[i]);
      const double* const row = blocks.rows + ranks[i] * blocks.columns;
      __builtin_prefetch(row);
      __builtin_prefetch(row + blocks.columns - 1);
    }
  }
}

template <class Label, class Number>
Number* write_matches(const Label* labels, std::int64_t length, Label wanted, std::int64_t first,
                      Number* to) noexcept {
  std::int64_t i = 0;
  for (; i + labels_of_mask <= length; i += labels_of_mask) {
    // How many there are in fewer is hard to foresee.
    for (std::uint64_t mask = matches_of_64(labels + i, wanted); mask != 0; mask &= mask - 1) {
      *to++ = static_cast<Number>(first + i + __builtin_ctzll(mask));
    }
  }
  for (; i < length; ++i) {
    if (labels[i] == wanted) *to++ = static_cast<Number>(first + i);
  }
  return to;
}

#if defined(__AVX2__)

using FourColumns [[gnu::vector_size(4 * sizeof(double))]] = double;

/// Four columns at a time.
inline double squared_between(const double* x, const double* y, std::int64_t columns) noexcept {
  FourColumns squares = {};
  std::int64_t i = 0;
  for (; i + 4 <= columns; i += 4) {
    FourColumns difference;
    FourColumns subtracted;
    __builtin_memcpy(&difference, x + i, sizeof difference);
    __builtin_memcpy(&subtracted, y + i, sizeof subtracted);
    difference -= subtracted;
    squares += difference * difference;
  }
  double sum = 0;
  for (; i < columns; ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum + ((squares[0] + squares[2]) + (squares[1] + squares[3]));
}

#else

inline double squared_between(const double* x, const double* y, std::int64_t columns) noexcept {
  double sum = 0;
  for (std::int64_t i = 0; i < columns; ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

#endif

void measure_rows(const MeasuredRows& given, float* squared) noexcept {
  const MeasuredRows measured = given;  // a copy: it stays in registers
  constexpr std::int64_t ahead = 16;
  for (std::int64_t i = 0; i < measured.count; ++i) {
    const std::int64_t later = i + ahead < measured.count ? i + ahead : i;
    __builtin_prefetch(measured.rows + measured.members[later] * measured.columns);
    squared[i] = static_cast<float>(squared_between(
        measured.rows + measured.members[i] * measured.columns, measured.from, measured.columns));
  }
}

template <class Label>
constexpr MemberLoops<Label> member_loops{find_members<Label>, write_matches<Label, std::int32_t>,
                                          write_matches<Label, std::int64_t>};

}  // namespace
}  // namespace fairfront::clustering
