#include "parallel/task_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace fairfront::parallel {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void sleep_milliseconds(int count) {
  std::this_thread::sleep_for(std::chrono::milliseconds(count));
}

/// Tasks 0 .. count-1 in order; remembers what it is told.
class ListSource : public TaskSource {
 public:
  /// @param ahead  let teams look ahead while more than so many tasks wait; -1: never.
  explicit ListSource(std::int64_t count, std::int64_t ahead = -1) : count_{count}, ahead_{ahead} {}
  std::optional<std::int64_t> next(const Finished& finished) override {
    if (finished.task >= 0) reports.push_back(finished);
    if (begun == count_) return std::nullopt;
    return begun++;
  }
  void report(const Finished& finished) override { reports.push_back(finished); }
  void withdraw(const Finished& finished) override {
    ++withdrawals;
    if (finished.task >= 0) reports.push_back(finished);
  }
  [[nodiscard]] bool may_look_ahead(std::int64_t /*task*/, std::int64_t /*teams*/) const override {
    return ahead_ >= 0 && count_ - begun > ahead_;
  }

  std::int64_t begun = 0;
  int withdrawals = 0;
  std::vector<Finished> reports;

 private:
  std::int64_t count_;
  std::int64_t ahead_;
};

/// Hands out tasks in handfuls of up to `most`.
class HandfulSource final : public ListSource {
 public:
  HandfulSource(std::int64_t count, std::int64_t ahead, std::size_t most)
      : ListSource(count, ahead), count_{count}, most_{most} {}
  std::vector<std::int64_t> companions(std::int64_t task, std::int64_t teams) override {
    EXPECT_EQ(task, begun - 1);
    EXPECT_GE(teams, 1);
    std::vector<std::int64_t> tasks;
    while (tasks.size() + 1 < most_ && begun < count_) tasks.push_back(begun++);
    return tasks;
  }

 private:
  std::int64_t count_;
  std::size_t most_;
};

Finished report_of(std::int64_t task) {
  return {task, 0.5 * static_cast<double>(task), task % 3 == 1};
}

/// Claims until nothing is left; the tasks it got.
std::vector<std::int64_t> claim_all(TaskQueue& queue,
                                    const std::function<void(std::int64_t)>& work = nullptr) {
  std::vector<std::int64_t> tasks;
  Finished last;
  while (const auto task = queue.claim(last)) {
    if (work) work(*task);
    tasks.push_back(*task);
    last = report_of(*task);
  }
  return tasks;
}

/// How often each task ran, over all ranks. Collective.
std::vector<int> runs_of(const Comm& comm, std::int64_t count,
                         const std::vector<std::int64_t>& mine) {
  std::vector<int> runs(static_cast<std::size_t>(count));
  for (const std::int64_t task : mine) ++runs.at(static_cast<std::size_t>(task));
  MPI_Allreduce(MPI_IN_PLACE, runs.data(), static_cast<int>(count), MPI_INT, MPI_SUM, comm.get());
  return runs;
}

/// All ranks claim; each task must run once and be reported once. Collective.
void expect_each_once(const Comm& comm, std::int64_t count,
                      const std::function<void(std::int64_t)>& work = nullptr,
                      std::int64_t ahead = -1) {
  ListSource source(count, ahead);
  TaskQueue queue(comm, &source, comm.size());
  const auto mine = claim_all(queue, work);
  queue.finish();
  EXPECT_THAT(runs_of(comm, count, mine), Each(1));
  if (!comm.is_root()) return;
  EXPECT_EQ(std::ssize(source.reports), count);
  for (const Finished& report : source.reports) {
    EXPECT_EQ(report.seconds, report_of(report.task).seconds);
    EXPECT_EQ(report.failed, report_of(report.task).failed);
  }
}

TEST(TaskQueue, HandsOutEveryTaskOnceAndTellsTheSourceEveryReport) {
  expect_each_once(Comm(MPI_COMM_WORLD), 1000);
}

TEST(TaskQueue, HandsOutTasksOfUnevenLengths) {
  const Comm world(MPI_COMM_WORLD);
  expect_each_once(world, 60, [&](std::int64_t task) {
    sleep_milliseconds(static_cast<int>(task % 7) * (world.rank() == 1 ? 3 : 1));
  });
}

TEST(TaskQueue, LookingAheadHandsOutAndReportsEveryTaskOnce) {
  const Comm world(MPI_COMM_WORLD);
  for (const std::int64_t ahead : {0, 1, 7, 1000}) {  // up to the end, before it, never
    for (const std::int64_t count : {0, 1, 2, 5, 300}) {
      expect_each_once(world, count, nullptr, ahead);
    }
    expect_each_once(
        world, 40, [&](std::int64_t task) { sleep_milliseconds(static_cast<int>(task % 3)); },
        ahead);
  }
}

