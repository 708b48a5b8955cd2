/// The products of matrices of all small shapes, and of those that are larger than a block of rows.
#include "models/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "base/stop.hpp"

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

TEST(ListedRows, AreAddedAndAddedTo) {
  constexpr std::int64_t matrix_rows = 6;
  for (std::int64_t n = 1; n <= 37; ++n) {
    for (const std::vector<std::int32_t>& list :
         {std::vector<std::int32_t>{}, {5}, {0, 2, 3}, {0, 1, 2, 3, 4, 5}}) {
      const Numbers matrix = whole(matrix_rows * n, 1);
      const Numbers row = whole(n, 2);
      Numbers indicators(static_cast<std::size_t>(matrix_rows));
      for (const std::int32_t one : list) indicators[static_cast<std::size_t>(one)] = 1;
      Numbers out = row;
      Numbers expected = row;
      add_listed_rows(list, matrix.data(), n, out.data());
      plain_product(1, matrix_rows, n, indicators.data(), matrix_rows, 1, matrix.data(),
                    expected.data());
      ASSERT_EQ(out, expected) << n << " columns, " << list.size() << " listed";
      Numbers target = matrix;
      Numbers own = matrix;
      add_to_listed_rows(list, row.data(), n, target.data());
      plain_product(matrix_rows, 1, n, indicators.data(), 1, 1, row.data(), own.data());
      ASSERT_EQ(target, own) << n << " columns, " << list.size() << " listed";
    }
  }
}

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
