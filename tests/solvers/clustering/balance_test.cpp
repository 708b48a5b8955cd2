#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "solvers/clustering/partition.hpp"

namespace fairfront::clustering {
namespace {

/// Exact comparison by cross-multiplication in 64 bits, apart from the code under test.
bool exactly_less(const Balance& a, const Balance& b) {
  return static_cast<std::int64_t>(a.least) * b.most < static_cast<std::int64_t>(b.least) * a.most;
}

void expect_ordered_alike(const Balance& a, const Balance& b) {
  EXPECT_EQ(a.value() < b.value(), exactly_less(a, b))
      << a.least << "/" << a.most << " and " << b.least << "/" << b.most;
  EXPECT_EQ(b.value() < a.value(), exactly_less(b, a))
      << a.least << "/" << a.most << " and " << b.least << "/" << b.most;
  EXPECT_EQ(a.less(b), exactly_less(a, b));
  EXPECT_EQ(b.less(a), exactly_less(b, a));
}

/// In an exactly sorted list, neighbours that are ordered alike mean that all pairs are.
TEST(Balance, RoundedQuotientsOrderAllFractionsUpToDenominator300AsTheyAre) {
  std::vector<Balance> fractions;
  for (std::int32_t most = 1; most <= 300; ++most) {
    for (std::int32_t least = 0; least <= most; ++least) fractions.push_back({least, most});
  }
  std::sort(fractions.begin(), fractions.end(), exactly_less);
  for (std::size_t i = 1; i < fractions.size(); ++i) {
    expect_ordered_alike(fractions[i - 1], fractions[i]);
  }
}

/// The fraction next below least/most (coprime) with a denominator of at most `bound`: the
/// closest there is, at distance 1 / (product of the denominators).
Balance farey_neighbour(std::int64_t least, std::int64_t most, std::int64_t bound) {
  // Extended Euclid: least * d - most * c = 1 with the largest d <= bound.
  std::int64_t r0 = least;
  std::int64_t r1 = most;
  std::int64_t x0 = 1;
  std::int64_t x1 = 0;
  while (r1 != 0) {
    const std::int64_t quotient = r0 / r1;
    r0 -= quotient * r1;
    x0 -= quotient * x1;
    std::swap(r0, r1);
    std::swap(x0, x1);
  }
  std::int64_t d = ((x0 % most) + most) % most;
  d += (bound - d) / most * most;
  return {static_cast<std::int32_t>((least * d - 1) / most), static_cast<std::int32_t>(d)};
}

TEST(Balance, RoundedQuotientsOrderTheClosestFractionsBelowTwoToThe26AsTheyAre) {
  constexpr std::int64_t bound = (1 << 26) - 1;
  base::Stream stream(base::StreamKey(1, "test", "balance"), 0);
  int tried = 0;
  while (tried < 20'000) {
    const std::int64_t most = bound - stream.below(tried % 2 == 0 ? 1000 : 1 << 25);
    const std::int64_t least = 1 + stream.below(static_cast<std::uint32_t>(most));
    if (std::gcd(least, most) != 1) continue;
    const Balance fraction{static_cast<std::int32_t>(least), static_cast<std::int32_t>(most)};
    const Balance below = farey_neighbour(least, most, bound);
    ASSERT_EQ(least * below.most - most * below.least, 1);
    expect_ordered_alike(below, fraction);
    EXPECT_LT(below.value(), fraction.value());
    ++tried;
  }
}

TEST(Balance, EqualFractionsHaveEqualQuotients) {
  for (std::int32_t factor = 1; factor < 9'000'000; factor = factor * 3 + 1) {
    EXPECT_EQ((Balance{3 * factor, 7 * factor}.value()), (Balance{3, 7}.value()));
    expect_ordered_alike({3 * factor, 7 * factor}, {3, 7});
  }
}

}  // namespace
}  // namespace fairfront::clustering
