/// @file
/// Vectors and matrices of Eigen as parts of a state.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "optimise/eigen.hpp"
#include "solvers/common/state.hpp"

namespace fairfront::solvers {

inline void pack_state(Packer& packer, const Eigen::VectorXd& value) {
  packer.array(std::span<const double>(value.data(), static_cast<std::size_t>(value.size())));
}
inline void unpack_state(Unpacker& unpacker, Eigen::VectorXd& value) {
  const auto numbers = unpacker.array<std::vector<double>>();
  value = Eigen::Map<const Eigen::VectorXd>(numbers.data(), std::ssize(numbers));
}

inline void pack_state(Packer& packer, const Eigen::MatrixXd& value) {
  packer.number(std::int64_t{value.rows()});
  packer.array(std::span<const double>(value.data(), static_cast<std::size_t>(value.size())));
}
inline void unpack_state(Unpacker& unpacker, Eigen::MatrixXd& value) {
  const auto rows = unpacker.number<std::int64_t>();
  const auto numbers = unpacker.array<std::vector<double>>();
  const std::int64_t size = std::ssize(numbers);
  if (rows < 0 || (rows == 0 ? size > 0 : size % rows != 0)) {
    throw base::CheckpointError("a checkpoint has a matrix with half a column");
  }
  value = Eigen::Map<const Eigen::MatrixXd>(numbers.data(), rows, rows == 0 ? 0 : size / rows);
}

}  // namespace fairfront::solvers
