/// @file
/// The kernels for the processors that the including unit is compiled for; each such unit defines
/// one table of them, and nothing else that others could call.
#pragma once

#include <cstdint>

#include "models/kernel_table.hpp"
#include "models/lanes.hpp"

namespace fairfront::models {
namespace {

// Tiles whose sums stay in registers: 8 of 16, or 16 of 32 where AVX-512 has them.
constexpr int tile_sums = lanes == 8 ? 16 : 8;
constexpr int tile_lanes = 4;
constexpr int sum_lanes = lanes == 2 ? 8 : 4;  // of one row

/// What loads and stores vector p of some side by side: all are whole, or the last has `count`.
struct Whole {
  [[nodiscard]] Lanes get(const double* from, int p) const { return load(from + p * lanes); }
  void put(Lanes values, double* to, int p) const { store(values, to + p * lanes); }
};
template <int P>
struct LastInPart {
  std::int64_t count;
  [[nodiscard]] Lanes get(const double* from, int p) const {
    return p + 1 < P ? load(from + p * lanes) : load(from + p * lanes, count);
  }
  void put(Lanes values, double* to, int p) const {
    if (p + 1 < P) {
      store(values, to + p * lanes);
    } else {
      store(values, to + p * lanes, count);
    }
  }
};

/// Calls part<number of vectors>(first column, access) for the columns `from` .. n - 1, which are
/// fewer than P + 1 vectors.
template <int P, class Part>
void for_last_panel(std::int64_t from, std::int64_t n, const Part& part) {
  if (n - from == P * lanes) {
    part.template operator()<P>(from, Whole{});
  } else if (n - from > (P - 1) * lanes) {
    part.template operator()<P>(from, LastInPart<P>{n - from - (P - 1) * lanes});
  } else if constexpr (P > 1) {
    for_last_panel<P - 1>(from, n, part);
  }
}
/// The same for the columns 0 .. n - 1: P vectors at a time, then what is left.
template <int P, class Part>
void for_panels(std::int64_t n, const Part& part) {
  std::int64_t j = 0;
  for (; j + P * lanes <= n; j += P * lanes) part.template operator()<P>(j, Whole{});
  for_last_panel<P>(j, n, part);
}

/// Vector p of row d of P vectors of columns of a matrix with n columns: from where the matrix has
/// them, or from a copy of these alone.
template <class Access>
struct InMatrix {
  Access access;
  [[nodiscard]] Lanes get(const double* from, std::int64_t d, std::int64_t n, int p) const {
    return access.get(from + d * n, p);
  }
};
template <class Access>
InMatrix(Access) -> InMatrix<Access>;  // clang 14 does not deduce what an aggregate is of
template <int P>
struct InCopy {
  [[nodiscard]] Lanes get(const double* from, std::int64_t d, std::int64_t, int p) const {
    return load(from + (d * P + p) * lanes);
  }
};

/// R rows and P vectors of columns of out = start + a b, with b in what `in` reads; out has n
/// columns. The rows of `start` are start_stride apart: 0 repeats one row.
template <int R, int P, class In, class Access>
void product_tile(const Factor& a, std::int64_t depth, const double* b, const In& in,
                  std::int64_t n, const double* start, std::int64_t start_stride, double* out,
                  const Access& access) {
  Lanes sums[R][P];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 16
    for (int p = 0; p < P; ++p) sums[r][p] = access.get(start + r * start_stride, p);
  }
  for (std::int64_t d = 0; d < depth; ++d) {
    Lanes column[P];
#pragma GCC unroll 16
    for (int p = 0; p < P; ++p) column[p] = in_register(in.get(b, d, n, p));
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const Lanes factor = broadcast(a.data[r * a.row_stride + d * a.depth_stride]);
#pragma GCC unroll 16
      for (int p = 0; p < P; ++p) sums[r][p] = multiply_add(factor, column[p], sums[r][p]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 16
    for (int p = 0; p < P; ++p) access.put(sums[r][p], out + r * n, p);
  }
}

/// All rows of P vectors of columns: R at a time, then half as many, to the last one.
template <int R, int P, class In, class Access>
[[gnu::always_inline]] inline void product_panel(std::int64_t rows, Factor a, std::int64_t depth,
                                                 const double* b, const In& in, std::int64_t n,
                                                 const double* start, std::int64_t start_stride,
                                                 double* out, const Access& access) {
  for (; rows >= R; rows -= R) {
    product_tile<R, P>(a, depth, b, in, n, start, start_stride, out, access);
    a.data += R * a.row_stride;
    start += R * start_stride;
    out += R * n;
  }
  if constexpr (R > 1) {
    product_panel<R / 2, P>(rows, a, depth, b, in, n, start, start_stride, out, access);
  }
}

#if defined(__AVX2__)

/// G times four rows of out = start + a b, with one column.
template <int G>
void column_tile(const Factor& a, std::int64_t depth, const double* b, const double* start,
                 std::int64_t start_stride, double* out) {
  const auto four_of = [](const double* from, std::int64_t stride) {
    return Four{from[0], from[stride], from[2 * stride], from[3 * stride]};
  };
  Four sums[G];
  for (int g = 0; g < G; ++g) sums[g] = four_of(start + 4 * g * start_stride, start_stride);
  std::int64_t d = 0;
  for (; d + 4 <= depth; d += 4) {
    for (int g = 0; g < G; ++g) {
      const double* from = a.data + 4 * g * a.row_stride + d;
      Four parts[4];
      for (int i = 0; i < 4; ++i) parts[i] = load_four(from + i * a.row_stride);
      transpose(parts);
      for (int i = 0; i < 4; ++i) {
        sums[g] = multiply_add(parts[i], broadcast_four(b[d + i]), sums[g]);
      }
    }
  }
  for (; d < depth; ++d) {
    for (int g = 0; g < G; ++g) {
      const Four part = four_of(a.data + 4 * g * a.row_stride + d, a.row_stride);
      sums[g] = multiply_add(part, broadcast_four(b[d]), sums[g]);
    }
  }
  for (int g = 0; g < G; ++g) store_four(sums[g], out + 4 * g);
}

/// Sums of rows side by side, where that takes fewer instructions than one row in every vector.
template <int G>
void product_column(std::int64_t rows, Factor a, std::int64_t depth, const double* b,
                    const double* start, std::int64_t start_stride, double* out) {
  for (; rows >= 4 * G; rows -= 4 * G) {
    column_tile<G>(a, depth, b, start, start_stride, out);
    a.data += 4 * G * a.row_stride;
    start += 4 * G * start_stride;
    out += 4 * G;
  }
  if constexpr (G > 1) {
    product_column<G / 2>(rows, a, depth, b, start, start_stride, out);
  } else {
    const LastInPart<1> access{1};
    product_panel<2, 1>(rows, a, depth, b, InMatrix{access}, 1, start, start_stride, out, access);
  }
}

#endif

// Matrices of at most as many elements are in the first cache, and in the second, beside others.
constexpr std::int64_t small = 1 << 12;
constexpr std::int64_t cached = 1 << 16;
// Rows of a part of the second factor: those of a copy stay in the first cache, and those that are
// not copied are few enough to be fetched side by side.
constexpr std::int64_t copied_rows = 1024 / lanes;
constexpr std::int64_t streamed_rows = 32;

/// product() with b as it is.
void product_by_panels(std::int64_t rows, const Factor& a, std::int64_t depth, const double* b,
                       std::int64_t n, const double* start, std::int64_t start_stride,
                       double* out) {
  for_panels<tile_lanes>(n, [&]<int P>(std::int64_t j, const auto& access) {
    constexpr int R = tile_sums / (P == 3 ? 4 : P);
    product_panel<R, P>(rows, a, depth, b + j, InMatrix{access}, n, start + j, start_stride,
                        out + j, access);
  });
}

/// product() with copies of b in `memory`, P vectors of columns after P others.
void product_by_copies(std::int64_t rows, const Factor& a, std::int64_t depth, const double* b,
                       std::int64_t n, const double* start, std::int64_t start_stride, double* out,
                       double* memory) {
  for_panels<tile_lanes>(n, [&]<int P>(std::int64_t j, const auto& access) {
    constexpr int R = tile_sums / (P == 3 ? 4 : P);
    for (std::int64_t d = 0; d < depth; ++d) {
      for (int p = 0; p < P; ++p) {
        store(access.get(b + d * n + j, p), memory + (d * P + p) * lanes);
      }
    }
    product_panel<R, P>(rows, a, depth, memory, InCopy<P>{}, n, start + j, start_stride, out + j,
                        access);
  });
}

/// product() by parts of b, each of which goes on with the sums of those before. A function of its
/// own, as its memory would cost the calls for small factors their time.
[[gnu::noinline]] void product_by_depth(std::int64_t rows, Factor a, std::int64_t depth,
                                        const double* b, std::int64_t n, const double* start,
                                        std::int64_t start_stride, double* out, bool copies) {
  alignas(64) double memory[copied_rows * tile_lanes * lanes];
  const std::int64_t most = copies ? copied_rows : streamed_rows;
  for (std::int64_t part = most; depth > 0; depth -= part) {
    if (depth < part) part = depth;
    if (copies) {
      product_by_copies(rows, a, part, b, n, start, start_stride, out, memory);
    } else {
      product_by_panels(rows, a, part, b, n, start, start_stride, out);
    }
    a.data += part * a.depth_stride;
    b += part * n;
    start = out;
    start_stride = n;
  }
}

/// product() of factors of any size.
[[gnu::noinline]] void product_in_parts(std::int64_t rows, Factor a, std::int64_t depth,
                                        const double* b, std::int64_t n, const double* start,
                                        std::int64_t start_stride, double* out) {
  const bool large = depth * n > cached;
  // Of a transposed factor some rows, which the first cache keeps for all columns.
  const std::int64_t most = a.row_stride == 1 && rows * n > cached ? 64 : rows;
  for (std::int64_t part = most; rows > 0; rows -= part) {
    if (rows < part) part = rows;
    const bool copies = n > tile_lanes * lanes && depth * n > small && part >= (large ? 16 : 64);
    if (large || copies) {
      product_by_depth(part, a, depth, b, n, start, start_stride, out, copies);
    } else {
      product_by_panels(part, a, depth, b, n, start, start_stride, out);
    }
    a.data += part * a.row_stride;
    start += part * start_stride;
    out += part * n;
  }
}

void product(std::int64_t rows, Factor a, std::int64_t depth, const double* b, std::int64_t n,
             const double* start, std::int64_t start_stride, double* out) {
#if defined(__AVX2__)
  if (n == 1 && a.depth_stride == 1) {
    return product_column<2>(rows, a, depth, b, start, start_stride, out);
  }
#endif
  if (rows * n > cached || depth * n > small) {
    return product_in_parts(rows, a, depth, b, n, start, start_stride, out);
  }
  product_by_panels(rows, a, depth, b, n, start, start_stride, out);
}

/// Rows of b in one vector of products with them, two columns of each.
constexpr std::int64_t pairs = lanes / 2;
// Tiles of such products.
constexpr int dot_lanes = lanes == 2 ? 4 : 2;
constexpr int dot_rows = tile_sums / dot_lanes;

struct TwoColumns {
  std::int64_t j;
  [[nodiscard]] Pair pair(const double* row) const { return load_pair(row + j); }
  [[nodiscard]] Lanes repeated(const double* row) const { return repeat(row + j); }
};
struct LastColumn {
  std::int64_t j;
  [[nodiscard]] Pair pair(const double* row) const { return Pair{row[j], 0.0}; }
  [[nodiscard]] Lanes repeated(const double* row) const { return repeat(pair(row)); }
};

/// Vectors of two columns of rows of b = row(q), from these as they are or from their copy.
template <class RowOf>
struct RowsOfFactor {
  RowOf row;
  template <int P, class Columns>
  void get(const Columns& columns, Lanes (&right)[P]) const {
    for (int p = 0; p < P; ++p) {
      right[p] = join([&](int i) { return columns.pair(row(p * pairs + i)); });
    }
  }
};
template <class RowOf>
RowsOfFactor(RowOf) -> RowsOfFactor<RowOf>;
struct CopyOfRows {
  const double* data;
  template <int P, class Columns>
  void get(const Columns& columns, Lanes (&right)[P]) const {
    for (int p = 0; p < P; ++p) right[p] = load(data + (columns.j / 2 * P + p) * lanes);
  }
};

/// out[r * out_stride + q] = a_r^T b_q for R rows of a and P vectors of rows b_q, all with n
/// columns; of one vector the first `wanted` are stored. The sums are of even and of odd columns.
template <int R, int P, class Right>
void dot_tile(std::int64_t n, const double* a, const Right& b, double* out, std::int64_t out_stride,
              std::int64_t wanted) {
  Lanes sums[R][P] = {};
  const auto add = [&](const auto& columns) {
    Lanes right[P];
    b.get(columns, right);
    for (int r = 0; r < R; ++r) {
      const Lanes left = columns.repeated(a + r * n);
      for (int p = 0; p < P; ++p) sums[r][p] = multiply_add(left, right[p], sums[r][p]);
    }
  };
  std::int64_t j = 0;
  for (; j + 2 <= n; j += 2) add(TwoColumns{j});
  if (j < n) add(LastColumn{j});
  for (int r = 0; r < R; ++r) {
    double* to = out + r * out_stride;
    if constexpr (P == 1) {
      store(sum_pairs(sums[r][0], sums[r][0]), to, wanted);
    } else {
      for (int p = 0; p < P; p += 2) store(sum_pairs(sums[r][p], sums[r][p + 1]), to + p * pairs);
    }
  }
}

/// All rows of delta with some rows of w: R at a time, then half as many, to the last one.
template <int R, int P, class Right>
void dot_panel(std::int64_t m, std::int64_t k, std::int64_t n, const double* delta, const Right& w,
               double* out, std::int64_t wanted) {
  for (; m >= R; m -= R, delta += R * n, out += R * k) {
    dot_tile<R, P>(n, delta, w, out, k, wanted);
  }
  if constexpr (R > 1) dot_panel<R / 2, P>(m, k, n, delta, w, out, wanted);
}

/// delta w^T of one column each: no sum, but of 0 and the product, which has no negative zero.
void outer_product(std::int64_t m, std::int64_t k, const double* delta, const double* w,
                   double* out) {
  for_panels<tile_lanes>(k, [&]<int P>(std::int64_t j, const auto& access) {
    Lanes right[P];
    for (int p = 0; p < P; ++p) right[p] = access.get(w + j, p);
    for (std::int64_t i = 0; i < m; ++i) {
      const Lanes left = broadcast(delta[i]);
      for (int p = 0; p < P; ++p)
        access.put(multiply_add(left, right[p], Lanes{}), out + i * k + j, p);
    }
  });
}

// Columns of rows that are copied, at most.
constexpr std::int64_t copied_columns = 1024;

/// Rows of w in P vectors of two columns each, the next two behind.
template <int P, class RowOf>
void copy_rows(std::int64_t n, const RowsOfFactor<RowOf>& rows, double* to) {
  const auto copy = [&](const auto& columns) {
    Lanes right[P];
    rows.get(columns, right);
    for (int p = 0; p < P; ++p) store(right[p], to + (columns.j / 2 * P + p) * lanes);
  };
  std::int64_t j = 0;
  for (; j + 2 <= n; j += 2) copy(TwoColumns{j});
  if (j < n) copy(LastColumn{j});
}

/// The products with whole vectors of rows of w, which are copied; see product_by_depth().
/// @return  how many rows of w
[[gnu::noinline]] std::int64_t multiply_copies(std::int64_t m, std::int64_t k, std::int64_t n,
                                               const double* delta, const double* w, double* out) {
  alignas(64) double memory[copied_columns / 2 * dot_lanes * lanes];
  std::int64_t q = 0;
  for (; q + dot_lanes * pairs <= k; q += dot_lanes * pairs) {
    const auto row = [first = w + q * n, n](std::int64_t i) { return first + i * n; };
    copy_rows<dot_lanes>(n, RowsOfFactor{row}, memory);
    dot_panel<dot_rows, dot_lanes>(m, k, n, delta, CopyOfRows{memory}, out + q, dot_lanes * pairs);
  }
  return q;
}

void multiply_transposed(std::int64_t m, std::int64_t k, std::int64_t n, const double* delta,
                         const double* w, double* out) {
  if (n == 1) return outer_product(m, k, delta, w, out);
  std::int64_t q = 0;
  constexpr std::int64_t worth_copies = lanes == 8 ? 16 : 32;
  if (m >= worth_copies && n <= copied_columns) q = multiply_copies(m, k, n, delta, w, out);
  for (; q + dot_lanes * pairs <= k; q += dot_lanes * pairs) {
    const auto row = [first = w + q * n, n](std::int64_t i) { return first + i * n; };
    dot_panel<dot_rows, dot_lanes>(m, k, n, delta, RowsOfFactor{row}, out + q, dot_lanes * pairs);
  }
  for (; q < k; q += pairs) {
    // Those beyond the last one are the last one, and not wanted.
    const auto row = [=](std::int64_t i) { return w + (q + i < k ? q + i : k - 1) * n; };
    dot_panel<dot_rows, 1>(m, k, n, delta, RowsOfFactor{row}, out + q,
                           pairs < k - q ? pairs : k - q);
  }
}

/// Products of R rows with one vector; four sums a row, the last column of an odd number in the
/// third.
template <int R>
void dots_tile(const double* const* row, std::int64_t n, const double* w, double offset,
               double* out) {
  Four sums[R] = {};
  std::int64_t j = 0;
  for (; j + 4 <= n; j += 4) {
    const Four factor = load_four(w + j);
    for (int r = 0; r < R; ++r) sums[r] = multiply_add(load_four(row[r] + j), factor, sums[r]);
  }
  for (int r = 0; r < R; ++r) {
    Pair even = even_of(sums[r]);
    Pair odd = odd_of(sums[r]);
    if (n % 4 >= 2) even = multiply_add(load_pair(row[r] + j), load_pair(w + j), even);
    if (n % 2 == 1) odd[0] += row[r][n - 1] * w[n - 1];
    const Pair both = even + odd;
    out[r] = offset + (both[0] + both[1]);
  }
}

void dots(const double* const* rows, std::int64_t count, std::int64_t n, const double* w,
          double offset, double* out) {
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) dots_tile<4>(rows + i, n, w, offset, out + i);
  for (; i < count; ++i) dots_tile<1>(rows + i, n, w, offset, out + i);
}

void add_weighted_rows(const double* const* rows, std::int64_t count, std::int64_t n,
                       const double* factors, double* gradient) {
  for_panels<sum_lanes>(n, [&]<int P>(std::int64_t j, const auto& access) {
    Lanes sums[P];
#pragma GCC unroll 16
    for (int p = 0; p < P; ++p) sums[p] = access.get(gradient + j, p);
    for (std::int64_t i = 0; i < count; ++i) {
      const Lanes factor = broadcast(factors[i]);
#pragma GCC unroll 16
      for (int p = 0; p < P; ++p)
        sums[p] = multiply_add(factor, access.get(rows[i] + j, p), sums[p]);
    }
#pragma GCC unroll 16
    for (int p = 0; p < P; ++p) access.put(sums[p], gradient + j, p);
  });
}

void sum_listed_rows(const Lists& lists, const double* matrix, std::int64_t stride, std::int64_t n,
                     const double* start, double* out) {
  for_panels<sum_lanes>(n, [&]<int P>(std::int64_t j, const auto& access) {
    Lanes first[P];
#pragma GCC unroll 16
    for (int p = 0; p < P; ++p) first[p] = access.get(start + j, p);
    for (std::int64_t i = 0; i < lists.count; ++i) {
      Lanes sums[P];
#pragma GCC unroll 16
      for (int p = 0; p < P; ++p) sums[p] = first[p];
      const std::int64_t end = lists.offsets[lists.batch[i] + 1];
      for (std::int64_t at = lists.offsets[lists.batch[i]]; at < end; ++at) {
        const double* from = matrix + lists.index[at] * stride + j;
#pragma GCC unroll 16
        for (int p = 0; p < P; ++p) sums[p] = sums[p] + load(from + p * lanes);
      }
#pragma GCC unroll 16
      for (int p = 0; p < P; ++p) access.put(sums[p], out + i * n + j, p);
    }
  });
}

void add_to_listed_rows(const Lists& lists, const double* rows, std::int64_t n, double* matrix,
                        std::int64_t stride) {
  for_panels<sum_lanes>(n, [&]<int P>(std::int64_t j, const auto& access) {
    for (std::int64_t i = 0; i < lists.count; ++i) {
      Lanes parts[P];
#pragma GCC unroll 16
      for (int p = 0; p < P; ++p) parts[p] = access.get(rows + i * n + j, p);
      const std::int64_t end = lists.offsets[lists.batch[i] + 1];
      for (std::int64_t at = lists.offsets[lists.batch[i]]; at < end; ++at) {
        double* to = matrix + lists.index[at] * stride + j;
#pragma GCC unroll 16
        for (int p = 0; p < P; ++p) store(load(to + p * lanes) + parts[p], to + p * lanes);
      }
    }
  });
}

void pull_through_sigmoid(std::int64_t count, std::int64_t n, const double* slopes, const double* w,
                          const double* values, double* deltas, double* totals) {
  const Lanes one = broadcast(1);
  for_panels<sum_lanes>(n, [&]<int P>(std::int64_t j, const auto& access) {
    Lanes outward[P];
    Lanes sums[P];
#pragma GCC unroll 16
    for (int p = 0; p < P; ++p) {
      outward[p] = access.get(w + j, p);
      sums[p] = access.get(totals + j, p);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const Lanes slope = broadcast(slopes[i]);
#pragma GCC unroll 16
      for (int p = 0; p < P; ++p) {
        const Lanes value = access.get(values + i * n + j, p);
        const Lanes delta = slope * outward[p] * value * (one - value);
        access.put(delta, deltas + i * n + j, p);
        sums[p] = sums[p] + delta;
      }
    }
#pragma GCC unroll 16
    for (int p = 0; p < P; ++p) access.put(sums[p], totals + j, p);
  });
}

/// The half wins of R scores above.
template <int R>
Counts half_wins_of(const double* above, const double* below, std::int64_t whole, Lanes rest) {
  Counts wins{};
  Lanes mine[R];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) mine[r] = broadcast(above[r]);
  for (std::int64_t j = 0; j < whole; j += lanes) {
    const Lanes other = load(below + j);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) wins = count_half_wins(wins, other, mine[r]);
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) wins = count_half_wins(wins, rest, mine[r]);
  return wins;
}

std::int64_t half_wins(const double* above, std::int64_t above_count, const double* below,
                       std::int64_t below_count) {
  const std::int64_t whole = below_count / lanes * lanes;
  double last[lanes];  // NaN is no win
  for (std::int64_t i = 0; i < lanes; ++i) {
    last[i] = whole + i < below_count ? below[whole + i] : __builtin_nan("");
  }
  const Lanes rest = load(last);
  Counts wins{};
  std::int64_t i = 0;
  for (; i + 4 <= above_count; i += 4) wins += half_wins_of<4>(above + i, below, whole, rest);
  for (; i < above_count; ++i) wins += half_wins_of<1>(above + i, below, whole, rest);
  std::int64_t sum = 0;
  for (std::int64_t lane = 0; lane < lanes; ++lane) sum += wins[lane];
  return sum;
}

constexpr KernelTable kernel_loops{
    .product = product,
    .multiply_transposed = multiply_transposed,
    .dots = dots,
    .add_weighted_rows = add_weighted_rows,
    .sum_listed_rows = sum_listed_rows,
    .add_to_listed_rows = add_to_listed_rows,
    .pull_through_sigmoid = pull_through_sigmoid,
    .half_wins = half_wins,
};

}  // namespace
}  // namespace fairfront::models
