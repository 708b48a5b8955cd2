#include "solvers/clustering/factors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fairfront::clustering {

void Factors::start(std::size_t n) {
  n_ = n;
  matrix_.assign(n * n, 0.0);
}

void Factors::scale_rows() {
  scale_.assign(n_, 1.0);
  for (std::size_t row = 0; row < n_; ++row) {
    double* of_row = matrix_.data() + row * n_;
    double largest = 0;
    for (std::size_t c = 0; c < n_; ++c) largest = std::max(largest, std::abs(of_row[c]));
    scale_[row] = 1 / largest;
    for (std::size_t c = 0; c < n_; ++c) of_row[c] *= scale_[row];
  }
}

void Factors::factorise() {
  scale_rows();
  order_.resize(n_);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  for (std::size_t column = 0; column < n_; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n_; ++row) {
      if (std::abs(entry(row, column)) > std::abs(entry(pivot, column))) pivot = row;
    }
    double* of_column = matrix_.data() + column * n_;
    if (pivot != column) {
      std::swap(order_[pivot], order_[column]);
      std::swap_ranges(of_column, of_column + n_, matrix_.data() + pivot * n_);
    }
    const double diagonal = of_column[column];
    if (diagonal == 0) continue;  // the solution will not be finite, and nobody goes there
    for (std::size_t row = column + 1; row < n_; ++row) {
      double* of_row = matrix_.data() + row * n_;
      if (of_row[column] == 0) continue;
      const double factor = of_row[column] /= diagonal;
      for (std::size_t c = column + 1; c < n_; ++c) of_row[c] -= factor * of_column[c];
    }
  }
}

void Factors::solve(double* x) {
  right_.resize(n_);
  for (std::size_t row = 0; row < n_; ++row) right_[row] = x[row] * scale_[row];
  for (std::size_t row = 0; row < n_; ++row) {
    const double* of_row = matrix_.data() + row * n_;
    x[row] = right_[order_[row]];
    for (std::size_t c = 0; c < row; ++c) x[row] -= of_row[c] * x[c];
  }
  for (std::size_t row = n_; row-- > 0;) {
    const double* of_row = matrix_.data() + row * n_;
    for (std::size_t c = row + 1; c < n_; ++c) x[row] -= of_row[c] * x[c];
    x[row] /= of_row[row];
  }
}

}  // namespace fairfront::clustering
