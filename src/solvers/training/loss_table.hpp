/// @file
/// Mean losses of the cells of the training part without passes over it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/common/packing.hpp"
#include "solvers/training/problem.hpp"

namespace fairfront::training {

/// The loss of every row as it was when the row was last in a batch, with running sums of each
/// cell: no noise of sampling is left, only the age of the losses. By half of what rows have lately
/// been found to have changed since they were stored, the means are corrected for it.
class LossTable {
 public:
  /// Keeps a reference.
  explicit LossTable(const Problem& problem);

  /// Takes the losses of rows by their positions in the training part.
  void update(std::span<const std::int64_t> positions, std::span<const double> losses);
  /// Whether a row of every cell has been seen.
  [[nodiscard]] bool is_complete() const;
  /// Corrected means of the cells over the rows seen. @return shape (cells,), valid until the next
  /// call.
  std::span<const double> means();

  void pack(solvers::Packer& packer) const;
  void unpack(solvers::Unpacker& unpacker);

 private:
  const Problem* problem_;
  std::vector<double> loss_;  ///< by position; NaN: not seen
  std::vector<double> sums_, counts_;
  std::vector<double> ageing_;  ///< c_k, an exponential mean of new less stored loss
  std::vector<double> means_, change_, seen_;
};

}  // namespace fairfront::training
