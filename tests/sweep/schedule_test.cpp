#include "sweep/schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace fairfront::sweep {
namespace {

using parallel::Finished;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using Tasks = std::vector<std::int64_t>;

/// A clock that a test moves.
struct FakeClock {
  double seconds = 0;
  [[nodiscard]] ScheduleOptions options(double deadline) {
    return {.deadline = deadline, .safety = 1, .clock = [this] {
              return std::chrono::duration<double>(seconds);
            }};
  }
};

/// Claims without reporting.
Tasks drain(Schedule& schedule) {
  Tasks tasks;
  while (const auto task = schedule.next({})) tasks.push_back(*task);
  return tasks;
}

std::vector<TaskCost> costs_of(const std::vector<std::pair<int, int>>& pairs) {
  std::vector<TaskCost> costs;
  for (const auto& [task_class, unit_cost] : pairs) {
    costs.push_back({task_class, static_cast<double>(unit_cost)});
  }
  return costs;
}

/// Every other class stops at checkpoints.
std::vector<TaskCost> half_resumable(std::vector<TaskCost> costs) {
  for (TaskCost& cost : costs) cost.resumable = cost.task_class % 2 == 1;
  return costs;
}

auto any_costs() {
  return rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 4), rc::gen::inRange(0, 9)));
}

/// The rules of the schedule again, without any data structure: looks at all tasks at each claim.
class NaiveSchedule {
 public:
  NaiveSchedule(std::vector<TaskCost> costs, double deadline)
      : costs_{std::move(costs)}, taken_(costs_.size()), deadline_{deadline} {}

  void observe(std::int64_t task, double seconds) {
    const TaskCost& cost = costs_[static_cast<std::size_t>(task)];
    if (cost.unit_cost <= 0) return;
    rates_[cost.task_class].observe(seconds / cost.unit_cost);
    over_all_.observe(seconds / cost.unit_cost);
  }

  std::optional<std::int64_t> next(double now) {
    std::optional<std::int64_t> best;
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      if (taken_[i] || !fits(costs_[i], now)) continue;
      if (!best || rank(i) > rank(static_cast<std::size_t>(*best))) {
        best = static_cast<std::int64_t>(i);
      }
    }
    if (best) taken_[static_cast<std::size_t>(*best)] = true;
    return best;
  }

 private:
  [[nodiscard]] double expected(const TaskCost& cost) const {
    const auto own = rates_.find(cost.task_class);
    return cost.unit_cost * (own == rates_.end() ? over_all_ : own->second).value();
  }
  [[nodiscard]] bool fits(const TaskCost& cost, double now) const {
    if (cost.resumable) return true;
    if (now >= deadline_) return false;
    if (!over_all_.known()) return 2 * now <= deadline_;
    return expected(cost) <= deadline_ - now;
  }
  [[nodiscard]] std::pair<double, double> rank(std::size_t i) const {
    return {expected(costs_[i]), costs_[i].unit_cost};
  }
  std::vector<TaskCost> costs_;
  std::vector<bool> taken_;
  double deadline_;
  std::map<std::int32_t, Rate> rates_;
  Rate over_all_{64};
};

TEST(Schedule, WithoutObservationsFollowsUnitCostsAndThenIndices) {
  rc::check([] {
    const auto costs = costs_of(*any_costs());
    Tasks expected(costs.size());
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
      return costs[static_cast<std::size_t>(a)].unit_cost >
             costs[static_cast<std::size_t>(b)].unit_cost;
    });
    Schedule schedule(costs);
    RC_ASSERT(drain(schedule) == expected);
  });
}

/// Plays claims of several teams with given times; true if both schedules always agree.
bool agrees_with_naive(const std::vector<TaskCost>& costs, const std::vector<int>& steps,
                       double deadline) {
  FakeClock clock;
  Schedule schedule(costs, {}, clock.options(deadline));
  NaiveSchedule naive(costs, deadline);
  std::vector<Finished> running(3);
  for (const int step : steps) {
    Finished& team = running[static_cast<std::size_t>(step) % running.size()];
    clock.seconds += 0.25 * (step % 5);
    team.seconds = 0.5 * (step % 7);
    team.failed = step % 11 == 0;
    if (team.task >= 0 && !team.failed) naive.observe(team.task, team.seconds);
    const auto task = schedule.next(team);
    if (task != naive.next(clock.seconds)) return false;
    team.task = task.value_or(-1);
  }
  return true;
}

