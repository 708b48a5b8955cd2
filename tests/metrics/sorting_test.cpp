#include "metrics/sorting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "metrics/random_scored.hpp"

namespace fairfront::metrics {
namespace {

std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

TEST(SortAscending, SortsLongAndShortListsOfEveryKindOfNumberAsTheStandardLibraryDoes) {
  base::Stream stream = stream_of(1);
  for (const std::size_t size : {0u, 1u, 2u, 100u, 999u, 1'000u, 1'001u, 30'000u}) {
    std::vector<double> values;
    while (values.size() < size) {
      const auto value = std::bit_cast<double>(stream.bits64());  // any exponent, any sign
      if (!std::isnan(value)) values.push_back(value);
    }
    for (const double special :
         {0.0, -0.0, std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::denorm_min()}) {
      if (!values.empty()) values[stream.below(static_cast<std::uint32_t>(size))] = special;
    }
    std::vector<double> expected = values;
    for (double& value : expected) value = value == 0 ? 0.0 : value;
    std::ranges::sort(expected);
    sort_ascending(values);
    EXPECT_EQ(bits_of(values), bits_of(expected)) << size;
  }
}

TEST(OrderAscending, GivesThePlacesInOrderAndEqualValuesByPlace) {
  for (const std::size_t size : std::initializer_list<std::size_t>{0, 1, 7, 999, 1000, 6000}) {
    base::Stream stream = stream_of(3);
    std::vector<double> values(size);
    for (double& value : values) value = 0.25 * (static_cast<double>(stream.below(400)) - 200);
    for (std::size_t i = 0; i < size; i += 3) values[i] = i % 2 == 0 ? -0.0 : 0.0;
    std::vector<std::int64_t> expected(size);
    std::iota(expected.begin(), expected.end(), 0);
    std::ranges::stable_sort(expected, {},
                             [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
    std::vector<std::int64_t> order(3, -1);
    order_ascending(values, order);
    EXPECT_EQ(order, expected) << size;
    std::vector<std::uint32_t> short_order;
    order_ascending(values, short_order);
    EXPECT_TRUE(std::ranges::equal(short_order, expected));
  }
}

/// The first digits are sorted, and then what has them in common.
TEST(OrderAscending, GivesThePlacesOfNumbersThatShareTheirFirstDigits) {
  base::Stream stream = stream_of(4);
  std::vector<double> values;
  for (int i = 0; i < 20'000; ++i) {
    const double first = stream.below(3) == 0 ? -1.5 : 0.25 * stream.below(4);
    values.push_back(first + 0x1p-45 * stream.below(50));
  }
  std::vector<std::int64_t> expected(values.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::ranges::stable_sort(expected, {},
                           [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
  std::vector<std::int64_t> order;
  order_ascending(values, order);
  EXPECT_EQ(order, expected);
}

TEST(SortAscending, SortsListsWhoseNumbersShareMostDigits) {
  base::Stream stream = stream_of(2);
  std::vector<double> values;
  for (int i = 0; i < 10'000; ++i) values.push_back(1 + 0x1p-40 * stream.below(1000));
  std::vector<double> expected = values;
  std::ranges::sort(expected);
  sort_ascending(values);
  EXPECT_EQ(values, expected);
}

TEST(SortedByGroup, RefusesNan) {
  Sample sample = large_sample(3, 20, 2);
  sample.score[7] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(sorted_by_group(sample.view())), base::InputError);
}

void expect_counted_shares(const std::vector<double>& rows, const std::vector<double>& others,
                           const std::vector<double>& shares) {
  ASSERT_EQ(shares.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double half_below = 0;
    for (const double other : others) half_below += (other < rows[i]) + (other <= rows[i]);
    EXPECT_EQ(shares[i], half_below / (2 * static_cast<double>(others.size())));
  }
}

TEST(SharesBelow, AreThoseThatAreCounted) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    base::Stream stream = stream_of(seed);
    std::vector<double> rows(1 + stream.below(8)), others(1 + stream.below(8));
    for (double& row : rows) row = stream.below(6);
    for (double& other : others) other = stream.below(6);
    sort_ascending(rows);
    sort_ascending(others);
    const SharesBelow shares = shares_below(rows, others);
    expect_counted_shares(rows, others, shares.of_first);
    expect_counted_shares(others, rows, shares.of_second);
  }
}

}  // namespace
}  // namespace fairfront::metrics
