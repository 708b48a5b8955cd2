#include "solvers/common/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <stdexcept>

#include "solvers/common/budget.hpp"

namespace fairfront::solvers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Budget, GivesAllOrNothing) {
  Budget budget(10);
  EXPECT_TRUE(budget.spend(8));
  EXPECT_FALSE(budget.spend(3));
  EXPECT_EQ(budget.used(), 8);
  EXPECT_EQ(budget.left(), 2);
  EXPECT_TRUE(budget.spend());
  EXPECT_TRUE(budget.spend(1));
  EXPECT_FALSE(budget.spend());
  EXPECT_THROW(Budget(-1), std::invalid_argument);
}

TEST(Spacing, EvenCountsHaveBothEnds) {
  EXPECT_THAT(evenly_spaced(20, 0), IsEmpty());
  EXPECT_THAT(evenly_spaced(20, 1), ElementsAre(0, 20));
  EXPECT_THAT(evenly_spaced(20, 3), ElementsAre(0, 10, 20));
  EXPECT_THAT(evenly_spaced(10, 4), ElementsAre(0, 4, 7, 10));
  EXPECT_THAT(evenly_spaced(3, 100), ElementsAre(0, 1, 2, 3));
}

TEST(Spacing, EvenCountsAreWithinOneOfTheExactPlaces) {
  for (std::int64_t last = 1; last < 60; ++last) {
    for (std::int64_t points = 2; points <= last + 1; ++points) {
      const auto counts = evenly_spaced(last, points);
      ASSERT_EQ(std::ssize(counts), points);
      for (std::int64_t i = 0; i < points; ++i) {
        const std::int64_t scaled = counts[static_cast<std::size_t>(i)] * (points - 1) - i * last;
        EXPECT_GE(scaled, 0);
        EXPECT_LT(scaled, points - 1);
      }
    }
  }
}

TEST(Spacing, LogarithmicCountsHaveEqualRatiosWhereTheyAreWhole) {
  EXPECT_THAT(log_spaced(10000, 5), ElementsAre(1, 10, 100, 1000, 10000));
  EXPECT_THAT(log_spaced(64, 7), ElementsAre(1, 2, 4, 8, 16, 32, 64));
  EXPECT_THAT(log_spaced(64, 1), ElementsAre(64));
  EXPECT_THAT(log_spaced(3, 50), ElementsAre(1, 2, 3));
  EXPECT_THAT(log_spaced(5, 0), IsEmpty());
}

TEST(Recorder, TakesDownItsSeriesAtTheCountsOrTheFirstOnesBeyond) {
  Recorder recorder({"cost", "balance"}, {0, 10, 20, 30});
  for (const std::int64_t used : {0, 4, 8, 12, 16, 20, 35}) {
    if (recorder.due(used)) {
      recorder.record(used, {static_cast<double>(used), 0.5 * static_cast<double>(used)});
    }
  }
  EXPECT_FALSE(recorder.due(1000));
  const Trace trace = std::move(recorder).take();
  EXPECT_THAT(trace.steps, ElementsAre(0, 12, 20, 35));
  EXPECT_THAT(trace.of("cost"), ElementsAre(0, 12, 20, 35));
  EXPECT_THAT(trace.of("balance"), ElementsAre(0, 6, 10, 17.5));
  EXPECT_THROW((void)trace.of("time"), std::out_of_range);
}

TEST(Recorder, RefusesAnotherNumberOfValues) {
  Recorder recorder({"cost"}, {1});
  EXPECT_THROW(recorder.record(1, {1, 2}), std::invalid_argument);
}

void burn(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  while (std::clock() < end) {
  }
}

TEST(Recorder, CountsTheSecondsOfTheMethodWithoutThoseOfTheRecordedValues) {
  Recorder recorder({"cost"}, {1, 2});
  burn(0.05);
  ASSERT_TRUE(recorder.due(1));
  burn(0.3);  // the dear value
  recorder.record(1, {1});
  burn(0.05);
  ASSERT_TRUE(recorder.due(2));
  recorder.record(2, {1});
  const Trace trace = std::move(recorder).take();
  EXPECT_GE(trace.seconds[0], 0.04);
  EXPECT_GE(trace.seconds[1], trace.seconds[0] + 0.04);
  EXPECT_LT(trace.seconds[1], 0.3);
}

TEST(Recorder, GoesOnAfterATraceWithoutItsPointsAgain) {
  Recorder first({"a"}, {0, 10, 20});
  for (const std::int64_t count : {0, 11}) {
    ASSERT_TRUE(first.due(count));
    first.record(count, {static_cast<double>(count)});
  }
  Recorder second({"a"}, {0, 10, 20});
  second.go_on(first.trace());
  EXPECT_FALSE(second.due(15));
  ASSERT_TRUE(second.due(20));
  second.record(20, {20.0});
  const Trace trace = std::move(second).take();
  EXPECT_EQ(trace.steps, (std::vector<std::int64_t>{0, 11, 20}));
  EXPECT_GE(trace.seconds[2], trace.seconds[1]);
  Recorder other({"b"}, {0});
  EXPECT_THROW(other.go_on(first.trace()), std::invalid_argument);
  Trace torn = first.trace();
  torn.values[0].pop_back();
  Recorder third({"a"}, {0});
  EXPECT_THROW(third.go_on(torn), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::solvers
