/// The products of matrices of all small shapes, and of those that are larger than a block of rows.
#include "models/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/simd.hpp"
#include "base/stop.hpp"
#include "models/kernel_table.hpp"

namespace fairfront::models {
namespace {

using Numbers = std::vector<double>;

constexpr std::int64_t side = 1024;  // columns of both factors: 16 rows make a block
constexpr std::int64_t rows = 41;

Numbers normal(std::int64_t size, std::uint64_t index) {
  base::Stream stream(base::StreamKey(1, "kernels", "test"), index);
  Numbers values(static_cast<std::size_t>(size));
  for (double& value : values) value = stream.normal();
  return values;
}

/// Whole numbers from -8 to 8, whose products and sums have no rounding.
Numbers whole(std::int64_t size, std::uint64_t index) {
  Numbers values = normal(size, index);
  for (double& value : values) value = std::nearbyint(std::fmin(std::fmax(4 * value, -8.0), 8.0));
  return values;
}

/// out (m, n) += a b, where element (i, d) of a is a[i * row_stride + d * depth_stride].
void plain_product(std::int64_t m, std::int64_t k, std::int64_t n, const double* a,
                   std::int64_t row_stride, std::int64_t depth_stride, const double* b,
                   double* out) {
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t d = 0; d < k; ++d) {
      for (std::int64_t j = 0; j < n; ++j) {
        out[i * n + j] += a[i * row_stride + d * depth_stride] * b[d * n + j];
      }
    }
  }
}

TEST(Products, OfAllSmallShapesAreThoseOfPlainLoops) {
  constexpr std::int64_t most_rows = 35;  // two whole tiles and every remainder
  constexpr std::int64_t most_columns = 37;
  constexpr std::int64_t k = 5;
  for (std::int64_t m = 1; m <= most_rows; ++m) {
    for (std::int64_t n = 1; n <= most_columns; ++n) {
      const Numbers x = whole(m * k, 1);
      const Numbers w = whole(k * n, 2);
      const Numbers bias = whole(n, 3);
      Numbers out(static_cast<std::size_t>(m * n));
      affine(m, k, n, x.data(), w.data(), bias.data(), out.data());
      Numbers expected;
      for (std::int64_t i = 0; i < m; ++i)
        expected.insert(expected.end(), bias.begin(), bias.end());
      plain_product(m, k, n, x.data(), k, 1, w.data(), expected.data());
      ASSERT_EQ(out, expected) << "affine of " << m << " rows and " << n << " columns";

      const Numbers tall = whole(k * m, 4);  // k rows of m columns, against k rows of n
      Numbers gradient = whole(m * n, 5);
      Numbers own = gradient;
      add_outer_products(k, m, n, tall.data(), w.data(), gradient.data());
      plain_product(m, k, n, tall.data(), 1, m, w.data(), own.data());
      ASSERT_EQ(gradient, own) << "outer products of " << m << " and " << n << " columns";
    }
  }
}

// ---- every processor's kernels against plain loops in the order of sums that lanes.hpp tells
// -------

double plain_sum(const double* a, const double* b, std::int64_t n, double start) {
  for (std::int64_t j = 0; j < n; ++j) start += a[j] * b[j];
  return start;
}

double even_and_odd(const double* a, const double* b, std::int64_t n) {
  double sums[2] = {};
  for (std::int64_t j = 0; j < n; ++j) sums[j % 2] += a[j] * b[j];
  return sums[0] + sums[1];
}

double of_four(const double* a, const double* b, std::int64_t n, double offset) {
  double sums[4] = {};
  for (std::int64_t j = 0; j < n; ++j) {
    const bool last_of_odd = j == n - 1 && n % 2 == 1;
    sums[last_of_odd ? 2 : j % 4] += a[j] * b[j];
  }
  return offset + ((sums[0] + sums[2]) + (sums[1] + sums[3]));
}

Numbers column_of(const Numbers& matrix, std::int64_t columns, std::int64_t j) {
  Numbers column;
  for (std::size_t i = 0; i < matrix.size(); i += static_cast<std::size_t>(columns)) {
    column.push_back(matrix[i + static_cast<std::size_t>(j)]);
  }
  return column;
}

bool same_bits(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size()) return false;
  return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

class EveryProcessor : public testing::TestWithParam<base::Simd> {
 protected:
  const KernelTable& kernels = kernel_table(GetParam());
};

