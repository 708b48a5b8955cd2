#include "models/kernels.hpp"

#include <algorithm>
#include <array>

#include "base/simd.hpp"
#include "base/stop.hpp"
#include "models/kernel_table.hpp"

namespace fairfront::models {
namespace {

const KernelTable& taken() {
  static const KernelTable& table = kernel_table(base::simd());
  return table;
}

/// Calls part(addresses of rows, number of the first one, how many) for blocks of rows that stay in
/// the first cache.
template <class Part>
void for_cached_rows(const Rows& rows, const Part& part) {
  constexpr std::int64_t cached_rows = 32;
  std::array<const double*, cached_rows> addresses;
  for (std::int64_t first = 0; first < rows.size(); first += cached_rows) {
    const std::int64_t count = std::min(cached_rows, rows.size() - first);
    for (std::int64_t i = 0; i < count; ++i) {
      addresses[static_cast<std::size_t>(i)] = rows.row(first + i);
    }
    part(addresses.data(), first, count);
  }
}

/// Calls part(first row, number of rows) for blocks of rows in their order. A block takes some
/// milliseconds, and a stop is obeyed between them: a batch may be larger than any table.
template <class Part>
void for_blocks(std::int64_t rows, std::int64_t products_of_row, const Part& part) {
  constexpr std::int64_t products_of_block = std::int64_t{1} << 24;
  const std::int64_t most = std::max<std::int64_t>(1, products_of_block / products_of_row);
  for (std::int64_t first = 0; first < rows; first += most) {
    if (first > 0) base::stop_point();
    part(first, std::min(most, rows - first));
  }
}

}  // namespace

const KernelTable& kernel_table([[maybe_unused]] base::Simd simd) noexcept {
#ifdef __x86_64__
  if (simd == base::Simd::avx512) return kernels_avx512;
  if (simd == base::Simd::avx2) return kernels_avx2;
#endif
  return kernels_baseline;
}

void affine(std::int64_t m, std::int64_t k, std::int64_t n, const double* x, const double* w,
            const double* bias, double* out) {
  for_blocks(m, k * n, [&](std::int64_t first, std::int64_t rows) {
    taken().product(rows, {x + first * k, k, 1}, k, w, n, bias, 0, out + first * n);
  });
}

void add_outer_products(std::int64_t m, std::int64_t k, std::int64_t n, const double* x,
                        const double* delta, double* gradient) {
  for_blocks(m, k * n, [&](std::int64_t first, std::int64_t rows) {
    if (n == 1) {  // multiples of the rows of x, added in the same order
      const std::span all{x + first * k, static_cast<std::size_t>(rows * k)};
      const std::span factors{delta + first, static_cast<std::size_t>(rows)};
      return add_weighted_rows(Rows(all, k), factors, gradient);
    }
    taken().product(k, {x + first * k, 1, k}, rows, delta + first * n, n, gradient, n, gradient);
  });
}

void multiply_transposed(std::int64_t m, std::int64_t k, std::int64_t n, const double* delta,
                         const double* w, double* out) {
  for_blocks(m, k * n, [&](std::int64_t first, std::int64_t rows) {
    taken().multiply_transposed(rows, k, n, delta + first * n, w, out + first * k);
  });
}

void dots(const Rows& rows, const double* w, double offset, std::span<double> out) {
  for_cached_rows(rows, [&](const auto* some, std::int64_t first, std::int64_t count) {
    taken().dots(some, count, rows.columns(), w, offset, out.data() + first);
  });
}

void add_weighted_rows(const Rows& rows, std::span<const double> factors, double* gradient) {
  for_cached_rows(rows, [&](const auto* some, std::int64_t first, std::int64_t count) {
    taken().add_weighted_rows(some, count, rows.columns(), factors.data() + first, gradient);
  });
}

std::int64_t padded(std::int64_t n) noexcept {
  constexpr std::int64_t widest = 8;
  return (n + widest - 1) / widest * widest;
}

void pull_through_sigmoid(std::span<const double> slopes, std::span<const double> w,
                          const double* values, double* deltas, double* totals) {
  taken().pull_through_sigmoid(std::ssize(slopes), std::ssize(w), slopes.data(), w.data(), values,
                               deltas, totals);
}

std::int64_t half_wins(std::span<const double> above, std::span<const double> below) {
  return taken().half_wins(above.data(), std::ssize(above), below.data(), std::ssize(below));
}

}  // namespace fairfront::models
