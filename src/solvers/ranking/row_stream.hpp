/// @file
/// In what order a stochastic method sees its rows.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "solvers/common/batches.hpp"
#include "solvers/common/packing.hpp"
#include "solvers/ranking/pair_loss.hpp"

namespace fairfront::ranking {

enum class RowOrder {
  balanced,  ///< as many from every cell, with replacement; weighted by the shares of the cells
  drawn,     ///< with replacement; shares of the sets are those of all rows
  shuffled,  ///< online: each row once in a random order, then again in another one
  file,      ///< online: in the order of the data, again and again
};

/// Online, shares of the sets are those of the rows that have come so far.
[[nodiscard]] constexpr bool is_online(RowOrder order) {
  return order == RowOrder::shuffled || order == RowOrder::file;
}

/// Rows for step after step.
class RowStream {
 public:
  /// @param cells  of the rows 0 .. cells.size() - 1, which are what comes; >= 1.
  RowStream(std::span<const std::uint8_t> cells, RowOrder order, base::StreamKey key);

  /// The next `size` >= 1 rows; fewer at the end of a pass, online. Valid until the next call.
  /// @throws std::invalid_argument  balanced, and there are more cells with rows than `size`.
  [[nodiscard]] std::span<const std::int64_t> next(std::int64_t size);

  /// By which a row of a cell counts in the batch that came last, so that sums over batches are,
  /// on average, those over rows drawn from all: the cell's share of the rows over its share of
  /// the batch. 1 but for balanced rows.
  [[nodiscard]] const std::array<double, max_cells>& weights() const { return weights_; }

  [[nodiscard]] bool is_online() const { return ranking::is_online(order_); }

  void pack(solvers::Packer& packer) const;
  /// @throws base::CheckpointError  not a position of such a stream.
  void unpack(solvers::Unpacker& unpacker);

 private:
  [[nodiscard]] std::span<const std::int64_t> next_balanced(std::int64_t size);

  RowOrder order_;
  std::vector<std::int64_t> all_;
  std::int64_t taken_ = 0;  ///< of a pass in the order of the data
  solvers::Batches batches_;
  struct Cell {
    std::size_t number;
    std::vector<std::int64_t> rows;
  };
  std::vector<Cell> cells_;  ///< those with rows, ascending; of balanced rows
  base::StreamKey key_;
  std::uint64_t draws_ = 0;  ///< of balanced batches
  std::vector<std::int64_t> drawn_;
  std::array<double, max_cells> weights_;
};

}  // namespace fairfront::ranking
