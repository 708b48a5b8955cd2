/// @file
/// Rows that are mostly zeros, in compressed form.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.hpp"

namespace fairfront::data {

/// N rows of d numbers as lists of the entries that are not zero (CSR).
struct SparseRows {
  std::int64_t columns = 0;  ///< d
  std::vector<std::int64_t> offsets{
      0};                           ///< N+1: row i has the entries offsets[i] .. offsets[i+1]-1
  std::vector<std::int32_t> index;  ///< column of each entry, from 0; ascending in a row
  std::vector<double> value;        ///< of each entry, finite

  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  [[nodiscard]] std::span<const std::int32_t> indices_of(std::int64_t row) const {
    return std::span{index}.subspan(at(row), at(row + 1) - at(row));
  }
  [[nodiscard]] std::span<const double> values_of(std::int64_t row) const {
    return std::span{value}.subspan(at(row), at(row + 1) - at(row));
  }

 private:
  [[nodiscard]] std::size_t at(std::int64_t row) const {
    return static_cast<std::size_t>(offsets[static_cast<std::size_t>(row)]);
  }
};

/// The features of a data set in compressed form; exact, and worth it where most are zero.
[[nodiscard]] SparseRows sparse_rows(const Dataset& set);

/// Whether every entry is 1: then a row is its list of indices.
[[nodiscard]] bool is_binary(const SparseRows& sparse);

/// Keeps `rows`, in that order.
void keep_rows(SparseRows& sparse, std::span<const std::int64_t> rows);

}  // namespace fairfront::data
