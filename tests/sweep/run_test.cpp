#include "sweep/run.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "fake_experiment.hpp"
#include "journal/journal.hpp"
#include "parallel/agree.hpp"
#include "parallel/task_queue.hpp"
#include "results/content.hpp"
#include "shared_folder.hpp"
#include "sweep/write_archive.hpp"

namespace fairfront::sweep::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

RunOutcome run_settings(const parallel::Comm& world, const FakeExperiment& experiment,
                        const std::string& text, const RunSettings& settings,
                        const RunContext& context = {}) {
  Progress progress(ProgressStyle::silent, [](std::string_view) {});
  const Plan plan(config_of(text, {}, experiment), experiment);
  return run(world, experiment, plan, context, settings, progress);
}

/// Runs the config from the beginning, with the whole world as one team.
results::Content run_config(const parallel::Comm& world, const FakeExperiment& experiment,
                            const std::string& text, const RunContext& context = {}) {
  const SharedFolder folder(world);
  RunSettings settings;
  settings.journal = folder.journal();
  settings.team_size = world.size();
  return run_settings(world, experiment, text, settings, context).content;
}

/// Its seed as its only metric.
TaskResult seed_metric(const Task& task) {
  TaskResult result;
  result.metrics["loss"] = std::stod(task.values.at("seed"));
  return result;
}

TEST(Run, EveryTaskRunsOnceAProbeFirstAndThenInPlanOrderAndRankZeroHasTheResults) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  std::vector<std::int64_t> ran;
  experiment.on_run = [&](const parallel::Comm&, const Task& task, const RunContext&) {
    ran.push_back(task.index);
    return seed_metric(task);
  };
  const auto content = run_config(world, experiment, "seed = 5..8\n[alpha]\n");
  EXPECT_THAT(ran, ElementsAre(2, 0, 1, 3));
  if (!world.is_root()) {
    EXPECT_TRUE(content.tasks.key.empty());
    return;
  }
  EXPECT_THAT(content.metrics.at(0).values, ElementsAre(5, 6, 7, 8));
  ASSERT_EQ(content.datasets.size(), 1u);
  EXPECT_EQ(content.datasets[0].digest, "digest-of-toy");
}

TEST(Run, WhenItsArchiveStandsEachRankRemovesItsLogAndNothingIsLeft) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  const FakeExperiment experiment;
  const RunOutcome outcome =
      run_settings(world, experiment, "seed = 5..8\n[alpha]\n", folder.settings());
  ASSERT_TRUE(outcome.log);
  EXPECT_EQ(outcome.log->rank, world.rank());
  EXPECT_TRUE(std::filesystem::exists(folder.journal()));
  (void)parallel::all_reduce_sum(world, 0);
  remove_journal(world, outcome);
  EXPECT_FALSE(world.is_root() && std::filesystem::exists(folder.journal()));
}

TEST(Run, EveryRankSeesTheKeyThatTheArchiveKeeps) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  std::vector<std::string> seen;
  experiment.on_run = [&](const parallel::Comm&, const Task& task, const RunContext&) {
    seen.push_back(task.key);
    return TaskResult{};
  };
  const std::string text = "[data]\nname = a, b\n[alpha]\n";
  const auto content = run_config(world, experiment, text);
  const Plan plan(config_of(text), experiment);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1], plan.key_of(plan.task(1), "digest-of-b"));
  EXPECT_EQ(content.tasks.key, world.is_root() ? seen : std::vector<std::string>{});
}

TEST(Run, ATaskThatFailsIsRecordedAndTheRunGoesOn) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  experiment.on_run = [](const parallel::Comm&, const Task& task, const RunContext&) {
    if (task.index == 0) throw base::InputError("bad combination");
    if (task.index == 1) throw std::invalid_argument("Options::k = 0, must be >= 1");
    if (task.index == 2) throw std::domain_error("the loss is not finite");
    return seed_metric(task);
  };
  const auto content = run_config(world, experiment, "seed = 1..4\n[alpha]\n");
  if (!world.is_root()) return;
  using enum results::TaskStatus;
  EXPECT_THAT(content.tasks.status, ElementsAre(failed, failed, failed, done));
  EXPECT_THAT(content.tasks.message, ElementsAre("bad combination", "Options::k = 0, must be >= 1",
                                                 "the loss is not finite", ""));
}

