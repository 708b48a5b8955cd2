#include "metrics/paired_gap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "metrics/paired_coverage.hpp"
#include "metrics/quantile.hpp"

namespace fairfront::metrics {
namespace {

TEST(PairedGap, OfAModelWithItselfIsZeroWithLittleDoubt) {
  const std::vector<PairedShare> same{{.both = 300, .neither = 700}, {.both = 500, .neither = 500}};
  const Interval interval = paired_gap_interval(same, 0.95);
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
  const Interval interval = paired_gap_interval(groups, 0.95);
  EXPECT_NEAR(interval.low, value - reach, 1e-12);
  EXPECT_NEAR(interval.high, value + reach, 1e-12);
}

TEST(PairedGap, NeedsTwoGroupsWithRows) {
  EXPECT_FALSE(paired_gap_interval(std::vector<PairedShare>{{.both = 3}}, 0.95).defined());
  const Interval empty = paired_gap_interval(std::vector<PairedShare>{{.both = 3}, {}}, 0.95);
  EXPECT_EQ(empty.undefined_reason, "no row in group 1");
}

TEST(PairedGap, HoldsTheTruth) {
  for (const PairedSetting& setting :
       {PairedSetting{"2 groups", group_rows(2, 200), 0, 0, true},
        PairedSetting{"3 groups of 30 rows", group_rows(3, 30), 0.3, 0.3, false},
        PairedSetting{"6 groups", group_rows(6, 100), 0.3, 0.1, true}}) {
    const Coverage found = paired_coverage(setting, 150, 0.95, 5);
    // Of 150 tables with 93 % each fewer than 129 hold in one of 1,000.
    EXPECT_GE(found.holds, 129) << setting.name;
    EXPECT_EQ(found.inside, 150) << setting.name;
  }
}

}  // namespace
}  // namespace fairfront::metrics