TEST(TaskQueue, HandsOutCompanionsOnceAndTellsTheSourceEveryReport) {
  const Comm world(MPI_COMM_WORLD);
  for (const std::int64_t ahead : {-1, 0, 10}) {
    for (const std::size_t most : {std::size_t{1}, std::size_t{3}, most_at_once}) {
      constexpr std::int64_t count = 100;
      HandfulSource source(count, ahead, most);
      TaskQueue queue(world, &source, world.size());
      std::vector<std::int64_t> mine;
      Finished last;
      for (std::vector<std::int64_t> some; !(some = queue.claim_several(last)).empty();) {
        EXPECT_LE(some.size(), most);
        mine.insert(mine.end(), some.begin(), some.end());
        for (std::size_t i = 0; i + 1 < some.size(); ++i) queue.report(report_of(some[i]));
        last = report_of(some.back());
      }
      queue.finish();
      EXPECT_THAT(runs_of(world, count, mine), Each(1));
      if (!world.is_root()) continue;
      ASSERT_EQ(std::ssize(source.reports), count);
      for (const Finished& report : source.reports) {
        EXPECT_EQ(report.seconds, report_of(report.task).seconds);
      }
    }
  }
}

TEST(TaskQueue, TellsTheSourceHowFarTasksHaveCome) {
  struct Listening : ListSource {
    using ListSource::ListSource;
    void advance(const Advance& advance) override { heard.push_back(advance); }
    std::vector<Advance> heard;
  };
  const Comm world(MPI_COMM_WORLD);
  constexpr std::int64_t count = 60;
  for (const std::int64_t ahead : {-1, 10}) {
    Listening source(count, ahead);
    TaskQueue queue(world, &source, world.size());
    (void)claim_all(queue, [&](std::int64_t task) {
      queue.advance({task, 0.25});
      queue.advance({.task = task,
                     .fraction = static_cast<double>(task) / count,
                     .seconds_left = static_cast<double>(task)});
    });
    queue.finish();
    if (!world.is_root()) continue;
    std::map<std::int64_t, std::vector<double>> fractions;
    for (const Advance& advance : source.heard) {
      std::vector<double>& told = fractions[advance.task];
      EXPECT_EQ(advance.seconds_left.value_or(-1),
                told.empty() ? -1 : static_cast<double>(advance.task));
      told.push_back(advance.fraction);
    }
    ASSERT_EQ(std::ssize(fractions), count);
    for (const auto& [task, told] : fractions) {
      EXPECT_THAT(told, ElementsAre(0.25, static_cast<double>(task) / count));
    }
  }
}

TEST(TaskQueue, ABrokenSourceMayThrowWhereATaskTellsHowFarItIs) {
  struct Broken : ListSource {
    using ListSource::ListSource;
    void advance(const Advance& /*advance*/) override { throw std::runtime_error("broken"); }
  };
  const Comm world(MPI_COMM_WORLD);
  Broken source(1000);
  TaskQueue queue(world, &source, world.size());
  const auto work = [&] {
    (void)claim_all(queue, [&](std::int64_t task) { queue.advance({task, 0.5}); });
    queue.finish();
  };
  if (world.is_root()) {
    EXPECT_THROW(work(), std::runtime_error);
    EXPECT_THROW(queue.finish(), std::runtime_error);
  } else {
    work();
  }
}

TEST(TaskQueue, ClaimsOfOneTaskAreNotForSourcesWithCompanions) {
  const Comm alone(MPI_COMM_SELF);
  HandfulSource source(10, -1, 2);
  TaskQueue queue(alone, &source, 1);
  EXPECT_THROW((void)queue.claim({}), std::logic_error);
  queue.withdraw();
  queue.finish();
}

TEST(TaskQueue, ATeamThatLooksAheadHasItsNextTaskWithoutWaiting) {
  const Comm world(MPI_COMM_WORLD);
  if (world.size() < 2) GTEST_SKIP() << "needs 2 ranks";
  ListSource source(1000, 0);
  TaskQueue queue(world, &source, world.size());
  Finished last;
  // While rank 1 has its first task, its second one is taken for it.
  if (world.rank() == 1) {
    const auto first = queue.claim(last);
    ASSERT_TRUE(first.has_value());
    MPI_Barrier(world.get());
    MPI_Barrier(world.get());
    const auto second = queue.claim(report_of(*first));
    EXPECT_EQ(second, std::optional<std::int64_t>(*first + 1));
    queue.withdraw(report_of(*second));
  } else {
    MPI_Barrier(world.get());
    if (world.is_root()) {
      for (bool taken = false; !taken;) {
        sleep_milliseconds(1);
        queue.with_source_locked([&] { taken = source.begun == 2; });
      }
    }
    MPI_Barrier(world.get());
    queue.withdraw();
  }
  queue.finish();
  if (!world.is_root()) return;
  EXPECT_EQ(source.withdrawals, world.size());
  EXPECT_EQ(source.reports.size(), 2u);
  EXPECT_EQ(source.begun, 3) << "the third was given ahead and stays unfinished";
}