TEST(Run, AFailureOnOneRankFailsTheTaskForAll) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  experiment.on_run = [](const parallel::Comm& team, const Task& task, const RunContext&) {
    if (task.index == 0 && team.rank() == team.size() - 1) throw std::domain_error("last rank");
    return seed_metric(task);
  };
  const auto content = run_config(world, experiment, "seed = 1, 2\n[alpha]\n");
  if (!world.is_root()) return;
  EXPECT_THAT(content.tasks.message, ElementsAre("last rank", ""));
  EXPECT_EQ(content.tasks.status[0], results::TaskStatus::failed);
}

/// What run() ends with. Collective.
struct End {
  std::string message = "no error";
  base::ExitCode code = base::ExitCode::done;
};
template <class Work>
End end_of(Work&& work) {
  try {
    work();
    return {};
  } catch (const parallel::CollectiveError& error) {
    return {error.what(), error.exit_code()};
  }
}

TEST(Run, AResultThatBreaksTheSchemaIsOurBugAndNoResult) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  experiment.on_run = [](const parallel::Comm&, const Task&, const RunContext&) {
    TaskResult result;
    result.metrics["no such metric"] = 1;
    return result;
  };
  const End end = end_of([&] { (void)run_config(world, experiment, "[alpha]\n"); });
  EXPECT_THAT(end.message, HasSubstr("no metric 'no such metric'"));
  EXPECT_EQ(end.code, base::ExitCode::internal);
}

TEST(Run, AFrontThatIsNotFiniteFailsItsTask) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  experiment.on_run = [](const parallel::Comm&, const Task&, const RunContext&) {
    TaskResult result;
    result.front = {{std::numeric_limits<double>::quiet_NaN(), 0}, {1, 0}, 0};
    return result;
  };
  const auto content = run_config(world, experiment, "[alpha]\n");
  if (!world.is_root()) return;
  EXPECT_THAT(content.tasks.message, ElementsAre("a front point is not finite"));
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
    EXPECT_THAT(error.what(), StartsWith("test.ini: alpha, problem.size=9: too large"));
    EXPECT_EQ(error.exit_code(), base::ExitCode::bad_input);
  }
  EXPECT_EQ(runs, 0);
}

TEST(Run, WhatForecastsWarnOfIsSaidOnceBeforeTheFirstTask) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  FakeExperiment experiment;
  experiment.warnings = {"group 'a' is small"};
  std::string said;
  std::string said_at_first_task;
  experiment.on_run = [&](const parallel::Comm&, const Task& task, const RunContext&) {
    if (said_at_first_task.empty()) said_at_first_task = said;
    return seed_metric(task);
  };
  const Plan plan(config_of("[data]\nname = one, two\n[alpha]\n", {}, experiment), experiment);
  RunSettings settings;
  settings.journal = folder.journal();
  settings.team_size = world.size();  // rank 0 takes part in every task
  Progress progress(world.is_root() ? ProgressStyle::log : ProgressStyle::silent,
                    [&](std::string_view text) { said += text; });
  EXPECT_EQ(run(world, experiment, plan, {}, settings, progress).done, 2);
  if (!world.is_root()) return;
  EXPECT_THAT(said_at_first_task, StartsWith("warning: group 'a' is small\n"));
  EXPECT_EQ(said.find("warning", 1), std::string::npos);
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

