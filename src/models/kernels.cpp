#include "models/kernels.hpp"

#include <algorithm>
#include <type_traits>

#include "base/stop.hpp"
#include "models/lanes.hpp"

namespace fairfront::models {
namespace {

// Tiles whose sums stay in registers: 8 of 16, or 16 of 32 where AVX-512 has them.
constexpr int tile_rows = lanes == 8 ? 4 : 2;
constexpr int tile_lanes = 4;
constexpr int tile_sums = tile_rows * tile_lanes;
/// Rows that add_weighted_rows() takes through all columns before it goes on: they stay in the
/// first cache.
constexpr std::int64_t cached_rows = 32;

/// A factor of a product: element (row, depth) is at data[row * row_stride + depth * depth_stride].
struct Factor {
  const double* data;
  std::int64_t row_stride;
  std::int64_t depth_stride;
};

/// What loads and stores a whole vector, or the last few columns of a matrix.
struct Whole {
  [[nodiscard]] Lanes get(const double* from) const { return load(from); }
  void put(Lanes values, double* to) const { store(values, to); }
};
struct Remainder {
  std::int64_t count;
  [[nodiscard]] Lanes get(const double* from) const { return load(from, count); }
  void put(Lanes values, double* to) const { store(values, to, count); }
};

/// R rows and P vectors of columns of out = start + a b; b and out have n columns. The rows of
/// `start` are start_stride apart: 0 repeats one row.
template <int R, int P, class Access>
void product_tile(const Factor& a, std::int64_t depth, const double* b, std::int64_t n,
                  const double* start, std::int64_t start_stride, double* out,
                  const Access& access) {
  Lanes sums[R][P];
  for (int r = 0; r < R; ++r) {
    for (int p = 0; p < P; ++p) sums[r][p] = access.get(start + r * start_stride + p * lanes);
  }
  for (std::int64_t d = 0; d < depth; ++d) {
    Lanes column[P];
    for (int p = 0; p < P; ++p) column[p] = access.get(b + d * n + p * lanes);
    for (int r = 0; r < R; ++r) {
      const Lanes factor = broadcast(a.data[r * a.row_stride + d * a.depth_stride]);
      for (int p = 0; p < P; ++p) sums[r][p] = multiply_add(factor, column[p], sums[r][p]);
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int p = 0; p < P; ++p) access.put(sums[r][p], out + r * n + p * lanes);
  }
}

/// All rows of P vectors of columns: R at a time, then half as many, to the last one.
template <int R, int P, class Access>
void product_panel(std::int64_t rows, Factor a, std::int64_t depth, const double* b, std::int64_t n,
                   const double* start, std::int64_t start_stride, double* out,
                   const Access& access) {
  for (; rows >= R; rows -= R) {
    product_tile<R, P>(a, depth, b, n, start, start_stride, out, access);
    a.data += R * a.row_stride;
    start += R * start_stride;
    out += R * n;
  }
  if constexpr (R > 1) {
    product_panel<R / 2, P>(rows, a, depth, b, n, start, start_stride, out, access);
  }
}

/// Calls part(number of vectors, first column, access) for the columns 0 .. n - 1: some vectors at
/// a time, then one, then the last few columns.
template <class Part>
void for_panels(std::int64_t n, const Part& part) {
  std::int64_t j = 0;
  for (; j + tile_lanes * lanes <= n; j += tile_lanes * lanes) {
    part(std::integral_constant<int, tile_lanes>{}, j, Whole{});
  }
  for (; j + lanes <= n; j += lanes) part(std::integral_constant<int, 1>{}, j, Whole{});
  if (j < n) part(std::integral_constant<int, 1>{}, j, Remainder{n - j});
}

void product(std::int64_t rows, const Factor& a, std::int64_t depth, const double* b,
             std::int64_t n, const double* start, std::int64_t start_stride, double* out) {
  for_panels(n, [&](auto vectors, std::int64_t j, const auto& access) {
    constexpr int P = vectors;
    product_panel<tile_sums / P, P>(rows, a, depth, b + j, n, start + j, start_stride, out + j,
                                    access);
  });
}

/// out[r * out_stride + q] = a_r^T b_q for R rows of a and Q of b, both with n columns.
template <int R, int Q>
void dot_tile(std::int64_t n, const double* a, const double* b, double* out,
              std::int64_t out_stride) {
  Lanes sums[R][Q] = {};
  const auto add = [&](std::int64_t j, const auto& access) {
    Lanes right[Q];
    for (int q = 0; q < Q; ++q) right[q] = access.get(b + q * n + j);
    for (int r = 0; r < R; ++r) {
      const Lanes left = access.get(a + r * n + j);
      for (int q = 0; q < Q; ++q) sums[r][q] = multiply_add(left, right[q], sums[r][q]);
    }
  };
  std::int64_t j = 0;
  for (; j + lanes <= n; j += lanes) add(j, Whole{});
  if (j < n) add(j, Remainder{n - j});
  for (int r = 0; r < R; ++r) {
    for (int q = 0; q < Q; ++q) out[r * out_stride + q] = sum(sums[r][q]);
  }
}

template <int R>
void dot_rows(std::int64_t k, std::int64_t n, const double* delta, const double* w, double* out) {
  std::int64_t q = 0;
  for (; q + tile_lanes <= k; q += tile_lanes) {
    dot_tile<R, tile_lanes>(n, delta, w + q * n, out + q, k);
  }
  for (; q < k; ++q) dot_tile<R, 1>(n, delta, w + q * n, out + q, k);
}

/// Products of R rows with one vector; two sums a row, of even and odd vectors of columns.
template <int R>
void dots_tile(const Rows& rows, std::int64_t first, const double* w, double offset, double* out) {
  const std::int64_t n = rows.columns();
  const double* row[R];
  for (int r = 0; r < R; ++r) row[r] = rows.row(first + r);
  Lanes even[R] = {};
  Lanes odd[R] = {};
  std::int64_t j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes) {
    const Lanes left = load(w + j);
    const Lanes right = load(w + j + lanes);
    for (int r = 0; r < R; ++r) {
      even[r] = multiply_add(load(row[r] + j), left, even[r]);
      odd[r] = multiply_add(load(row[r] + j + lanes), right, odd[r]);
    }
  }
  if (j + lanes <= n) {
    for (int r = 0; r < R; ++r) even[r] = multiply_add(load(row[r] + j), load(w + j), even[r]);
    j += lanes;
  }
  if (j < n) {
    const Remainder rest{n - j};
    for (int r = 0; r < R; ++r)
      odd[r] = multiply_add(rest.get(row[r] + j), rest.get(w + j), odd[r]);
  }
  for (int r = 0; r < R; ++r) out[r] = offset + sum(even[r] + odd[r]);
}

template <int P, class Access>
void weighted_columns(const Rows& rows, const double* factors, std::int64_t j, double* gradient,
                      const Access& access) {
  Lanes sums[P];
  for (int p = 0; p < P; ++p) sums[p] = access.get(gradient + j + p * lanes);
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    const Lanes factor = broadcast(factors[i]);
    const double* row = rows.row(i) + j;
    for (int p = 0; p < P; ++p) {
      sums[p] = multiply_add(factor, access.get(row + p * lanes), sums[p]);
    }
  }
  for (int p = 0; p < P; ++p) access.put(sums[p], gradient + j + p * lanes);
}

