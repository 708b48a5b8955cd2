/// @file
/// Second derivatives of soft maxima, summed over rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "optimise/eigen.hpp"

namespace fairfront::regression {

/// For every pair of blocks b <= c the sum over rows of weight t_b t_c (pi_l 1[l = m] - pi_l pi_m),
/// which is symmetric in l and m.
///
/// Every number is a sum in the order of the rows, however many of these come together. O(n^2 k^2)
/// a row, by matrix products where there are more than a few pairs of blocks and atoms.
class CovarianceSums {
 public:
  CovarianceSums(std::int64_t atoms, std::int64_t blocks);

  /// Rows of weight 1. Of a row only the atoms from the first to the last with more than 1e-10 are
  /// looked at.
  /// @param tilts  t, row-major, shape (rows, blocks).
  /// @param pi     row-major, shape (rows, atoms): every row adds up to 1.
  /// @throws base::Interrupted  see base::stop_point().
  void add(std::span<const double> tilts, std::span<const double> pi);
  /// Rows whose pi are shares of their sum, which is their weight. Shares above 1e-18 count.
  /// @param weights  row-major, shape (rows, atoms), >= 0, a positive one in every row.
  void add_weights(std::span<const double> tilts, std::span<const double> weights);

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
  void add_rows(std::span<const double> tilts, std::span<const double> values, bool are_weights);
  [[nodiscard]] Range take_row(std::span<const double> tilts, std::span<const double> values,
                               bool are_weights, std::size_t number);
  void add_some(const double* pi);
  void add_row(const Range& range, const double* factors, const double* pi);
  void multiply(const double* pi);
  void add_product(std::int64_t atom, std::int64_t rows, std::int64_t width);

  std::int64_t atoms_, blocks_, pairs_;
  std::vector<Eigen::MatrixXd> sums_;  ///< of every pair, column l from row l on
  // Of the rows that are added: memory that stays.
  std::vector<Range> ranges_;
  std::vector<double> pi_, factors_;         ///< weight t_b t_c, shape (rows, pairs)
  std::vector<double> left_, right_, some_;  ///< factors of a product, and what it is added to
};

}  // namespace fairfront::regression