TEST(Schedule, AgreesWithTheRulesPlayedOverAllTasks) {
  const auto steps = rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1000));
  constexpr double no_deadline = std::numeric_limits<double>::infinity();
  rc::check([&] { RC_ASSERT(agrees_with_naive(costs_of(*any_costs()), *steps, no_deadline)); });
}

TEST(Schedule, AgreesWithTheRulesPlayedOverAllTasksNearADeadline) {
  const auto steps = rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1000));
  rc::check([&] {
    const double deadline = *rc::gen::inRange(0, 40);
    RC_ASSERT(agrees_with_naive(costs_of(*any_costs()), *steps, deadline));
  });
}

TEST(Schedule, AgreesWithTheRulesWhereHalfTheClassesAreResumable) {
  const auto steps = rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1000));
  rc::check([&] {
    const double deadline = *rc::gen::inRange(0, 40);
    RC_ASSERT(agrees_with_naive(half_resumable(costs_of(*any_costs())), *steps, deadline));
  });
}

TEST(Schedule, MovesAClassForwardOnceItProvesSlow) {
  Schedule schedule({{0, 10}, {0, 9}, {1, 8}, {1, 2}, {1, 1}});
  EXPECT_EQ(schedule.next({}), 0);
  EXPECT_EQ(schedule.next({}), 1);
  EXPECT_EQ(schedule.next({.task = 0, .seconds = 10}), 2);
  schedule.observe(2, 80);  // class 1 takes 10 s a unit
  EXPECT_EQ(schedule.next({.task = 1, .seconds = 9}), 3);
}

TEST(Schedule, AClassProvedFastWaitsBehindTheRateOverAll) {
  // Rate over all: the mean of 0.1 and 10 is 5.05 s a unit for the unseen class 2.
  Schedule schedule({{0, 100}, {1, 90}, {0, 80}, {2, 4}, {1, 1}});
  EXPECT_EQ(schedule.next({}), 0);
  EXPECT_EQ(schedule.next({}), 1);
  schedule.observe(0, 10);
  schedule.observe(1, 900);
  EXPECT_THAT(drain(schedule), ElementsAre(3, 4, 2));  // 20.2 s, 10 s, 8 s
}

TEST(Schedule, EqualExpectationsGoToTheLargerCostAndThenTheSmallerIndex) {
  Schedule schedule({{0, 1}, {1, 2}, {0, 4}, {1, 8}, {0, 4}});
  schedule.observe(0, 2);  // class 0: 2 s a unit, class 1: 1 s
  schedule.observe(1, 2);
  EXPECT_THAT(drain(schedule), ElementsAre(3, 2, 4, 1, 0));
}

TEST(Schedule, FailedTasksAndTasksWithoutCostTeachNothing) {
  Schedule schedule({{0, 0}, {1, 8}, {0, 0}, {1, 4}});
  EXPECT_EQ(schedule.next({}), 1);
  EXPECT_EQ(schedule.next({.task = 1, .seconds = 1, .failed = true}), 3);
  EXPECT_FALSE(schedule.may_look_ahead(3, 0)) << "no rate is known";
  EXPECT_EQ(schedule.next({}), 0);
  EXPECT_EQ(schedule.next({.task = 0, .seconds = 5}), 2);
  EXPECT_FALSE(schedule.may_look_ahead(2, 0));
}

TEST(Schedule, LeavesOutWhatIsFinishedAndLearnsFromItsTimes) {
  Schedule schedule({{0, 4}, {0, 3}, {1, 2}, {1, 1}}, {true, false, true, false});
  schedule.observe(0, 4);
  schedule.observe(2, 20);
  EXPECT_THAT(drain(schedule), ElementsAre(3, 1));
}

