#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "experiments/regression.hpp"
#include "numbers.hpp"
#include "regression_support.hpp"

namespace fairfront::experiments::regression_methods_test {
namespace {

using sweep::Task;
using sweep::TaskResult;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// The slack of a task, of any method that has one.
struct EpsilonOnly {
  double epsilon = 0;
};
base::OptionTable options_of(EpsilonOnly& options) {
  base::OptionTable table("epsilon");
  table.add("epsilon", options.epsilon, base::at_least(0.0), "", "");
  return table;
}

TEST(RegressionExperiment, ResultsAreThoseOfTheMultipliersByDefinition) {
  const auto rows = random_rows(5, 180);
  const Sweep sweep(csv_of(rows), parts + from_columns +
                                      "[regression]\nhalf_atoms = 5\nbeta = 30\nrange = given\n"
                                      "least = 0\ngreatest = 20\n[dp_postprocessing]\n"
                                      "epsilon = 0.02\nsteps = 500\n"
                                      "rule = randomised, argmax, mean\ntrace_points = 3\n");
  const auto problem = sweep.problem();
  ASSERT_EQ(sweep.tasks(), 3);
  for (std::int64_t task = 0; task < 3; ++task) {
    const TaskResult result = sweep.run(task);
    const auto& w = numbers(result, "multipliers", 0);
    ASSERT_THAT(w, SizeIs(2 * 2 * 11));
    const auto& atoms = numbers(result, "atoms", 0);
    for (const std::string name : {"unlabelled", "test"}) {
      const auto of_part = part(rows, name);
      std::vector<std::vector<double>> pi;
      double risk = 0;
      for (const Row& row : of_part) {
        std::vector<double> weights;
        double sum = 0;
        for (std::size_t l = 0; l < 11; ++l) {
          const double q = -1 + 0.2 * double(l);
          EXPECT_NEAR(atoms[l], 10 + 10 * q, 1e-12);
          double z = -std::pow((row.eta - 10) / 10 - q, 2);
          for (std::size_t s = 0; s < 2; ++s) {
            const double tau = s == 1 ? row.tau : 1 - row.tau;
            z += (w[s * 11 + l] - w[22 + s * 11 + l]) * (1 - tau / problem.shares[s]);
          }
          weights.push_back(std::exp(30 * z));
          sum += weights.back();
        }
        double mean = 0;
        for (std::size_t l = 0; l < 11; ++l) mean += (weights[l] /= sum) * atoms[l];
        if (task == 1) {
          const auto best = std::ranges::max_element(weights) - weights.begin();
          weights.assign(11, 0.0);
          weights[std::size_t(best)] = 1;
        }
        for (std::size_t l = 0; l < 11; ++l) {
          if (task < 2) risk += weights[l] * std::pow(atoms[l] - row.y, 2);
        }
        if (task == 2) risk += std::pow(mean - row.y, 2);
        pi.push_back(weights);
      }
      EXPECT_NEAR(numbers_of(result).at("risk_" + name), risk / double(of_part.size()), 1e-9);
      if (task == 2) continue;
      EXPECT_NEAR(numbers_of(result).at("kolmogorov_smirnov_to_all_" + name),
                  distance_to_all(of_part, pi, atoms), 1e-12);
      const auto& of_groups = numbers(result, "group_kolmogorov_smirnov", name == "test" ? 1 : 0);
      EXPECT_NEAR(std::ranges::max(of_groups), distance_to_all(of_part, pi, atoms), 1e-12);
      for (std::size_t g = 0; g < 2; ++g) {
        const auto& shares = numbers(result, "distribution", (name == "test" ? 2 : 0) + g);
        std::vector<double> expected(11, 0.0);
        double count = 0;
        for (std::size_t i = 0; i < of_part.size(); ++i) {
          if (of_part[i].sex != (g == 0 ? "f" : "m")) continue;
          ++count;
          for (std::size_t l = 0; l < 11; ++l) expected[l] += pi[i][l];
        }
        for (double& share : expected) share /= count;
        EXPECT_THAT(shares, testing::Pointwise(DoubleNear(1e-12), expected));
      }
    }
    const auto& trace = result.series.at("risk");
    EXPECT_EQ(trace.steps.front(), 0);
    EXPECT_EQ(double(trace.steps.back()), numbers_of(result).at("gradients"));
    if (task == 0) {
      EXPECT_NEAR(trace.values.back(), numbers_of(result).at("risk_test"), 1e-12);
    }
  }
}

TEST(RegressionExperiment, EveryRunKeepsTheBoundOfItsGradientMap) {
  const Sweep sweep(csv_of(random_rows(6, 240)),
                    parts + from_columns +
                        "[dp_postprocessing]\nepsilon = 0, 0.001, 0.03, 0.3\nsteps = 30, 3000\n"
                        "optimiser = sgd, averaged_sgd, ac_sa, ac_sa2, sgd3_ac_sa, sgd3_ac_sa2\n"
                        "rules = paper, authors\n");
  for (std::int64_t i = 0; i < sweep.tasks(); ++i) {
    const auto metrics = numbers_of(sweep.run(i));
    EXPECT_LE(metrics.at("excess"), metrics.at("gradient_map_norm")) << i;
  }
}

TEST(RegressionExperiment, ALessSlackIsPaidWithRiskAndBringsTheGroupsTogether) {
  const Sweep sweep(csv_of(random_rows(7, 3000)),
                    parts + "[dp_postprocessing]\nepsilon = 0.3, 0.001\noptimiser = ac_sa\n",
                    "sensitive = sex\nfeatures = x\n");
  const auto loose = numbers_of(sweep.run(0));
  const auto tight = numbers_of(sweep.run(1));
  EXPECT_LT(tight.at("kolmogorov_smirnov_to_all_test"),
            0.5 * loose.at("kolmogorov_smirnov_to_all_test"));
  EXPECT_GT(tight.at("risk_test"), loose.at("risk_test"));
  EXPECT_LT(tight.at("wasserstein_1_test"), 0.5 * loose.at("wasserstein_1_test"));
}

/// A reference point of the part that decides alone gave the base model a volume on the reported
/// part wherever its rows are less unfair.
TEST(RegressionExperiment, NeitherTheBaseModelNorAConstantHasAVolumeOnAnyPart) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    const Sweep sweep(csv_of(random_rows(seed, 240)), parts + from_columns + "[base_model]\n");
    const TaskResult base = sweep.run();
    const std::vector<double>& reference = base.front.reference;
    EXPECT_GE(base.front.points.at(1), reference.at(1)) << seed;
    EXPECT_GE(base.front.report.at(1), reference.at(1)) << seed;
    const auto& constant = base.measured.at("constant_risk");
    EXPECT_EQ(reference.at(0),
              std::min(constant.at({"unlabelled"}).value, constant.at({"test"}).value))
        << seed;
    EXPECT_EQ(base.front.hypervolume, 0) << seed;
  }
}

