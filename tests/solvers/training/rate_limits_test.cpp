// Bounds on gaps, ratios and errors of groups: their inequalities against definitions written anew,
// and what [reductions] reaches within them.
#include "solvers/training/rate_limits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "solvers/training/reductions.hpp"
#include "support.hpp"

namespace fairfront::training {
namespace {

using test::Data;

/// As fairlearn has it (metrics.demographic_parity_ratio, equalized_odds_ratio): of every event min
/// over max of the groups, then the smallest.
double ratio_by_definition(const std::vector<double>& rates, std::size_t groups) {
  double smallest = std::nan("");
  for (std::size_t first = 0; first < rates.size(); first += groups) {
    double low = rates[first], high = rates[first];
    for (std::size_t g = 1; g < groups; ++g) {
      low = rates[first + g] < low ? rates[first + g] : low;
      high = rates[first + g] > high ? rates[first + g] : high;
    }
    if (high == 0) continue;
    const double ratio = low / high;
    if (!(smallest < ratio)) smallest = ratio;
  }
  return smallest;
}

bool all_hold(const std::vector<RateInequality>& all, const std::vector<double>& rates) {
  return std::ranges::all_of(all,
                             [&](const RateInequality& one) { return one.excess(rates) <= 1e-12; });
}

TEST(RateLimits, InequalitiesHoldExactlyWhereTheRatioIsWithinTheBound) {
  base::Stream stream(base::StreamKey(4, "test", "ratios"), 0);
  int within = 0, beyond = 0;
  for (const auto& [name, kind] : rate_names()) {
    for (const std::int64_t groups : {2, 3, 6}) {
      const RateCells cells(kind, groups);
      for (int trial = 0; trial < 200; ++trial) {
        std::vector<double> rates(static_cast<std::size_t>(cells.size()));
        for (double& rate : rates) rate = 0.5 + 0.5 * stream.uniform();
        const RateLimit limit{kind, BoundOf::ratio, 0.5 + 0.5 * stream.uniform()};
        const double ratio = ratio_by_definition(rates, static_cast<std::size_t>(groups));
        EXPECT_EQ(bounded_value(BoundOf::ratio, cells, rates), ratio);
        EXPECT_EQ(all_hold(inequalities_of(limit, cells), rates), ratio >= limit.bound) << name;
        EXPECT_EQ(keeps(limit, ratio), ratio >= limit.bound);
        (ratio >= limit.bound ? within : beyond) += 1;
      }
    }
  }
  EXPECT_GT(within, 100);
  EXPECT_GT(beyond, 100);
}

TEST(RateLimits, AreKeptToTheRoundingOfCountsInAnotherOrder) {
  const RateLimit gap{RateKind::demographic_parity, BoundOf::gap, 0.3};
  const RateLimit ratio{RateKind::demographic_parity, BoundOf::ratio, 0.8};
  EXPECT_TRUE(keeps_to_rounding(gap, 0.1 + 0.2));  // 0.30000000000000004
  EXPECT_FALSE(keeps_to_rounding(gap, 0.3 + 1e-11));
  EXPECT_TRUE(keeps_to_rounding(ratio, 0.8 - 1e-15));
  EXPECT_FALSE(keeps_to_rounding(ratio, 0.8 - 1e-11));
  EXPECT_FALSE(keeps(gap, 0.1 + 0.2));
}

TEST(RateLimits, RatesOfZeroHaveNoRatioAndAreEqual) {
  const RateCells odds(RateKind::equalised_odds, 2), parity(RateKind::demographic_parity, 2);
  const RateLimit limit{RateKind::equalised_odds, BoundOf::ratio, 0.8};
  EXPECT_TRUE(std::isnan(smallest_ratio(parity, std::vector<double>{0, 0})));
  EXPECT_EQ(smallest_ratio(parity, std::vector<double>{0, 0.1}), 0);
  EXPECT_EQ(smallest_ratio(odds, std::vector<double>{0.4, 0.5, 0, 0}), 0.8);
  EXPECT_EQ(smallest_ratio(odds, std::vector<double>{0.4, 0.5, 0, 0.1}), 0);
  EXPECT_TRUE(keeps(limit, std::nan("")));
  EXPECT_TRUE(all_hold(inequalities_of(limit, odds), {0, 0, 0, 0}));
  EXPECT_FALSE(all_hold(inequalities_of(limit, odds), {0.4, 0.5, 0, 0.1}));
}

/// Rows whose only feature tells the group: all classifiers and their best mixture are known.
TEST(RateLimits, ReductionsReachTheBestMixtureOfFourClassifiersWithinARatio) {
  Data data(1, 40, 1, 2);
  for (int i = 0; i < 40; ++i) {
    const auto r = static_cast<std::size_t>(i);
    data.features[r] = i % 2 == 0 ? -1 : 1;
    data.labels[r] = i / 2 < (i % 2 == 0 ? 4 : 15) ? 1 : -1;  // of 20 each
  }
  for (const double bound : {0.0, 0.3, 0.8, 0.9, 1.0}) {
    const ReductionsResult found = reductions(
        test::rate_problem_of(data, 2),
        {.bound_of = BoundOf::ratio, .bound = bound, .largest_multiplier = 10, .l2 = 1e-6});
    // P(1) = p0 and p1 in the groups: 19 + 12 p0 - 10 p1 wrong rows of 40, p0 >= bound p1, so that
    // p1 = 1 costs 12 bound and saves 10.
    const double least = (19 - std::max(0.0, 10 - 12 * bound)) / 40;
    EXPECT_NEAR(found.error, least, 1e-3) << bound;
    EXPECT_TRUE(std::isnan(found.bounded) || found.bounded >= bound - 1e-9) << bound;
    EXPECT_TRUE(found.converged) << found.duality_gap;
    EXPECT_LE(found.lower, least + 1e-9);
  }
}

TEST(RateLimits, MixturesKeepARatioForEveryKindAndNumberOfGroups) {
  constexpr double bound = 0.8;
  for (const std::int64_t groups : {2, 3, 5}) {
    Data data(7, 400, 3, 2);
    for (std::size_t i = 0; i < 400; ++i) {
      data.groups[i] = static_cast<std::int32_t>(i % static_cast<std::size_t>(groups));
    }
    for (const auto& [name, rate] : rate_names()) {
      const ReductionsResult found =
          reductions(test::rate_problem_of(data, groups),
                     {.rate = rate, .bound_of = BoundOf::ratio, .bound = bound, .rounds = 15});
      std::vector<double> mixed(found.rates.front().of_cell.size(), 0.0);
      for (std::size_t m = 0; m < found.members.size(); ++m) {
        for (std::size_t k = 0; k < mixed.size(); ++k) {
          mixed[k] += found.shares[m] * found.rates[m].of_cell[k];
        }
      }
      const double ratio = ratio_by_definition(mixed, static_cast<std::size_t>(groups));
      EXPECT_GE(ratio, bound - 1e-8) << name << ", " << groups << " groups";
      EXPECT_NEAR(found.bounded, ratio, 1e-9);
      // The single one is the best of those within, or the one of the largest ratio.
      const double own =
          ratio_by_definition(found.rates[found.best].of_cell, static_cast<std::size_t>(groups));
      for (const Rates& other : found.rates) {
        const double its = ratio_by_definition(other.of_cell, static_cast<std::size_t>(groups));
        const bool within = !(its < bound);
        if (within) {
          EXPECT_FALSE(own < bound);
          EXPECT_LE(found.rates[found.best].error, other.error);
        }
        if (own < bound) {
          EXPECT_GE(own, its);
        }
      }
    }
  }
}

/// Of the rates of a kind, counted anew: true positive rates are of hits.
double largest_error_by_definition(RateKind kind, const std::vector<double>& rates,
                                   std::size_t groups) {
  double largest = 0;
  for (std::size_t k = 0; k < rates.size(); ++k) {
    const bool true_positive =
        kind == RateKind::equal_opportunity || (kind == RateKind::equalised_odds && k < groups);
    largest = std::max(largest, true_positive ? 1 - rates[k] : rates[k]);
  }
  return largest;
}

TEST(RateLimits, InequalitiesHoldExactlyWhereNoGroupHasALargerError) {
  base::Stream stream(base::StreamKey(5, "test", "errors"), 0);
  int within = 0, beyond = 0;
  for (const auto& [name, kind] : rate_names()) {
    if (kind == RateKind::demographic_parity) continue;
    for (const std::int64_t groups : {2, 4}) {
      const RateCells cells(kind, groups);
      for (int trial = 0; trial < 200; ++trial) {
        std::vector<double> rates(static_cast<std::size_t>(cells.size()));
        for (double& rate : rates) rate = stream.uniform();
        const RateLimit limit{kind, BoundOf::worst_group, 0.5 + 0.5 * stream.uniform()};
        const double worst =
            largest_error_by_definition(kind, rates, static_cast<std::size_t>(groups));
        EXPECT_EQ(bounded_value(limit.of, cells, rates), worst);
        EXPECT_EQ(all_hold(inequalities_of(limit, cells), rates), worst <= limit.bound) << name;
        EXPECT_EQ(keeps(limit, worst), worst <= limit.bound);
        (worst <= limit.bound ? within : beyond) += 1;
      }
    }
  }
  EXPECT_GT(within, 100);
  EXPECT_GT(beyond, 100);
}

/// A feature that says nothing: one decision for all, drawn with probability p.
TEST(RateLimits, TheWorstGroupsErrorIsTheLeastThereIsWhereNoneIsWithinTheBound) {
  Data data(1, 40, 1, 2);
  for (int i = 0; i < 40; ++i) {
    const auto r = static_cast<std::size_t>(i);
    data.features[r] = 0;
    data.labels[r] = i / 2 < (i % 2 == 0 ? 4 : 15) ? 1 : -1;  // of 20 each
  }
  // Errors of the groups are .2 + .6 p and .75 - .5 p, of all rows (19 + 2 p) / 40.
  for (const double bound : {0.0, 0.4, 0.6, 0.75, 1.0}) {
    const ReductionsResult found = reductions(
        test::rate_problem_of(data, 2),
        {.rate = RateKind::error_rate_parity, .bound_of = BoundOf::worst_group, .bound = bound});
    const double reached = std::max(bound, 0.5);
    const double p = std::max(0.0, (0.75 - reached) / 0.5);
    EXPECT_NEAR(found.least_bound, 0.5, 1e-9);
    EXPECT_LE(found.bounded, reached + 1e-9) << bound;
    EXPECT_NEAR(found.error, (19 + 2 * p) / 40, 1e-9) << bound;
    EXPECT_GE(found.duality_gap, -1e-9);
    EXPECT_LE(found.lower, found.error + 100 * std::max(0.0, found.bounded - bound) + 1e-9);
  }
}

TEST(RateLimits, NoDrawOfTwoMembersHasASmallerLargestErrorThanTheLeastBound) {
  for (const std::int64_t groups : {2, 3}) {
    const Data data(11, 300, 3, static_cast<int>(groups));
    for (const auto& [name, rate] : rate_names()) {
      if (rate == RateKind::demographic_parity) continue;
      const ReductionsResult found =
          reductions(test::rate_problem_of(data, groups),
                     {.rate = rate, .bound_of = BoundOf::worst_group, .bound = 0, .rounds = 20});
      EXPECT_NEAR(found.bounded, found.least_bound, 1e-9) << name;
      for (const Rates& one : found.rates) {
        for (const Rates& other : found.rates) {
          for (int share = 0; share <= 20; ++share) {
            std::vector<double> mixed = one.of_cell;
            for (std::size_t k = 0; k < mixed.size(); ++k) {
              mixed[k] += share / 20.0 * (other.of_cell[k] - mixed[k]);
            }
            EXPECT_GE(largest_error_by_definition(rate, mixed, static_cast<std::size_t>(groups)),
                      found.least_bound - 1e-9);
          }
        }
      }
    }
  }
}

TEST(RateLimits, ErrorsOfARateThatIsOfNoneAreRefused) {
  const Data data(5, 30, 2, 2);
  EXPECT_THROW((void)reductions(test::rate_problem_of(data, 2), {.bound_of = BoundOf::worst_group}),
               std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::training