TEST_P(EveryProcessor, AddsTheProductsOfMatricesInTheirOrder) {
  for (const std::int64_t m : {1, 2, 3, 7, 8, 17}) {
    for (const std::int64_t k : {1, 2, 3, 4, 5, 9, 16, 19}) {
      for (std::int64_t n = 1; n <= 35; ++n) {
        Numbers x = normal(m * k, 1);
        x[0] = -0.0;
        const Numbers w = normal(k * n, 2);
        const Numbers bias = normal(n, 3);
        Numbers out(static_cast<std::size_t>(m * n));
        kernels.product(m, {x.data(), k, 1}, k, w.data(), n, bias.data(), 0, out.data());
        Numbers expected;
        for (std::int64_t i = 0; i < m; ++i) {
          for (std::int64_t j = 0; j < n; ++j) {
            expected.push_back(plain_sum(x.data() + i * k, column_of(w, n, j).data(), k,
                                         bias[static_cast<std::size_t>(j)]));
          }
        }
        ASSERT_TRUE(same_bits(out, expected)) << m << ' ' << k << ' ' << n;

        Numbers gradient = w;
        kernels.product(k, {x.data(), 1, k}, m, out.data(), n, gradient.data(), n, gradient.data());
        expected.clear();
        for (std::int64_t q = 0; q < k; ++q) {
          for (std::int64_t j = 0; j < n; ++j) {
            expected.push_back(plain_sum(column_of(x, k, q).data(), column_of(out, n, j).data(), m,
                                         w[static_cast<std::size_t>(q * n + j)]));
          }
        }
        ASSERT_TRUE(same_bits(gradient, expected)) << m << ' ' << k << ' ' << n;

        // The rows of `out` as a factor of w^T, whose rows are as long.
        Numbers back(static_cast<std::size_t>(m * k));
        kernels.multiply_transposed(m, k, n, out.data(), w.data(), back.data());
        expected.clear();
        for (std::int64_t i = 0; i < m; ++i) {
          for (std::int64_t q = 0; q < k; ++q) {
            expected.push_back(even_and_odd(out.data() + i * n, w.data() + q * n, n));
          }
        }
        ASSERT_TRUE(same_bits(back, expected)) << m << ' ' << k << ' ' << n;
      }
    }
  }
}

/// start + a b row by row, where element (i, d) of a is a[i * row_stride + d * depth_stride].
Numbers product_in_order(std::int64_t m, const Factor& a, std::int64_t depth, const Numbers& b,
                         std::int64_t n, const Numbers& start, std::int64_t start_stride) {
  Numbers out(static_cast<std::size_t>(m * n));
  for (std::int64_t i = 0; i < m; ++i) {
    const auto first = start.begin() + i * start_stride;
    std::copy(first, first + n, out.begin() + i * n);
  }
  plain_product(m, depth, n, a.data, a.row_stride, a.depth_stride, b.data(), out.data());
  return out;
}

struct Shape {
  std::int64_t m, k, n;
};

TEST_P(EveryProcessor, AddsTheProductsOfLargeMatricesInTheSameOrder) {
  for (const auto& [m, k, n] : {Shape{3, 515, 131},   // parts of 32 rows of w, the last of 3
                                Shape{17, 1030, 70},  // copies of 128 to 512 rows
                                Shape{65, 70, 67},    // all rows in one copy
                                Shape{5, 133, 521},   // parts of 64 rows of the gradient
                                Shape{70, 131, 517},  // both
                                Shape{33, 19, 1024},  // copies of rows of w as long as they may be
                                Shape{33, 19, 1025},  // and longer rows
                                Shape{32, 2, 40}}) {  // fewer rows of w than a copy has
    const Numbers x = normal(m * k, 1);
    const Numbers w = normal(k * n, 2);
    const Numbers bias = normal(n, 3);
    Numbers out(static_cast<std::size_t>(m * n));
    const Factor rows_of_x{x.data(), k, 1};
    kernels.product(m, rows_of_x, k, w.data(), n, bias.data(), 0, out.data());
    EXPECT_TRUE(same_bits(out, product_in_order(m, rows_of_x, k, w, n, bias, 0)))
        << m << ' ' << k << ' ' << n;

    Numbers gradient = w;
    const Factor columns_of_x{x.data(), 1, k};
    kernels.product(k, columns_of_x, m, out.data(), n, gradient.data(), n, gradient.data());
    EXPECT_TRUE(same_bits(gradient, product_in_order(k, columns_of_x, m, out, n, w, n)))
        << m << ' ' << k << ' ' << n;

    Numbers back(static_cast<std::size_t>(m * k));
    kernels.multiply_transposed(m, k, n, out.data(), w.data(), back.data());
    Numbers expected;
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t q = 0; q < k; ++q) {
        expected.push_back(even_and_odd(out.data() + i * n, w.data() + q * n, n));
      }
    }
    EXPECT_TRUE(same_bits(back, expected)) << m << ' ' << k << ' ' << n;
  }
}