TEST(RegressionExperiment, AnInfeasibleSlackIsTheTasksOutcomeAndSaysTheLeastOne) {
  const Sweep sweep(csv_of(random_rows(8, 150)),
                    parts + from_columns +
                        "[regression]\nshares = given\ngiven_shares = 0.3, 0.7\n"
                        "[dp_postprocessing]\nepsilon = 0, 0.5\nsteps = 100\n"
                        "[dp_exact]\nepsilon = 0\n[dp_lp]\nepsilon = 0\n"
                        "[dp_streaming]\nepsilon = 0\n");
  for (std::int64_t i = 2; i < 5; ++i) {
    EXPECT_NO_THROW((void)sweep.forecast(i));
    try {
      (void)sweep.run(i);
      FAIL() << "an infeasible slack was chased";
    } catch (const std::exception& error) {
      EXPECT_THAT(error.what(), HasSubstr("infeasible: the slack 0 of group 'f'"));
    }
  }
  EXPECT_NO_THROW((void)sweep.forecast(0));
  EXPECT_NO_THROW((void)sweep.run(1));
  try {
    (void)sweep.run(0);
    FAIL() << "an infeasible slack was chased";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("infeasible: the slack 0 of group 'f' must be at least "));
  }
  const Sweep with_default(
      csv_of(random_rows(8, 150)),
      parts + from_columns + "[dp_postprocessing]\nepsilon = 0\nsteps = 100\n");
  EXPECT_NO_THROW((void)with_default.run());
}

TEST(RegressionExperiment, TwoAttributesMakeProductsAsGroups) {
  const Sweep sweep(csv_of(random_rows(10, 900)),
                    parts +
                        "[dp_postprocessing]\nsteps = 2000\nepsilon = 0.3, 0.002\n"
                        "optimiser = ac_sa\n",
                    "sensitive = sex, region\nfeatures = x\n");
  const auto problem = sweep.problem();
  EXPECT_EQ(problem.groups(), 4);
  double sum = 0;
  for (const double share : problem.shares) sum += share;
  EXPECT_NEAR(sum, 1, 1e-12);
  const auto loose = sweep.run(0);
  EXPECT_THAT(loose.solutions.at("distribution"), SizeIs(8));
  EXPECT_LT(numbers_of(sweep.run(1)).at("kolmogorov_smirnov_test"),
            numbers_of(loose).at("kolmogorov_smirnov_test"));
}