TEST(Schedule, HandsOutNothingAfterStop) {
  Schedule schedule({{0, 1}, {0, 2}});
  EXPECT_EQ(schedule.next({}), 1);
  schedule.stop();
  EXPECT_EQ(schedule.next({.task = 1, .seconds = 1}), std::nullopt);
  EXPECT_TRUE(schedule.stopped());
  EXPECT_EQ(schedule.waiting(), 1);
}

TEST(Schedule, BeginsTheLongestTaskThatEndsBeforeTheDeadline) {
  FakeClock clock;
  Schedule schedule({{0, 9}, {0, 5}, {0, 3}, {0, 1}, {0, 1}}, {}, clock.options(100));
  schedule.observe(0, 90);  // 10 s a unit
  clock.seconds = 45;
  EXPECT_EQ(schedule.next({}), 1);  // 90 s are too long, 50 s are not
  clock.seconds = 75;
  EXPECT_EQ(schedule.next({}), 3);
  schedule.observe(0, 9);  // the mean of 10 and 1 s a unit lets 16.5 s in, not 49.5 s
  EXPECT_EQ(schedule.next({}), 2);
  clock.seconds = 99;
  EXPECT_EQ(schedule.next({}), std::nullopt);
  clock.seconds = 100;
  EXPECT_EQ(schedule.next({}), std::nullopt);
  EXPECT_EQ(schedule.waiting(), 2);
}

TEST(Schedule, BeginsResumableTasksUntilItIsStopped) {
  FakeClock clock;
  const std::vector<TaskCost> costs = half_resumable({{0, 50}, {1, 200}, {1, 20}, {3, 10}});
  Schedule schedule(costs, {}, clock.options(100));
  EXPECT_EQ(schedule.next({}), 1);
  clock.seconds = 95;
  EXPECT_EQ(schedule.next({.task = 1, .seconds = 95}), 2);  // task 0 would take 24 s
  EXPECT_EQ(schedule.next({}), 3);
  EXPECT_EQ(schedule.next({}), std::nullopt);
  EXPECT_EQ(schedule.waiting(), 1);
  clock.seconds = 101;
  EXPECT_EQ(schedule.next({}), std::nullopt);
}

TEST(ScheduleWithProbes, AResumableClassIsProbedAlsoWhereItWouldNotEndInTime) {
  FakeClock clock;
  ScheduleOptions options = clock.options(10);
  options.probe = true;
  const std::vector<TaskCost> costs{{.task_class = 0, .unit_cost = 4},
                                    {.task_class = 1, .unit_cost = 100, .resumable = true},
                                    {.task_class = 1, .unit_cost = 900, .resumable = true}};
  Schedule schedule(costs, {}, options);
  schedule.observe(0, 4);
  EXPECT_EQ(schedule.next({}), 1);
}

TEST(Schedule, LeavesASafetyMarginBeforeTheDeadline) {
  FakeClock clock;
  ScheduleOptions options = clock.options(100);
  options.safety = 2;
  Schedule schedule({{0, 50}, {0, 51}}, {}, options);
  schedule.observe(0, 50);
  EXPECT_EQ(schedule.next({}), 0);
  EXPECT_EQ(schedule.next({}), std::nullopt);
}

TEST(Schedule, WithoutAnyRateBeginsTasksInTheFirstHalfOnly) {
  FakeClock clock;
  clock.seconds = 20;
  Schedule schedule({{0, 1}, {0, 1}, {1, 1}}, {}, clock.options(100));
  clock.seconds = 60;
  EXPECT_EQ(schedule.next({}), 0);
  clock.seconds = 61;
  EXPECT_EQ(schedule.next({}), std::nullopt);
  EXPECT_EQ(schedule.next({.task = 0, .seconds = 30}), 1);  // known now, also for class 1
  EXPECT_EQ(schedule.next({}), 2);
}

TEST(Schedule, TasksWithoutCostEndWithTheDeadlineToo) {
  FakeClock clock;
  Schedule schedule({{0, 1}, {0, 0}, {0, 0}}, {}, clock.options(10));
  schedule.observe(0, 0);  // rate 0
  EXPECT_EQ(schedule.next({}), 0);
  clock.seconds = 9;
  EXPECT_EQ(schedule.next({}), 1);
  clock.seconds = 10;
  EXPECT_EQ(schedule.next({}), std::nullopt);
}

