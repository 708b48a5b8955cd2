/// @file
/// In what order a stochastic method sees its rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "solvers/common/batches.hpp"
#include "solvers/common/packing.hpp"

namespace fairfront::ranking {

enum class RowOrder {
  drawn,     ///< with replacement; shares of the sets are those of all rows
  shuffled,  ///< online: each row once in a random order, then again in another one
  file,      ///< online: in the order of the data, again and again
};

/// Online, shares of the sets are those of the rows that have come so far.
[[nodiscard]] constexpr bool is_online(RowOrder order) { return order != RowOrder::drawn; }

/// Rows for step after step.
class RowStream {
 public:
  /// @param rows  0 .. rows - 1 are what comes; >= 1.
  RowStream(std::int64_t rows, RowOrder order, base::StreamKey key);

  /// The next `size` >= 1 rows; fewer at the end of a pass, online. Valid until the next call.
  [[nodiscard]] std::span<const std::int64_t> next(std::int64_t size);

  [[nodiscard]] bool is_online() const { return ranking::is_online(order_); }

  void pack(solvers::Packer& packer) const;
  /// @throws base::CheckpointError  not a position of such a stream.
  void unpack(solvers::Unpacker& unpacker);

 private:
  RowOrder order_;
  std::vector<std::int64_t> all_;
  std::int64_t taken_ = 0;  ///< of a pass in the order of the data
  solvers::Batches batches_;
};

}  // namespace fairfront::ranking
