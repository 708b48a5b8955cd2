// Columns made by all ranks are those that one rank would make of everything.
#include "sweep/join_columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "fake_experiment.hpp"
#include "results/digest.hpp"

namespace fairfront::sweep::test {
namespace {

using Owner = std::function<std::int64_t(std::int64_t task)>;

std::vector<double> numbers(base::Stream& stream, std::size_t count) {
  std::vector<double> values;
  while (values.size() < count) values.push_back(stream.uniform());
  return values;
}

/// Labels, or weights: every width occurs.
SolutionValues random_solution(base::Stream& stream) {
  const std::size_t length = stream.below(4);
  if (stream.below(2) == 0) return std::vector<std::uint8_t>(length, 3);
  if (stream.below(2) == 0) return std::vector<std::uint16_t>(length, 300);
  return numbers(stream, length);
}

void add_front(base::Stream& stream, TaskResult& result) {
  const std::size_t points = stream.below(4);
  result.front.points = numbers(stream, 2 * points);
  result.front.reference = {1, 0};
  result.front.hypervolume = stream.uniform();
  if (stream.below(2) == 0) result.front.report = numbers(stream, 2 * points);
  if (stream.below(2) == 0) return;
  for (std::size_t i = stream.below(3) + points; i > 0; --i) {
    result.solutions["labels"].push_back(random_solution(stream));
  }
}

/// Whatever a task may leave behind, or lack.
TaskOutcome random_outcome(const Plan& plan, std::int64_t task) {
  base::Stream stream(base::StreamKey(1, std::to_string(task), "outcome"), 0);
  TaskOutcome outcome;
  outcome.key = plan.key_of(plan.task(task), "digest");
  outcome.rank = static_cast<std::int32_t>(stream.below(9));
  outcome.seconds = stream.uniform();
  if (stream.below(6) == 0) return outcome;
  if (stream.below(6) == 0) {
    outcome.status = results::TaskStatus::failed;
    outcome.message = "no luck with " + std::to_string(task);
    return outcome;
  }
  outcome.status = results::TaskStatus::done;
  if (stream.below(2) == 0) outcome.model = "model " + std::to_string(task);
  TaskResult& result = outcome.result;
  if (stream.below(2) == 0) result.metrics["loss"] = stream.uniform();
  if (task == 5) result.metrics["gain"] = stream.uniform();
  for (const std::string part : {"train", "test"}) {
    for (const std::string group : {"all", "women", "men"}) {
      if (stream.below(3) == 0) {
        result.measured["error"][{part, group}] = {stream.uniform(), stream.uniform()};
      }
    }
  }
  if (stream.below(2) == 0) {
    Trajectory& path = result.series["path"];
    path.values = numbers(stream, stream.below(5));
    path.steps.assign(path.values.size(), task);
    if (stream.below(2) == 0) path.seconds = numbers(stream, path.values.size());
  }
  add_front(stream, result);
  return outcome;
}

std::vector<TaskOutcome> random_outcomes(const Plan& plan, std::int64_t count) {
  std::vector<TaskOutcome> outcomes;
  for (std::int64_t task = 0; task < count; ++task) {
    outcomes.push_back(random_outcome(plan, task));
  }
  return outcomes;
}

TaskOutcomes share_of(const parallel::Comm& comm, const std::vector<TaskOutcome>& all,
                      const Owner& owner) {
  TaskOutcomes mine;
  for (std::int64_t task = 0; task < std::ssize(all); ++task) {
    if (owner(task) != comm.rank()) continue;
    mine.tasks.push_back(task);
    mine.outcomes.push_back(all[static_cast<std::size_t>(task)]);
  }
  return mine;
}

const FakeExperiment fake;
const ResultSchema fake_schema = fake.schema();

void expect_the_columns_of_one_rank(const parallel::Comm& comm, const std::string& config,
                                    const Owner& owner) {
  const Plan plan(config_of(config, {}, fake), fake);
  const std::vector<TaskOutcome> all = random_outcomes(plan, plan.num_tasks());
  const auto joined = join_columns(comm, plan, fake_schema, share_of(comm, all, owner));
  if (!comm.is_root()) {
    EXPECT_TRUE(joined.tasks.key.empty());
    return;
  }
  const auto whole = content_of(plan, fake_schema, all);
  // Everything in an archive is in one of these.
  EXPECT_EQ(digests_of(joined), digests_of(whole));
  EXPECT_EQ(joined.fronts.size(), whole.fronts.size());
  EXPECT_EQ(joined.solutions.size(), whole.solutions.size());
}

TEST(JoinColumns, AreThoseOfOneRankHoweverTasksAreSpread) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const std::int64_t size = world.size();
  const std::string config = "seed = 1..40\n[data]\nname = a, b\n[alpha]\n[beta]\n";
  for (const Owner& owner :
       std::vector<Owner>{[&](std::int64_t task) { return task % size; },
                          [&](std::int64_t task) { return task * task % 7 % size; },
                          [&](std::int64_t /*task*/) { return size - 1; },
                          [&](std::int64_t /*task*/) { return std::int64_t{0}; },
                          [&](std::int64_t task) { return size - 1 - task * size / 160; }}) {
    expect_the_columns_of_one_rank(world, config, owner);
  }
}

TEST(JoinColumns, OfASweepOfOneTaskAreThatTasks) {
  const parallel::Comm world(MPI_COMM_WORLD);
  expect_the_columns_of_one_rank(world, "[beta]\n",
                                 [&](std::int64_t) { return std::int64_t{world.size() - 1}; });
}

TEST(JoinColumns, StayInsideASplitCommunicator) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const parallel::Comm half = world.split(world.rank() % 2);
  expect_the_columns_of_one_rank(half, "seed = 1..20\n[alpha]\n",
                                 [&](std::int64_t task) { return task % half.size(); });
}

/// A metric that a task of one rank has, and a group that one of another has, are columns of all.
TEST(JoinColumns, HaveWhatOneRankAloneFills) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Plan plan(config_of("seed = 1..4\n[beta]\n", {}, fake), fake);
  std::vector<TaskOutcome> all(4);
  all[0].result.measured["error"][{"test", "women"}] = {0.5};
  all[2].result.metrics["gain"] = 2;
  all[3].result.measured["error"][{"train", "men"}] = {0.25};
  const auto joined =
      join_columns(world, plan, fake_schema,
                   share_of(world, all, [&](auto task) { return task % world.size(); }));
  if (!world.is_root()) return;
  ASSERT_EQ(joined.metrics.size(), 1u);
  EXPECT_EQ(joined.metrics[0].values[2], 2);
  ASSERT_EQ(joined.measures.size(), 1u);
  EXPECT_THAT(joined.measures[0].parts, testing::ElementsAre("train", "test"));
  EXPECT_THAT(joined.measures[0].groups, testing::ElementsAre("men", "women"));
  EXPECT_EQ(digests_of(joined), digests_of(content_of(plan, fake_schema, all)));
}

}  // namespace
}  // namespace fairfront::sweep::test