TEST(TaskQueue, AnExceptionWhileLookingAheadDoesNotWaitAndLeavesNoMessageToTheNextQueue) {
  const Comm world(MPI_COMM_WORLD);
  for (int i = 0; i < 20; ++i) {
    ListSource source(100, 0);
    EXPECT_THROW(
        {
          TaskQueue queue(world, &source, world.size());
          (void)queue.claim({});
          MPI_Barrier(world.get());
          if (!world.is_root()) sleep_milliseconds(i % 3);  // what they send finds nobody
          throw std::runtime_error("all leave");
        },
        std::runtime_error);
    expect_each_once(world, 3);
  }
}

TEST(TaskQueue, MayHaveFewerTasksThanRanks) {
  for (const std::int64_t count : {0, 1, 2}) expect_each_once(Comm(MPI_COMM_WORLD), count);
}

TEST(TaskQueue, AnswersWhileRankZeroIsInATaskWithoutMpiCalls) {
  const Comm world(MPI_COMM_WORLD);
  constexpr std::int64_t count = 200;
  ListSource source(count);
  TaskQueue queue(world, &source, world.size());
  bool others_went_on = world.size() == 1;
  const auto wait_for_others = [&](std::int64_t task) {
    if (task != 0) return;
    for (int i = 0; i < 60'000 && !others_went_on; ++i) {
      sleep_milliseconds(1);
      queue.with_source_locked([&] { others_went_on = source.begun == count; });
    }
  };
  // Nobody else claims before rank 0 has task 0.
  std::vector<std::int64_t> mine;
  if (!world.is_root()) MPI_Barrier(world.get());
  Finished last;
  for (bool first = true; const auto task = queue.claim(last); first = false) {
    if (world.is_root() && first) MPI_Barrier(world.get());
    if (world.is_root()) wait_for_others(*task);
    mine.push_back(*task);
    last = report_of(*task);
  }
  queue.finish();
  EXPECT_THAT(runs_of(world, count, mine), Each(1));
  EXPECT_TRUE(!world.is_root() || others_went_on);
}

TEST(TaskQueue, FinishWaitsForTheSlowestRank) {
  const Comm world(MPI_COMM_WORLD);
  ListSource source(world.size());
  TaskQueue queue(world, &source, world.size());
  claim_all(queue, [&](std::int64_t task) { sleep_milliseconds(20 * static_cast<int>(task)); });
  queue.finish();
  EXPECT_TRUE(!world.is_root() || std::ssize(source.reports) == world.size());
}

TEST(TaskQueue, RanksMayWithdrawAtOnce) {
  const Comm world(MPI_COMM_WORLD);
  ListSource source(10);
  TaskQueue queue(world, &source, world.size());
  queue.withdraw();
  queue.withdraw();  // harmless
  queue.finish();
  if (!world.is_root()) return;
  EXPECT_EQ(source.withdrawals, world.size());
  EXPECT_EQ(source.begun, 0);
}

TEST(TaskQueue, TheOthersDoWhatAWithdrawnRankLeaves) {
  const Comm world(MPI_COMM_WORLD);
  constexpr std::int64_t count = 50;
  for (int leaver = 0; leaver < world.size(); ++leaver) {
    ListSource source(count);
    TaskQueue queue(world, &source, world.size());
    std::vector<std::int64_t> mine;
    if (world.rank() != leaver) {
      mine = claim_all(queue);
    } else if (const auto task = queue.claim({})) {
      mine.push_back(*task);
      queue.withdraw(report_of(*task));
    }
    queue.finish();
    const auto runs = runs_of(world, count, mine);
    const auto expected = world.size() == 1 ? 1 : count;
    EXPECT_EQ(std::accumulate(runs.begin(), runs.end(), std::int64_t{0}), expected);
    EXPECT_TRUE(!world.is_root() || std::ssize(source.reports) == expected);
  }
}

TEST(TaskQueue, ServesTheRootsOfTeams) {
  const Comm world(MPI_COMM_WORLD);
  constexpr std::int64_t count = 100;
  const Comm team = world.split(world.rank() / 2);
  ListSource source(count);
  TaskQueue queue(world, &source, (world.size() + 1) / 2);
  std::vector<std::int64_t> mine;
  for (Finished last;;) {
    std::int64_t task = team.is_root() ? queue.claim(last).value_or(-1) : 0;
    MPI_Bcast(&task, 1, MPI_INT64_T, 0, team.get());
    if (task < 0) break;
    EXPECT_EQ(all_reduce_sum(team, task), task * team.size());
    if (team.is_root()) mine.push_back(task);
    last = report_of(task);
  }
  queue.finish();
  EXPECT_THAT(runs_of(world, count, mine), Each(1));
}

