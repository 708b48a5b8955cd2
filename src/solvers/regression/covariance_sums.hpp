/// @file
/// Second derivatives of soft maxima, summed over rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/eigen.hpp"

namespace fairfront::regression {

/// For every pair of blocks b <= c the sum over rows of weight t_b t_c (pi_l 1[l = m] - pi_l pi_m),
/// which is symmetric in l and m.
///
/// Every number is a sum in the order of the rows, however many of these come together. O(n^2 k^2)
/// a row, by matrix products where there are more than a few pairs of blocks.
class CovarianceSums {
 public:
  /// So many are worth a matrix product, and stay in a cache.
  static constexpr std::int64_t rows_at_once = 512;

  CovarianceSums(std::int64_t atoms, std::int64_t blocks);

  /// @param tilts    t, row-major, shape (rows, blocks).
  /// @param pi       row-major, shape (rows, atoms): every row adds up to 1. Of a row only the
  /// atoms
  ///                 from the first to the last with more than 1e-10 are looked at, or with more
  ///                 than 1e-18 where it has a weight.
  /// @param weights  shape (rows,); empty for 1, which is no weight.
  /// @throws base::Interrupted  see base::stop_point().
  void add(std::span<const double> tilts, std::span<const double> pi,
           std::span<const double> weights);

  /// Of b <= c, shape (atoms, atoms).
  [[nodiscard]] Eigen::MatrixXd of_blocks(std::int64_t b, std::int64_t c) const;

 private:
  /// Of one row: atoms that are looked at, and what is left of 1 beside the largest of them.
  struct Range {
    std::int64_t first = 0, end = 0;
    std::int64_t top = -1;  ///< only of a row with a weight
    double others = 0;
  };
  [[nodiscard]] Range range_of(std::span<const double> pi, bool is_weighted) const;
  void add_products(const Range& range, const double* factors, const double* pi);
  void add_to_diagonals(const Range& range, const double* factors, const double* pi);
  void multiply(std::span<const Range> ranges, const std::vector<double>& factors,
                std::span<const double> pi);
  /// Of one atom with those behind it, row-major, shape (pairs, atoms - atom - 1).
  [[nodiscard]] double* products_of(std::int64_t atom) {
    return products_.data() + begin_[static_cast<std::size_t>(atom)];
  }

  std::int64_t atoms_, blocks_, pairs_;
  std::vector<std::int64_t> begin_;  ///< of every atom's part
  std::vector<double> products_;     ///< of pi_l pi_m, l < m
  std::vector<double> diagonals_;    ///< shape (atoms, pairs)
};

}  // namespace fairfront::regression
