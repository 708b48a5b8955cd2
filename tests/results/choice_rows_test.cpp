#include "results/choice_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "metrics/contrast.hpp"

namespace fairfront::results {
namespace {

constexpr double z = 1.6448536269514722;        // of a one-sided limit of confidence .95
constexpr double of_one = 1.2815515655446004;   // the quantile of .9
constexpr double of_both = 1.6448536269514722;  // of (1 + .9) / 2
const PartRoles roles{"validation", "choice", "test"};

/// Of two groups on both parts, all with one standard error.
Measure gap_of(const std::string& name, double one, double other, double error) {
  Measure measure;
  measure.what.name = name;
  measure.parts = {"validation", "choice"};
  measure.groups = {"all", "men", "women"};
  for (int part = 0; part < 2; ++part) {
    measure.values.insert(measure.values.end(), {std::abs(one - other), 0, 1});
    for (const double rate : {one, other}) {
      measure.values.insert(measure.values.end(), {rate, rate - z * error, rate + z * error});
    }
  }
  return measure;
}

std::vector<RowsAtTruth> rows_of(const std::vector<FailedBound>& bounds,
                                 const std::vector<Measure>& measures) {
  return rows_at_truths(bounds, measures, roles, 0, 0.95);
}

/// At a gap of 0 the limits of both orders must pass, and far from it one: the other one passes.
TEST(RowsAtTruths, OfTwoGroupsAreThoseOfOneNormalDifference) {
  const double error = 0.01;
  const auto found =
      rows_of({{{"gap", true, 0.1}, 0.03, {0.03, 0, 0.12}}}, {gap_of("gap", 0.3, 0.33, error)});
  ASSERT_EQ(found.size(), 3u);
  const double deviation = error * std::sqrt(2.0);
  EXPECT_EQ(found[0].truth, std::vector<double>{0});
  EXPECT_NEAR(found[0].times / std::pow(deviation * (z + of_both) / 0.1, 2), 1, 0.01);
  EXPECT_EQ(found[1].truth, std::vector<double>{0.05});
  EXPECT_NEAR(found[1].times / std::pow(deviation * (z + of_one) / 0.05, 2), 1, 0.01);
  EXPECT_NEAR(found[2].truth[0], 0.08, 1e-15);
  EXPECT_NEAR(found[2].times / std::pow(deviation * (z + of_one) / 0.02, 2), 1, 0.01);
}

/// Groups that are alike on both parts have no pattern of their own.
TEST(RowsAtTruths, GroupsThatLookAlikeAreSpreadEvenly) {
  const auto found =
      rows_of({{{"gap", true, 0.1}, 0, {0, 0, 0.12}}}, {gap_of("gap", 0.3, 0.3, 0.01)});
  EXPECT_NEAR(found[1].times / std::pow(0.01 * std::sqrt(2.0) * (z + of_one) / 0.05, 2), 1, 0.01);
}

/// The larger of two gaps is what is bounded; the smaller one is as much smaller as it looks.
TEST(RowsAtTruths, OfTwoGapsTheLargerOneIsTheTruth) {
  const FailedBound failed{{"separation_gap", true, 0.1}, 0.04, {0.04, 0, 0.12}};
  const Measure larger = gap_of("true_positive_gap", 0.5, 0.54, 0.02);
  const Measure smaller = gap_of("false_positive_gap", 0.2, 0.21, 1e-4);
  const double alone =
      rows_of({{{"true_positive_gap", true, 0.1}, 0.04, {0.04, 0, 0.12}}}, {larger})[2].times;
  EXPECT_NEAR(rows_of({failed}, {larger, smaller})[2].times / alone, 1, 0.01);
}

/// A rate whose limit is the normal one: from midway between both parts on the way to the bound.
TEST(RowsAtTruths, OfASingleRateAreThoseOfItsLimit) {
  const FailedBound failed{{"error", true, 0.2}, 0.18, {0.19, 0.19 - z * 0.01, 0.19 + z * 0.01}};
  const auto found = rows_of({failed}, {});
  EXPECT_NEAR(found[0].truth[0], 0.185, 1e-15);
  EXPECT_NEAR(found[0].times / std::pow(0.01 * (z + of_one) / 0.015, 2), 1, 0.01);
  EXPECT_NEAR(found[2].truth[0], 0.197, 1e-15);
  EXPECT_NEAR(found[2].times / std::pow(0.01 * (z + of_one) / 0.003, 2), 1, 0.01);
}

/// There is no truth on the way to a bound that both parts break, to one of 0, and none that one
/// number tells of what several groups make. Some were rates below 0.
TEST(RowsAtTruths, AreNotSaidWhereNoTruthIsKnown) {
  const FailedBound broken{{"auc", false, 0.8}, 0.78, {0.79, 0.79 - z * 0.01, 0.79 + z * 0.01}};
  EXPECT_TRUE(rows_of({broken}, {}).empty());
  EXPECT_TRUE(rows_of({{{"gap", true, 0}, 0.03, {0.03, 0, 0.12}}}, {gap_of("gap", 0.3, 0.33, 0.01)})
                  .empty());
  Measure sum = gap_of("separation_sum", 0.3, 0.33, 0.01);
  sum.what.unit = "share";
  sum.at_groups = AtGroups::made_by;
  for (std::size_t i = 0; i < sum.values.size(); ++i) {
    if (i % 9 >= 3) sum.values[i] = std::nan("");
  }
  const FailedBound of_sum{{"separation_sum", true, 0.9}, 0.8, {0.85, 0.7, 1}};
  EXPECT_TRUE(rows_of({of_sum}, {sum}).empty());
  sum.at_groups = AtGroups::own;
  sum.groups = {"all"};
  EXPECT_TRUE(rows_of({of_sum}, {sum}).empty());
}

/// Two bounds of rows apart are to pass together: each alone with the root of the probability.
TEST(RowsAtTruths, OfTwoBoundsBothPassAtOnce) {
  const FailedBound one{{"error", true, 0.2}, 0.18, {0.18, 0.18 - z * 0.01, 0.18 + z * 0.01}};
  const FailedBound other{{"rate", false, 0.5}, 0.52, {0.52, 0.52 - z * 0.01, 0.52 + z * 0.01}};
  const auto found = rows_of({one, other}, {});
  const double of_root = 1.6322187896168654;  // the quantile of the root of .9
  EXPECT_NEAR(found[0].times / std::pow(0.01 * (z + of_root) / 0.02, 2), 1, 0.01);
  ASSERT_EQ(found[1].truth.size(), 2u);
  EXPECT_NEAR(found[1].truth[1], 0.51, 1e-12);
}

Measured rate_of(double hits, double rows) {
  const metrics::Limits limits = metrics::limits_of(metrics::proportion(hits, rows), 0.05);
  return {limits.value, limits.low(), limits.high()};
}

/// With which probability so many rows show that a rate is below the bound: a sum over all counts.
double exact_power(double rate, double rows, double bound) {
  double power = 0;
  for (double hits = 0; hits <= rows; ++hits) {
    if (rate_of(hits, rows).high > bound) break;
    power += std::exp(std::lgamma(rows + 1) - std::lgamma(hits + 1) - std::lgamma(rows - hits + 1) +
                      hits * std::log(rate) + (rows - hits) * std::log1p(-rate));
  }
  return power;
}

/// Intervals of rates are wider than those of normal numbers, the more so the fewer rows there are.
TEST(RowsAtTruths, OfFewRowsHaveThePowerOfExactLimits) {
  Measure error;
  error.what.name = "error";
  error.what.unit = "share";
  error.groups = {"all", "men", "women"};
  for (const double rows : {100.0, 400.0, 1600.0}) {
    for (const double rate : {0.03, 0.1, 0.3, 0.95}) {
      const FailedBound failed{
          {"error", true, rate + 0.02}, rate, rate_of(std::round(rate * rows), rows)};
      for (const RowsAtTruth& at : rows_of({failed}, {error})) {
        const double power =
            exact_power(at.truth[0], std::ceil(at.times * rows), failed.bound.limit);
        EXPECT_GT(power, 0.85) << rows << " rows, " << rate << ", in truth " << at.truth[0];
        EXPECT_LT(power, 0.95) << rows << " rows, " << rate << ", in truth " << at.truth[0];
      }
    }
  }
}

}  // namespace
}  // namespace fairfront::results