/// Counts the tasks that ran, on all ranks together.
struct Counted {
  FakeExperiment experiment;
  std::int64_t ran = 0;
  std::int64_t stop_after = -1;  ///< tasks of this rank
  explicit Counted(bool coupled) {
    experiment.alpha_coupled = coupled;
    experiment.on_run = [this](const parallel::Comm& team, const Task& task, const RunContext&) {
      if (team.is_root()) ++ran;
      if (task.values.at("seed") == "3") throw std::domain_error("three is bad");
      return seed_metric(task);
    };
  }
  RunOutcome run(const parallel::Comm& world, const std::string& text, RunSettings settings) {
    ran = 0;
    if (stop_after >= 0) settings.stop_wanted = [this] { return ran >= stop_after; };
    return run_settings(world, experiment, text, settings);
  }
};

std::vector<double> losses(const results::Content& content) { return content.metrics.at(0).values; }

TEST(Run, IndependentTasksArePulledByAllRanksAndGiveTheSameContent) {
  const parallel::Comm world(MPI_COMM_WORLD);
  for (const bool coupled : {false, true}) {
    const SharedFolder folder(world);
    RunSettings settings;
    settings.journal = folder.journal();
    Counted counted(coupled);
    const RunOutcome outcome = counted.run(world, "seed = 4..60\n[alpha]\n", settings);
    EXPECT_EQ(outcome.ran, 57);
    EXPECT_EQ(outcome.done, 57);
    EXPECT_EQ(outcome.end, RunEnd::complete);
    EXPECT_EQ(parallel::all_reduce_sum(world, counted.ran), 57);
    if (!world.is_root()) continue;
    for (std::size_t i = 0; i < 57; ++i) {
      EXPECT_EQ(losses(outcome.content)[i], static_cast<double>(i + 4));
    }
  }
}

/// Tasks of which eight go abreast, and how many did on this rank.
struct Abreast {
  FakeExperiment experiment;
  std::int64_t together = 0;
  std::int64_t alone = 0;
  std::int64_t stop_after = -1;  ///< tasks that went abreast

  Abreast() {
    experiment.alpha_coupled = false;
    // Two loops: of even and of odd seeds.
    const auto loop_of = [](const Task& task) {
      return std::stoi(task.values.at("seed")) % 2 == 0 ? "even" : "odd";
    };
    experiment.on_shared_loop = loop_of;
    experiment.on_run = [this](const parallel::Comm&, const Task& task, const RunContext&) {
      ++alone;
      if (task.values.at("seed") == "50") throw std::domain_error("fifty");
      return seed_metric(task);
    };
    experiment.on_run_abreast = [this, loop_of](std::span<const Task> tasks, const RunContext&) {
      EXPECT_EQ(tasks.size(), parallel::most_at_once);
      if (stop_after >= 0 && together >= stop_after) throw TaskInterrupted();
      std::vector<TaskResult> results;
      for (const Task& task : tasks) {
        EXPECT_FALSE(task.key.empty());
        EXPECT_STREQ(loop_of(task), loop_of(tasks.front()));
        if (task.values.at("seed") == "50") throw std::domain_error("fifty");
        results.push_back(seed_metric(task));
      }
      together += std::ssize(tasks);
      return results;
    };
  }
};

TEST(Run, TasksThatGoAbreastHaveTheContentOfTasksThatGoAlone) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  RunSettings settings;
  settings.journal = folder.journal();
  Abreast abreast;
  const std::string text = "seed = 1..400\n[alpha]\n";
  const RunOutcome outcome = run_settings(world, abreast.experiment, text, settings);
  EXPECT_EQ(outcome.done, 399);
  EXPECT_EQ(outcome.failed, 1);
  EXPECT_EQ(outcome.ran, 400);
  EXPECT_GT(parallel::all_reduce_sum(world, abreast.together), 50);
  // A handful with the one that fails is run again, one by one.
  EXPECT_EQ(parallel::all_reduce_sum(world, abreast.together + abreast.alone), 400);
  if (!world.is_root()) return;
  using enum results::TaskStatus;
  for (std::size_t i = 0; i < 400; ++i) {
    EXPECT_EQ(outcome.content.tasks.status[i], i == 49 ? failed : done);
    EXPECT_EQ(outcome.content.tasks.message[i], i == 49 ? "fifty" : "");
    if (i == 49) continue;
    EXPECT_EQ(losses(outcome.content)[i], static_cast<double>(i + 1));
  }
}

