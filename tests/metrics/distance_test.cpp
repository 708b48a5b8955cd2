#include "metrics/distance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/random_scored.hpp"

namespace fairfront::metrics {
namespace {

using Values = std::vector<double>;

Values random_values(base::Stream& stream) {
  Values values(1 + stream.below(9));
  for (double& value : values) value = static_cast<double>(stream.below(7)) - 3;
  std::ranges::sort(values);
  return values;
}

/// Share of the values up to x.
double cdf(const Values& values, double x) {
  return static_cast<double>(std::ranges::count_if(values, [x](double v) { return v <= x; })) /
         static_cast<double>(values.size());
}

/// Every value m times: two lists of equal length then are matched in order.
Values repeated(const Values& values, std::size_t times) {
  Values all;
  for (const double value : values) all.insert(all.end(), times, value);
  return all;
}

double matched(const Values& a, const Values& b, double power) {
  const Values x = repeated(a, b.size());
  const Values y = repeated(b, a.size());
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += std::pow(std::abs(x[i] - y[i]), power);
  return sum / static_cast<double>(x.size());
}

TEST(Wasserstein, IsTheAreaBetweenTheDistributionFunctionsAndTheCostOfTheOrderedMatching) {
  base::Stream stream = stream_of(1);
  for (int i = 0; i < 500; ++i) {
    const Values a = random_values(stream);
    const Values b = random_values(stream);
    double area = 0;  // the values are whole numbers in -3 .. 3
    for (double x = -3; x < 3; ++x) area += std::abs(cdf(a, x) - cdf(b, x));
    EXPECT_NEAR(wasserstein_1(a, b), area, 1e-14);
    EXPECT_NEAR(wasserstein_1(a, b), matched(a, b, 1), 1e-14);
    EXPECT_NEAR(wasserstein_2_squared(a, b), matched(a, b, 2), 1e-14);
    EXPECT_EQ(wasserstein_1(a, a), 0);
    EXPECT_EQ(wasserstein_2_squared(a, a), 0);
  }
}

TEST(KolmogorovSmirnov, IsTheLargestDifferenceOfTheDistributionFunctions) {
  base::Stream stream = stream_of(2);
  for (int i = 0; i < 500; ++i) {
    const Values a = random_values(stream);
    const Values b = random_values(stream);
    double largest = 0;
    for (double x = -3; x <= 3; ++x) largest = std::max(largest, std::abs(cdf(a, x) - cdf(b, x)));
    EXPECT_NEAR(kolmogorov_smirnov(a, b), largest, 1e-15);
    EXPECT_EQ(kolmogorov_smirnov(a, a), 0);
  }
}

/// The public program, step by step: counts per bin of equal width, masses at the right edges, and
/// the coupling of the two histograms in order.
double binned_by_histograms(const Values& reference, const Values& other, int bins) {
  double low = reference.front();
  double high = reference.back();
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  const auto edge = [&](int i) { return i == bins ? high : low + i * ((high - low) / bins); };
  const auto histogram = [&](const Values& values) {
    Values mass(static_cast<std::size_t>(bins), 0.0);
    double inside = 0;
    for (const double value : values) {
      for (int i = 0; i < bins; ++i) {
        const bool last = i == bins - 1;
        if (value >= edge(i) && (value < edge(i + 1) || (last && value == edge(i + 1)))) {
          mass[static_cast<std::size_t>(i)] += 1;
          inside += 1;
        }
      }
    }
    for (double& m : mass) m /= inside;
    return mass;
  };
  Values p = histogram(reference);
  Values q = histogram(other);
  double cost = std::isnan(q.front()) ? q.front() : 0;  // no value inside: 0 / 0
  for (std::size_t i = 0, j = 0; i < p.size() && j < q.size();) {
    const double mass = std::min(p[i], q[j]);
    const double step = edge(static_cast<int>(i) + 1) - edge(static_cast<int>(j) + 1);
    cost += mass * step * step;
    p[i] -= mass;
    q[j] -= mass;
    if (p[i] <= 1e-15) ++i;
    if (j < q.size() && q[j] <= 1e-15) ++j;
  }
  return cost;
}

TEST(BinnedWasserstein, IsThatOfThePublicProgramsHistograms) {
  base::Stream stream = stream_of(3);
  int defined_ones = 0;
  for (int i = 0; i < 500; ++i) {
    const Values reference = random_values(stream);
    const Values other = random_values(stream);
    const int bins = 1 + static_cast<int>(stream.below(6));
    const Value value = binned_wasserstein_2_squared(reference, other, bins);
    const double expected = binned_by_histograms(reference, other, bins);
    EXPECT_EQ(value.defined(), !std::isnan(expected));
    if (!value.defined()) continue;
    ++defined_ones;
    EXPECT_NEAR(value.value, expected, 1e-12);  // the histograms' shares are rounded
  }
  EXPECT_GT(defined_ones, 400);
}

TEST(BinnedWasserstein, LeavesOutWhatIsOutsideTheReferencesRange) {
  const Values reference{0, 1};
  EXPECT_EQ(binned_wasserstein_2_squared(reference, Values{-5, 0, 1, 9}, 50).value, 0);
  EXPECT_FALSE(binned_wasserstein_2_squared(reference, Values{2, 3}, 50).defined());
}

TEST(Distances, AreTheLargestOverAllPairsOfGroups) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Sample sample = random_small_sample(seed);
    std::vector<Values> groups(static_cast<std::size_t>(sample.groups));
    for (std::size_t i = 0; i < sample.score.size(); ++i) {
      groups[static_cast<std::size_t>(sample.group[i])].push_back(sample.score[i]);
    }
    Values all = sample.score;
    std::ranges::sort(all);
    double w1 = 0;
    double w2 = 0;
    double ks = 0;
    double to_all = 0;
    bool empty = false;
    for (Values& group : groups) {
      std::ranges::sort(group);
      empty |= group.empty();
    }
    for (const Values& a : groups) {
      for (const Values& b : groups) {
        if (empty) break;
        w1 = std::max(w1, wasserstein_1(a, b));
        w2 = std::max(w2, wasserstein_2_squared(a, b));
        ks = std::max(ks, kolmogorov_smirnov(a, b));
      }
      if (!empty) to_all = std::max(to_all, kolmogorov_smirnov(a, all));
    }
    const Scored scored = sample.view();
    for (const auto& [value, expected] :
         {std::pair{wasserstein_1(scored), w1}, std::pair{wasserstein_2_squared(scored), w2},
          std::pair{kolmogorov_smirnov(scored), ks},
          std::pair{kolmogorov_smirnov_to_all(scored), to_all}}) {
      EXPECT_EQ(value.defined(), !empty && groups.size() > 1);
      if (value.defined()) {
        EXPECT_NEAR(value.value, expected, 1e-15);
      }
    }
  }
}

TEST(Distances, WithInfiniteScoresOnlyTheOrderIsMeasured) {
  Sample sample = large_sample(4, 20, 2);
  sample.score[3] = std::numeric_limits<double>::infinity();  // in group 1
  EXPECT_EQ(wasserstein_1(sample.view()).undefined_reason, "a score of group 1 is infinite");
  EXPECT_TRUE(kolmogorov_smirnov(sample.view()).defined());
}

TEST(BinnedWasserstein, TakesTheLargestGroupAsReference) {
  const Sample sample{
      .score = {5, 0, 1, 0.5, 1}, .label = {0, 0, 0, 0, 0}, .group = {0, 1, 1, 1, 0}, .groups = 2};
  // 5 is outside the range of group 1, so that of group 0 only the 1 is left.
  EXPECT_EQ(binned_wasserstein_2_squared(sample.view()).value,
            binned_wasserstein_2_squared(Values{0, 0.5, 1}, Values{1}).value);
}

}  // namespace
}  // namespace fairfront::metrics
