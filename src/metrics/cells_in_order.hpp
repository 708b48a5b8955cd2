/// @file
/// The cells (label, group) of the rows of a sample by ascending score, and how many pairs each row
/// wins against the rows of each cell: all that AUCs between sets of cells are made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// Label 0 of every group and then label 1: which of these the row is in.
[[nodiscard]] inline std::uint32_t cell_of(const Scored& scored, std::size_t row) {
  return static_cast<std::uint32_t>(scored.group[row] +
                                    (scored.label[row] > 0 ? scored.groups : 0));
}

/// Rows by ascending score, those of equal scores by number.
struct CellsInOrder {
  explicit CellsInOrder(const Scored& scored);
  /// @param order  of all rows, as above.
  CellsInOrder(const Scored& scored, std::vector<std::uint32_t> order);

  [[nodiscard]] std::size_t size() const noexcept { return row.size(); }

  std::vector<std::uint32_t> row, cell;
  std::vector<double> score;
};

using Quad [[gnu::vector_size(4 * sizeof(std::uint32_t))]] = std::uint32_t;

/// A number for each of up to 4 `quads` cells, in registers.
template <std::size_t quads>
class FewCounts {
 public:
  static constexpr std::size_t width = 4 * quads;

  void add_one(std::uint32_t cell) {
    for (std::size_t q = 0; q < quads; ++q) {
      const auto first = static_cast<std::uint32_t>(4 * q);
      const Quad cells{first, first + 1, first + 2, first + 3};
      counts_[q] += cells == cell ? Quad{1, 1, 1, 1} : Quad{};
    }
  }
  void store(std::uint32_t* to) const { std::memcpy(to, counts_.data(), sizeof counts_); }
  void add_to(std::span<std::uint64_t> sums) const {
    std::array<std::uint32_t, width> counts;
    store(counts.data());
    for (std::size_t c = 0; c < width; ++c) sums[c] += counts[c];
  }

 private:
  std::array<Quad, quads> counts_{};
};

/// The same for any number of cells.
class ManyCounts {
 public:
  explicit ManyCounts(std::size_t cells) : counts_(cells, 0) {}

  void add_one(std::uint32_t cell) { ++counts_[cell]; }
  void add_to(std::span<std::uint64_t> sums) const {
    for (std::size_t c = 0; c < counts_.size(); ++c) sums[c] += counts_[c];
  }

 private:
  std::vector<std::uint32_t> counts_;
};

/// visit(place, half_wins) for the rows in their order: of every cell's rows two for one below the
/// row, one for one of its score. @param half_wins  zeros.
template <class Counts, class Visit>
void for_each_half_wins(const CellsInOrder& rows, Counts half_wins, Visit visit) {
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin + 1;
    while (end < rows.size() && rows.score[end] == rows.score[begin]) ++end;
    for (std::size_t i = begin; i < end; ++i) half_wins.add_one(rows.cell[i]);
    for (std::size_t i = begin; i < end; ++i) visit(i, half_wins);
    for (std::size_t i = begin; i < end; ++i) half_wins.add_one(rows.cell[i]);
    begin = end;
  }
}

/// What every row wins of the rows of each of few cells.
class HalfWins {
 public:
  static constexpr std::size_t most_cells = 8;

  HalfWins(const CellsInOrder& rows, std::size_t cells);

  /// What the rows at some places win of the rows of a set of cells, as a share of them.
  /// @param others  rows of the set. @return shape (places.size(),)
  [[nodiscard]] std::vector<double> shares(std::span<const std::uint32_t> places,
                                           const std::vector<bool>& set, double others) const;

 private:
  std::size_t width_;                  ///< of a row: 4 or 8
  std::vector<std::uint32_t> counts_;  ///< shape (rows, width_)
};

/// What the rows of each cell win in all, by cell and other cell. @return shape (cells, cells)
[[nodiscard]] std::vector<std::uint64_t> sums_of_half_wins(const CellsInOrder& rows,
                                                           std::size_t cells);

}  // namespace fairfront::metrics
