/// What measures share changes no bit of them.
#include "metrics/ordered_sample.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "metrics/random_scored.hpp"

namespace fairfront::metrics {
namespace {

void expect_same(double a, double b, const std::string& name) {
  if (std::isnan(a) || std::isnan(b)) {
    EXPECT_EQ(std::isnan(a), std::isnan(b)) << name;
  } else {
    EXPECT_EQ(a, b) << name;
  }
}

void expect_the_same_measures(const Scored& alone, const Scored& shared) {
  for (const Measure& measure : ranking()) {
    const Value value = measure.of(alone);
    expect_same(measure.of(shared).value, value.value, measure.what.name);
    EXPECT_EQ(measure.of(shared).undefined_reason, value.undefined_reason);
    if (measure.interval == nullptr) continue;
    const Interval interval = measure.interval(alone, 0.95);
    const Interval found = measure.interval(shared, 0.95);
    expect_same(found.low, interval.low, measure.what.name);
    expect_same(found.high, interval.high, measure.what.name);
    EXPECT_EQ(found.undefined_reason, interval.undefined_reason);
  }
}

TEST(OrderedSample, SharesWhatMeasuresOfOneSampleNeed) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Sample sample = random_small_sample(seed);
    const OrderedSample shared(sample.view());
    expect_the_same_measures(sample.view(), shared.sample());
  }
  for (const std::uint32_t groups : {1U, 2U, 4U, 5U, 20U, 130U}) {
    const Sample sample = large_sample(groups, 2000, groups);
    const OrderedSample shared(sample.view());
    expect_the_same_measures(sample.view(), shared.sample());
  }
}

TEST(OrderedSample, IsNotTakenForOtherRows) {
  const Sample first = large_sample(1, 300, 2);
  const Sample second = large_sample(2, 300, 2);
  const OrderedSample of_first(first.view());
  Scored mixed = of_first.sample();
  mixed.score = second.score;
  mixed.label = second.label;
  mixed.group = second.group;
  expect_the_same_measures(second.view(), mixed);
  mixed = of_first.sample();
  mixed.groups = 3;  // one without rows
  EXPECT_FALSE(of_first.is_of(mixed));
}

}  // namespace
}  // namespace fairfront::metrics
