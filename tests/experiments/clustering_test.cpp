#include "experiments/clustering.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "config/config.hpp"
#include "config/config_text.hpp"
#include "experiments/registry.hpp"
#include "sweep/columns_of_tasks.hpp"
#include "sweep/plan.hpp"

namespace fairfront::experiments::clustering_test {
namespace {

using sweep::Experiment;
using sweep::Plan;
using sweep::RunContext;
using sweep::Task;
using sweep::TaskResult;

Plan plan_of(const std::string& methods) {
  const Experiment& experiment = find("clustering");
  const auto scanned = config::scan_config(
      "experiment = clustering\n[data]\ndata = syn_unequal_ds2\n[clustering]\nclusters = 3\n" +
          methods,
      "test.ini");
  return {config::resolve(scanned, experiment.name(), experiment.sections()), experiment};
}

TaskResult run_task(const Plan& plan, std::int64_t index) {
  const parallel::Comm world(MPI_COMM_WORLD);
  Task task = plan.task(index);
  task.key = plan.key_of(task, "digest");
  return find("clustering").run(world, task, RunContext{});
}

const char* const all_methods = R"(
[safairkm_front]
iterations = 5
starts = 6
[safairkm]
iterations = 20
n_a = 1, 5
n_b = 2
trace_points = 3
[vfairkm]
mu_max = 1000
mu_count = 4
[balance_ladder]
starts = 2
relocations = 3
refinements = 20
[lower_bound]
floor = 0.2
starts = 2
relocations = 3
refinements = 20
boxes = 300
[lloyd]
restarts = 2
[minibatch_kmeans]
iterations = 10
batch = 20
)";

TEST(Clustering, EveryMethodFitsTheSchemaAndForecastsItsNeeds) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Experiment& experiment = find("clustering");
  const Plan plan = plan_of(all_methods);
  ASSERT_EQ(plan.num_tasks(), 8);
  for (std::int64_t k = 0; k < plan.num_tasks(); ++k) {
    SCOPED_TRACE(plan.label(plan.task(k)));
    const auto forecast = experiment.forecast(plan.task(k), RunContext{}, 1);
    EXPECT_GT(forecast.work.bytes_per_rank, 0);
    EXPECT_GT(forecast.work.amount, 0);
    EXPECT_EQ(experiment.amount(plan.task(k), RunContext{}), forecast.work.amount);
    const TaskResult result = run_task(plan, k);
    if (!world.is_root()) {
      EXPECT_TRUE(result.metrics.empty());
      continue;
    }
    EXPECT_NO_THROW(sweep::check_result(experiment.schema(), result));
    EXPECT_EQ(result.front.points.size(), 2 * result.solutions.at("labels").size());
    EXPECT_EQ(result.metrics.at("front_size") * 2, static_cast<double>(result.front.points.size()));
    EXPECT_LE(result.metrics.at("greatest_balance"), result.metrics.at("balance_bound"));
    EXPECT_LE(result.metrics.at("hypervolume_share"), 1);
  }
}

TEST(Clustering, ATeamSharesALadderOfManyRowsAlone) {
  const Experiment& experiment = find("clustering");
  const auto shared = [&](const std::string& options) {
    const Plan plan = plan_of("[balance_ladder]\n" + options);
    return experiment.is_shared(plan.task(0), RunContext{});
  };
  EXPECT_FALSE(shared(""));
  EXPECT_TRUE(shared("sample = 20\n"));
  EXPECT_FALSE(shared("sample = 0\n"));
  EXPECT_TRUE(experiment.is_shared(plan_of(all_methods).task(0), RunContext{}));  // a list
}

TEST(Clustering, ALocalMethodGivesTheSameOnEveryTeam) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const parallel::Comm alone(MPI_COMM_SELF);
  const Plan plan = plan_of(all_methods);
  for (std::int64_t k = 1; k < plan.num_tasks(); ++k) {
    Task task = plan.task(k);
    task.key = plan.key_of(task, "digest");
    const TaskResult together = find("clustering").run(world, task, RunContext{});
    const TaskResult single = find("clustering").run(alone, task, RunContext{});
    if (!world.is_root()) continue;
    EXPECT_EQ(together, single);
  }
}

