/// @file
/// Rows of indicators with few ones, as lists of their columns.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "base/shared_pages.hpp"
#include "models/rows.hpp"

namespace fairfront::models {

struct Lists;

/// The columns of the ones of every row. Nothing is kept of what it was made from.
class IndicatorRows {
 public:
  IndicatorRows() = default;
  /// Empty where a value is neither 0 nor 1, or more than one in four is 1: lists would not pay.
  explicit IndicatorRows(const Rows& rows);

  [[nodiscard]] bool empty() const noexcept { return offsets_.empty(); }
  /// The columns of the ones of a row, ascending.
  [[nodiscard]] std::span<const std::int32_t> ones(std::int64_t row) const {
    assert(!empty());
    const auto first = offsets_.begin() + row;
    return std::span{index_}.subspan(base::at(first[0]), base::at(first[1] - first[0]));
  }
  [[nodiscard]] std::size_t bytes() const noexcept;

  /// out[i] = offset + w^T x, x row i: the bits of models::dots of the features.
  /// @param w  shape (columns,), finite. @param out  shape (rows,).
  void dots(std::span<const double> w, double offset, std::span<double> out) const;

  /// out[i] = start + x^T matrix, x row batch[i]: the listed rows of the matrix are added in their
  /// order. @param matrix  n columns in rows of padded(n) numbers. @param start  shape (n,); out:
  /// (batch.size(), n).
  void multiply(std::span<const std::int64_t> batch, const double* matrix, std::int64_t n,
                const double* start, double* out) const;
  /// matrix += the outer products of the rows of a batch and those of `rows`, shape (batch.size(),
  /// n), in their order. @param matrix  as above
  void add_outer_products(std::span<const std::int64_t> batch, const double* rows, std::int64_t n,
                          double* matrix) const;

  /// For base::PageWriter and base::PageReader: what ranks of a node share.
  template <class Pages, base::IsOf<IndicatorRows> S>
  friend void walk_fields(Pages& pages, S& lists) {
    pages(lists.offsets_, lists.index_);
  }

 private:
  [[nodiscard]] Lists lists(std::span<const std::int64_t> batch) const;

  std::vector<std::int64_t> offsets_;  ///< rows + 1
  std::vector<std::int32_t> index_;
};

}  // namespace fairfront::models