TEST(RegressionExperiment, NoStochasticRunIsBetterThanTheOptimumThatItIsComparedWith) {
  const Sweep sweep(csv_of(random_rows(14, 300)),
                    parts + from_columns +
                        "[dp_postprocessing]\nepsilon = 0.001, 0.02\nsteps = 30, 3000\n"
                        "optimiser = averaged_sgd, ac_sa\n[dp_exact]\nepsilon = 0.001, 0.02\n"
                        "[dp_streaming]\nepsilon = 0.001, 0.02\n");
  std::map<double, double> best, lower;
  int compared = 0;
  for (std::int64_t i = sweep.tasks() - 1; i >= 0; --i) {
    const Task task = sweep.task(i);
    const auto metrics = numbers_of(sweep.run(i));
    if (task.method == "dp_exact") {
      const auto value = metrics.at("dual_value");
      const auto options = sweep::read_section<EpsilonOnly>(task, "dp_exact");
      best[options.epsilon] = value;
      lower[options.epsilon] = metrics.at("loss_lower");
      EXPECT_LE(metrics.at("subgradient_norm"), 1e-9);
      EXPECT_LE(metrics.at("gradient_map_norm"), 1e-8);  // the same by the whole problem's gradient
      EXPECT_LE(metrics.at("loss_lower"), metrics.at("loss") + 1e-9);
      EXPECT_GE(metrics.at("loss_upper"), metrics.at("loss") - 1e-9);
    }
  }
  ASSERT_EQ(best.size(), 2U);
  for (std::int64_t i = 0; i < sweep.tasks(); ++i) {
    const Task task = sweep.task(i);
    if (task.method == "dp_exact") continue;
    const auto metrics = numbers_of(sweep.run(i));
    const double epsilon = sweep::read_section<EpsilonOnly>(task, task.method).epsilon;
    EXPECT_GT(metrics.at("dual_gap"), 0) << i;
    EXPECT_NEAR(metrics.at("dual_value") - metrics.at("dual_gap"), best.at(epsilon), 1e-12) << i;
    EXPECT_EQ(metrics.at("loss_lower"), lower.at(epsilon)) << i;
    ++compared;
  }
  EXPECT_EQ(compared, 10);
}

TEST(RegressionExperiment, BoundsOnTheDistributionFunctionAreKeptOnTheirRows) {
  const Sweep sweep(csv_of(random_rows(15, 600)),
                    parts +
                        "[dp_exact]\nepsilon = 0.3, 0.02\nbound = cumulative\n"
                        "[dp_lp]\nepsilon = 0.3, 0.02\nbound = cumulative\n",
                    "sensitive = sex\nfeatures = x\n");
  std::vector<double> distances;
  for (std::int64_t i = 0; i < 4; ++i) {
    const auto metrics = numbers_of(sweep.run(i));
    distances.push_back(metrics.at("kolmogorov_smirnov_to_all_unlabelled"));
    if (i >= 2) {
      EXPECT_LE(metrics.at("loss_upper") - metrics.at("loss_lower"), 1e-7);
      EXPECT_LE(metrics.at("loss_gap_relative"), 1e-4);
      EXPECT_GE(metrics.at("beta"), 1e4);
    }
  }
  // The bounds are kept by tau, which is not exactly the groups of 200 rows.
  EXPECT_LT(distances[1], 0.15);
  EXPECT_LT(distances[3], 0.15);
  EXPECT_GT(distances[0], distances[1]);
  EXPECT_GT(distances[2], distances[3]);
}