TEST(Clustering, AMethodWithOneClusteringLeavesCostAndBalance) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const TaskResult result = run_task(plan_of("[lloyd]\n"), 0);
  if (!world.is_root()) return;
  EXPECT_EQ(result.metrics.at("cost"), result.front.points[0]);
  EXPECT_EQ(result.metrics.at("balance"), result.front.points[1]);
}

TEST(Clustering, ALowerBoundIsBelowItsClusteringAndLeavesThePotentials) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const TaskResult result = run_task(plan_of("[lower_bound]\nfloor = 0.3\n"), 0);
  if (!world.is_root()) return;
  const double cost = result.metrics.at("cost");
  const double lower = result.metrics.at("cost_lower");
  EXPECT_GE(result.metrics.at("balance"), 0.3 - 1e-9);
  EXPECT_LE(lower, cost);
  EXPECT_DOUBLE_EQ(result.metrics.at("gap"), (cost - lower) / cost);
  EXPECT_LT(result.metrics.at("gap"), 0.05);
  EXPECT_EQ(result.metrics.at("complete"), 1);
  ASSERT_EQ(result.solutions.at("potentials").size(), 1U);
}

TEST(Clustering, EveryMethodsClaimsAreProvenFromDataAndFindings) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Experiment& experiment = find("clustering");
  const Plan plan = plan_of(all_methods);
  for (std::int64_t k = 0; k < plan.num_tasks(); ++k) {
    const Task task = plan.task(k);
    SCOPED_TRACE(plan.label(task));
    TaskResult result = run_task(plan, k);
    if (!world.is_root()) continue;
    const auto claims = experiment.prove(task, result, RunContext{});
    ASSERT_EQ(claims.size(), task.method == "lower_bound" ? 2U : 1U);
    for (const sweep::Claim& claim : claims) EXPECT_EQ(claim.refuted, "") << claim.text;
    result.front.points[0] *= 1 + 1e-15;
    EXPECT_NE(experiment.prove(task, result, RunContext{})[0].refuted, "");
  }
}

TEST(Clustering, ABoundThatItsPotentialsDoNotProveIsRefuted) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Experiment& experiment = find("clustering");
  const Plan plan = plan_of("[lower_bound]\nfloor = 0.3\nboxes = 20000\n");
  const TaskResult found = run_task(plan, 0);
  if (!world.is_root()) return;
  const auto refuted = [&](const TaskResult& result) {
    return experiment.prove(plan.task(0), result, RunContext{}).at(1).refuted;
  };
  EXPECT_EQ(refuted(found), "");
  TaskResult greater = found;
  greater.metrics["cost_lower"] = 1.01 * found.metrics.at("cost");
  EXPECT_NE(refuted(greater), "");
  TaskResult others = found;
  for (double& pi : std::get<std::vector<double>>(others.solutions.at("potentials")[0])) pi = 0;
  EXPECT_NE(refuted(others), "");
  TaskResult none = found;
  none.solutions.erase("potentials");
  EXPECT_NE(refuted(none), "");
}

TEST(Clustering, TheSeriesOfVfairkmHaveOneEntryPerWeight) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const TaskResult result = run_task(plan_of("[vfairkm]\nmu_max = 100\nmu_count = 5\n"), 0);
  if (!world.is_root()) return;
  EXPECT_EQ(result.series.at("weight_mu").values, (std::vector<double>{0, 25, 50, 75, 100}));
  EXPECT_EQ(result.series.at("weight_cost").steps, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(Clustering, OptionsThatDoNotSuitTheDataAreInputErrors) {
  for (const char* bad :
       {"[safairkm]\nn_a = 401\n", "[safairkm]\nn_a = 0\nn_b = 0\n",
        "[safairkm]\nn_a = 9\nn_total = 8\n", "[minibatch_kmeans]\nbatch = 401\n",
        "[vfairkm]\nmu_min = 9\nmu_max = 8\n", "[safairkm_front]\npairs = (401,0)\n"}) {
    const Plan plan = plan_of(bad);
    EXPECT_THROW((void)find("clustering").forecast(plan.task(0), RunContext{}, 1), base::InputError)
        << bad;
  }
  EXPECT_THROW((void)plan_of("[vfairkm]\nmu_count = 0\n"), base::InputError);
}

}  // namespace
}  // namespace fairfront::experiments::clustering_test
