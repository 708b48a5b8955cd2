#include "metrics/paired_rates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "metrics/quantile.hpp"

namespace fairfront::metrics {
namespace {

/// The rows of a group with label 1, by what both models say of them.
struct PairedShare {
  std::int64_t both = 0;
  std::int64_t first_only = 0;
  std::int64_t second_only = 0;
  std::int64_t neither = 0;

  [[nodiscard]] std::int64_t rows() const { return both + first_only + second_only + neither; }
};

/// Of the true positive rates; of two rates the second half are false positive ones.
Interval gap_interval(std::span<const PairedShare> shares, double level, std::size_t rates = 1) {
  std::vector<JointDecisions> groups(shares.size() / rates);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const bool label = i < groups.size();
    auto& rows = groups[i % groups.size()].rows;
    rows[JointDecisions::place(label, true, true)] = shares[i].both;
    rows[JointDecisions::place(label, true, false)] = shares[i].first_only;
    rows[JointDecisions::place(label, false, true)] = shares[i].second_only;
    rows[JointDecisions::place(label, false, false)] = shares[i].neither;
  }
  const std::array all{Rate::true_positive, Rate::false_positive};
  return paired_gap_interval(groups, std::span(all).first(rates), level);
}

TEST(PairedGap, OfAModelWithItselfIsZeroWithLittleDoubt) {
  const std::vector<PairedShare> same{{.both = 300, .neither = 700}, {.both = 500, .neither = 500}};
  const Interval interval = gap_interval(same, 0.95);
  EXPECT_NEAR(interval.low, -interval.high, 1e-15);
  EXPECT_GT(interval.high, 0);
  EXPECT_LT(interval.high, 0.01);  // two models without a common row would have 0.09
}

TEST(PairedGap, OfTwoClearExtremesIsTheWaldIntervalOfTheDifferenceOfDifferences) {
  const std::vector<PairedShare> groups{
      {.both = 100, .first_only = 20, .second_only = 60, .neither = 820},
      {.both = 500, .first_only = 200, .second_only = 50, .neither = 250}};
  const double n = 1000;
  double variance = 0;
  for (const PairedShare& group : groups) {
    const double more = n + 2;
    const double p = (static_cast<double>(group.both + group.first_only) + 1) / more;
    const double q = (static_cast<double>(group.both + group.second_only) + 1) / more;
    const double both = (static_cast<double>(group.both) + 0.5) / more;
    variance += (p * (1 - p) + q * (1 - q) - 2 * (both - p * q)) / n;
  }
  const double value = (0.7 - 0.12) - (0.55 - 0.16);
  const double reach = -normal_quantile(0.025 - 0.05 / 20) * std::sqrt(variance);
  const Interval interval = gap_interval(groups, 0.95);
  EXPECT_NEAR(interval.low, value - reach, 1e-12);
  EXPECT_NEAR(interval.high, value + reach, 1e-12);
}

/// The definition, pair by pair of pairs: nothing is left out that decides.
TEST(PairedGap, OfAllPairsIsTheLargestOfTheSmallest) {
  base::Stream stream(base::StreamKey(7, "test", "paired"), 0);
  for (int table = 0; table < 40; ++table) {
    const std::size_t groups = 2 + stream.below(5);
    std::vector<PairedShare> shares(groups);
    for (PairedShare& share : shares) {  // of so few rows that every pair can be the extreme
      share = {1 + stream.below(2), stream.below(3), stream.below(3), 1 + stream.below(2)};
    }
    const double pairs = static_cast<double>(groups * (groups - 1));
    const double reach = -normal_quantile((0.025 - 2 * 0.05 / 40) / pairs);
    const auto covariance = [&](std::size_t g, int x, int y) {  // of x first - y second
      const auto n = static_cast<double>(shares[g].rows());
      const double p = (static_cast<double>(shares[g].both + shares[g].first_only) + 1) / (n + 2);
      const double q = (static_cast<double>(shares[g].both + shares[g].second_only) + 1) / (n + 2);
      const double both = (static_cast<double>(shares[g].both) + 0.5) / (n + 2);
      return (x * x * p * (1 - p) + y * y * q * (1 - q) - 2 * x * y * (both - p * q)) / n;
    };
    const auto difference = [&](std::size_t a, std::size_t b, bool first) {
      const auto rate = [&](const PairedShare& s) {
        return static_cast<double>(s.both + (first ? s.first_only : s.second_only)) /
               static_cast<double>(s.rows());
      };
      return rate(shares[a]) - rate(shares[b]);
    };
    double high = -2;
    for (std::size_t a = 0; a < groups; ++a) {
      for (std::size_t b = 0; b < groups; ++b) {
        double least = 9;
        for (std::size_t c = 0; c < groups && a != b; ++c) {
          for (std::size_t d = 0; d < groups; ++d) {
            if (c == d) continue;
            double variance = 0;
            for (std::size_t g = 0; g < groups; ++g) {
              variance += covariance(g, (a == g) - (b == g), (c == g) - (d == g));
            }
            least = std::min(least, difference(a, b, true) - difference(c, d, false) +
                                        reach * std::sqrt(variance));
          }
        }
        if (a != b) high = std::max(high, least);
      }
    }
    EXPECT_NEAR(gap_interval(shares, 0.95).high, std::min(1.0, high), 1e-12) << table;
  }
}

/// Pair by pair of pairs it were an hour, longer than a test may take.
TEST(PairedGap, FiveHundredGroupsAreCompared) {
  base::Stream stream(base::StreamKey(8, "test", "paired"), 0);
  std::vector<PairedShare> shares(1000);
  for (PairedShare& share : shares) {
    share = {stream.below(20), stream.below(10), stream.below(10), 1 + stream.below(20)};
  }
  EXPECT_TRUE(gap_interval(shares, 0.95, 2).defined());
}

TEST(PairedGap, NeedsTwoGroupsWithRows) {
  EXPECT_FALSE(gap_interval(std::vector<PairedShare>{{.both = 3}}, 0.95).defined());
  const Interval empty = gap_interval(std::vector<PairedShare>{{.both = 3}, {}}, 0.95);
  EXPECT_EQ(empty.undefined_reason, "no row with label 1 in group 1");
}

/// Of two rates that tell the same, each pair can be the extreme: the interval is no narrower.
TEST(PairedGap, OfTwoRatesLooksForTheLargestDifferenceInBoth) {
  const std::vector<PairedShare> clear{{.both = 10, .neither = 990}, {.both = 900, .neither = 100}};
  const std::vector<PairedShare> flat{{.both = 500, .neither = 500}, {.both = 500, .neither = 500}};
  std::vector<PairedShare> both = clear;
  both.insert(both.end(), flat.begin(), flat.end());
  const Interval one = gap_interval(clear, 0.95);
  const Interval two = gap_interval(both, 0.95, 2);
  EXPECT_NEAR(two.high, one.high, 1e-15);  // the flat rate cannot be the extreme
  EXPECT_NEAR(two.low, one.low, 1e-15);
  std::vector<PairedShare> twice = clear;
  twice.insert(twice.end(), clear.begin(), clear.end());
  EXPECT_GT(gap_interval(twice, 0.95, 2).high, one.high);
  EXPECT_EQ(
      gap_interval(std::vector<PairedShare>{{.both = 3}, {.both = 4}, {}, {.both = 1}}, 0.95, 2)
          .undefined_reason,
      "no row with label 0 in group 0");
}

}  // namespace
}  // namespace fairfront::metrics
