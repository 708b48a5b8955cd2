#include "solvers/clustering/list_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace fairfront::clustering {
namespace {

constexpr std::int64_t iterations = 2000;
constexpr std::int64_t budget = 400;

std::int64_t length_at(std::int64_t iteration) {
  const double grown = 10 * std::sqrt(static_cast<double>(iteration + 1));
  return std::min(budget, static_cast<std::int64_t>(grown));
}

double growing_work(std::int64_t iteration) { return 1 + static_cast<double>(iteration) / 500; }

/// The largest factor between what is said to be left and what is, from a twentieth of the time on
/// up to its last hundredth.
double worst_factor(const std::function<double(std::int64_t)>& seconds_of) {
  double all = 0;
  for (std::int64_t t = 0; t < iterations; ++t) all += seconds_of(t);
  ListClock clock(growing_work);
  double passed = 0;
  double worst = 1;
  for (std::int64_t t = 0; t < iterations; ++t) {
    clock.count(length_at(t), seconds_of(t));
    passed += seconds_of(t);
    if (passed < 0.05 * all || passed > 0.99 * all) continue;
    const double share = clock.share_done({t + 1, iterations, length_at(t + 1), budget, false});
    const double said = passed / share - passed;
    worst = std::max({worst, said / (all - passed), (all - passed) / said});
  }
  return worst;
}

double work_at(std::int64_t t) { return growing_work(t) * static_cast<double>(length_at(t)); }

TEST(ListClock, FollowsAListThatGrowsAndItsEntriesThatLookAtMore) {
  EXPECT_LT(worst_factor([](std::int64_t t) { return 1e-5 * work_at(t); }), 1.15);
}

/// As on more ranks than cores, where most of an iteration is waiting.
TEST(ListClock, KnowsTimeThatAllIterationsTakeWhateverTheirWork) {
  EXPECT_LT(worst_factor([](std::int64_t t) { return 0.01 + 1e-7 * work_at(t); }), 1.15);
  EXPECT_LT(worst_factor([](std::int64_t) { return 0.01; }), 1.15);
  const auto noisy = [](std::int64_t t) { return t % 7 == 0 ? 0.03 : 0.004 + 1e-6 * work_at(t); };
  EXPECT_LT(worst_factor(noisy), 1.3);
}

TEST(ListClock, TheSecondsLeftFollowCoresThatBecomeBusy) {
  ListClock clock(growing_work);
  constexpr std::int64_t busy_from = 1000;
  constexpr std::int64_t done = 1600;  // more are busy ones than are ahead
  const auto seconds_of = [](std::int64_t t) { return (t < busy_from ? 1e-5 : 3e-5) * work_at(t); };
  for (std::int64_t t = 0; t < done; ++t) clock.count(length_at(t), seconds_of(t));
  double left = 0;
  for (std::int64_t t = done; t < iterations; ++t) left += seconds_of(t);
  const ListCourse course{done, iterations, length_at(done), budget, false};
  EXPECT_NEAR(clock.seconds_left(course).value() / left, 1, 0.1);
}

TEST(ListClock, NothingIsKnownOfTheSecondsLeftBeforeTheFirstIteration) {
  ListClock clock(growing_work);
  clock.count_before(10);
  EXPECT_FALSE(clock.seconds_left({1, iterations, 10, budget, false}));
  clock.count(10, 0.1);
  EXPECT_TRUE(clock.seconds_left({2, iterations, 10, budget, false}));
  EXPECT_EQ(clock.seconds_left({iterations, iterations, 10, budget, false}), 0);
}

TEST(ListClock, OfManyCandidatesOfAnExchangeAListIsLookedAt) {
  const ListProblem adult{5000, 10, 2};
  EXPECT_LT(work_of_entry({}, adult, 0), work_of_entry({}, adult, 2000));
  EXPECT_EQ(work_of_entry({}, adult, 4000), work_of_entry({}, adult, 8000));
}

TEST(ListClock, GoesOnFromACheckpoint) {
  ListClock whole(growing_work);
  ListClock resumed(growing_work);
  constexpr std::int64_t kept = 900;
  for (std::int64_t t = 0; t < 1000; ++t) {
    whole.count(length_at(t), 1e-5 * work_at(t));
    if (t < kept) resumed.count_before(length_at(t));
    if (t >= kept) resumed.count(length_at(t), 1e-5 * work_at(t));
  }
  const ListCourse course{1000, iterations, length_at(1000), budget, false};
  EXPECT_NEAR(resumed.share_done(course), whole.share_done(course), 1e-9);
  EXPECT_NEAR(resumed.seconds_left(course).value(), whole.seconds_left(course).value(), 1e-9);
}

TEST(ListClock, IsDoneAtTheEndAndHasDoneNothingBeforeTheFirstIteration) {
  ListClock clock(growing_work);
  EXPECT_EQ(clock.share_done({0, iterations, 10, budget, false}), 0);
  clock.count(10, 0.1);
  EXPECT_EQ(clock.share_done({iterations, iterations, 10, budget, false}), 1);
  const double stops_early = clock.share_done({1, iterations, 10, 11, true});
  EXPECT_GT(stops_early, clock.share_done({1, iterations, 10, 11, false}))
      << "what comes after the budget is reached is not run";
}

}  // namespace
}  // namespace fairfront::clustering
