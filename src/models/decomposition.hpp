/// @file
/// Decompositions of dense matrices, for which a stop does not wait.
#pragma once

#include <algorithm>
#include <utility>

#include "base/beside.hpp"
#include "models/eigen.hpp"

namespace fairfront::models {

/// What `work(matrix)` returns, of some rows * columns * min(rows, columns) operations.
/// @param work  owns what it touches beside the matrix.
/// @throws base::Interrupted  see base::stop_point().
template <class Work>
[[nodiscard]] auto with_matrix(Eigen::MatrixXd matrix, Work work) {
  constexpr double few = 1e8;  // well below a second
  const auto rows = static_cast<double>(matrix.rows()),
             columns = static_cast<double>(matrix.cols());
  if (rows * columns * std::min(rows, columns) < few) return work(std::move(matrix));
  return base::beside([matrix = std::move(matrix), work = std::move(work)]() mutable {
    return work(std::move(matrix));
  });
}

/// Decomposition(matrix), such as an Eigen::LLT.
template <class Decomposition>
[[nodiscard]] Decomposition decompose(Eigen::MatrixXd matrix) {
  return with_matrix(std::move(matrix), [](Eigen::MatrixXd given) { return Decomposition(given); });
}

}  // namespace fairfront::models