template <int P, class Access>
void add_listed(std::span<const std::int32_t> list, const double* matrix, std::int64_t n,
                std::int64_t j, double* out, const Access& access) {
  Lanes sums[P];
  for (int p = 0; p < P; ++p) sums[p] = access.get(out + j + p * lanes);
  for (const std::int32_t row : list) {
    const double* from = matrix + row * n + j;
    for (int p = 0; p < P; ++p) sums[p] = sums[p] + access.get(from + p * lanes);
  }
  for (int p = 0; p < P; ++p) access.put(sums[p], out + j + p * lanes);
}

template <int P, class Access>
void add_to_listed(std::span<const std::int32_t> list, const double* row, std::int64_t n,
                   std::int64_t j, double* matrix, const Access& access) {
  Lanes parts[P];
  for (int p = 0; p < P; ++p) parts[p] = access.get(row + j + p * lanes);
  for (const std::int32_t listed : list) {
    double* to = matrix + listed * n + j;
    for (int p = 0; p < P; ++p) access.put(access.get(to + p * lanes) + parts[p], to + p * lanes);
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

void affine(std::int64_t m, std::int64_t k, std::int64_t n, const double* x, const double* w,
            const double* bias, double* out) {
  for_blocks(m, k * n, [&](std::int64_t first, std::int64_t rows) {
    product(rows, {x + first * k, k, 1}, k, w, n, bias, 0, out + first * n);
  });
}

void add_outer_products(std::int64_t m, std::int64_t k, std::int64_t n, const double* x,
                        const double* delta, double* gradient) {
  for_blocks(m, k * n, [&](std::int64_t first, std::int64_t rows) {
    product(k, {x + first * k, 1, k}, rows, delta + first * n, n, gradient, n, gradient);
  });
}

void multiply_transposed(std::int64_t m, std::int64_t k, std::int64_t n, const double* delta,
                         const double* w, double* out) {
  for_blocks(m, k * n, [&](std::int64_t first, std::int64_t rows) {
    const std::int64_t end = first + rows;
    std::int64_t i = first;
    for (; i + tile_rows <= end; i += tile_rows) {
      dot_rows<tile_rows>(k, n, delta + i * n, w, out + i * k);
    }
    for (; i < end; ++i) dot_rows<1>(k, n, delta + i * n, w, out + i * k);
  });
}

void dots(const Rows& rows, const double* w, double offset, std::span<double> out) {
  std::int64_t i = 0;
  for (; i + 4 <= rows.size(); i += 4) dots_tile<4>(rows, i, w, offset, out.data() + i);
  for (; i < rows.size(); ++i) dots_tile<1>(rows, i, w, offset, out.data() + i);
}

void add_weighted_rows(const Rows& rows, std::span<const double> factors, double* gradient) {
  const std::int64_t n = rows.columns();
  for (std::int64_t first = 0; first < rows.size(); first += cached_rows) {
    const Rows some = rows.part(first, std::min(cached_rows, rows.size() - first));
    const double* factor = factors.data() + first;
    for_panels(n, [&](auto vectors, std::int64_t j, const auto& access) {
      weighted_columns<vectors>(some, factor, j, gradient, access);
    });
  }
}

void add_listed_rows(std::span<const std::int32_t> list, const double* matrix, std::int64_t n,
                     double* out) {
  for_panels(n, [&](auto vectors, std::int64_t j, const auto& access) {
    add_listed<vectors>(list, matrix, n, j, out, access);
  });
}

void add_to_listed_rows(std::span<const std::int32_t> list, const double* row, std::int64_t n,
                        double* matrix) {
  for_panels(n, [&](auto vectors, std::int64_t j, const auto& access) {
    add_to_listed<vectors>(list, row, n, j, matrix, access);
  });
}

}  // namespace fairfront::models