TEST_P(EveryProcessor, AddsTheProductsOfRowsWithAVectorInTheirOrder) {
  for (const std::int64_t m : {1, 2, 3, 4, 9, 70}) {
    for (std::int64_t n = 1; n <= 35; ++n) {
      const Numbers features = normal(m * n, 1);
      const Numbers w = normal(n, 2);
      std::vector<const double*> list;
      for (std::int64_t i = m; i-- > 0;) list.push_back(features.data() + i * n);
      Numbers out(static_cast<std::size_t>(m));
      kernels.dots(list.data(), m, n, w.data(), 0.25, out.data());
      Numbers expected;
      Numbers gradient = w;
      Numbers own = w;
      for (const double* row : list) {
        expected.push_back(of_four(row, w.data(), n, 0.25));
        for (std::int64_t j = 0; j < n; ++j) {
          own[static_cast<std::size_t>(j)] += expected.back() * row[j];
        }
      }
      kernels.add_weighted_rows(list.data(), m, n, out.data(), gradient.data());
      ASSERT_TRUE(same_bits(out, expected)) << m << ' ' << n;
      ASSERT_TRUE(same_bits(gradient, own)) << m << ' ' << n;
    }
  }
}

TEST_P(EveryProcessor, AddsListedRowsInTheirOrder) {
  // Rows 0 to 3 list nothing, {4, 0, 2, 4}, {1} and {0, 1, 2, 3, 4}.
  const std::vector<std::int64_t> offsets{0, 0, 4, 5, 10};
  const std::vector<std::int32_t> index{4, 0, 2, 4, 1, 0, 1, 2, 3, 4};
  for (const std::vector<std::int64_t>& batch :
       {std::vector<std::int64_t>{}, {0}, {3, 1, 1, 0, 2}}) {
    const Lists lists{offsets.data(), index.data(), batch.data(), std::ssize(batch)};
    for (std::int64_t n = 1; n <= 70; ++n) {
      const std::int64_t stride = padded(n);
      const Numbers matrix = normal(5 * stride, 1);
      const Numbers start = normal(n, 2);
      const Numbers rows_to_add = normal(std::ssize(batch) * n, 3);
      Numbers out(rows_to_add.size());
      kernels.sum_listed_rows(lists, matrix.data(), stride, n, start.data(), out.data());
      Numbers target = matrix;
      kernels.add_to_listed_rows(lists, rows_to_add.data(), n, target.data(), stride);
      Numbers own;
      Numbers expected = matrix;
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const auto row = static_cast<std::size_t>(batch[i]);
        for (std::int64_t j = 0; j < n; ++j) {
          own.push_back(start[static_cast<std::size_t>(j)]);
          const double one =
              rows_to_add[i * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)];
          for (std::int64_t at = offsets[row]; at < offsets[row + 1]; ++at) {
            const auto place =
                static_cast<std::size_t>(index[static_cast<std::size_t>(at)] * stride + j);
            own.back() += matrix[place];
            expected[place] += one;
          }
        }
      }
      ASSERT_TRUE(same_bits(out, own)) << n << " columns, " << batch.size() << " rows";
      ASSERT_TRUE(same_bits(target, expected)) << n << " columns, " << batch.size() << " rows";
    }
  }
}

TEST_P(EveryProcessor, PullsSlopesThroughSigmoidsRowByRow) {
  for (const std::int64_t count : {0, 1, 2, 9}) {
    for (std::int64_t n = 1; n <= 70; ++n) {
      const Numbers slopes = normal(count, 1);
      const Numbers w = normal(n, 2);
      const Numbers values = normal(count * n, 3);
      Numbers totals = normal(n, 4);
      Numbers sums = totals;
      Numbers deltas(values.size());
      kernels.pull_through_sigmoid(count, n, slopes.data(), w.data(), values.data(), deltas.data(),
                                   totals.data());
      Numbers expected;
      for (std::size_t at = 0; at < values.size(); ++at) {
        const std::size_t i = at / w.size();
        const std::size_t u = at % w.size();
        expected.push_back(slopes[i] * w[u] * values[at] * (1 - values[at]));
        sums[u] += expected.back();
      }
      ASSERT_TRUE(same_bits(deltas, expected)) << count << ' ' << n;
      ASSERT_TRUE(same_bits(totals, sums)) << count << ' ' << n;
    }
  }
}

