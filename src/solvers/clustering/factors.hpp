/// @file
/// Small linear systems.
#pragma once

#include <cstddef>
#include <vector>

namespace fairfront::clustering {

/// LU factors of a matrix with row pivoting. Rows are scaled to a largest entry of 1.
class Factors {
 public:
  /// A matrix of zeros, whose entries are to be set.
  void start(std::size_t n);
  [[nodiscard]] double& entry(std::size_t row, std::size_t column) noexcept {
    return matrix_[row * n_ + column];
  }
  void factorise();
  /// Of a singular matrix the solution is not finite.
  /// @param x  shape (n,): the right side, and then the solution.
  void solve(double* x);

 private:
  void scale_rows();

  std::size_t n_ = 0;
  std::vector<double> matrix_;
  std::vector<double> scale_;
  std::vector<std::size_t> order_;
  std::vector<double> right_;  ///< scaled
};

}  // namespace fairfront::clustering