TEST(RegressionExperiment, AdwLearnsFromLabelsOfOneOrBothParts) {
  const Sweep sweep(csv_of(random_rows(16, 600)),
                    parts +
                        "[base_model]\n[adw]\nepsilon = 0.5, 0.02\n"
                        "learn_from = train, train_and_unlabelled\n",
                    "sensitive = sex\nfeatures = x\n");
  const auto base = numbers_of(sweep.run(0));
  for (const std::int64_t part_index : {0, 1}) {
    const auto loose = numbers_of(sweep.run(1 + part_index));
    const auto tight = numbers_of(sweep.run(3 + part_index));
    // A loose bound leaves least squares, rounded to atoms.
    EXPECT_NEAR(loose.at("risk_test"), base.at("risk_test"), 0.1 * base.at("risk_test"));
    // Least squares with one slope answers poorly to multipliers, so that little is gained here.
    EXPECT_LT(tight.at("kolmogorov_smirnov_to_all_test"),
              loose.at("kolmogorov_smirnov_to_all_test"));
    EXPECT_GT(tight.at("game_error"), loose.at("game_error"));
    EXPECT_EQ(loose.at("game_excess"), 0);
    EXPECT_EQ(sweep.run(1 + part_index).remark, "");
    EXPECT_GT(tight.at("game_excess"), 0.01);
    EXPECT_THAT(sweep.run(3 + part_index).remark, HasSubstr("above epsilon (game_excess)"));
    EXPECT_EQ(loose.at("deciding_labels_used"), part_index);
  }
  std::vector<Row> equal = random_rows(16, 60);
  for (Row& row : equal) {
    if (row.part == "train") row.y = 2.5;
  }
  EXPECT_THAT(
      error_of(csv_of(equal), parts + "[base_model]\n[adw]\n", "sensitive = sex\nfeatures = x\n"),
      HasSubstr("all targets of the training part are 2.5: there is nothing to fit"));
  const auto error = error_of(csv_of(random_rows(16, 60)), parts + from_columns + "[adw]\n");
  EXPECT_THAT(error, HasSubstr("[adw] learns from features"));
}

TEST(RegressionExperiment, AnAnswerThatIsNotTheOptimumNamesTheOptionThatEndedTheSearch) {
  const std::string csv = csv_of(random_rows(16, 300));
  const auto remark = [&](const std::string& method) {
    return Sweep(csv, parts + method, "sensitive = sex\nfeatures = x\n").run(0).remark;
  };
  EXPECT_EQ(
      remark("[adw]\nepsilon = 0.02\nrounds = 2\naccuracy = 0\n"),
      "after 2 rounds (adw.rounds) the game's gap is above the target that adw.accuracy sets");
  // What claims to be exact fails where it is not, alone: the other tasks run.
  const auto failure = [&](const std::string& method) -> std::string {
    try {
      (void)remark(method);
    } catch (const std::exception& error) {
      EXPECT_EQ(base::fault_of(std::current_exception()), base::Fault::input);
      return error.what();
    }
    return "no failure";
  };
  EXPECT_THAT(failure("[dp_exact]\nepsilon = 0.02\nmax_iterations = 1\n"),
              HasSubstr("the dual is not solved: after"));
  EXPECT_THAT(failure("[dp_lp]\nepsilon = 0.02\nfirst_beta = 64\nlast_beta = 64\n"),
              HasSubstr("the linear program is not solved: after"));
}

TEST(RegressionExperiment, AdwTakesARangeOfItsOwn) {
  const std::string csv = csv_of(random_rows(17, 300));
  const auto run = [&](const std::string& range, const std::string& adw) {
    return Sweep(csv, parts + "[regression]\nrange = given\n" + range + "[adw]\n" + adw,
                 "sensitive = sex\nfeatures = x\n")
        .run();
  };
  const TaskResult shared = run("least = 4\ngreatest = 19\n", "");
  const TaskResult own =
      run("least = 5\ngreatest = 15\n", "range = given\nleast = 4\ngreatest = 19\n");
  EXPECT_EQ(numbers(own, "atoms", 0), numbers(shared, "atoms", 0));
  EXPECT_EQ(numbers(own, "hypotheses", 0), numbers(shared, "hypotheses", 0));
  EXPECT_NEAR(numbers(own, "atoms", 0).front(), 4 + 15 * 0.0125, 1e-12);
  EXPECT_EQ(numbers_of(own).at("risk_test"), numbers_of(shared).at("risk_test"));
  EXPECT_NE(numbers_of(own).at("risk_test"),
            numbers_of(run("least = 5\ngreatest = 15\n", "")).at("risk_test"));
}

