#include "experiments/alternating.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "config/config.hpp"
#include "config/config_text.hpp"
#include "experiments/registry.hpp"
#include "sweep/columns_of_tasks.hpp"
#include "sweep/plan.hpp"

namespace fairfront::experiments {
namespace {

using sweep::Experiment;
using sweep::Plan;
using sweep::RunContext;
using sweep::Task;
using sweep::TaskResult;

Plan plan_of(const Experiment& experiment, const std::string& text) {
  const auto scanned =
      config::scan_config("experiment = " + experiment.name() + "\n" + text, "test.ini");
  return {config::resolve(scanned, experiment.name(), experiment.sections()), experiment};
}

TaskResult run_task(const Experiment& experiment, const Plan& plan, std::int64_t index,
                    const RunContext& context = {}) {
  const parallel::Comm world(MPI_COMM_WORLD);
  Task task = plan.task(index);
  task.key = plan.key_of(task, "digest");
  return experiment.run(world, task, context);
}

/// Every result fits the schema; only the team's root has one.
void expect_fits(const Experiment& experiment, const TaskResult& result) {
  const parallel::Comm world(MPI_COMM_WORLD);
  if (!world.is_root()) {
    EXPECT_TRUE(result.metrics.empty());
    return;
  }
  EXPECT_NO_THROW(sweep::check_result(experiment.schema(), result));
  EXPECT_EQ(result.front.points.size(), experiment.schema().objectives.size());
  EXPECT_EQ(result.solutions.at("x").size(), 1u);
}

TEST(Alternating, EveryTestProblemRunsWithBothMethods) {
  const Experiment& experiment = find("alternating");
  std::vector<std::string> names;
  for (const auto& entry : alternating::test_problems()) names.push_back(entry.name);
  const Plan plan = plan_of(experiment, "[alternating]\nproblem = " + base::join(names, ", ") + R"(
n_total = 8
iterations = 20
trace_points = 5
[sa2gd]
n_a = 0, 5
iterate = best
[weighted_sum]
n_a = 5
iterate = average
noise = 0.1
)");
  EXPECT_EQ(plan.num_tasks(), 3 * std::ssize(names));
  for (std::int64_t k = 0; k < plan.num_tasks(); ++k) {
    SCOPED_TRACE(plan.label(plan.task(k)));
    expect_fits(experiment, run_task(experiment, plan, k));
    const auto forecast = experiment.forecast(plan.task(k), RunContext{}, 1);
    EXPECT_FALSE(forecast.data.digest.empty());
  }
}

TEST(Alternating, DataWithoutLabelsAreAnInputErrorOnEveryRank) {
  const Experiment& experiment = find("alternating");
  const Plan plan = plan_of(experiment, "[alternating]\nproblem = data\n[sa2gd]\nn_a = 3\n");
  // The synthetic sets have no labels: the message says so, on every rank.
  EXPECT_THROW((void)run_task(experiment, plan, 0), base::Error);
  EXPECT_THROW((void)experiment.forecast(plan.task(0), RunContext{}, 1), base::InputError);
}

TEST(Alternating, BothMethodsStartAtTheSamePoint) {
  const Experiment& experiment = find("alternating");
  // All weight on f_1 of SP1 and one step: the same step for both.
  const Plan plan = plan_of(experiment, R"([alternating]
problem = sp1
n_total = 1
iterations = 1
[sa2gd]
n_a = 1
[weighted_sum]
n_a = 1
)");
  EXPECT_EQ(run_task(experiment, plan, 0).front.points, run_task(experiment, plan, 1).front.points);
}

TEST(Alternating, ATaskGivesTheSameResultAfterOthersHaveRun) {
  const std::string text =
      "[alternating]\nproblem = zdt3, quadratic\niterations = 5\n[sa2gd]\n"
      "n_a = 10, 90\nnoise = 0.01\norder = random\n";
  const Experiment& experiment = find("alternating");
  const Plan plan = plan_of(experiment, text);
  const RunContext used;  // with a cache
  for (std::int64_t k = plan.num_tasks(); k-- > 0;) (void)run_task(experiment, plan, k, used);
  for (std::int64_t k = 0; k < plan.num_tasks(); ++k) {
    const TaskResult again = run_task(experiment, plan, k, used);
    const TaskResult fresh = run_task(experiment, plan, k);
    EXPECT_EQ(again.front.points, fresh.front.points);
    EXPECT_EQ(again.metrics, fresh.metrics);
  }
}

TEST(Alternating, BadWeightsAreInputErrors) {
  const Experiment& experiment = find("alternating");
  for (const char* weights : {"n_a = 201", "n_a = 3\nlattice = 3", "weights = (1,2)",
                              "weights = (100,50,50)", "lattice = 201"}) {
    const Plan plan = plan_of(experiment, std::string("[sa2gd]\n") + weights + "\n");
    EXPECT_THROW((void)experiment.forecast(plan.task(0), RunContext{}, 1), base::InputError)
        << weights;
  }
  EXPECT_THROW((void)plan_of(experiment, "[sa2gd]\nweights = (1,x)\n"), base::InputError);
}

TEST(Alternating, ThreeObjectivesTakeLatticePointsOrWeights) {
  const Experiment& experiment = find("alternating3");
  const Plan plan = plan_of(experiment, R"(
[alternating]
problem = quadratic
n_total = 6
iterations = 50
[sa2gd]
weights = (1,2,3), (6,0,0)
[weighted_sum]
lattice = 0..27
)");
  ASSERT_EQ(plan.num_tasks(), 2 + 28);
  for (std::int64_t k = 0; k < plan.num_tasks(); ++k) {
    expect_fits(experiment, run_task(experiment, plan, k));
  }
}

}  // namespace
}  // namespace fairfront::experiments