TEST(Schedule, IgnoresReportsOfTasksThatDoNotRun) {
  Schedule schedule(std::vector<TaskCost>(9, TaskCost{0, 1.0}));
  EXPECT_EQ(schedule.next({.task = 1, .seconds = 0.1}), 0);
  EXPECT_FALSE(schedule.may_look_ahead(0, 1)) << "no rate is known";
  EXPECT_EQ(schedule.next({.task = 0, .seconds = 100}), 1);
  EXPECT_EQ(schedule.next({.task = 0, .seconds = 0.1}), 2);
  EXPECT_FALSE(schedule.may_look_ahead(2, 1)) << "tasks take 100 s";
}

TEST(Schedule, HandsOutAHundredThousandTasksOfAThousandClassesOnce) {
  constexpr std::int64_t count = 100'000;
  std::vector<TaskCost> costs;
  for (std::int64_t i = 0; i < count; ++i) {
    costs.push_back({static_cast<std::int32_t>(i % 1000), static_cast<double>(i * 7919 % 1013)});
  }
  FakeClock clock;
  Schedule schedule(costs, {}, clock.options(1e9));
  std::vector<int> runs(count);
  Finished last;
  while (const auto task = schedule.next(last)) {
    ++runs[static_cast<std::size_t>(*task)];
    last = {*task, 1e-3 * static_cast<double>(1 + *task % 17), false};
  }
  EXPECT_THAT(runs, ::testing::Each(1));
}

/// Three kinds of task by number of tasks; the unit costs of one say nothing about another's.
Schedule with_probes(const std::vector<TaskCost>& costs, FakeClock& clock, double deadline = 1e9,
                     bool comparable = true) {
  ScheduleOptions options = clock.options(deadline);
  options.probe = true;
  options.comparable = comparable;
  return Schedule(costs, {}, options);
}

TEST(ScheduleWithProbes, BeginsWithTheShortestTaskOfEveryClass) {
  FakeClock clock;
  const std::vector<TaskCost> costs{{0, 900}, {0, 500}, {0, 100}, {0, 100}, {1, 3},
                                    {1, 3},   {1, 1},   {2, 70},  {2, 70}};
  Schedule schedule = with_probes(costs, clock);
  EXPECT_EQ(schedule.next({}), 3) << "the middle one of equally short ones";
  EXPECT_EQ(schedule.next({}), 6);
  // Class 2 has no task that is a small part of it, so the longest by its cost is next.
  EXPECT_EQ(schedule.next({}), 0);
  // A unit of class 1 takes a thousand times as long as one of class 0.
  EXPECT_EQ(schedule.next({.task = 3, .seconds = 1}), 1);
  EXPECT_EQ(schedule.next({.task = 6, .seconds = 10}), 7);  // 70 units of the rate over all
  schedule.observe(7, 0.7);
  EXPECT_THAT(drain(schedule), ElementsAre(4, 5, 2, 8));
}

TEST(ScheduleWithProbes, AClassThatIsKnownOrNeverEndsWellIsProbedOnceAtMost) {
  FakeClock clock;
  Schedule known = with_probes({{0, 8}, {0, 1}, {0, 8}, {1, 9}, {1, 2}, {1, 9}}, clock);
  known.observe(0, 8);
  EXPECT_EQ(known.next({}), 4) << "class 0 is known from an earlier run";
  EXPECT_EQ(known.next({.task = 4, .seconds = 2, .failed = true}), 3);
  EXPECT_EQ(known.next({}), 5);
}

TEST(ScheduleWithProbes, TheyFitBeforeTheDeadlineLikeAllOthers) {
  FakeClock clock;
  Schedule schedule = with_probes({{0, 90}, {0, 10}, {1, 90}, {1, 30}, {1, 90}}, clock, 100);
  EXPECT_EQ(schedule.next({}), 1);
  clock.seconds = 80;
  EXPECT_EQ(schedule.next({.task = 1, .seconds = 10}), std::nullopt) << "30 s are too long";
}

