#include "metrics/auc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "metrics/interval.hpp"
#include "metrics/random_scored.hpp"

namespace fairfront::metrics {
namespace {

std::vector<std::size_t> rows_of(const Sample& sample, const Subset& subset) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < sample.score.size(); ++i) {
    if (subset.positive && *subset.positive != (sample.label[i] > 0)) continue;
    if (subset.group && *subset.group != sample.group[i]) continue;
    rows.push_back(i);
  }
  return rows;
}

/// 1, 1/2 or 0.
double wins(double above, double below) { return above > below ? 1 : above == below ? 0.5 : 0; }

/// By the definition; NaN without pairs.
double quadratic_auc(const Sample& sample, const Subset& above, const Subset& below) {
  double sum = 0;
  double pairs = 0;
  for (const std::size_t i : rows_of(sample, above)) {
    for (const std::size_t j : rows_of(sample, below)) {
      sum += wins(sample.score[i], sample.score[j]);
      ++pairs;
    }
  }
  return sum / pairs;
}

std::vector<Subset> all_subsets(std::int64_t groups) {
  std::vector<Subset> subsets;
  for (const std::optional<bool> positive : {std::optional<bool>{}, {true}, {false}}) {
    subsets.push_back({positive, {}});
    for (std::int32_t g = 0; g < groups; ++g) subsets.push_back({positive, g});
  }
  return subsets;
}

TEST(Auc, IsTheDoubleSumOverAllPairsForAnyTwoSets) {
  int undefined_ones = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Sample sample = random_small_sample(seed);
    const SortedCells cells(sample.view());
    const RowsInOrder rows(sample.view());
    const SortedCells by_rows(sample.view(), &rows);
    for (const Subset& above : all_subsets(sample.groups)) {
      for (const Subset& below : all_subsets(sample.groups)) {
        const double expected = quadratic_auc(sample, above, below);
        const Value auc = cells.auc(above, below);
        EXPECT_EQ(auc.defined(), !std::isnan(expected));
        if (!auc.defined()) {
          ++undefined_ones;
          EXPECT_TRUE(std::isnan(auc.value));
          const Subset& empty = rows_of(sample, above).empty() ? above : below;
          EXPECT_EQ(auc.undefined_reason, "no " + empty.name());
          continue;
        }
        EXPECT_EQ(auc.value, expected);  // both are one quotient of exact counts
        EXPECT_EQ(auc_between(sample.view(), above, below).value, auc.value);
        EXPECT_EQ(by_rows.auc(above, below).value, auc.value);
      }
    }
  }
  EXPECT_GT(undefined_ones, 0);
}

/// Cells are merged, counted ahead, and merged again.
class ManyGroups : public testing::TestWithParam<std::uint32_t> {};
TEST_P(ManyGroups, AucIsTheDoubleSum) {
  base::Stream stream = stream_of(4);
  const Sample sample = random_sample(stream, 900, GetParam(), 50);
  const SortedCells cells(sample.view());
  for (const Subset& above : {Subset{.positive = true}, Subset{.group = 3}, Subset{true, 7}}) {
    for (const Subset& below : {Subset{}, Subset{.positive = false}, Subset{.group = 5}}) {
      EXPECT_EQ(cells.auc(above, below).value, quadratic_auc(sample, above, below));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Auc, ManyGroups, testing::Values(8u, 24u, 128u, 200u));

TEST(Auc, SwappedSetsAddUpToOneAndASetWithItselfIsOneHalf) {
  const Sample sample = large_sample(1, 5'000, 3);
  const SortedCells cells(sample.view());
  for (const Subset& above : all_subsets(3)) {
    EXPECT_EQ(cells.auc(above, above).value, 0.5);
    for (const Subset& below : all_subsets(3)) {
      EXPECT_DOUBLE_EQ(cells.auc(above, below).value + cells.auc(below, above).value, 1);
    }
  }
}

TEST(Auc, IsTheSameAfterAMonotoneTransformationAndForRowsInOrder) {
  const Sample sample = large_sample(2, 5'000, 2);
  Sample transformed = sample;
  for (double& score : transformed.score) score = score * score * score - 7;
  std::vector<std::size_t> order(sample.score.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return sample.score[i]; });
  Sample ascending = sample;
  for (std::size_t i = 0; i < order.size(); ++i) {
    ascending.score[i] = sample.score[order[i]];
    ascending.label[i] = sample.label[order[i]];
    ascending.group[i] = sample.group[order[i]];
  }
  for (const Measure& measure : ranking()) {
    const double value = measure.of(sample.view()).value;
    EXPECT_EQ(measure.of(transformed.view()).value, value) << measure.what.name;
    EXPECT_EQ(measure.of(ascending.view()).value, value) << measure.what.name;
  }
}

TEST(Auc, RanksInfiniteScoresAndRefusesNan) {
  const double infinity = std::numeric_limits<double>::infinity();
  Sample sample{
      .score = {-infinity, 0, infinity, infinity}, .label = {0, 1, 0, 1}, .group = {0, 0, 0, 0}};
  EXPECT_EQ(auc_between(sample.view(), Subset{.positive = true}, Subset{.positive = false}).value,
            2.5 / 4);
  sample.score[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(SortedCells(sample.view())), base::InputError);
}

/// DeLong, DeLong, Clarke-Pearson (1988) as printed: S10 / m + S01 / n.
double delong_variance(const std::vector<double>& x, const std::vector<double>& y) {
  const auto sample_variance = [](const std::vector<double>& values) {
    double mean = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    double sum = 0;
    for (const double value : values) sum += (value - mean) * (value - mean);
    return sum / static_cast<double>(values.size() - 1);
  };
  std::vector<double> v10(x.size(), 0);
  std::vector<double> v01(y.size(), 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      v10[i] += wins(x[i], y[j]) / static_cast<double>(y.size());
      v01[j] += wins(x[i], y[j]) / static_cast<double>(x.size());
    }
  }
  return sample_variance(v10) / static_cast<double>(x.size()) +
         sample_variance(v01) / static_cast<double>(y.size());
}

TEST(EstimateAuc, OfTwoDisjointSetsHasTheVarianceOfDeLong) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    base::Stream stream = stream_of(seed);
    const Sample sample = random_sample(stream, 40, 2, 8);
    const Subset above{.positive = true};
    const Subset below{.positive = false};
    std::vector<double> x;
    std::vector<double> y;
    for (const std::size_t i : rows_of(sample, above)) x.push_back(sample.score[i]);
    for (const std::size_t i : rows_of(sample, below)) y.push_back(sample.score[i]);
    const AucEstimate estimate = estimate_auc(sample.view(), {{{1, above, below}}, 0});
    EXPECT_EQ(estimate.value.value, quadratic_auc(sample, above, below));
    EXPECT_NEAR(estimate.standard_error * estimate.standard_error, delong_variance(x, y), 1e-14);
  }
}

