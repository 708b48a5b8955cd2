/// @file
/// Matrices of normal numbers.
#pragma once

#include <Eigen/Core>

#include "base/random.hpp"

namespace fairfront::test {

/// Column by column, the next numbers of the stream.
inline Eigen::MatrixXd normal_matrix(base::Stream& stream, Eigen::Index rows,
                                     Eigen::Index columns) {
  Eigen::MatrixXd found(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j) {
    for (Eigen::Index i = 0; i < rows; ++i) found(i, j) = stream.normal();
  }
  return found;
}

}  // namespace fairfront::test