TEST(Run, TasksAbreastThatAreStoppedAreRunByTheResumedRun) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  RunSettings settings;
  settings.journal = folder.journal();
  Abreast abreast;
  abreast.stop_after = 5;
  const std::string text = "seed = 51..450\n[alpha]\n";
  const RunOutcome first = run_settings(world, abreast.experiment, text, settings);
  EXPECT_EQ(first.end, RunEnd::interrupted);
  EXPECT_GT(first.ran, 0);
  abreast.stop_after = -1;
  settings.continuation = Continuation::resume;
  const RunOutcome second = run_settings(world, abreast.experiment, text, settings);
  EXPECT_EQ(second.end, RunEnd::complete);
  EXPECT_EQ(first.ran + second.ran, 400);
  EXPECT_EQ(second.done, 400);
}

TEST(Run, AnInterruptedRunIsResumedWithoutRunningAnythingTwice) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  RunSettings settings;
  settings.journal = folder.journal();
  const std::string text = "seed = 4..30\n[alpha]\n";
  Counted counted(false);
  counted.stop_after = 3;
  const RunOutcome first = counted.run(world, text, settings);
  EXPECT_EQ(first.end, RunEnd::interrupted);
  EXPECT_GT(first.ran, 0);
  EXPECT_LT(first.ran, 27);
  EXPECT_TRUE(first.content.tasks.key.empty());
  counted.stop_after = -1;
  settings.continuation = Continuation::resume;
  const RunOutcome second = counted.run(world, text, settings);
  EXPECT_EQ(second.end, RunEnd::complete);
  EXPECT_EQ(first.ran + second.ran, 27);
  if (world.is_root()) {
    EXPECT_EQ(losses(second.content).size(), 27u);
  }
}

TEST(Run, AJournalIsNotOverwrittenAndAnotherSweepIsRefusedByItsFirstDifference) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  RunSettings settings;
  settings.journal = folder.journal();
  Counted counted(false);
  (void)counted.run(world, "seed = 4, 5\n[alpha]\n", settings);
  auto message = [&](const std::string& text) -> std::string {
    try {
      (void)counted.run(world, text, settings);
    } catch (const parallel::CollectiveError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message("seed = 4, 5\n[alpha]\n"), HasSubstr("--resume"));
  settings.continuation = Continuation::resume;
  EXPECT_THAT(message("seed = 4, 5\n[alpha]\nsteps = 11\n"), HasSubstr("alpha.steps"));
  EXPECT_THAT(message("seed = 4..6\n[alpha]\n"), HasSubstr("seed"));
  EXPECT_EQ(counted.ran, 0);
  settings.continuation = Continuation::extend;
  EXPECT_THAT(message("seed = 4..6\n[alpha]\nsteps = 11\n"), HasSubstr("alpha.steps"));
  EXPECT_THAT(message("seed = 4, 6\n[alpha]\n"), HasSubstr("lost a value"));
}

TEST(Run, ExtendRunsOnlyWhatIsNew) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  RunSettings settings;
  settings.journal = folder.journal();
  Counted counted(false);
  (void)counted.run(world, "seed = 4, 6\n[alpha]\n", settings);
  settings.continuation = Continuation::extend;
  const RunOutcome outcome = counted.run(world, "seed = 4..8\n[alpha]\n", settings);
  EXPECT_EQ(outcome.ran, 3);
  EXPECT_EQ(outcome.done, 5);
  if (world.is_root()) {
    EXPECT_THAT(losses(outcome.content), ElementsAre(4, 5, 6, 7, 8));
  }
}

