// What methods spend, in one unit: every method of a family that learns from examples counts them,
// under one name with one text, and the counts are what can be known of them by other ways.
#include "experiments/evaluations.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "experiments/registry.hpp"
#include "random_table.hpp"
#include "table_sweep.hpp"

namespace fairfront::experiments::evaluations_test {
namespace {

constexpr int rows = 180;

TableSweep sweep_of(const std::string& experiment, const std::string& label,
                    const std::string& config) {
  if (label.empty()) {  // all rows, and two attributes
    return {experiment, random_table(5, "evaluations", rows, 2), config,
            "sensitive = group, label\nfeatures = x, z\n"};
  }
  return {experiment, random_table(5, "evaluations", rows, 2),
          "[split]\nvalidation = 0.3\ntest = 0.3\n" + config,
          "label = " + label + "\nsensitive = group\nfeatures = x, z\n"};
}

/// What the tasks of the config count, by method.
std::map<std::string, std::vector<double>> counts_of(const TableSweep& sweep) {
  std::map<std::string, std::vector<double>> counts;
  for (std::int64_t index = 0; index < sweep.tasks(); ++index) {
    const sweep::TaskResult result = sweep.run(index);
    const auto found = result.metrics.find("evaluations");
    counts[sweep.task(index).method].push_back(found == result.metrics.end() ? std::nan("")
                                                                             : found->second);
  }
  return counts;
}

struct FamilyCase {
  const char* experiment;
  const char* label;   ///< empty: there is none
  const char* config;  ///< of every method
};
const std::vector<FamilyCase>& families() {
  static const std::vector<FamilyCase> all{
      {"training", "label",
       "[model]\nhidden =\n[training]\nbudget = 900\n[sgd]\n[alm]\n[ssl_alm]\n"
       "[switching_subgradient]\n[stochastic_ghost]\n[fairret]\n[clamped_alm]\n[pi_duals]\n"
       "[certified_training]\n[exact_training]\nstarts = 1\n[reductions]\nrounds = 2\n"
       "[postprocessing]\n"},
      {"ranking", "label",
       "[ranking]\nmetric = group\n[unconstrained_auc]\n[exact_auc]\n[sfls]\nsteps = 40\n"
       "[iqrc]\nsteps = 6\nlook_every = 2\n[proxy_lagrangian]\nsteps = 40\n"
       "[correlation_penalty]\nsteps = 40\n[score_postprocessing]\nfactor_step = 0.5\n"
       "shift_step = 0.5\n[auc_front]\nrounds = 1\niterations = 5\n"},
      {"regression", "target",
       "[regression]\nhalf_atoms = 6\n[base_model]\n[dp_postprocessing]\nsteps = 200\n"
       "[dp_exact]\nepsilon = 0.001\n[dp_lp]\nepsilon = 0.001\n[dp_streaming]\n[adw]\n"
       "epsilon = 0.1\n[barycenter]\n[bounded_group_loss]\n"},
      {"clustering", "",
       "[clustering]\nclusters = 3\n[safairkm_front]\niterations = 5\nstarts = 4\n"
       "pairs = (10,0) (5,3)\nswap_growth = 1\n[safairkm]\niterations = 30\nn_a = 6\nn_b = 2\n"
       "swap_growth = 1\n[vfairkm]\nmu_count = 3\n[balance_ladder]\nstarts = 1\n"
       "relocations = 2\nrefinements = 5\n[lower_bound]\nstarts = 1\nrelocations = 2\n"
       "refinements = 5\nboxes = 100\n[lloyd]\nrestarts = 2\n[minibatch_kmeans]\n"
       "iterations = 20\nbatch = 10\n"},
      {"clustering3", "",
       "[clustering]\nclusters = 3\n[safairkm_front]\niterations = 5\nstarts = 4\n"}};
  return all;
}

TEST(Evaluations, EveryMethodCountsThemUnderOneNameWithOneText) {
  for (const FamilyCase& family : families()) {
    SCOPED_TRACE(family.experiment);
    const auto counts = counts_of(sweep_of(family.experiment, family.label, family.config));
    for (const config::Section& section : find(family.experiment).sections()) {
      if (!section.is_method) continue;
      SCOPED_TRACE(section.name);
      ASSERT_TRUE(counts.contains(section.name)) << "the config above lacks it";
      for (const double count : counts.at(section.name)) {
        EXPECT_GE(count, 1);
        EXPECT_EQ(count, std::floor(count));
      }
    }
    const sweep::ResultSchema schema = find(family.experiment).schema();
    const auto row = std::ranges::find(schema.metrics, "evaluations", &base::Quantity::name);
    ASSERT_NE(row, schema.metrics.end());
    EXPECT_EQ(row->definition, evaluations_row().definition);
    EXPECT_EQ(row->unit, "evaluations");
  }
}

TEST(Evaluations, OfTrainingAreTheBudgetOrWholePassesOverTheTrainingPart) {
  const auto counts = counts_of(sweep_of(families()[0].experiment, "label", families()[0].config));
  const double train = 0.4 * rows;
  for (const char* method : {"sgd", "alm", "pi_duals", "stochastic_ghost"}) {
    EXPECT_LE(counts.at(method)[0], 900) << method;
    EXPECT_GT(counts.at(method)[0], 900 - 60) << method;  // less than a step is left
  }
  for (const char* method : {"exact_training", "reductions", "postprocessing"}) {
    EXPECT_EQ(std::fmod(counts.at(method)[0], train), 0) << method;
    EXPECT_GE(counts.at(method)[0], 3 * train) << method;
  }
}

TEST(Evaluations, ARunThatCannotPayForAStepSaysSo) {
  const TableSweep sweep =
      sweep_of("training", "label", "[training]\nbudget = 3\n[alm]\n[stochastic_ghost]\n");
  for (std::int64_t index = 0; index < 2; ++index) {
    const sweep::TaskResult result = sweep.run(index);
    EXPECT_EQ(result.metrics.at("evaluations"), 0);
    EXPECT_THAT(result.remark, testing::HasSubstr("training.budget = 3 pays for no step"));
  }
}

TEST(Evaluations, OfRankingAreStepsTimesBatchesOrASumOverTheTrainingPart) {
  const auto counts = counts_of(sweep_of(families()[1].experiment, "label", families()[1].config));
  const double train = 0.4 * rows, validation = 0.3 * rows;
  EXPECT_EQ(counts.at("unconstrained_auc")[0], train);
  EXPECT_EQ(counts.at("exact_auc")[0], train);
  EXPECT_EQ(counts.at("proxy_lagrangian")[0], 40 * 100);
  EXPECT_EQ(counts.at("correlation_penalty")[0], 40 * 100);
  EXPECT_EQ(counts.at("score_postprocessing")[0], train + validation);
  EXPECT_EQ(std::fmod(counts.at("auc_front")[0], train), 0);
}

TEST(Evaluations, OfRegressionAreThoseOfTheBaseModelsAndOfTheMethod) {
  const auto counts = counts_of(sweep_of(families()[2].experiment, "target", families()[2].config));
  const double train = 0.4 * rows, unlabelled = 0.3 * rows;
  EXPECT_EQ(counts.at("base_model")[0], train);
  EXPECT_EQ(counts.at("barycenter")[0], train + unlabelled);
  EXPECT_EQ(counts.at("bounded_group_loss")[0], train);
  // Both base models, and what they say of the rows that a stream sees once.
  const double both = counts.at("dp_streaming")[0] - unlabelled;
  EXPECT_EQ(std::fmod(both - 2 * unlabelled, train), 0);
  EXPECT_GT(both - 2 * unlabelled, 4 * train);  // the groups' fit is not one look
  for (const char* method : {"dp_exact", "dp_lp"}) {
    const double own = counts.at(method)[0] - both;
    EXPECT_EQ(std::fmod(own, unlabelled), 0) << method;
    EXPECT_GE(own, 3 * unlabelled) << method;
  }
  EXPECT_EQ(std::fmod(counts.at("adw")[0], train + unlabelled), 0);
}

TEST(Evaluations, OfADualAreItsGradients) {
  const auto run = [](const std::string& base) {
    return sweep_of("regression", "target",
                    base +
                        "[regression]\nhalf_atoms = 6\n[dp_postprocessing]\nsteps = 200, 400\n"
                        "compare = no, yes\n");
  };
  const TableSweep fitted = run("");
  const auto extra = [&](std::int64_t index) {
    const sweep::TaskResult result = fitted.run(index);
    return result.metrics.at("evaluations") - result.metrics.at("gradients");
  };
  ASSERT_EQ(fitted.tasks(), 4);
  for (std::int64_t index = 1; index < 4; ++index) EXPECT_EQ(extra(index), extra(0)) << index;
  EXPECT_GT(extra(0), 0);
}

TEST(Evaluations, OfClusteringAreRowsBesideAllCentres) {
  const TableSweep sweep = sweep_of(families()[3].experiment, "", families()[3].config);
  std::map<std::string, sweep::TaskResult> results;
  for (std::int64_t index = 0; index < sweep.tasks(); ++index) {
    results[sweep.task(index).method] = sweep.run(index);
  }
  const auto count = [&](const char* method, const char* metric = "evaluations") {
    return results.at(method).metrics.at(metric);
  };
  // Seeds of three clusters: the first, three tries for each other one, and all at the end.
  constexpr double seeds = rows * (1.0 + 2 * 3 + 3) / 3;
  EXPECT_EQ(count("minibatch_kmeans"), 20 * 10 + rows);
  EXPECT_EQ(count("lloyd"), rows * count("lloyd", "iterations") + 2 * seeds);
  EXPECT_EQ(count("safairkm"), 30 * (6 + 2 * 2 / 3.0));  // a swap has two candidates
  double passes = count("vfairkm", "iterations");
  for (const auto& series : results.at("vfairkm").series) {
    if (series.first != "weight_inner_iterations") continue;
    for (const double inner : series.second.values) passes += inner;
  }
  EXPECT_EQ(count("vfairkm"), rows * passes + seeds);
  // Two of four starts are those of seeds; half of the candidates are of either pair.
  EXPECT_EQ(count("safairkm_front"), std::ceil(2 * seeds + count("safairkm_front", "candidates") /
                                                               2 * (10 + 5 + 3 * 2 / 3.0)));
  EXPECT_GT(count("balance_ladder"), rows * count("balance_ladder", "candidates"));
}

/// The rows of an own table that a method of `alternating` looks at.
double looks(const std::string& model, const std::string& method, const std::string& options) {
  const TableSweep sweep{"alternating", random_table(5, "evaluations", rows, 2),
                         fmt::format("[model]\n{}[alternating]\nproblem = data\nn_total = 6\n"
                                     "iterations = 20\n[{}]\n{}",
                                     model, method, options),
                         "label = label\nsensitive = group\nfeatures = x, z\n"};
  return sweep.run().metrics.at("evaluations");
}

TEST(Evaluations, OfAlternatingOnDataAreLooksAtRowsForEachObjective) {
  // Four steps of six are on the loss, and two on the fairness: the exact covariance is of sums.
  EXPECT_EQ(looks("", "sa2gd", "n_a = 4\n"), 20 * 4 * rows + rows);
  EXPECT_EQ(looks("", "sa2gd", "n_a = 6\n"), 20 * 6 * rows);
  EXPECT_EQ(looks("batch = 5\n", "sa2gd", "n_a = 4\n"), 20 * (4 * 5 + 2 * 2 * 5));
  EXPECT_EQ(looks("fairness = loss_gap\n", "sa2gd", "n_a = 4\n"), 20 * (4 + 2 * 2) * rows);
  EXPECT_EQ(looks("fairness = loss_gap\nbatch = 5\n", "sa2gd", "n_a = 4\n"),
            20 * (4 * 5 + 2 * 2 * 5 * 2));
  EXPECT_EQ(looks("", "sa2gd", "n_a = 4\niterate = best\n"), 20 * (4 + 1) * rows + rows);
  EXPECT_EQ(looks("", "weighted_sum", "n_a = 4\n"), 20 * 6 * rows + rows);
  const std::string few = "samples = 100\nmost_gradients = 200\n";
  const double traced = looks("", "epsilon_constraint", few + "certified_excess = 0\n");
  EXPECT_EQ(std::fmod(traced, rows), 0);
  EXPECT_GT(looks("", "epsilon_constraint", few), traced);  // every point is improved
}

TEST(Evaluations, OfTestProblemsAreValuesAndGradientsOfObjectives) {
  const TableSweep sweep{
      "alternating", "x\n1\n",
      "[alternating]\nproblem = zdt1\nn_total = 6\niterations = 20\n[sa2gd]\nn_a = 4\n"
      "[weighted_sum]\nn_a = 4\n[epsilon_constraint]\nsamples = 100\nmost_gradients = 200\n"
      "[pf_smg]\nstarts = 8\nlist_budget = 12\nmost_gradients = 300\n",
      ""};
  for (std::int64_t index = 0; index < sweep.tasks(); ++index) {
    const sweep::TaskResult result = sweep.run(index);
    const auto values = result.metrics.find("value_evaluations");
    EXPECT_EQ(
        result.metrics.at("evaluations"),
        result.metrics.at("gradients") + (values == result.metrics.end() ? 0 : values->second));
  }
}

}  // namespace
}  // namespace fairfront::experiments::evaluations_test
