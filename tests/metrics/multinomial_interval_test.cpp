#include "metrics/multinomial_interval.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "metrics/paired_rates.hpp"

namespace fairfront::metrics {
namespace {

/// P(X = k) of Binomial(n, p), by its recurrence.
std::vector<double> binomial_probabilities(int n, double p) {
  std::vector<double> found{std::pow(1 - p, n)};
  for (int k = 0; k < n; ++k) found.push_back(found.back() * (n - k) / (k + 1) * p / (1 - p));
  return found;
}

TEST(MultinomialInterval, MidPLimitsHalveTheProbabilityOfWhatIsSeen) {
  for (const int n : {1, 7, 60}) {
    for (const int k : {0, 1, 4, n}) {
      if (k > n) continue;
      const CountLimits limits = mid_p_limits(k, n, 0.025);
      const auto above = [&](double share) {
        const std::vector<double> of = binomial_probabilities(n, share);
        return std::accumulate(of.begin() + k + 1, of.end(), 0.0) +
               of[static_cast<std::size_t>(k)] / 2;
      };
      if (k > 0) {
        EXPECT_NEAR(above(limits.low / n), 0.025, 1e-9) << n << " " << k;
      } else {
        EXPECT_EQ(limits.low, 0);
      }
      if (k < n) {
        EXPECT_NEAR(above(limits.high / n), 0.975, 1e-9) << n << " " << k;
      } else {
        EXPECT_EQ(limits.high, n);
      }
    }
  }
}

/// The second model decides a few more rows 1, and no row less: the misses are all on one side.
TEST(PairedRates, HoldWhereOneModelDecidesAFewRowsMore) {
  for (const int n : {100, 1000}) {
    std::vector<Interval> of_rows;  // by the rows that differ
    for (int k = 0; k <= 40; ++k) {
      JointDecisions all;
      all.rows[JointDecisions::place(false, false, false)] = n / 2 - k;
      all.rows[JointDecisions::place(false, false, true)] = k;
      all.rows[JointDecisions::place(true, true, true)] = n / 2;
      const Rate rate = Rate::positive;
      const double weight = 1;
      of_rows.push_back(paired_rate_interval({&all, 1}, {&rate, 1}, {&weight, 1}, 0.95));
    }
    for (double expected = 0.1; expected <= 12; expected += 0.1) {
      const double share = expected / n;
      const std::vector<double> probabilities = binomial_probabilities(n, share);
      double holds = 0;
      for (std::size_t k = 0; k < of_rows.size(); ++k) {
        const bool inside = of_rows[k].low <= -share && -share <= of_rows[k].high;
        holds += inside ? probabilities[k] : 0;
      }
      EXPECT_GE(holds, 0.93) << n << " rows, " << expected << " expected";
    }
  }
}

/// Of many rows of every kind it is the normal interval.
TEST(PairedRates, OfManyRowsOfEveryKindHaveTheNormalInterval) {
  JointDecisions all;
  all.rows = {4000, 1000, 1500, 2500, 1200, 800, 900, 3100};
  for (const Rate rate : {Rate::error, Rate::false_positive, Rate::positive_predictive}) {
    const double weight = 1;
    const Interval interval = paired_rate_interval({&all, 1}, {&rate, 1}, {&weight, 1}, 0.95);
    const PairedEstimates found = paired_rates({&all, 1}, {&rate, 1});
    const double variance = found.covariance.of(0, 0, 0, 0) + found.covariance.of(0, 1, 0, 1) -
                            2 * found.covariance.of(0, 0, 0, 1);
    const double value = found.of_model[0][0].value - found.of_model[1][0].value;
    const double reach = 1.959963984540054 * std::sqrt(variance);
    EXPECT_NEAR(interval.high - value, reach, 0.02 * reach);
    EXPECT_NEAR(value - interval.low, reach, 0.02 * reach);
  }
}

}  // namespace
}  // namespace fairfront::metrics