TEST(Run, FailedTasksAreKeptAndRetriedOnlyWhenAskedFor) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  RunSettings settings;
  settings.journal = folder.journal();
  const std::string text = "seed = 1..5\n[alpha]\n";
  Counted counted(false);
  EXPECT_EQ(counted.run(world, text, settings).failed, 1);
  settings.continuation = Continuation::resume;
  EXPECT_EQ(counted.run(world, text, settings).ran, 0);
  settings.retry_failed = true;
  const RunOutcome again = counted.run(world, text, settings);
  EXPECT_EQ(again.ran, 1);
  EXPECT_EQ(again.failed, 1);
  EXPECT_EQ(again.done, 4);
}

/// Errors that say nothing about the task that they end.
const std::vector<std::function<void()>>& alien_errors() {
  static const std::vector<std::function<void()>> errors{
      [] { throw std::bad_alloc(); },
      [] { throw std::length_error("vector"); },
      [] { throw std::logic_error("a bug"); },
      [] { throw std::runtime_error("MPI_Send failed"); },
      [] { throw base::DataError("cannot read 'people.csv'"); },
      [] { throw 42; }};
  return errors;
}

/// Seed 6 ends by an error on one rank; a second run does what is left, with nothing lost and no
/// failure kept. Coupled: the experiment has made the error collective.
void expect_resumed_after(const parallel::Comm& world, bool coupled,
                          const std::function<void()>& fail) {
  const SharedFolder folder(world);
  const std::string text = "seed = 4..12\n[alpha]\n";
  RunSettings settings;
  settings.journal = folder.journal();
  bool broken = true;
  std::int64_t ran = 0;
  FakeExperiment experiment;
  experiment.alpha_coupled = coupled;
  experiment.on_run = [&](const parallel::Comm& team, const Task& task, const RunContext&) {
    parallel::agree(team, "", [&] {
      if (coupled && broken && task.values.at("seed") == "6" && team.rank() == team.size() - 1) {
        fail();
      }
    });
    if (!coupled && broken && task.values.at("seed") == "6") fail();
    if (team.is_root()) ++ran;
    return seed_metric(task);
  };
  const End end = end_of([&] { (void)run_settings(world, experiment, text, settings); });
  EXPECT_EQ(end.code, base::ExitCode::internal) << end.message;
  EXPECT_THAT(end.message, HasSubstr("task 2 (alpha, seed=6) has no result: "));
  EXPECT_THAT(end.message, HasSubstr("--resume"));
  broken = false;
  settings.continuation = Continuation::resume;
  const RunOutcome outcome = run_settings(world, experiment, text, settings);
  EXPECT_EQ(outcome.done, 9);
  EXPECT_EQ(outcome.failed, 0);
  EXPECT_EQ(parallel::all_reduce_sum(world, ran), 9);  // each task once
}

TEST(Run, AnErrorThatIsNotTheTasksLeavesNothingOfItAndIsResumed) {
  const parallel::Comm world(MPI_COMM_WORLD);
  for (const bool coupled : {false, true}) {
    for (const std::function<void()>& error : alien_errors()) {
      expect_resumed_after(world, coupled, error);
    }
  }
}

TEST(Run, DataThatOneRankCannotReadFailNoTask) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  experiment.on_run = [](const parallel::Comm& team, const Task& task, const RunContext&) {
    if (team.rank() == team.size() - 1) throw base::DataError("cannot read 'people.csv'");
    return seed_metric(task);
  };
  const End end = end_of([&] { (void)run_config(world, experiment, "seed = 1, 2\n[alpha]\n"); });
  EXPECT_EQ(end.code, base::ExitCode::internal);
  EXPECT_THAT(end.message, HasSubstr("cannot read 'people.csv'"));
  EXPECT_THAT(end.message, HasSubstr(fmt::format("rank {} on host", world.size() - 1)));
}

