#include "sweep/probe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/cpu_time.hpp"
#include "fake_experiment.hpp"
#include "parallel/task_queue.hpp"
#include "sweep/forecast.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep::test {
namespace {

using testing::ElementsAre;

struct Probed {
  std::vector<Probe> probes;
  std::vector<std::int64_t> run;  ///< the tasks
};

Probed probed(const std::string& text, FakeExperiment& experiment) {
  Probed found;
  const auto on_run = experiment.on_run;
  experiment.on_run = [&](const parallel::Comm& team, const Task& task, const RunContext& context) {
    found.run.push_back(task.index);
    return on_run ? on_run(team, task, context) : TaskResult{};
  };
  const Plan plan(config_of(text, {}, experiment), experiment);
  const RunContext context;
  const parallel::Comm self(MPI_COMM_SELF);
  found.probes =
      probe_kinds(self, experiment, plan, context, forecast_problems(experiment, plan, context, 1));
  return found;
}

void compute_for(double seconds) {
  const double begin = base::cpu_seconds();
  while (base::cpu_seconds() - begin < seconds) continue;
}

TEST(Probe, TimeInWhichATaskHasNoCoreIsNotCounted) {
  FakeExperiment experiment;
  experiment.on_run = [](const auto&, const Task&, const RunContext&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    compute_for(0.005);
    return TaskResult{};
  };
  const Probed found = probed("[alpha]\n", experiment);
  EXPECT_GE(found.probes.at(0).seconds, 0.005);
  EXPECT_LT(found.probes.at(0).seconds, 0.1);
}

TEST(Probe, RunsTheShortestTaskOfEachKindAlone) {
  FakeExperiment experiment;
  experiment.on_amount = [](const Task& task) {
    return task.method == "alpha" ? 100 - 10.0 * std::stod(task.values.at("alpha.steps")) : 1;
  };
  experiment.on_run = [](const auto&, const Task&, const RunContext&) {
    compute_for(0.005);
    return TaskResult{};
  };
  const Probed found = probed("[alpha]\nsteps = 1, 2, 5\n[beta]\n", experiment);
  EXPECT_THAT(found.run, ElementsAre(2, 3));
  ASSERT_EQ(found.probes.size(), 2);
  const Probe& alpha = found.probes[0];
  EXPECT_EQ(alpha.tasks, 3);
  EXPECT_GE(alpha.seconds, 0.005);
  EXPECT_DOUBLE_EQ(alpha.all_seconds, alpha.seconds * (90 + 80 + 50) / 50);
  EXPECT_DOUBLE_EQ(alpha.longest_seconds, alpha.seconds * 90 / 50);
  EXPECT_EQ(found.probes[1].all_seconds, found.probes[1].seconds);
}

/// Two trials decide the steps of every alpha, and what they come to asks for a third.
class Tuned : public FakeExperiment {
 public:
  mutable int made = 0;

  [[nodiscard]] std::vector<Task> trials(const Task& task,
                                         const TrialOutcomes& known) const override {
    std::vector<Task> trials;
    if (task.method != "alpha") return trials;
    for (const std::string steps : {"7", "8", "9"}) {
      if (steps == "9" && known.size() < 2) break;
      trials.push_back(task);
      trials.back().values.at("alpha.steps") = steps;
      trials.back().is_trial = true;
    }
    return trials;
  }
  [[nodiscard]] double score(const parallel::Comm& /*team*/, const Task& /*trial*/,
                             const RunContext& /*context*/) const override {
    ++made;
    compute_for(0.02);
    return 1;
  }
};

/// A run makes each trial once; each task's own were counted with every task.
TEST(Probe, TrialsAreCountedOnceForAllTasksThatAskForThem) {
  Tuned experiment;
  std::size_t known = 0;
  experiment.on_run = [&](const auto&, const Task&, const RunContext& context) {
    if (context.trials) known = context.trials->size();
    compute_for(0.005);
    return TaskResult{};
  };
  const Probed found = probed("[alpha]\nsteps = 1, 2, 3, 4, 5, 6\n", experiment);
  ASSERT_EQ(found.probes.size(), 1u);
  EXPECT_EQ(experiment.made, 3);
  EXPECT_EQ(known, 3u);
  EXPECT_LT(found.probes[0].seconds, 0.04);
  const double of_trials = found.probes[0].all_seconds - 6 * found.probes[0].seconds;
  EXPECT_GE(of_trials, 0.06);
  EXPECT_LT(of_trials, 0.12);
}

TEST(Probe, ATaskThatFailsSaysWhyAndHidesNoOther) {
  FakeExperiment experiment;
  experiment.on_run = [](const auto&, const Task& task, const RunContext&) -> TaskResult {
    if (task.method == "alpha") throw std::domain_error("steps of no use");
    return {};
  };
  const Probed found = probed("[alpha]\n[beta]\n", experiment);
  ASSERT_EQ(found.probes.size(), 2);
  EXPECT_EQ(found.probes[0].failure, "steps of no use");
  EXPECT_EQ(found.probes[0].all_seconds, 0);
  EXPECT_EQ(found.probes[1].failure, "");
}

TEST(Probe, TasksThatShareALoopAreMeasuredInIt) {
  FakeExperiment experiment;
  experiment.on_shared_loop = [](const Task& task) {
    return task.values.at("seed") == "1" ? "" : "loop";
  };
  experiment.on_run = [](const auto&, const Task&, const RunContext&) {
    compute_for(0.08);
    return TaskResult{};
  };
  std::size_t together = 0;
  experiment.on_run_abreast = [&](std::span<const Task> tasks, const RunContext&) {
    together = tasks.size();
    return std::vector<TaskResult>(tasks.size());
  };
  FakeExperiment same = experiment;  // probed() changes what it is given
  const Probed many = probed("seed = 1..17\n[alpha]\n", experiment);
  EXPECT_EQ(together, parallel::most_at_once);
  EXPECT_LT(many.probes.at(0).seconds, 0.01);
  together = 0;
  const Probed few = probed("seed = 1..16\n[alpha]\n", same);
  EXPECT_EQ(together, 0) << "15 of the loop";
  EXPECT_GE(few.probes.at(0).seconds, 0.08);
}

TEST(Probe, AStopIsNoFailure) {
  FakeExperiment experiment;
  experiment.on_run = [](const auto&, const Task&, const RunContext&) -> TaskResult {
    throw TaskInterrupted();
  };
  EXPECT_THROW(probed("[alpha]\n", experiment), TaskInterrupted);
}

TEST(Probe, ManyTeamsWaitForTheLongestTask) {
  std::vector<Probe> probes(2);
  probes[0].all_seconds = 60;
  probes[0].longest_seconds = 10;
  probes[1].all_seconds = 40;
  probes[1].longest_seconds = 30;
  EXPECT_EQ(seconds_of_all(probes, 1), 100);
  EXPECT_EQ(seconds_of_all(probes, 2), 50);
  EXPECT_EQ(seconds_of_all(probes, 50), 30);
}

}  // namespace
}  // namespace fairfront::sweep::test
