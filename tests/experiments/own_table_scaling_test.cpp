/// @file
/// Models that are trained by steps, on tables whose columns nobody has scaled.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "base/random.hpp"
#include "data/supervised.hpp"
#include "experiments/table_sweep.hpp"
#include "numbers.hpp"

namespace fairfront::experiments {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// 200 people with an age and an income, of very different ranges, in two groups.
std::string people() {
  base::Stream stream(base::StreamKey(1, "test", "people"), 0);
  std::string csv = "age,income,group,label\n";
  for (int i = 0; i < 200; ++i) {
    const double age = 20 + 60 * stream.uniform();
    const double income = 1e5 + 1e4 * stream.normal();
    const bool label = (age - 50) / 20 + (income - 1e5) / 1e4 + stream.normal() > 0;
    csv += fmt::format("{},{},{},{}\n", age, income, i % 2 == 0 ? "a" : "b", label ? 1 : 0);
  }
  return csv;
}

TableSweep sweep_of(const std::string& experiment, const std::string& config) {
  const std::string columns = experiment == "alternating"
                                  ? "features = age, income\nsensitive = group\nlabel = label\n"
                                  : "features = *\nsensitive = group\nlabel = label\n";
  return {experiment, people(), config, columns};
}

std::vector<double> weights_of(const TableSweep& sweep, const std::string& name) {
  return std::get<std::vector<double>>(sweep.run().solutions.at(name).front());
}

TEST(OwnTable, IsScaledWhereTheConfigLeavesItOpenAndModelsAreTrainedBySteps) {
  const std::string training =
      "[split]\ntest = 0.3\nstratify = group\n[training]\nbudget = 20000\n[sgd]\n[preparation]\n";
  const TableSweep open = sweep_of("training", training);
  const auto weights = weights_of(open, "weights");
  EXPECT_EQ(weights, weights_of(sweep_of("training", training + "scaling = zscore\n"), "weights"));
  EXPECT_ANY_THROW((void)sweep_of("training", training + "scaling = none\n").run())
      << "it diverges unscaled";
  const auto forecast = open.forecast();
  EXPECT_THAT(forecast.data.recipe, HasSubstr("numbers scaled by zscore"));
  EXPECT_THAT(forecast.warnings, IsEmpty());
  const sweep::TaskResult result = open.run();
  EXPECT_LT(numbers_of(result).at("loss_test"), 0.6) << "scores of 0 have 0.69";
}

TEST(OwnTable, IsScaledForAlternatingAndRankingToo) {
  const TableSweep alternating =
      sweep_of("alternating", "[alternating]\nproblem = data\n[weighted_sum]\nlattice = 2\n");
  EXPECT_THAT(alternating.forecast().data.recipe, HasSubstr("zscore"));
  const std::string ranking = "[split]\nvalidation = 0.2\ntest = 0.2\n[unconstrained_auc]\n";
  EXPECT_THAT(sweep_of("ranking", ranking).forecast().data.recipe,
              HasSubstr("numbers scaled by zscore"));
  EXPECT_THAT(
      sweep_of("ranking", ranking + "[preparation]\nscaling = none\n").forecast().data.recipe,
      Not(HasSubstr("scaled")));
}

TEST(PreparedRows, AreThoseOfTheProblem) {
  const std::string parts = "[split]\nvalidation = 0.2\ntest = 0.2\n";
  for (const TableSweep& sweep :
       {sweep_of("alternating", "[alternating]\nproblem = data\n[weighted_sum]\nlattice = 2\n"),
        sweep_of("ranking", parts + "[unconstrained_auc]\n"),
        sweep_of("training", parts + "[training]\nbudget = 100\n[sgd]\n"),
        TableSweep("clustering", people(), "[clustering]\nclusters = 2\n[lloyd]\n",
                   "features = age, income\nsensitive = group\nstandardise = zscore\n")}) {
    const sweep::TaskForecast forecast = sweep.forecast();
    EXPECT_EQ(sweep.rows()->digest(), forecast.data.digest) << forecast.problem;
  }
}

TEST(PreparedRows, OfPredictionsAreTheirColumnsAsTheyAre) {
  std::string csv = "target,eta,first,second,group\n";
  for (int i = 0; i < 40; ++i) {
    csv += fmt::format("{},{},0.25,0.75,{}\n", i, 100 + i, i % 2 == 0 ? "a" : "b");
  }
  const std::string columns = "label = target\nsensitive = group\n";
  const std::string parts = "[split]\nvalidation = 0.4\ntest = 0.2\n";
  const std::string base = "[base]\neta = eta\ntau = first, second\n[base_model]\n";
  for (const TableSweep& sweep :
       {TableSweep("predictions", csv, "[predictions]\nscore = eta\n[measures]\n", columns),
        TableSweep("regression", csv, parts + base, columns)}) {
    const auto set = sweep.rows();
    for (std::int64_t i = 0; i < 40; ++i) {
      EXPECT_EQ(set->set.row(i)[0], 100 + static_cast<double>(i));
    }
  }
}

}  // namespace
}  // namespace fairfront::experiments
