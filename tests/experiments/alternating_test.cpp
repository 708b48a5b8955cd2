#include "experiments/alternating.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "config/config.hpp"
#include "config/config_text.hpp"
#include "experiments/alternating_fronts.hpp"
#include "experiments/registry.hpp"
#include "support/temporary_folder.hpp"
#include "sweep/columns_of_tasks.hpp"
#include "sweep/idle_options.hpp"
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

TEST(Alternating, TasksAbreastHaveTheResultsOfEachAlone) {
  const parallel::Comm alone(MPI_COMM_SELF);
  const Experiment& experiment = find("alternating");
  for (const char* method : {"sa2gd", "weighted_sum"}) {
    const Plan plan = plan_of(
        experiment, std::string("seed = 3, 4\n[alternating]\nproblem = ff1\nn_total = 12\n") +
                        "iterations = 9\n[" + method +
                        "]\nn_a = 1, 4\nstep = 1e-3, 0.01\nnoise = 0, 0.1\n" +
                        "iterate = last, average, best\n");
    std::map<std::string, std::vector<Task>> loops;
    for (std::int64_t k = 0; k < plan.num_tasks(); ++k) {
      Task task = plan.task(k);
      task.key = plan.key_of(task, "digest");
      loops[experiment.shared_loop(task)].push_back(task);
    }
    ASSERT_EQ(loops.size(), 2u) << "noise or none";
    for (const auto& [loop, tasks] : loops) {
      ASSERT_EQ(tasks.size(), 24u);
      const std::vector<Task> some(tasks.begin() + 4, tasks.begin() + 12);
      const auto together = experiment.run_abreast(alone, some, {});
      ASSERT_EQ(together.size(), 8u);
      for (std::size_t k = 0; k < some.size(); ++k) {
        SCOPED_TRACE(plan.label(some[k]));
        const TaskResult own = experiment.run(alone, some[k], {});
        EXPECT_EQ(together[k].metrics, own.metrics);
        EXPECT_EQ(together[k].front.points, own.front.points);
        EXPECT_EQ(together[k].solutions, own.solutions);
        EXPECT_EQ(together[k].model, own.model);
      }
    }
  }
}

TEST(Alternating, OnlyRunsThatShareALoopAreSaidToDoSo) {
  const auto shared = [](const char* name, const std::string& text) {
    const Experiment& experiment = find(name);
    return experiment.shared_loop(plan_of(experiment, text).task(0));
  };
  const auto of = [&](const std::string& options, const std::string& method) {
    return shared("alternating", "[alternating]\n" + options + "\n[" + method + "\n");
  };
  const std::string sa2gd = "sa2gd]\nn_a = 1";
  EXPECT_NE(of("problem = ff1", sa2gd), "");
  EXPECT_NE(of("problem = zdt1\nvariables = 2", sa2gd), "");
  EXPECT_EQ(of("problem = zdt1", sa2gd), "") << "30 variables";
  EXPECT_EQ(of("problem = mop1", sa2gd), "") << "one";
  EXPECT_EQ(of("problem = ff1\ntrace_points = 3", sa2gd), "");
  EXPECT_EQ(shared("alternating", "[data]\ndata = adult\n[alternating]\nproblem = data\n[" + sa2gd),
            "");
  EXPECT_NE(of("problem = ff1\nn_total = 5", "weighted_sum]\nn_a = 1"), "");
  EXPECT_EQ(of("problem = ff1\nn_total = 5", "weighted_sum]\nn_a = 0"), "");
  EXPECT_EQ(of("problem = ff1\nn_total = 5", "weighted_sum]\nn_a = 5"), "");
  EXPECT_NE(of("problem = ff1\nn_total = 5", "weighted_sum]\nn_a = 1\ninner_steps = 3"),
            of("problem = ff1\nn_total = 5", "weighted_sum]\nn_a = 1\ninner_steps = 4"));
  const std::string three = "[alternating]\nproblem = quadratic\nvariables = 2\nn_total = 3\n";
  EXPECT_NE(shared("alternating3", three + "[sa2gd]\nlattice = 2"), "");
  EXPECT_EQ(shared("alternating3", three + "[weighted_sum]\nlattice = 2"), "");
}

