/// @file
/// Batches in which rare cells of the constraints come often enough.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/common/packing.hpp"
#include "solvers/training/problem.hpp"
#include "solvers/training/samples.hpp"

namespace fairfront::training {

/// Rows of the training part, by strata: the cells, and behind them the rows of none. Stratum k has
/// the share q_k = 0.9 n_k / N + 0.1 / cells of the rows drawn (without the second term where it is
/// no cell). A batch of b takes the strata at the points (u + i) / b of the cumulated shares, with
/// one uniform u (systematic sampling; Madow, Madow, 1944); inside a stratum rows come in epochs.
class Strata {
 public:
  Strata(const Problem& problem, const Address& address, Sampling sampling);

  /// The next `size` rows, as positions in the training part. Valid until the next call.
  std::span<const std::int64_t> draw(std::int64_t size);
  /// What a loss of a row at this position weighs in an unbiased estimate of the mean loss of all
  /// rows: n_k / (N q_k).
  [[nodiscard]] double weight(std::int64_t position) const { return weight_[stratum(position)]; }
  /// The same in an estimate of the mean loss of its cell: 1 / q_k.
  [[nodiscard]] double cell_weight(std::int64_t position) const {
    return 1 / share_[stratum(position)];
  }

  void pack(solvers::Packer& packer) const;
  void unpack(solvers::Unpacker& unpacker);

 private:
  [[nodiscard]] std::size_t stratum(std::int64_t position) const {
    const std::int32_t cell = problem_.train.cell[static_cast<std::size_t>(position)];
    return cell < 0 ? share_.size() - 1 : static_cast<std::size_t>(cell);
  }

  const Problem& problem_;
  base::StreamKey offsets_;
  std::uint64_t batches_ = 0;
  std::vector<RowSource> sources_;
  std::vector<double> share_, weight_;
  std::vector<std::int64_t> positions_;
};

}  // namespace fairfront::training