TEST(TaskQueue, TwoHalvesOfTheWorldHaveQueuesOfTheirOwn) {
  const Comm world(MPI_COMM_WORLD);
  const Comm half = world.split(world.rank() % 2);
  expect_each_once(half, 200 + 100 * (world.rank() % 2));
}

TEST(TaskQueue, QueuesMayLiveSideBySideAndAfterEachOther) {
  const Comm world(MPI_COMM_WORLD);
  constexpr std::int64_t count = 100;
  ListSource first_source(count);
  ListSource second_source(count);
  TaskQueue first(world, &first_source, world.size());
  TaskQueue second(world, &second_source, world.size());
  const bool upwards = world.rank() % 2 == 0;
  const auto mine = claim_all(upwards ? first : second);
  const auto more = claim_all(upwards ? second : first);
  first.finish();
  second.finish();
  EXPECT_THAT(runs_of(world, count, upwards ? mine : more), Each(1));
  EXPECT_THAT(runs_of(world, count, upwards ? more : mine), Each(1));
}

TEST(TaskQueue, CountsWhatItHasServed) {
  const Comm world(MPI_COMM_WORLD);
  ListSource source(30);
  TaskQueue queue(world, &source, world.size());
  claim_all(queue);
  queue.finish();
  const QueueLoad load = queue.load();
  EXPECT_EQ(load.claims, world.is_root() ? 30 + world.size() : 0);
  EXPECT_EQ(load.seconds > 0, world.is_root());
}

class BrokenSource : public ListSource {
 public:
  using ListSource::ListSource;
  std::optional<std::int64_t> next(const Finished& finished) override {
    if (begun == 5) throw std::runtime_error("the source is broken");
    return ListSource::next(finished);
  }
};

TEST(TaskQueue, ABrokenSourceEndsTheClaimsOfAllAndThrowsOnRankZero) {
  const Comm world(MPI_COMM_WORLD);
  BrokenSource source(10);
  TaskQueue queue(world, &source, world.size());
  if (world.is_root()) {
    EXPECT_THROW(claim_all(queue), std::runtime_error);
    EXPECT_THROW(queue.finish(), std::runtime_error);
  } else {
    EXPECT_LE(claim_all(queue).size(), 5u);
    queue.finish();
  }
}

TEST(TaskQueue, ARankThatLeavesByAnExceptionDoesNotHoldUpTheOthers) {
  const Comm world(MPI_COMM_WORLD);
  const int thrower = world.size() - 1;
  if (thrower == 0) GTEST_SKIP() << "needs two ranks";
  ListSource source(50);
  std::vector<std::int64_t> mine;
  try {
    TaskQueue queue(world, &source, world.size());
    mine = claim_all(queue, [&](std::int64_t) {
      if (world.rank() == thrower) throw std::runtime_error("lost");
      sleep_milliseconds(1);
    });
  } catch (const std::runtime_error&) {
    EXPECT_EQ(world.rank(), thrower);
  }
  const auto runs = runs_of(world, 50, mine);
  EXPECT_GE(std::accumulate(runs.begin(), runs.end(), 0), 49);
}

TEST(TaskQueue, RankZeroMayLeaveByAnExceptionWhileOthersHaveNotClaimed) {
  const Comm world(MPI_COMM_WORLD);
  ListSource source(5);
  try {
    const TaskQueue queue(world, &source, world.size());
    if (world.is_root()) throw std::runtime_error("lost");
  } catch (const std::runtime_error&) {
    EXPECT_TRUE(world.is_root());
  }
  EXPECT_EQ(all_reduce_sum(world, 1), world.size());
}

TEST(TaskQueue, RefusesNumbersOfClaimantsThatCannotBe) {
  const Comm world(MPI_COMM_WORLD);
  ListSource source(5);
  EXPECT_THROW(TaskQueue(world, &source, 0), std::invalid_argument);
  EXPECT_THROW(TaskQueue(world, &source, world.size() + 1), std::invalid_argument);
}

TEST(Session, NamesTheThreadLevelThatIsMissing) {
  EXPECT_NO_THROW(require_thread_multiple(MPI_THREAD_MULTIPLE));
  for (const auto& [level, name] : {std::pair{MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"},
                                    std::pair{MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"},
                                    std::pair{MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"}}) {
    try {
      require_thread_multiple(level);
      ADD_FAILURE() << name;
    } catch (const base::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(name));
      EXPECT_THAT(error.what(), HasSubstr("MPI_THREAD_MULTIPLE"));
    }
  }
}

}  // namespace
}  // namespace fairfront::parallel