/// Nothing else says what a task of another unit takes.
TEST(ScheduleWithProbes, MethodsWhoseCostsDoNotCompareBeginWithATaskEachBehindTheProbes) {
  FakeClock clock;
  std::vector<TaskCost> costs(3, {.task_class = 0, .unit_cost = 900, .method = 0});
  costs.insert(costs.end(), 2, {.task_class = 1, .unit_cost = 2, .method = 1});
  costs.insert(costs.end(), 2, {.task_class = 2, .unit_cost = 3, .method = 1});
  costs.insert(costs.end(), 9, {.task_class = 3, .unit_cost = 1, .method = 2});
  costs.push_back({.task_class = 4, .unit_cost = 50, .method = 2});
  Schedule schedule = with_probes(costs, clock, 1e9, false);
  EXPECT_EQ(schedule.next({}), 11) << "the probe of class 3, and with it that of its method";
  EXPECT_EQ(schedule.next({}), 0);
  EXPECT_EQ(schedule.next({}), 5) << "the longest of its method";
  EXPECT_EQ(schedule.next({}), 1) << "from here on by costs";
  EXPECT_EQ(schedule.next({}), 2);
  Schedule known = with_probes(costs, clock, 1e9, false);
  known.observe(3, 20);
  EXPECT_EQ(known.next({}), 11);
  EXPECT_EQ(known.next({}), 0);
  EXPECT_EQ(known.next({}), 1) << "method 1 is known by a task of it that ran before";
  Schedule comparable = with_probes(costs, clock);
  EXPECT_EQ(comparable.next({}), 11);
  EXPECT_EQ(comparable.next({}), 0);
  EXPECT_EQ(comparable.next({}), 1);
}

TEST(ScheduleWithProbes, HandOutEveryTaskOnce) {
  rc::check([](bool comparable) {
    const auto costs = costs_of(*any_costs());
    FakeClock clock;
    Schedule schedule = with_probes(costs, clock, 1e9, comparable);
    Tasks tasks = drain(schedule);
    std::sort(tasks.begin(), tasks.end());
    Tasks all(costs.size());
    std::iota(all.begin(), all.end(), 0);
    RC_ASSERT(tasks == all);
  });
}

TEST(Schedule, RefusesBadInput) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(Schedule({{-1, 1}}), std::invalid_argument);
  EXPECT_THROW(Schedule({{0, -1}}), std::invalid_argument);
  EXPECT_THROW(Schedule({{0, infinity}}), std::invalid_argument);
  EXPECT_THROW(Schedule({{0, std::nan("")}}), std::invalid_argument);
  EXPECT_THROW(Schedule({{0, 1}}, {true, false}), std::invalid_argument);
  EXPECT_THROW(Schedule({{0, 1}}, {}, {.safety = 0}), std::invalid_argument);
  EXPECT_THROW(Schedule({{0, 1}}, {}, {.deadline = std::nan("")}), std::invalid_argument);
}

TEST(Schedule, OfNoTasksHasNothingToHandOut) {
  Schedule schedule({});
  EXPECT_EQ(schedule.next({}), std::nullopt);
  EXPECT_EQ(schedule.waiting(), 0);
}

TEST(Schedule, LooksAheadOnShortTasksWhileManyAreWaiting) {
  Schedule schedule(std::vector<TaskCost>(20, TaskCost{0, 2.0}));
  const auto first = schedule.next({});
  ASSERT_TRUE(first);
  EXPECT_FALSE(schedule.may_look_ahead(*first, 2)) << "nothing is known yet";
  const auto second = schedule.next({*first, 0.9 * look_ahead_seconds, false});
  EXPECT_TRUE(schedule.may_look_ahead(*second, 2));
  EXPECT_TRUE(schedule.may_look_ahead(*second, 4)) << "18 are waiting";
  EXPECT_FALSE(schedule.may_look_ahead(*second, 5));
  Schedule longer(std::vector<TaskCost>(20, TaskCost{0, 2.0}));
  const auto third = longer.next({});
  const auto fourth = longer.next({*third, 1.1 * look_ahead_seconds, false});
  EXPECT_FALSE(longer.may_look_ahead(*fourth, 2));
}