/// Lines of m are noisy and decide the least bound; z is 0 there, so that any weight of z keeps it,
/// and the errors of f ask for a weight of 2. Then only noise of a deviation of 0.1 is left of f.
TEST(RegressionExperiment, OfTheWeightsThatKeepTheLeastBoundThoseOfLeastRiskAreFound) {
  base::Stream stream(base::StreamKey(21, "test", "least bound"), 0);
  std::string csv = "y,sex,part,x,z\n";
  for (int i = 0; i < 600; ++i) {
    const bool noisy = i % 2 == 0;
    const double x = stream.normal(), z = noisy ? 0 : stream.normal();
    const double y = 3 + x + 2 * z + (noisy ? 1 : 0.1) * stream.normal();
    const char* const part = i / 2 % 6 < 4 ? "train" : i / 2 % 6 == 4 ? "unlabelled" : "test";
    csv += fmt::format("{},{},{},{},{}\n", y, noisy ? "m" : "f", part, x, z);
  }
  const Sweep sweep(csv, parts + "[bounded_group_loss]\nepsilon = 0, 1e-9, 1e-6, 1e-3\n",
                    "sensitive = sex\nfeatures = x, z\n");
  ASSERT_EQ(sweep.tasks(), 4);
  double before = std::numeric_limits<double>::infinity();
  for (std::int64_t task = 0; task < 4; ++task) {
    const TaskResult result = sweep.run(task);
    const auto& risks = numbers(result, "group_risk_train", 0);
    const double risk = (risks[0] + risks[1]) / 2, quiet = std::ranges::min(risks);
    const double bound = result.metrics.at("group_risk_bound");
    EXPECT_LT(quiet, 0.05) << task;
    EXPECT_LE(std::ranges::max(risks), bound * (1 + 1e-12)) << task;
    EXPECT_LE(result.metrics.at("penalised_loss_lower"), result.metrics.at("penalised_loss_upper"));
    EXPECT_NEAR(result.metrics.at("penalised_loss_upper"), risk, 1e-4 * risk) << task;
    EXPECT_LE(risk, before * (1 + 1e-6)) << task;  // the bounds ascend
    before = risk;
    if (task > 2) continue;
    EXPECT_LE(bound, result.metrics.at("least_group_risk_bound") * (1 + 4e-6)) << task;
  }
}

TEST(RegressionExperiment, ABoundOfGroupLossThatRoundingEndsIsDoneAndSaysWhatItReached) {
  base::Stream stream(base::StreamKey(22, "test", "rounding"), 0);
  std::string csv = "y,sex,part,x,z\n";
  for (int i = 0; i < 300; ++i) {
    const double x = stream.normal(), z = stream.normal();
    const double y = 1e9 * (3 + x + 2 * z + 1e-3 * (i % 2 == 0 ? 1 : 0.3) * stream.normal());
    const char* const part = i / 2 % 6 < 4 ? "train" : i / 2 % 6 == 4 ? "unlabelled" : "test";
    csv += fmt::format("{},{},{},{},{}\n", y, i % 2 == 0 ? "m" : "f", part, x, z);
  }
  const std::string data = "sensitive = sex\nfeatures = x, z\n";
  const Sweep sweep(csv, parts + "[bounded_group_loss]\nepsilon = 0, 0.5\ntolerance = 1e-12\n",
                    data);
  for (std::int64_t task = 0; task < sweep.tasks(); ++task) {
    EXPECT_THAT(sweep.run(task).remark,
                HasSubstr("not to bounded_group_loss.tolerance = 1e-12: rounding hides the rest"));
  }
  const Sweep cut(csv, parts + "[bounded_group_loss]\ntolerance = 1e-9\nmax_iterations = 3\n",
                  data);
  try {
    (void)cut.run();
    ADD_FAILURE() << "three steps are too few";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("of it apart; raise bounded_group_loss.max_iterations = 3"));
  }
}

TEST(RegressionExperiment, ExplainedShareAndConstantRiskHaveIntervals) {
  const Sweep sweep(csv_of(random_rows(17, 200)),
                    parts + from_columns + "[base_model]\n[dp_lp]\nepsilon = 0.1\n");
  for (std::int64_t task = 0; task < sweep.tasks(); ++task) {
    const TaskResult result = sweep.run(task);
    for (const char* measure : {"r_squared", "constant_risk", "risk"}) {
      for (const char* part : {"unlabelled", "test"}) {
        const sweep::Measured& found = result.measured.at(measure).at({part});
        EXPECT_LT(found.low, found.value) << measure << " " << part;
        EXPECT_GT(found.high, found.value) << measure << " " << part;
      }
    }
  }
}

/// Its transport is fitted to the groups of the part that decides.
TEST(RegressionExperiment, TheBarycenterSaysThatItHasLearntFromTheDecidingGroups) {
  const Sweep sweep(csv_of(random_rows(18, 120)),
                    parts + from_columns + "[base_model]\n[barycenter]\nepsilon = 0, 1\n");
  EXPECT_FALSE(numbers_of(sweep.run(0)).contains("deciding_groups_used"));
  for (const std::int64_t task : {1, 2}) {
    EXPECT_EQ(numbers_of(sweep.run(task)).at("deciding_groups_used"), 1) << task;
  }
}

}  // namespace
}  // namespace fairfront::experiments::regression_methods_test
