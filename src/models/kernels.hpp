/// @file
/// The few dense products that models are made of, for small batches, and what is counted of their
/// scores: no allocation; of matrices beyond the caches a part is copied at a time. All are
/// row-major and dense, at any address that holds doubles. They use the widest vectors that the
/// processor has (base/simd.hpp).
///
/// Every element of a result is a sum in an order that its shape alone decides: not the number of
/// rows beside it, the alignment of memory, the size of a cache or the width of a vector.
///
/// The products of two matrices throw base::Interrupted where base::stop_point() would, between
/// blocks of some milliseconds.
#pragma once

#include <cstdint>
#include <span>

#include "models/rows.hpp"

namespace fairfront::models {

/// out = x w + 1 bias^T: x (m, k), w (k, n), bias (n,), out (m, n).
void affine(std::int64_t m, std::int64_t k, std::int64_t n, const double* x, const double* w,
            const double* bias, double* out);

/// gradient += x^T delta: x (m, k), delta (m, n), gradient (k, n); rows of x in their order.
void add_outer_products(std::int64_t m, std::int64_t k, std::int64_t n, const double* x,
                        const double* delta, double* gradient);

/// out = delta w^T: delta (m, n), w (k, n), out (m, k).
void multiply_transposed(std::int64_t m, std::int64_t k, std::int64_t n, const double* delta,
                         const double* w, double* out);

/// out[i] = offset + rows_i^T w. @param w  shape (rows.columns(),); out: (rows.size(),).
void dots(const Rows& rows, const double* w, double offset, std::span<double> out);

/// gradient += sum_i factors[i] rows_i, in the order of the rows.
void add_weighted_rows(const Rows& rows, std::span<const double> factors, double* gradient);

/// n, up to whole vectors of every processor.
[[nodiscard]] std::int64_t padded(std::int64_t n) noexcept;

/// What comes back through a layer of sigmoids to one output: deltas[i, u] = slopes[i] w[u] v (1 -
/// v) with v = values[i, u], and their sums over i, in its order, added to totals[u].
/// @param w  shape (n,); values and deltas are (slopes.size(), n), totals (n,).
void pull_through_sigmoid(std::span<const double> slopes, std::span<const double> w,
                          const double* values, double* deltas, double* totals);

/// Two for each pair of a score above and a smaller one below, one for each tie.
[[nodiscard]] std::int64_t half_wins(std::span<const double> above, std::span<const double> below);

}  // namespace fairfront::models
