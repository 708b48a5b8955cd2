#include "metrics/interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "metrics/random_scored.hpp"

namespace fairfront::metrics {
namespace {

const base::StreamKey key(7, "test", "bootstrap");

Measure measure_of(const char* name) {
  for (const auto list : {classification(), ranking(), regression()}) {
    for (const Measure& measure : list) {
      if (measure.what.name == name) return measure;
    }
  }
  throw std::out_of_range(name);
}

/// Probabilities of 0 .. n hits in n rows, by their definition.
std::vector<double> binomial(int n, double rate) {
  std::vector<double> probabilities;
  double ways = 0;  // the logarithm of how many
  for (int k = 0; k <= n; ++k) {
    probabilities.push_back(std::exp(ways + k * std::log(rate) + (n - k) * std::log1p(-rate)));
    ways += std::log(n - k) - std::log(k + 1);
  }
  return probabilities;
}
double at_most(int hits, int n, double rate) {
  const std::vector<double> probabilities = binomial(n, rate);
  return std::accumulate(probabilities.begin(), probabilities.begin() + hits + 1, 0.0);
}

/// Clopper and Pearson (1934): of the rates for which so many hits, or more, are not too rare.
TEST(RateInterval, EndsWhereATailOfTheBinomialIsAsRareAsAsked) {
  for (const double level : {0.8, 0.95}) {
    const double tail = (1 - level) / 2;
    for (const int of : {1, 2, 10, 97}) {
      for (int hits = 0; hits <= of; ++hits) {
        const Interval interval = rate_interval(hits, of, level);
        if (hits == 0) {
          EXPECT_EQ(interval.low, 0);
        } else {
          EXPECT_NEAR(1 - at_most(hits - 1, of, interval.low), tail, 1e-10) << hits << of;
        }
        if (hits == of) {
          EXPECT_EQ(interval.high, 1);
        } else {
          EXPECT_NEAR(at_most(hits, of, interval.high), tail, 1e-10) << hits << of;
        }
      }
    }
  }
}

/// The limit at 30 rows without a hit was that of Wilson: below the truth in 9 % of the samples.
TEST(RateInterval, NeitherEndIsOnTheWrongSideOfTheRateMoreOftenThanAsked) {
  constexpr double tail = 0.05;
  for (const int of : {10, 30, 100, 309}) {
    std::vector<Interval> intervals;
    for (int hits = 0; hits <= of; ++hits) intervals.push_back(rate_interval(hits, of, 0.9));
    for (int step = 1; step < 1000; ++step) {
      const double rate = step / 1000.0;
      double below = 0, above = 0;  // probabilities of samples whose interval lies there
      const std::vector<double> probabilities = binomial(of, rate);
      for (std::size_t hits = 0; hits < probabilities.size(); ++hits) {
        if (intervals[hits].high < rate) below += probabilities[hits];
        if (intervals[hits].low > rate) above += probabilities[hits];
      }
      EXPECT_LE(below, tail + 1e-9) << of << ' ' << rate;
      EXPECT_LE(above, tail + 1e-9) << of << ' ' << rate;
    }
  }
}

/// Expected hits of drawn decisions.
TEST(RateInterval, OfExpectedHitsLiesBetweenThoseOfWholeOnes) {
  for (const double hits : {0.25, 3.5, 9.75}) {
    const Interval interval = rate_interval(hits, 10, 0.95);
    EXPECT_GE(interval.low, rate_interval(std::floor(hits), 10, 0.95).low);
    EXPECT_LE(interval.high, rate_interval(std::ceil(hits), 10, 0.95).high);
    EXPECT_LT(interval.low, hits / 10);
    EXPECT_GT(interval.high, hits / 10);
  }
  const Interval few = rate_interval(0.1, 0.3, 0.95);
  EXPECT_TRUE(few.low >= 0 && few.low < 1.0 / 3 && few.high > 1.0 / 3 && few.high <= 1);
}

TEST(Bootstrap, IsAFunctionOfTheStreamAlone) {
  const Sample sample = large_sample(1, 60, 2);
  const Measure auc = measure_of("auc");
  const BootstrapOptions options{.resamples = 100};
  const Interval once = bootstrap_interval(auc, sample.view(), options, key).interval;
  const Interval again = bootstrap_interval(auc, sample.view(), options, key).interval;
  const Interval other =
      bootstrap_interval(auc, sample.view(), options, {8, "test", "bootstrap"}).interval;
  EXPECT_EQ(once.low, again.low);
  EXPECT_EQ(once.high, again.high);
  EXPECT_NE(once.low, other.low);
}

TEST(Bootstrap, OfManyMeasuresIsThatOfEach) {
  const Sample sample = large_sample(2, 60, 2);
  const BootstrapOptions options{.resamples = 50};
  const auto all = bootstrap_intervals(ranking(), sample.view(), options, key);
  ASSERT_EQ(all.size(), ranking().size());
  for (std::size_t m = 0; m < all.size(); ++m) {
    const auto one = bootstrap_interval(ranking()[m], sample.view(), options, key);
    EXPECT_EQ(all[m].interval.defined(), ranking()[m].may_resample) << ranking()[m].what.name;
    if (!all[m].interval.defined()) continue;
    EXPECT_EQ(all[m].interval.low, one.interval.low);
    EXPECT_EQ(all[m].interval.high, one.interval.high);
  }
}

TEST(Bootstrap, GoesOnFromWhatItHasDrawnToTheSameBits) {
  const Sample sample = large_sample(3, 60, 2);
  BootstrapOptions options{.resamples = 40};
  const auto whole = bootstrap_intervals(ranking(), sample.view(), options, key);
  struct Left {};
  for (const std::int64_t end : {1, 17, 40}) {
    Resamples kept;
    options.earlier = {};
    options.after = [&](const Resamples& now) {
      if (now.done < end) return;
      kept = now;
      throw Left{};
    };
    EXPECT_THROW((void)bootstrap_intervals(ranking(), sample.view(), options, key), Left);
    ASSERT_EQ(kept.done, end);
    std::int64_t more = 0;
    options.earlier = kept;
    options.after = [&](const Resamples&) { ++more; };
    const auto resumed = bootstrap_intervals(ranking(), sample.view(), options, key);
    EXPECT_EQ(more, 40 - end);
    for (std::size_t m = 0; m < whole.size(); ++m) {
      EXPECT_EQ(resumed[m].undefined, whole[m].undefined);
      if (!whole[m].interval.defined()) continue;
      EXPECT_EQ(resumed[m].interval.low, whole[m].interval.low);
      EXPECT_EQ(resumed[m].interval.high, whole[m].interval.high);
    }
  }
  options.earlier.done = 41;
  EXPECT_THROW((void)bootstrap_intervals(ranking(), sample.view(), options, key),
               std::invalid_argument);
}

/// The share of decided rows in a resample is binomial, whose quantiles are known.
TEST(Bootstrap, OfARateHasTheQuantilesOfTheBinomialDistribution) {
  Sample sample;
  for (int i = 0; i < 50; ++i) {
    sample.score.push_back(i < 15 ? 1 : 0);
    sample.label.push_back(0);
    sample.group.push_back(0);
  }
  double probability = std::pow(0.7, 50);
  double cumulative = 0;
  std::vector<double> quantiles;
  for (int hits = 0; hits < 50; ++hits) {
    cumulative += probability;
    if (quantiles.size() == 0 && cumulative > 0.05) quantiles.push_back(hits / 50.0);
    if (quantiles.size() == 1 && cumulative > 0.95) quantiles.push_back(hits / 50.0);
    probability *= 0.3 / 0.7 * (50 - hits) / (hits + 1);
  }
  const BootstrapInterval found = bootstrap_interval(measure_of("positive_rate"), sample.view(),
                                                     {.resamples = 20'000, .level = 0.9}, key);
  EXPECT_DOUBLE_EQ(found.interval.low, quantiles[0]);
  EXPECT_DOUBLE_EQ(found.interval.high, quantiles[1]);
}

/// The number of rows that a stratum may not change.
Value rows_of_group_1(const Scored& scored) {
  return defined(static_cast<double>(std::ranges::count(scored.group, 1)));
}
Value positives(const Scored& scored) {
  return defined(static_cast<double>(std::ranges::count(scored.label, 1.0)));
}

TEST(Bootstrap, KeepsTheSizesOfItsStrata) {
  const Sample sample = large_sample(3, 80, 2);
  const Measure group{{"group", "", "", {}, ""}, Needs::decision, rows_of_group_1, nullptr, true};
  const Measure label{{"label", "", "", {}, ""}, Needs::decision, positives, nullptr, true};
  // What is the same in all resamples has no interval.
  const auto varies = [&](const Measure& measure, Strata strata) {
    return bootstrap_interval(measure, sample.view(), {.resamples = 200, .strata = strata}, key)
        .interval.defined();
  };
  EXPECT_TRUE(varies(group, Strata::none));
  EXPECT_FALSE(varies(group, Strata::group));
  EXPECT_FALSE(varies(group, Strata::group_and_label));
  EXPECT_TRUE(varies(label, Strata::none));
  EXPECT_TRUE(varies(label, Strata::group));
  EXPECT_FALSE(varies(label, Strata::group_and_label));
}

TEST(Bootstrap, AgreesWithTheFormulasForLargeSamples) {
  const Sample sample = large_sample(4, 2'000, 2);
  for (const Measure& measure : ranking()) {
    if (!measure.may_resample) continue;
    const Interval formula = measure.interval(sample.view(), 0.95);
    const Interval drawn = bootstrap_interval(measure, sample.view(),
                                              {.resamples = 2'000, .strata = Strata::none}, key)
                               .interval;
    // The ends of a percentile interval from 2,000 resamples are known to about 3 %.
    const double width = formula.high - formula.low;
    EXPECT_NEAR(drawn.low, formula.low, 0.1 * width) << measure.what.name;
    EXPECT_NEAR(drawn.high, formula.high, 0.1 * width) << measure.what.name;
  }
}

TEST(Bootstrap, LeavesOutUndefinedResamplesAndSaysHowMany) {
  // One row with label 1 in group 1, in a resample of ten rows with probability 1 - 0.9^10.
  Sample sample;
  for (int i = 0; i < 20; ++i) {
    sample.score.push_back(i % 4 / 4.0);
    sample.label.push_back(i < 10 ? i % 2 : i == 10);
    sample.group.push_back(i < 10 ? 0 : 1);
  }
  sample.groups = 2;
  Measure gap = measure_of("true_positive_gap");
  gap.may_resample = true;  // its interval would be wrong; what counts here is how it is drawn
  const auto found = bootstrap_interval(gap, sample.view(), {.resamples = 4'000}, key);
  EXPECT_TRUE(found.interval.defined());
  EXPECT_NEAR(static_cast<double>(found.undefined) / 4'000, std::pow(0.9, 10), 0.03);

  sample.label[10] = 0;
  const auto none = bootstrap_interval(gap, sample.view(), {.resamples = 10}, key);
  EXPECT_EQ(none.undefined, 10);
  EXPECT_TRUE(std::isnan(none.interval.low));
  EXPECT_EQ(none.interval.undefined_reason,
            "undefined in 10 of 10 resamples: no row with label 1 in group 1");
}

/// Resamples only add to a maximum: of two groups that are alike no percentile interval of a gap
/// holds the gap, which is 0.
TEST(Bootstrap, GivesNoIntervalOfAMaximum) {
  const Sample sample = large_sample(6, 200, 3);
  std::vector<Measure> all;
  for (const auto list : {classification(), ranking(), regression()}) {
    all.insert(all.end(), list.begin(), list.end());
  }
  for (const Measure& measure : all) {
    const std::string& name = measure.what.name;
    const bool maximum = name.find("gap") != name.npos || name.find("ratio") != name.npos ||
                         name.find("worst") != name.npos || name.find("sum") != name.npos ||
                         name.find("wasserstein") != name.npos ||
                         name.find("kolmogorov") != name.npos || name == "calibration_error";
    EXPECT_EQ(measure.may_resample, !maximum) << name;
    EXPECT_NE(measure.interval, nullptr) << name;
    if (!maximum) continue;
    const Interval interval =
        bootstrap_interval(measure, sample.view(), {.resamples = 5}, key).interval;
    EXPECT_FALSE(interval.defined()) << name;
    EXPECT_TRUE(std::isnan(interval.low)) << name;
  }
}

TEST(Bootstrap, RefusesOptionsOutOfRange) {
  const Sample sample = large_sample(5, 20, 2);
  const Measure auc = measure_of("auc");
  for (const BootstrapOptions& options :
       {BootstrapOptions{.resamples = 1}, BootstrapOptions{.level = 0},
        BootstrapOptions{.level = 1}, BootstrapOptions{.level = std::nan("")}}) {
    EXPECT_THROW(static_cast<void>(bootstrap_interval(auc, sample.view(), options, key)),
                 std::invalid_argument);
  }
}

TEST(Bootstrap, SaysWhenResamplesAreTooFewForAnEndToBeAmongThem) {
  EXPECT_EQ(too_few_resamples(40, 0.95), "");
  EXPECT_NE(too_few_resamples(39, 0.95).find("at least 40 are needed"), std::string::npos);
  EXPECT_EQ(too_few_resamples(20000, 0.9999), "");
  EXPECT_NE(too_few_resamples(2, 0.9999).find("at least 20000"), std::string::npos);
  EXPECT_EQ(too_few_resamples(3, 0.01), "");
}

}  // namespace
}  // namespace fairfront::metrics
