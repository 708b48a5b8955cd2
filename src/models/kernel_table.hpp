/// @file
/// What kernels.hpp is made of, compiled for several processors: see there.
#pragma once

#include <cstdint>

#include "base/simd.hpp"

namespace fairfront::models {

/// A factor of a product: element (row, depth) is at data[row * row_stride + depth * depth_stride].
struct Factor {
  const double* data;
  std::int64_t row_stride;
  std::int64_t depth_stride;
};

/// A batch of rows of indicators: row i has its ones at index[offsets[batch[i]]] and on, up to
/// offsets[batch[i] + 1].
struct Lists {
  const std::int64_t* offsets;
  const std::int32_t* index;
  const std::int64_t* batch;
  std::int64_t count;
};

/// All matrices are dense and row-major; sums have the order that lanes.hpp and the shapes say.
struct KernelTable {
  /// out (rows, n) = start + a b, with b (depth, n); the rows of `start` are start_stride apart: 0
  /// repeats one row.
  void (*product)(std::int64_t rows, Factor a, std::int64_t depth, const double* b, std::int64_t n,
                  const double* start, std::int64_t start_stride, double* out);
  /// out (m, k) = delta w^T.
  void (*multiply_transposed)(std::int64_t m, std::int64_t k, std::int64_t n, const double* delta,
                              const double* w, double* out);
  /// out[i] = offset + row_i^T w. @param rows  the addresses of `count` rows of n columns
  void (*dots)(const double* const* rows, std::int64_t count, std::int64_t n, const double* w,
               double offset, double* out);
  /// gradient += sum_i factors[i] row_i, in the order of the rows, which are as above.
  void (*add_weighted_rows)(const double* const* rows, std::int64_t count, std::int64_t n,
                            const double* factors, double* gradient);
  /// out[i] = start + the rows of `matrix` that row i of a batch lists. @param stride  of `matrix`,
  /// of whole vectors
  void (*sum_listed_rows)(const Lists& lists, const double* matrix, std::int64_t stride,
                          std::int64_t n, const double* start, double* out);
  /// Adds row i of `rows` to those that row i of a batch lists.
  void (*add_to_listed_rows)(const Lists& lists, const double* rows, std::int64_t n, double* matrix,
                             std::int64_t stride);
  /// deltas[i, u] = slopes[i] w[u] value (1 - value), value = values[i, u]; totals += their sums
  /// over i, in its order.
  void (*pull_through_sigmoid)(std::int64_t count, std::int64_t n, const double* slopes,
                               const double* w, const double* values, double* deltas,
                               double* totals);
  std::int64_t (*half_wins)(const double* above, std::int64_t above_count, const double* below,
                            std::int64_t below_count);
};

extern const KernelTable kernels_baseline;
extern const KernelTable kernels_avx2;  ///< only on x86-64, as the next
extern const KernelTable kernels_avx512;

/// @param simd  one of base::available_simd()
[[nodiscard]] const KernelTable& kernel_table(base::Simd simd) noexcept;

}  // namespace fairfront::models
