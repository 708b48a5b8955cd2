#include "sweep/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <stdexcept>

#include "fake_experiment.hpp"
#include "parallel/agree.hpp"

namespace fairfront::sweep::test {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

Progress silent_progress() {
  return {ProgressStyle::silent, [](std::string_view) {}};
}

/// Runs the config with the experiment on a communicator of its own.
archive::Content run_config(const parallel::Comm& world, const FakeExperiment& experiment,
                            const std::string& text, const RunContext& context = {}) {
  Progress progress = silent_progress();
  const Plan plan(config_of(text, {}, experiment), experiment);
  return run(world, experiment, plan, context, progress);
}

/// Its seed as its only metric.
TaskResult seed_metric(const Task& task) {
  TaskResult result;
  result.metrics["loss"] = std::stod(task.values.at("seed"));
  return result;
}

TEST(Run, EveryTaskRunsOnceInPlanOrderAndRankZeroHasTheResults) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  std::vector<std::int64_t> ran;
  experiment.on_run = [&](const parallel::Comm&, const Task& task, const RunContext&) {
    ran.push_back(task.index);
    return seed_metric(task);
  };
  const auto content = run_config(world, experiment, "seed = 5..8\n[alpha]\n");
  EXPECT_THAT(ran, ElementsAre(0, 1, 2, 3));
  if (!world.is_root()) {
    EXPECT_TRUE(content.tasks.key.empty());
    return;
  }
  EXPECT_THAT(content.metrics.at(0).values, ElementsAre(5, 6, 7, 8));
  ASSERT_EQ(content.datasets.size(), 1u);
  EXPECT_EQ(content.datasets[0].digest, "digest-of-toy");
}

TEST(Run, EveryRankSeesTheKeyThatTheArchiveKeeps) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  std::vector<std::string> seen;
  experiment.on_run = [&](const parallel::Comm&, const Task& task, const RunContext&) {
    seen.push_back(task.key);
    return TaskResult{};
  };
  const std::string text = "[data]\nname = a, b\n[alpha]\n[beta]\n";
  const auto content = run_config(world, experiment, text);
  const Plan plan(config_of(text), experiment);
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[1], plan.key_of(plan.task(1), "digest-of-b"));
  EXPECT_EQ(content.tasks.key, world.is_root() ? seen : std::vector<std::string>{});
}

TEST(Run, ATaskThatFailsIsRecordedAndTheRunGoesOn) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  experiment.on_run = [](const parallel::Comm&, const Task& task, const RunContext&) {
    if (task.index == 0) throw base::InputError("bad combination");
    if (task.index == 1) throw std::invalid_argument("Options::k = 0, must be >= 1");
    if (task.index == 2) throw std::runtime_error("the loss is not finite");
    return seed_metric(task);
  };
  const auto content = run_config(world, experiment, "seed = 1..4\n[alpha]\n");
  if (!world.is_root()) return;
  using enum archive::TaskStatus;
  EXPECT_THAT(content.tasks.status, ElementsAre(failed, failed, failed, done));
  EXPECT_THAT(content.tasks.message, ElementsAre("bad combination", "Options::k = 0, must be >= 1",
                                                 "the loss is not finite", ""));
}

TEST(Run, AFailureOnOneRankFailsTheTaskForAll) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  experiment.on_run = [](const parallel::Comm& team, const Task& task, const RunContext&) {
    if (task.index == 0 && team.rank() == team.size() - 1) throw std::runtime_error("last rank");
    return seed_metric(task);
  };
  const auto content = run_config(world, experiment, "seed = 1, 2\n[alpha]\n");
  if (!world.is_root()) return;
  EXPECT_THAT(content.tasks.message, ElementsAre("last rank", ""));
  EXPECT_EQ(content.tasks.status[0], archive::TaskStatus::failed);
}

TEST(Run, AResultThatBreaksTheSchemaFailsItsTask) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  experiment.on_run = [](const parallel::Comm&, const Task&, const RunContext&) {
    TaskResult result;
    result.metrics["no such metric"] = 1;
    return result;
  };
  const auto content = run_config(world, experiment, "[alpha]\n");
  if (!world.is_root()) return;
  EXPECT_EQ(content.tasks.status[0], archive::TaskStatus::failed);
  EXPECT_TRUE(content.metrics.empty());
}

TEST(Run, AnUnsoundProblemStopsEveryRankBeforeAnyTask) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  int runs = 0;
  experiment.on_forecast = [](const Task& task) {
    if (task.values.at("problem.size") == "9") throw base::InputError("too large");
  };
  experiment.on_run = [&](const parallel::Comm&, const Task&, const RunContext&) {
    ++runs;
    return TaskResult{};
  };
  try {
    (void)run_config(world, experiment, "[problem]\nsize = 3, 9\n[alpha]\n");
    ADD_FAILURE() << "no error";
  } catch (const parallel::CollectiveError& error) {
    EXPECT_THAT(error.what(), StartsWith("alpha, problem.size=9: too large"));
    EXPECT_EQ(error.exit_code(), base::ExitCode::bad_input);
  }
  EXPECT_EQ(runs, 0);
}

TEST(Run, WorksOnASplitCommunicator) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const parallel::Comm half = world.split(world.rank() % 2);
  FakeExperiment experiment;
  experiment.on_run = [&](const parallel::Comm& team, const Task& task, const RunContext&) {
    EXPECT_EQ(team.size(), half.size());
    return seed_metric(task);
  };
  const std::string seeds = world.rank() % 2 == 0 ? "seed = 1..3\n" : "seed = 4, 5\n";
  const auto content = run_config(half, experiment, seeds + "[alpha]\n");
  const std::size_t tasks = world.rank() % 2 == 0 ? 3 : 2;
  EXPECT_EQ(content.tasks.key.size(), half.is_root() ? tasks : 0);
}

TEST(Run, TasksReportTheirProgress) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  experiment.on_run = [](const parallel::Comm& team, const Task&, const RunContext& context) {
    if (team.is_root()) context.report({0.5, "half way"});
    return TaskResult{};
  };
  std::vector<std::string> heard;
  RunContext context;
  context.report = [&](const TaskProgress& task) { heard.push_back(task.text); };
  (void)run_config(world, experiment, "[alpha]\n", context);
  EXPECT_EQ(heard.size(), world.is_root() ? 1u : 0u);
}

}  // namespace
}  // namespace fairfront::sweep::test