/// One coupled task that leaves a checkpoint, in a run that is stopped; then `spoil` has the file.
/// What the second run says, and what it has read; on rank 0.
struct Restart {
  std::string said;
  std::vector<std::string> read;
};
Restart restart_after(const parallel::Comm& world,
                      const std::function<void(const std::string& path)>& spoil) {
  const SharedFolder folder(world);
  RunSettings settings;
  settings.journal = folder.journal();
  settings.team_size = world.size();
  Restart restart;
  bool stop = true;
  FakeExperiment experiment;
  experiment.on_run = [&](const parallel::Comm& team, const Task& task, const RunContext& context) {
    std::string state;
    parallel::agree(team, "", [&] {
      if (context.load_checkpoint) state = context.load_checkpoint().value_or("none");
      if (state == "version 0") throw base::CheckpointError("a checkpoint of another version");
    });
    restart.read.push_back(state);
    if (!stop) return seed_metric(task);
    if (team.is_root()) context.save_checkpoint("version 1");
    throw TaskInterrupted();
  };
  EXPECT_EQ(run_settings(world, experiment, "[alpha]\n", settings).end, RunEnd::interrupted);
  const Plan plan(config_of("[alpha]\n", {}, experiment), experiment);
  if (world.is_root()) {
    spoil(journal::checkpoint_path(settings.journal, plan.key_of(plan.task(0), "digest-of-toy")));
  }
  stop = false;
  restart.read.clear();
  settings.continuation = Continuation::resume;
  Progress progress(world.is_root() ? ProgressStyle::log : ProgressStyle::silent,
                    [&](std::string_view text) { restart.said += text; });
  const RunOutcome outcome = run(world, experiment, plan, {}, settings, progress);
  EXPECT_EQ(outcome.done, 1);
  EXPECT_EQ(outcome.failed, 0);
  return restart;
}

TEST(Run, ATaskGoesOnFromItsCheckpoint) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Restart restart = restart_after(world, [](const std::string&) {});
  if (!world.is_root()) return;
  EXPECT_THAT(restart.read, ElementsAre("version 1"));
  EXPECT_EQ(restart.said.find("checkpoint"), std::string::npos);
}

TEST(Run, ADamagedCheckpointStartsItsTaskAnewWithAWarningThatNamesTheFile) {
  const parallel::Comm world(MPI_COMM_WORLD);
  std::string path;
  const Restart restart = restart_after(world, [&](const std::string& file) {
    path = file;
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  });
  if (!world.is_root()) return;
  EXPECT_THAT(restart.read, ElementsAre(""));
  EXPECT_THAT(restart.said, HasSubstr("warning: the checkpoint '" + path + "' cannot be used"));
}

TEST(Run, ACheckpointThatItsTaskRefusesStartsItAnewWithAWarning) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Restart restart = restart_after(world, [&](const std::string& path) {
    const std::filesystem::path file = path;
    journal::write_checkpoint(file.parent_path().string(), file.stem().string(), "version 0");
  });
  if (!world.is_root()) return;
  EXPECT_THAT(restart.read, ElementsAre(""));
  EXPECT_THAT(restart.said, HasSubstr("starts anew: a checkpoint of another version"));
}

/// Logs are read by all ranks in turn: with so many before it, by another one each time.
TEST(Run, ALogThatCannotBeReadInTheEndIsOneErrorOnEveryRank) {
  const parallel::Comm world(MPI_COMM_WORLD);
  for (int others = 0; others < 3; ++others) {
    const SharedFolder folder(world);
    const RunSettings settings = folder.settings();
    FakeExperiment experiment;
    experiment.on_run = [&](const parallel::Comm& team, const Task& task, const RunContext&) {
      if (!team.is_root()) return seed_metric(task);
      for (int i = 0; i < others; ++i) {
        std::ofstream(fmt::format("{}/0000-00008{}.log", settings.journal, i)).flush();
      }
      std::filesystem::create_directory(settings.journal + "/0000-000090.log");
      return seed_metric(task);
    };
    const End end = end_of([&] { (void)run_settings(world, experiment, "[alpha]\n", settings); });
    EXPECT_THAT(end.message, HasSubstr("0000-000090.log"));
    EXPECT_EQ(end.code, base::ExitCode::bad_input);
  }
}

}  // namespace
}  // namespace fairfront::sweep::test