TEST_P(EveryProcessor, CountsThePairsInOrderAndHalfOfTheTies) {
  for (const std::int64_t above : {0, 1, 3, 4, 5, 13}) {
    for (std::int64_t below = 0; below <= 20; ++below) {
      Numbers a = whole(above, 1);
      const Numbers b = whole(below, 2);
      if (above > 4) a[4] = std::nan("");  // is in no order with any
      std::int64_t expected = 0;
      for (const double mine : a) {
        for (const double other : b) expected += (other < mine ? 2 : 0) + (other == mine ? 1 : 0);
      }
      ASSERT_EQ(kernels.half_wins(a.data(), above, b.data(), below), expected)
          << above << ' ' << below;
    }
  }
}

TEST_P(EveryProcessor, ReadsAndWritesNothingBesideItsMatrices) {
  constexpr double untouched = 7;
  const auto check = [&](std::int64_t m, std::int64_t n) {
    const Numbers x = normal(m * n, 1);
    const Numbers w = normal(n * n, 2);
    Numbers out(static_cast<std::size_t>(m * n + 16), untouched);
    kernels.product(m, {x.data(), n, 1}, n, w.data(), n, x.data(), 0, out.data() + 8);
    EXPECT_EQ(Numbers(out.begin(), out.begin() + 8), Numbers(8, untouched)) << n;
    EXPECT_EQ(Numbers(out.end() - 8, out.end()), Numbers(8, untouched)) << n;
    kernels.multiply_transposed(m, n, n, x.data(), w.data(), out.data() + 8);
    EXPECT_EQ(Numbers(out.begin(), out.begin() + 8), Numbers(8, untouched)) << n;
    EXPECT_EQ(Numbers(out.end() - 8, out.end()), Numbers(8, untouched)) << n;
  };
  for (std::int64_t n = 1; n <= 35; ++n) check(3, n);
  for (std::int64_t n = 65; n <= 73; ++n) check(65, n);  // with copies
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryProcessor,
                         testing::ValuesIn(base::available_simd().begin(),
                                           base::available_simd().end()),
                         [](const auto& simd) { return std::string{base::name_of(simd.param)}; });

class ManyBlocks : public testing::Test {
 protected:
  Numbers x = normal(rows * side, 1);
  Numbers delta = normal(rows * side, 2);
  Numbers w = normal(side * side, 3);
  Numbers bias = normal(side, 4);
};

TEST_F(ManyBlocks, GiveBitForBitWhatTheirRowsGiveOneByOne) {
  Numbers out(x.size());
  Numbers back(x.size());
  Numbers gradient(w.size(), 0.5);
  affine(rows, side, side, x.data(), w.data(), bias.data(), out.data());
  multiply_transposed(rows, side, side, delta.data(), w.data(), back.data());
  add_outer_products(rows, side, side, x.data(), delta.data(), gradient.data());
  Numbers own_out(x.size());
  Numbers own_back(x.size());
  Numbers own_gradient(w.size(), 0.5);
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t at = i * side;
    affine(1, side, side, x.data() + at, w.data(), bias.data(), own_out.data() + at);
    multiply_transposed(1, side, side, delta.data() + at, w.data(), own_back.data() + at);
    add_outer_products(1, side, side, x.data() + at, delta.data() + at, own_gradient.data());
  }
  EXPECT_EQ(out, own_out);
  EXPECT_EQ(back, own_back);
  EXPECT_EQ(gradient, own_gradient);
}

TEST_F(ManyBlocks, AreLeftBetweenThemWhenAStopIsWanted) {
  Numbers out(x.size());
  Numbers gradient(w.size());
  const base::StopScope scope([] { return true; });
  EXPECT_THROW(affine(rows, side, side, x.data(), w.data(), bias.data(), out.data()),
               base::Interrupted);
  EXPECT_THROW(multiply_transposed(rows, side, side, delta.data(), w.data(), out.data()),
               base::Interrupted);
  EXPECT_THROW(add_outer_products(rows, side, side, x.data(), delta.data(), gradient.data()),
               base::Interrupted);
  EXPECT_NO_THROW(affine(16, side, side, x.data(), w.data(), bias.data(), out.data()));
}

}  // namespace
}  // namespace fairfront::models