TEST(Alternating, EveryTestProblemRunsWithBothMethods) {
  const Experiment& experiment = find("alternating");
  std::vector<std::string> names;
  for (const auto& entry : alternating::test_problems()) {
    if (entry.objectives == 2) names.push_back(entry.name);
  }
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

TEST(Alternating, EpsilonConstraintTracesAFrontOfEveryTestProblemInOneTask) {
  const Experiment& experiment = find("alternating");
  std::vector<std::string> names;
  for (const auto& entry : alternating::test_problems()) {
    if (entry.objectives == 2) names.push_back(entry.name);
  }
  const Plan plan = plan_of(experiment, "[alternating]\nproblem = " + base::join(names, ", ") +
                                            "\n[epsilon_constraint]\nspacing = 0.1\n");
  ASSERT_EQ(plan.num_tasks(), std::ssize(names));
  const parallel::Comm world(MPI_COMM_WORLD);
  for (std::int64_t k = 0; k < plan.num_tasks(); ++k) {
    SCOPED_TRACE(plan.label(plan.task(k)));
    const TaskResult result = run_task(experiment, plan, k);
    if (!world.is_root()) continue;
    EXPECT_NO_THROW(sweep::check_result(experiment.schema(), result));
    EXPECT_GT(result.front.points.size(), 10u);
    EXPECT_EQ(2 * result.solutions.at("x").size(), result.front.points.size());
    EXPECT_GT(result.front.hypervolume, 0);
    EXPECT_LE(result.metrics.at("gradients"), 8000);
    if (const auto share = result.metrics.find("coverage"); share != result.metrics.end()) {
      EXPECT_GT(share->second, 0.1);
      EXPECT_LE(share->second, 1);
    }
  }
}

TEST(Alternating, EpsilonConstraintSaysWhyAFrontMayLackParts) {
  const Experiment& experiment = find("alternating");
  const Plan plan = plan_of(experiment,
                            "[alternating]\nproblem = sp1\n[epsilon_constraint]\n"
                            "most_gradients = 300, 8000\n");
  const parallel::Comm world(MPI_COMM_WORLD);
  const TaskResult few = run_task(experiment, plan, 0);
  const TaskResult enough = run_task(experiment, plan, 1);
  if (!world.is_root()) return;
  EXPECT_NE(few.remark.find("the 300 gradients (epsilon_constraint.most_gradients) ended before"),
            std::string::npos)
      << few.remark;
  EXPECT_EQ(enough.remark.find("gradients"), std::string::npos) << enough.remark;
  EXPECT_GT(enough.metrics.at("coverage"), few.metrics.at("coverage"));
}

/// With a loose `constraint_error` every level is placed, some of them in the wrong piece of ZDT3.
TEST(Alternating, EpsilonConstraintSaysWhatItHasNotCovered) {
  const Experiment& experiment = find("alternating");
  const Plan plan = plan_of(experiment,
                            "seed = 7000001..7000008\n[alternating]\nproblem = zdt3\n"
                            "[epsilon_constraint]\nconstraint_error = 1e-3, 0.1\n");
  const parallel::Comm world(MPI_COMM_WORLD);
  int lacking = 0;
  for (std::int64_t task = 0; task < plan.num_tasks(); ++task) {
    const TaskResult result = run_task(experiment, plan, task);
    if (!world.is_root()) continue;
    const bool told =
        result.remark.find("of the known front have no point within") != std::string::npos;
    const bool whole = result.metrics.at("coverage") >= 0.95;
    EXPECT_NE(told, whole) << result.remark;
    if (whole) {
      EXPECT_EQ(result.remark.find("could not be placed"), std::string::npos) << result.remark;
    }
    lacking += told ? 1 : 0;
  }
  if (world.is_root()) {
    EXPECT_GT(lacking, 0);
  }
}

TEST(Alternating, VerifyProvesTheObjectivesAtX) {
  const Experiment& experiment = find("alternating");
  const Plan plan = plan_of(experiment,
                            "[alternating]\nproblem = ff1, zdt1\n[sa2gd]\n[pf_smg]\n"
                            "most_gradients = 2000\n[epsilon_constraint]\n");
  const parallel::Comm world(MPI_COMM_WORLD);
  for (std::int64_t task = 0; task < plan.num_tasks(); ++task) {
    TaskResult result = run_task(experiment, plan, task);
    if (!world.is_root()) continue;
    const auto refuted = [&] {
      const auto claims = experiment.prove(plan.task(task), result, {});
      EXPECT_EQ(claims.size(), 1u);
      return claims.front().refuted;
    };
    EXPECT_EQ(refuted(), "");
    auto& x = std::get<std::vector<double>>(result.solutions.at("x").back());
    x.front() = std::nextafter(x.front(), 10.0) + 1e-9;
    EXPECT_THAT(refuted(), testing::HasSubstr(", its x "));
    x.push_back(1);
    EXPECT_THAT(refuted(), testing::HasSubstr("has no x of this problem"));
    result.solutions.at("x").pop_back();
    EXPECT_EQ(refuted(), "there are not as many x");
  }
}

/// A file of 40 rows with two groups and a label that depends on both.
void write_table(const std::string& path) {
  std::ofstream file(path);
  file << "a,b,sex,owner\n";
  base::Stream stream(base::StreamKey(1, "alternating", "table"), 0);
  for (int row = 0; row < 40; ++row) {
    const double a = stream.normal();
    const double b = stream.normal() + (row % 2);
    file << a << ',' << b << ',' << (row % 2 == 0 ? "f" : "m") << ','
         << (a + b + stream.normal() > 0.5 ? 1 : 0) << '\n';
  }
}

constexpr const char* own_table =
    "[data]\ndata = csv\nfile = table.csv\nfeatures = a, b\nsensitive = sex\nlabel = owner\n";

TEST(Alternating, GapsOnDataAreBoundedByTheCertifiedOneAndKnownWhereTheMinimumIsComputed) {
  const test::TemporaryFolder folder;
  write_table(folder / "table.csv");
  const Experiment& experiment = find("alternating");
  const Plan plan = plan_of(experiment, std::string(own_table) + R"([model]
fairness = covariance, loss_gap
fairness_scale = 10
batch = 5
[alternating]
problem = data
n_total = 6
iterations = 30
trace_points = 5
data_minimum = unknown, computed
[sa2gd]
n_a = 1, 4
[weighted_sum]
n_a = 4
[epsilon_constraint]
)");
  RunContext context;
  context.data_dir = folder / "";
  const parallel::Comm world(MPI_COMM_WORLD);
  int known = 0;
  for (std::int64_t k = 0; k < plan.num_tasks(); ++k) {
    const Task task = plan.task(k);
    SCOPED_TRACE(plan.label(task));
    const TaskResult result = run_task(experiment, plan, k, context);
    if (!world.is_root()) continue;
    EXPECT_NO_THROW(sweep::check_result(experiment.schema(), result));
    const auto certified = result.measured.find("certified_excess");
    if (task.values.at("model.fairness") == "loss_gap") {
      EXPECT_EQ(certified, result.measured.end());
      EXPECT_EQ(result.remark.find("loss_gap is not convex") != std::string::npos,
                task.method == "epsilon_constraint")
          << result.remark;
      EXPECT_FALSE(result.metrics.contains("gap"));
      continue;
    }
    ASSERT_NE(certified, result.measured.end());
    const double bound = certified->second.at({"train"}).value;
    EXPECT_EQ(experiment.measure(world, task, {result}, context), result.measured);
    if (task.method == "epsilon_constraint") {
      EXPECT_LE(bound, 1e-8);
      EXPECT_EQ(result.remark, "");
      continue;
    }
    EXPECT_GT(bound, 0);
    const bool computed = task.values.at("alternating.data_minimum") == "computed";
    EXPECT_EQ(result.metrics.contains("gap"), computed);
    EXPECT_EQ(result.series.contains("gap"), computed);
    if (!computed) continue;
    ++known;
    EXPECT_LE(result.metrics.at("gap"), bound);
    EXPECT_GT(result.metrics.at("gap"), -1e-10);
  }
  EXPECT_EQ(known, world.is_root() ? 3 : 0);
}

TEST(Alternating, EpsilonConstraintSaysWhichPointsAreNotProven) {
  const test::TemporaryFolder folder;
  write_table(folder / "table.csv");
  const Experiment& experiment = find("alternating");
  const Plan plan = plan_of(experiment, std::string(own_table) +
                                            "[alternating]\nproblem = data\n[epsilon_constraint]\n"
                                            "certified_excess = 1e-8, 1e-60\n");
  RunContext context;
  context.data_dir = folder / "";
  const parallel::Comm world(MPI_COMM_WORLD);
  const TaskResult proven = run_task(experiment, plan, 0, context);
  const TaskResult beyond = run_task(experiment, plan, 1, context);
  if (!world.is_root()) return;
  EXPECT_EQ(proven.remark, "");
  EXPECT_NE(
      beyond.remark.find("points are not proven to 1e-60 (epsilon_constraint.certified_excess"),
      std::string::npos)
      << beyond.remark;
}

/// A file of 60 rows with two groups and a column of parts; numbers are eighths.
struct RowWithPart {
  double a, b;
  int group, label;
  bool tested;
};
std::vector<RowWithPart> write_table_with_parts(const std::string& path) {
  std::ofstream file(path);
  file << "a,b,sex,owner,part\n";
  base::Stream stream(base::StreamKey(1, "alternating", "parts"), 0);
  std::vector<RowWithPart> rows;
  for (int row = 0; row < 60; ++row) {
    RowWithPart next{std::round(8 * stream.normal()) / 8, std::round(8 * stream.normal()) / 8,
                     row % 2, 0, row % 3 == 0};
    next.label = next.a + next.b + stream.normal() > 0 ? 1 : 0;
    rows.push_back(next);
    file << next.a << ',' << next.b << ',' << (next.group == 0 ? "f" : "m") << ',' << next.label
         << ',' << (next.tested ? "test" : "train") << '\n';
  }
  return rows;
}

const std::string table_with_parts =  // of which features are taken as they are
    std::string(own_table) + "split = part\n[preparation]\nscaling = none\n";
const std::string one_step =
    "[alternating]\nproblem = data\nn_total = 2\niterations = 3\n[sa2gd]\nn_a = 1\n";

TEST(Alternating, AColumnThatDataSplitNamesMakesTheParts) {
  const test::TemporaryFolder folder;
  write_table_with_parts(folder / "table.csv");
  const Experiment& experiment = find("alternating");
  RunContext context;
  context.data_dir = folder / "";
  const auto result_of = [&](const std::string& split) {
    return run_task(experiment, plan_of(experiment, table_with_parts + split + one_step), 0,
                    context);
  };
  const TaskResult said = result_of("[split]\nby = column\n");
  const TaskResult automatic = result_of("");
  const TaskResult values = result_of("[split]\ntest_values = test\n");
  const TaskResult others =
      result_of("[split]\ntrain_values = test\ntest_values = train\nvalidation_values =\n");
  if (!parallel::Comm(MPI_COMM_WORLD).is_root()) return;
  ASSERT_EQ(said.front.report.size(), 2u);
  EXPECT_EQ(automatic.front.points, said.front.points);
  EXPECT_EQ(automatic.front.report, said.front.report);
  EXPECT_EQ(automatic.measured, said.measured);
  EXPECT_EQ(values.front.report, said.front.report);
  EXPECT_NE(others.front.points, said.front.points);
  EXPECT_EQ(others.front.report.size(), 2u);
}

TEST(Alternating, OptionsOfAColumnOfPartsAreNotIdle) {
  const Experiment& experiment = find("alternating");
  const Plan plan =
      plan_of(experiment,
              table_with_parts + "[split]\ntest_values = test\nvalidation_values =\n" + one_step);
  for (const sweep::IdleOption& option :
       sweep::idle_options(config::conditions_of(experiment.sections()), plan.task(0))) {
    EXPECT_NE(option.name, "data.split") << option.why;
    EXPECT_NE(option.name, "split.test_values") << option.why;
    EXPECT_NE(option.name, "split.by") << option.why;
  }
}

/// Probabilities of such scores are all 0 or 1: their order is that of the scores.
TEST(Alternating, AucsAreOfScoresWhoseProbabilitiesAreAllOne) {
  const test::TemporaryFolder folder;
  const auto rows = write_table_with_parts(folder / "table.csv");
  const Experiment& experiment = find("alternating");
  const Plan plan =
      plan_of(experiment, table_with_parts + "[model]\nlargest_weight = 1e5\n" + one_step);
  RunContext context;
  context.data_dir = folder / "";
  const parallel::Comm world(MPI_COMM_WORLD);
  TaskResult result = run_task(experiment, plan, 0, context);
  const auto measured_at = [&](std::vector<double> x) {
    result.solutions["x"] = {std::move(x)};
    return experiment.measure(world, plan.task(0), {result}, context);
  };
  const auto large = measured_at({5000, 700, 400});
  const auto small = measured_at({5, 0.7, 0.4});
  if (!world.is_root()) return;
  double above = 0;
  double pairs = 0;
  for (const RowWithPart& one : rows) {
    for (const RowWithPart& other : rows) {
      if (!one.tested || !other.tested || one.label <= other.label) continue;
      const double difference = 7 * (one.a - other.a) + 4 * (one.b - other.b);
      above += difference > 0 ? 1 : difference < 0 ? 0 : 0.5;
      pairs += 1;
    }
  }
  ASSERT_GT(pairs, 20);
  ASSERT_LT(above, pairs);
  EXPECT_DOUBLE_EQ(large.at("auc").at({"test"}).value, above / pairs);
  EXPECT_EQ(large.at("auc"), small.at("auc"));  // of groups, too
  EXPECT_EQ(large.at("error"), small.at("error"));
}

TEST(Alternating, CoverageIsTheShareOfTheFrontsLengthInUnitsOfItsRanges) {
  // A line whose first half has many more samples than its second, as fronts have that are drawn
  // by even steps of a variable.
  pareto::Points front(2);
  for (int k = 0; k <= 1000; ++k) {
    const double t = k <= 800 ? k / 1600.0 : 0.5 + (k - 800) / 400.0;
    front.add(std::array{10 * t, 100 - 100 * t}, static_cast<std::uint64_t>(k));
  }
  pareto::Points found(2);
  found.add(std::array{0.0, 100.0}, 0);
  EXPECT_NEAR(coverage(found, front, 0.1), 0.1 / std::sqrt(2.0), 0.002);
  found.add(std::array{7.5, 25.0}, 1);
  EXPECT_NEAR(coverage(found, front, 0.1), 0.3 / std::sqrt(2.0), 0.004);
  EXPECT_DOUBLE_EQ(coverage(front, front, 0.01), 1);
}

TEST(Alternating, PointsThatAnotherOneBettersAtNoCostAreNearlyDominated) {
  pareto::Points front(3);  // ranges of 1
  front.add(std::array{0.0, 1.0, 0.5}, 0);
  front.add(std::array{1.0, 0.0, 0.5}, 1);
  front.add(std::array{0.5, 0.5, 0.0}, 2);
  front.add(std::array{0.499, 0.499, 1.0}, 3);  // the third gives all for a thousandth
  front.add(std::array{0.5, 0.4, 0.04}, 4);     // gives a tenth
  front.add(std::array{0.0, 0.999, 0.549}, 5);  // not by much
  EXPECT_EQ(nearly_dominated(front), 1u);
  pareto::Points many(3);
  for (int k = 0; k < 5000; ++k) {
    const double t = k / 5000.0;
    many.add(std::array{t, 1 - t, k % 2 == 0 ? 0.0 : 1.0}, many.size());
  }
  EXPECT_EQ(nearly_dominated(many), 2500u);
}

// Of so many variables no second stage is made.
TEST(Alternating, ASurfaceOfWeaklyEfficientPointsIsToldAndOneMadeEfficientNot) {
  const Experiment& experiment = find("alternating3");
  const Plan plan = plan_of(experiment,
                            "[alternating]\nproblem = absolute, huber\nvariables = 3\n"
                            "[epsilon_constraint]\nspacing = 0.06\n");
  const parallel::Comm world(MPI_COMM_WORLD);
  const TaskResult kinks = run_task(experiment, plan, 0);
  const TaskResult smooth = run_task(experiment, plan, 1);
  const Plan large = plan_of(experiment,
                             "[alternating]\nproblem = absolute\nvariables = 101\n"
                             "[epsilon_constraint]\nspacing = 0.06\nmost_gradients = 200000\n");
  const TaskResult many = run_task(experiment, large, 0);
  const Plan curved = plan_of(experiment,
                              "seed = 3\n[alternating]\nproblem = elastic\nvariables = 5\n"
                              "[epsilon_constraint]\nspacing = 0.06\nmost_gradients = 10000\n");
  const TaskResult bent = run_task(experiment, curved, 0);
  if (!world.is_root()) return;
  EXPECT_THAT(many.remark, testing::HasSubstr("points are only weakly efficient"));
  EXPECT_THAT(many.remark, testing::HasSubstr("are not proven to be efficient"));
  EXPECT_THAT(bent.remark, testing::Not(testing::HasSubstr("efficient")));
  EXPECT_THAT(kinks.remark, testing::Not(testing::HasSubstr("efficient")));
  EXPECT_THAT(smooth.remark, testing::Not(testing::HasSubstr("efficient")));
}

TEST(Alternating, CoverageLeavesOutTheHolesOfAFront) {
  pareto::Points front(2);  // two pieces as long as each other, a hole between them
  for (int k = 0; k <= 100; ++k) {
    const double t = k <= 50 ? 0.004 * k : 0.8 + 0.004 * (k - 50);
    front.add(std::array{t, 1 - t}, static_cast<std::uint64_t>(k));
  }
  pareto::Points found(2);
  for (std::size_t k = 0; k <= 50; ++k) found.add(front[k], k);
  EXPECT_NEAR(coverage(found, front, 0.02), 0.5, 0.01);
}

/// "" where there is none.
std::string input_error_of(const char* experiment, const std::string& config) {
  const Experiment& found = find(experiment);
  const Plan plan = plan_of(found, config);
  try {
    (void)found.forecast(plan.task(0), RunContext{}, 1);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Alternating, ErrorsBeginWithTheOptionWhoseLineIsToBeFound) {
  using testing::StartsWith;
  EXPECT_THAT(
      input_error_of("alternating", "[alternating]\nproblem = sp1\nvariables = 3\n[sa2gd]\n"),
      StartsWith("alternating.variables: problem 'sp1' has 2 variables, not 3"));
  EXPECT_THAT(input_error_of("alternating", "[alternating]\nproblem = dtlz2\n[sa2gd]\n"),
              StartsWith("alternating.problem: problem 'dtlz2' has 3 objectives, not 2"));
  EXPECT_THAT(input_error_of("alternating3", "[alternating]\nproblem = data\n[sa2gd]\n"),
              StartsWith("alternating.problem: problem 'data' has 2 objectives"));
  const std::string huber = "[alternating]\nproblem = huber\nn_total = 6\n";
  EXPECT_THAT(input_error_of("alternating3", huber + "[sa2gd]\n"),
              StartsWith("sa2gd.lattice: more than two objectives need lattice or weights"));
  EXPECT_THAT(input_error_of("alternating", huber + "[sa2gd]\nn_a = 1\nlattice = 2\n"),
              StartsWith("sa2gd.n_a: give one of"));
  EXPECT_THAT(input_error_of("alternating", huber + "[weighted_sum]\nlattice = 7\n"),
              StartsWith("weighted_sum.lattice = 7, must be < 7"));
  EXPECT_THAT(input_error_of("alternating", huber + "[weighted_sum]\nweights = (1,2)\n"),
              StartsWith("weighted_sum.weights = (1,2), must be 2 numbers"));
}

TEST(Alternating, OptionsOfMinimaAreIdleWhereTheProblemIsNotConvex) {
  const Experiment& experiment = find("alternating");
  const auto conditions = config::conditions_of(experiment.sections());
  for (const auto& [method, name] :
       {std::pair{"[sa2gd]\nn_a = 3\n", "alternating.data_minimum"},
        std::pair{"[epsilon_constraint]\n", "epsilon_constraint.certified_excess"}}) {
    const Plan plan =
        plan_of(experiment, std::string(own_table) + "[model]\nfairness = loss_gap, covariance\n" +
                                "[alternating]\nproblem = data\n" + method);
    EXPECT_THAT(sweep::why_idle(conditions, plan.task(0), name),
                testing::Optional(testing::HasSubstr("not convex")));
    EXPECT_EQ(sweep::why_idle(conditions, plan.task(1), name), std::nullopt);
  }
}

TEST(Alternating, DataThatAProblemDoesNotReadAreIdleAndTheRemedyIsTheProblemOfData) {
  const Experiment& experiment = find("alternating");
  const Plan plan = plan_of(experiment, std::string(own_table) + "[sa2gd]\nn_a = 3\n");
  const std::vector<sweep::IdleOption> idle =
      sweep::idle_options(config::conditions_of(experiment.sections()), plan.task(0));
  const auto data = std::ranges::find(idle, "data.data", &sweep::IdleOption::name);
  ASSERT_NE(data, idle.end());
  EXPECT_EQ(data->remedy, "set alternating.problem = data");
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
