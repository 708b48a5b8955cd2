/// Lists of ones against the features that they stand for.
#include "models/indicator_rows.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "models/kernels.hpp"

namespace fairfront::models {
namespace {

constexpr std::int64_t indicator_rows = 37;

/// One in eight is 1; the last column always is in every other row.
std::vector<double> indicators_of(std::int64_t columns) {
  base::Stream stream(base::StreamKey(1, "indicators", "test"),
                      static_cast<std::uint64_t>(columns));
  std::vector<double> features(static_cast<std::size_t>(indicator_rows * columns));
  for (double& value : features) value = stream.below(8) == 0 ? 1 : 0;
  if (columns < 9) return features;
  for (std::int64_t i = 0; i < indicator_rows; i += 2) {
    features[static_cast<std::size_t>((i + 1) * columns - 1)] = 1;
  }
  return features;
}

TEST(IndicatorRows, ScoreToTheBitsOfTheirFeatures) {
  int compared = 0;
  for (std::int64_t columns = 1; columns <= 70; ++columns) {
    const std::vector<double> features = indicators_of(columns);
    base::Stream stream(base::StreamKey(2, "indicators", "test"), 0);
    std::vector<double> w(static_cast<std::size_t>(columns));
    for (double& value : w) value = stream.below(6) == 0 ? -0.0 : stream.normal();
    std::vector<std::int64_t> list;
    for (std::int64_t i = 0; i < 50; ++i) list.push_back(stream.below(indicator_rows));
    const IndicatorRows lists(Rows(features, columns, list));
    if (lists.empty()) continue;  // too many ones of so few
    std::vector<double> expected(list.size());
    dots(Rows(features, columns, list), w.data(), 0.375, expected);
    std::vector<double> found(list.size());
    lists.dots(w, 0.375, found);
    for (std::size_t i = 0; i < list.size(); ++i, ++compared) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(found[i]), std::bit_cast<std::uint64_t>(expected[i]))
          << columns << " columns, row " << list[i];
    }
  }
  EXPECT_GT(compared, 2000);
}

TEST(IndicatorRows, MultiplyAndAddAsTheirFeaturesDo) {
  constexpr std::int64_t columns = 19;
  const std::vector<double> features = indicators_of(columns);
  const IndicatorRows lists(Rows(features, columns));
  ASSERT_FALSE(lists.empty());
  const std::vector<std::int64_t> batch{3, 0, 36, 3};
  const Rows rows(features, columns, batch);
  for (const std::int64_t n : {1, 8, 10}) {
    const std::int64_t stride = padded(n);
    const auto size = static_cast<std::size_t>(columns * stride);
    std::vector<double> matrix(size), target(size, 5.0), start(static_cast<std::size_t>(n), 2.0),
        more(batch.size() * static_cast<std::size_t>(n)), out(more.size());
    // Whole numbers: no sum has a rounding.
    for (std::size_t i = 0; i < size; ++i) matrix[i] = static_cast<double>(i % 7);
    for (std::size_t i = 0; i < more.size(); ++i) more[i] = static_cast<double>(i % 5);
    lists.multiply(batch, matrix.data(), n, start.data(), out.data());
    lists.add_outer_products(batch, more.data(), n, target.data());
    std::vector<double> expected(size, 5.0);
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      for (std::int64_t u = 0; u < n; ++u) {
        const auto at = static_cast<std::size_t>(i * n + u);
        double sum = 2;
        for (std::int64_t j = 0; j < columns; ++j) {
          const auto place = static_cast<std::size_t>(j * stride + u);
          sum += rows.row(i)[j] * matrix[place];
          expected[place] += rows.row(i)[j] * more[at];
        }
        EXPECT_EQ(out[at], sum) << n << ' ' << i << ' ' << u;
      }
    }
    EXPECT_EQ(target, expected) << n;
  }
}

TEST(IndicatorRows, AreEmptyWhereListsWouldNotPay) {
  const std::vector<double> half{0, 1, 1, 0};
  EXPECT_TRUE(IndicatorRows(Rows(half, 2)).empty());
  const std::vector<double> other{0, 0, 0, 2};
  EXPECT_TRUE(IndicatorRows(Rows(other, 4)).empty());
  const std::vector<double> few{0, 0, 0, 1, 0, 0, 0, 0};
  const IndicatorRows lists(Rows(few, 4));
  ASSERT_FALSE(lists.empty());
  EXPECT_EQ(lists.ones(0).size(), 1U);
  EXPECT_EQ(lists.ones(0)[0], 3);
  EXPECT_TRUE(lists.ones(1).empty());
}

}  // namespace
}  // namespace fairfront::models