/// Of class 0, with two loops in turns, and one of class 1.
std::vector<TaskCost> costs_of_loops(std::size_t count) {
  std::vector<TaskCost> costs;
  for (std::size_t i = 0; i < count; ++i) {
    costs.push_back({0, 2.0, static_cast<std::int32_t>(i % 2)});
  }
  costs.push_back({1, 2.0, 0});
  return costs;
}

TEST(Schedule, GivesShortTasksOfAKnownClassEightOfOneLoopWhileManyAreWaiting) {
  Schedule schedule(costs_of_loops(60));
  const auto first = schedule.next({});
  ASSERT_TRUE(first);
  EXPECT_THAT(schedule.companions(*first, 1), ElementsAre()) << "nothing is known yet";
  const auto second = schedule.next({*first, 0.001, false});
  ASSERT_EQ(second.value(), 1);
  EXPECT_THAT(schedule.companions(*second, 1), ElementsAre(3, 5, 7, 9, 11, 13, 15));
  EXPECT_EQ(schedule.waiting(), 61 - 9);
  for (std::int64_t task = 1; task < 15; task += 2) schedule.report({task, 0.001, false});
  const auto third = schedule.next({15, 0.001, false});
  EXPECT_THAT(schedule.companions(third.value(), 4), ElementsAre()) << "64 are kept for four teams";
  EXPECT_THAT(schedule.companions(*third, 3), ElementsAre(4, 6, 8, 10, 12, 14, 16));
}

TEST(Schedule, GivesNoCompanionsToTasksThatRunAloneOrToFewerThanEight) {
  std::vector<TaskCost> costs(60, TaskCost{0, 2.0});
  for (std::size_t i = 20; i < 27; ++i) costs[i].loop = 1;
  Schedule schedule(costs);
  Finished last;
  while (const auto task = schedule.next(last)) {
    EXPECT_THAT(schedule.companions(*task, 1), ElementsAre()) << *task;
    last = {*task, 0.001, false};
  }
}

TEST(Schedule, CompanionsWouldNotTakeLongAloneAndEndBeforeTheDeadline) {
  const auto many = [](Schedule& schedule, double seconds) {
    const auto first = schedule.next({});
    const auto second = schedule.next({first.value(), seconds, false});
    return schedule.companions(second.value(), 1).size();
  };
  FakeClock clock;
  Schedule shorter(costs_of_loops(60), {}, clock.options(100));
  EXPECT_EQ(many(shorter, 0.12 * most_seconds_abreast), 7u);
  Schedule longer(costs_of_loops(60), {}, clock.options(100));
  EXPECT_EQ(many(longer, 0.13 * most_seconds_abreast), 0u);
  Schedule late(costs_of_loops(60), {}, clock.options(1));
  EXPECT_EQ(many(late, 0.13), 0u) << "eight take longer than a second";
  Schedule in_time(costs_of_loops(60), {}, clock.options(1));
  EXPECT_EQ(many(in_time, 0.12), 7u);
  Schedule stopped(costs_of_loops(60));
  const auto first = stopped.next({});
  const auto second = stopped.next({first.value(), 0.001, false});
  stopped.stop();
  EXPECT_THAT(stopped.companions(second.value(), 1), ElementsAre());
}

TEST(Schedule, WithCompanionsHandsOutEveryTaskOnce) {
  Schedule schedule(costs_of_loops(400));
  std::set<std::int64_t> seen;
  std::size_t abreast = 0;
  Finished last;
  while (const auto task = schedule.next(last)) {
    std::vector<std::int64_t> all = schedule.companions(*task, 3);
    abreast += all.empty() ? 0 : 1;
    all.push_back(*task);
    for (const std::int64_t one : all) {
      EXPECT_TRUE(seen.insert(one).second) << one;
      if (one != *task) schedule.report({one, 0.001, false});
    }
    last = {*task, 0.001, false};
  }
  EXPECT_EQ(seen.size(), 401u);
  EXPECT_GT(abreast, 40u);
}

}  // namespace
}  // namespace fairfront::sweep
