/// @file
/// Random rows for the estimates of objective and constraints.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/common/batches.hpp"
#include "solvers/common/packing.hpp"
#include "solvers/training/problem.hpp"

namespace fairfront::training {

enum class Sampling {
  shuffled,     ///< in epochs without replacement, each in an order of its own
  replacement,  ///< independent rows
};

/// The address of a run's random streams.
struct Address {
  std::uint64_t seed = 1;
  std::string task_key;
  [[nodiscard]] base::StreamKey key(std::string_view purpose) const {
    return {seed, task_key, "training/" + std::string(purpose)};
  }
};

/// Rows of one list. Sources with different purposes are independent of each other.
class RowSource {
 public:
  RowSource(const std::vector<std::int64_t>& rows, base::StreamKey key, Sampling sampling)
      : batches_{rows, key}, sampling_{sampling} {}

  /// Puts `size` rows behind those of `out`. A batch that an epoch cannot fill goes on with the
  /// next one.
  void append(std::int64_t size, std::vector<std::int64_t>& out);

  void pack(solvers::Packer& packer) const { packer.number(batches_.place()); }
  /// @throws base::CheckpointError
  void unpack(solvers::Unpacker& unpacker);

 private:
  solvers::Batches batches_;
  Sampling sampling_;
};

/// The same number of rows of every cell of the training part.
class CellSource {
 public:
  CellSource(const Problem& problem, const Address& address, std::string_view purpose,
             Sampling sampling);

  /// Puts `size` rows of each cell, cell by cell, behind those of `out`.
  void append(std::int64_t size, std::vector<std::int64_t>& out) {
    for (RowSource& cell : cells_) cell.append(size, out);
  }
  [[nodiscard]] std::int64_t cells() const noexcept { return std::ssize(cells_); }

  void pack(solvers::Packer& packer) const {
    for (const RowSource& cell : cells_) cell.pack(packer);
  }
  void unpack(solvers::Unpacker& unpacker) {
    for (RowSource& cell : cells_) cell.unpack(unpacker);
  }

 private:
  std::vector<RowSource> cells_;
};

/// Gaps of a batch that has `size` rows of each cell.
class BatchGaps {
 public:
  explicit BatchGaps(const Problem& problem)
      : constraints_{problem.constraints},
        of_cell_(problem.constraints.cells().size()),
        gaps_(static_cast<std::size_t>(problem.constraints.gaps())) {}

  /// @param losses  of the rows, cell by cell, as many of each. Valid until the next call.
  std::span<const double> operator()(std::span<const double> losses);
  /// Factors of the rows' losses in sum_i y_i d_i. @param y  shape (gaps,).
  void factors(std::span<const double> y, std::span<double> of_rows);

 private:
  const GapConstraints& constraints_;
  std::vector<double> of_cell_, gaps_;
};

}  // namespace fairfront::training
