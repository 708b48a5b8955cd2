#include "models/indicator_rows.hpp"

#include <cassert>

#include "base/index.hpp"
#include "base/simd.hpp"
#include "models/kernel_table.hpp"
#include "models/kernels.hpp"

namespace fairfront::models {
namespace {

using base::at;

using Pair [[gnu::vector_size(2 * sizeof(double))]] = double;

/// The four sums of `dots`.
struct Sums {
  Pair first{0, 0};
  Pair second{0, 0};
};

bool suits_lists(const Rows& rows) {
  std::int64_t ones = 0;
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    const std::span row(rows.row(i), at(rows.columns()));
    for (const double value : row) {
      if (value != 0 && value != 1) return false;
      ones += value == 1 ? 1 : 0;
    }
  }
  return 4 * ones <= rows.size() * rows.columns();
}

/// Which of the four sums of `dots` a column goes to.
std::size_t sum_of(std::size_t column, std::size_t columns) {
  const bool last_alone = columns % 4 == 1 && column + 1 == columns;
  return last_alone ? 2 : column % 4;
}

}  // namespace

IndicatorRows::IndicatorRows(const Rows& rows) {
  if (!suits_lists(rows)) return;
  offsets_.push_back(0);
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    const double* row = rows.row(i);
    for (std::int64_t j = 0; j < rows.columns(); ++j) {
      if (row[j] == 1) index_.push_back(static_cast<std::int32_t>(j));
    }
    offsets_.push_back(std::ssize(index_));
  }
}

std::size_t IndicatorRows::bytes() const noexcept {
  return offsets_.size() * sizeof(std::int64_t) + index_.size() * sizeof(std::int32_t);
}

/// Zeros that `models::dots` adds, and those added here, change nothing. All four sums take part in
/// every addition: they stay in registers, where one that is looked up would wait for its last
/// store.
void IndicatorRows::dots(std::span<const double> w, double offset, std::span<double> out) const {
  assert(std::ssize(out) + 1 == std::ssize(offsets_));
  std::vector<Sums> addends(w.size());
  for (std::size_t column = 0; column < w.size(); ++column) {
    const std::size_t sum = sum_of(column, w.size());
    (sum < 2 ? addends[column].first : addends[column].second)[sum % 2] = w[column];
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    Sums sums;
    for (const std::int32_t column : ones(static_cast<std::int64_t>(i))) {
      sums.first += addends[at(column)].first;
      sums.second += addends[at(column)].second;
    }
    const Pair halves = sums.first + sums.second;
    out[i] = offset + (halves[0] + halves[1]);
  }
}

Lists IndicatorRows::lists(std::span<const std::int64_t> batch) const {
  assert(!empty());
  return {offsets_.data(), index_.data(), batch.data(), std::ssize(batch)};
}

void IndicatorRows::multiply(std::span<const std::int64_t> batch, const double* matrix,
                             std::int64_t n, const double* start, double* out) const {
  kernel_table(base::simd()).sum_listed_rows(lists(batch), matrix, padded(n), n, start, out);
}

void IndicatorRows::add_outer_products(std::span<const std::int64_t> batch, const double* rows,
                                       std::int64_t n, double* matrix) const {
  kernel_table(base::simd()).add_to_listed_rows(lists(batch), rows, n, matrix, padded(n));
}

}  // namespace fairfront::models
