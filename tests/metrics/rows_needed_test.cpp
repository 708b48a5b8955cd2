#include "metrics/rows_needed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace fairfront::metrics {
namespace {

constexpr double tail = 1.6448536269514722;  // of .95

GroupNumbers equal_groups(std::size_t groups, double error) {
  return {std::vector<double>(groups, 0.4), std::vector<double>(groups, error)};
}

/// The .9 quantile of the range of independent standard normals, from tables of the studentised
/// range with infinite degrees of freedom (Harter, 1960).
TEST(RowsNeeded, AtGapZeroItIsTheQuantileOfTheRange) {
  struct Row {
    std::size_t groups;
    double range;
  };
  constexpr double error = 0.02;
  constexpr double bound = 0.1;
  for (const Row row :
       {Row{2, 2.326}, Row{3, 2.902}, Row{4, 3.240}, Row{8, 3.931}, Row{16, 4.519}}) {
    const BoundedGap gap{equal_groups(row.groups, error), bound};
    const double expected = std::pow(error * (row.range + tail * std::sqrt(2.0)) / bound, 2);
    EXPECT_NEAR(growth_for_power({&gap, 1}, tail, 0.9) / expected, 1, 0.01) << row.groups;
  }
}

/// The share of other draws that pass with as many rows is the power, whatever the groups are.
TEST(RowsNeeded, AsManyRowsPassWithThePowerThatIsAskedFor) {
  base::Stream stream(base::StreamKey(3, "test", "rows_needed"), 0);
  for (int repeat = 0; repeat < 12; ++repeat) {
    std::vector<BoundedGap> gaps;
    for (int g = 0; g < 1 + repeat % 2; ++g) {
      BoundedGap& gap = gaps.emplace_back();
      gap.bound = 0.1;
      for (int group = 0; group < 2 + repeat / 2; ++group) {
        gap.of_groups.value.push_back(0.08 * stream.uniform());
        gap.of_groups.error.push_back(0.01 + 0.05 * stream.uniform());
      }
    }
    const double scale = 1 / std::sqrt(growth_for_power(gaps, tail, 0.9));
    constexpr int draws = 20000;
    int passed = 0;
    for (int draw = 0; draw < draws; ++draw) {
      bool all = true;
      for (const auto& [numbers, bound] : gaps) {
        std::vector<double> seen;
        for (std::size_t g = 0; g < numbers.value.size(); ++g) {
          seen.push_back(numbers.value[g] + scale * numbers.error[g] * stream.normal());
        }
        for (std::size_t a = 0; a < seen.size(); ++a) {
          for (std::size_t b = 0; b < seen.size(); ++b) {
            const double width = tail * scale * std::hypot(numbers.error[a], numbers.error[b]);
            all = all && (a == b || seen[a] - seen[b] + width <= bound);
          }
        }
      }
      passed += all ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(passed) / draws, 0.9, 0.012) << repeat;
  }
}

TEST(RowsNeeded, NoRowsShowABoundThatIsBroken) {
  BoundedGap gap{equal_groups(3, 0.01), 0.1};
  gap.of_groups.value = {0.2, 0.31, 0.25};
  EXPECT_TRUE(std::isinf(growth_for_power({&gap, 1}, tail, 0.9)));
  gap.of_groups.value[1] = 0.29;
  EXPECT_TRUE(std::isfinite(growth_for_power({&gap, 1}, tail, 0.9)));
}

bool shows(const GroupNumbers& seen, double scale, double bound) {
  for (std::size_t a = 0; a < seen.value.size(); ++a) {
    for (std::size_t b = 0; b < seen.value.size(); ++b) {
      const double width = tail * scale * std::hypot(seen.error[a], seen.error[b]);
      if (a != b && seen.value[a] - seen.value[b] + width > bound) return false;
    }
  }
  return true;
}

GroupNumbers drawn(const GroupNumbers& truth, double scale, base::Stream& stream) {
  GroupNumbers seen = truth;
  for (std::size_t g = 0; g < seen.value.size(); ++g) {
    seen.value[g] += scale * truth.error[g] * stream.normal();
  }
  return seen;
}

/// Truths as the function takes them to be, each with data of its own that are drawn again until
/// the test fails: then as many rows as are called for pass nine times in ten.
TEST(RowsNeeded, AfterAFailureThePowerHoldsOverWhatMayBeTrue) {
  base::Stream stream(base::StreamKey(5, "test", "after_failure"), 0);
  constexpr double bound = 0.1;
  struct Case {
    std::size_t groups;
    double expected_range;  // of standard normals: Tippett (1925)
    double error;
  };
  for (const Case& one : {Case{2, 1.128, 0.02}, Case{2, 1.128, 0.04}, Case{5, 2.326, 0.02}}) {
    double power = 0;
    int said = 0;
    while (said < 150) {
      GroupNumbers truth = equal_groups(one.groups, one.error);
      const double deviation = stream.uniform() * bound / one.expected_range;
      for (double& value : truth.value) value += deviation * stream.normal();
      const auto [least, most] = std::ranges::minmax(truth.value);
      if (most - least >= bound) continue;
      GroupNumbers tested = drawn(truth, 1, stream);
      while (shows(tested, 1, bound)) tested = drawn(truth, 1, stream);
      const SeenGap gap{tested, drawn(truth, 1, stream), bound};
      const double growth = growth_after_failure({&gap, 1}, tail, 0.9);
      if (std::isinf(growth)) continue;
      ++said;
      constexpr int draws = 400;
      for (int draw = 0; draw < draws; ++draw) {
        const double scale = 1 / std::sqrt(growth);
        power += shows(drawn(truth, scale, stream), scale, bound) ? 1.0 / draws : 0;
      }
    }
    EXPECT_NEAR(power / said, 0.9, 0.04) << one.groups << " " << one.error;
  }
}

/// Which sharp data leave as little to guess as a known truth does.
TEST(RowsNeeded, AfterAFailureSharpDataCallForWhatTheTruthCallsFor) {
  const GroupNumbers seen{{0.3, 0.37}, {1e-3, 1e-3}};
  const SeenGap sharp{{{0.3, 0.37}, {0.05, 0.05}}, seen, 0.1};
  const BoundedGap known{{{0.3, 0.37}, {0.05, 0.05}}, 0.1};
  EXPECT_NEAR(
      growth_after_failure({&sharp, 1}, tail, 0.9) / growth_for_power({&known, 1}, tail, 0.9), 1,
      0.05);
}

TEST(RowsNeeded, AfterAFailureNoNumberIsSaidOfABoundThatIsRatherBroken) {
  SeenGap gap{equal_groups(3, 0.01), equal_groups(3, 0.01), 0.1};
  gap.tested.value = gap.decided.value = {0.2, 0.33, 0.25};
  EXPECT_TRUE(std::isinf(growth_after_failure({&gap, 1}, tail, 0.9)));
  gap.tested.value = gap.decided.value = {0.2, 0.27, 0.25};
  EXPECT_TRUE(std::isfinite(growth_after_failure({&gap, 1}, tail, 0.9)));
}

/// As of thresholds at which groups have equal rates where rows decide: there the truth is off by
/// the error of a rate, and one set of other rows tests it. Those that fail, and keep the bound in
/// truth, pass nine times in ten with as many rows as are called for. As long as the rows that
/// decide counted as evidence that groups are alike, far fewer passed.
TEST(RowsNeeded, AfterAFitThePowerHoldsOverWhatMayBeTrue) {
  base::Stream stream(base::StreamKey(6, "test", "after_fit"), 0);
  constexpr double error = 0.02;
  double power_of_picked = 0, all = 0;
  for (const std::size_t groups : std::array<std::size_t, 3>{2, 4, 8}) {
    const double bound = (groups == 2 ? 3 : 5) * error;
    double power = 0;
    int said = 0;
    while (said < 60) {
      const GroupNumbers decided = equal_groups(groups, error);
      const GroupNumbers truth = drawn(decided, 1, stream);
      const auto [least, most] = std::ranges::minmax(truth.value);
      const GroupNumbers tested = drawn(truth, 1, stream);
      if (most - least >= bound || shows(tested, 1, bound)) continue;
      const SeenGap gap{tested, decided, bound};
      const double growth = growth_after_fit({&gap, 1}, tail);
      if (std::isinf(growth)) continue;
      EXPECT_GE(growth, 1);
      ++said;
      const double of_picked = growth_after_failure({&gap, 1}, tail, 0.9);
      constexpr int draws = 200;
      for (int draw = 0; draw < draws; ++draw) {
        const double scale = 1 / std::sqrt(growth);
        power += shows(drawn(truth, scale, stream), scale, bound) ? 1.0 / draws : 0;
        const double other = 1 / std::sqrt(of_picked);
        power_of_picked += shows(drawn(truth, other, stream), other, bound) ? 1.0 / draws : 0;
      }
    }
    EXPECT_NEAR(power / said, 0.9, 0.05) << groups;
    all += said;
  }
  EXPECT_LT(power_of_picked / all, 0.8);
}

/// Where the truth is known, each doubling of the rows up to the number raises the power by .065.
TEST(RowsNeeded, AfterAFitADoublingOfTheRowsIsWorthIt) {
  const GroupNumbers truth{{0.3, 0.36}, {1e-6, 1e-6}};
  const SeenGap gap{{truth.value, {0.04, 0.04}}, truth, 0.1};
  const auto worth = [](double growth) {
    const double deviation = 0.04 * std::sqrt(2 / growth);
    const double power = std::erfc((tail - (0.1 - 0.06) / deviation) / std::sqrt(2.0)) / 2;
    return power - 0.065 * std::log2(growth);
  };
  double most = -1;
  for (double growth = 1; growth < 1000; growth *= 1.01) most = std::max(most, worth(growth));
  const double growth = growth_after_fit({&gap, 1}, tail);
  EXPECT_NEAR(worth(growth), most, 0.003) << growth;
  EXPECT_LT(worth(1.5 * growth), most - 0.005);
  EXPECT_LT(worth(growth / 1.5), most - 0.005);
}

TEST(RowsNeeded, AfterAFitNoNumberIsSaidOfABoundThatIsRatherBroken) {
  SeenGap gap{equal_groups(3, 0.01), equal_groups(3, 0.01), 0.1};
  gap.tested.value = {0.3, 0.55, 0.4};
  EXPECT_TRUE(std::isinf(growth_after_fit({&gap, 1}, tail)));
  gap.tested.value = {0.3, 0.42, 0.4};
  EXPECT_TRUE(std::isfinite(growth_after_fit({&gap, 1}, tail)));
}

/// The same numbers in analysis/test_rows_needed.py.
TEST(RowsNeeded, PythonSaysTheSame) {
  const SeenGap one{
      {{0.31, 0.36, 0.3}, {0.02, 0.03, 0.025}}, {{0.32, 0.32, 0.32}, {0.018, 0.028, 0.022}}, 0.1};
  const SeenGap other{
      {{0.71, 0.66, 0.7}, {0.03, 0.02, 0.035}}, {{0.68, 0.69, 0.68}, {0.02, 0.028, 0.03}}, 0.12};
  const std::vector<SeenGap> both{one, other};
  EXPECT_NEAR(growth_after_fit({&one, 1}, tail), 6.006691563118209, 1e-9);
  EXPECT_NEAR(growth_after_fit(both, tail), 7.277508057800575, 1e-9);
  EXPECT_NEAR(growth_after_failure(both, tail, 0.9), 2.895036915994264, 1e-9);
}

TEST(RowsNeeded, PooledNumbersAreWeightedByTheirPrecision) {
  const GroupNumbers both = pooled({{0.1}, {0.03}}, {{0.4}, {0.06}});
  EXPECT_NEAR(both.value[0], 0.16, 1e-15);
  EXPECT_NEAR(both.error[0], 1 / std::sqrt(1 / 0.0009 + 1 / 0.0036), 1e-15);
}

}  // namespace
}  // namespace fairfront::metrics