TEST(EstimateAuc, OfTwoDifferencesWithoutACommonRowAddsTheVariances) {
  const Sample sample = large_sample(3, 300, 2);
  const AucTerm first{1, Subset{true, 0}, Subset{false, 0}};
  const AucTerm second{-1, Subset{true, 1}, Subset{false, 1}};
  const AucEstimate a = estimate_auc(sample.view(), {{first}, 0});
  const AucEstimate b = estimate_auc(sample.view(), {{second}, 0});
  const AucEstimate ab = estimate_auc(sample.view(), {{first, second}, 0.25});
  EXPECT_DOUBLE_EQ(ab.value.value, 0.25 + a.value.value + b.value.value);
  EXPECT_DOUBLE_EQ(ab.standard_error, std::hypot(a.standard_error, b.standard_error));
}

TEST(EstimateAuc, OfAllRowsAgainstAllRowsIsOneHalfWithoutAnyError) {
  const Sample sample = large_sample(4, 200, 2);
  const AucEstimate estimate = estimate_auc(sample.view(), {{{1, Subset{}, Subset{}}}, 0});
  EXPECT_EQ(estimate.value.value, 0.5);
  EXPECT_NEAR(estimate.standard_error, 0, 1e-15);
}

/// The infinitesimal jackknife by differences: how the value moves when one row is there twice.
TEST(EstimateAuc, OfOverlappingSetsAgreesWithTheJackknife) {
  const Sample sample = large_sample(5, 400, 2);
  const Subset above{.positive = true, .group = 1};
  const Subset below{.positive = true};  // holds all of `above`
  const AucEstimate estimate = estimate_auc(sample.view(), {{{1, above, below}}, 0});
  const auto n = static_cast<double>(sample.score.size());
  double sum = 0;
  double sum_of_squares = 0;
  for (std::size_t left_out = 0; left_out < sample.score.size(); ++left_out) {
    Sample rest = sample;
    rest.score.erase(rest.score.begin() + static_cast<std::ptrdiff_t>(left_out));
    rest.label.erase(rest.label.begin() + static_cast<std::ptrdiff_t>(left_out));
    rest.group.erase(rest.group.begin() + static_cast<std::ptrdiff_t>(left_out));
    const double value = auc_between(rest.view(), above, below).value;
    sum += value;
    sum_of_squares += value * value;
  }
  const double jackknife = std::sqrt((n - 1) / n * (sum_of_squares - sum * sum / n));
  // The two differ by terms of the order 1 / (rows of the smaller set), here 1/100.
  EXPECT_NEAR(estimate.standard_error / jackknife, 1, 0.02);
}

TEST(EstimateAuc, HasNoErrorWhereASetHasOneRow) {
  const Sample sample{.score = {0, 1, 2}, .label = {0, 0, 1}, .group = {0, 0, 0}};
  const AucSum sum{{{1, Subset{.positive = true}, Subset{.positive = false}}}, 0};
  EXPECT_EQ(estimate_auc(sample.view(), sum).value.value, 1);
  EXPECT_TRUE(std::isnan(estimate_auc(sample.view(), sum).standard_error));
  // One row with label 1 is worth one draw: an AUC of 1 has the limits of 1 in 1.
  const Measure auc = select(ranking(), std::vector<std::string>{"auc"}).front();
  const Interval interval = auc.interval(sample.view(), 0.95);
  EXPECT_NEAR(interval.low, 0.025, 1e-12);
  EXPECT_EQ(interval.high, 1);
}

}  // namespace
}  // namespace fairfront::metrics
