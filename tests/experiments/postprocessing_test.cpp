// [postprocessing]: the unconstrained model with drawn thresholds of each group.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "experiments/randomised_thresholds.hpp"
#include "experiments/table_sweep.hpp"
#include "experiments/training.hpp"
#include "numbers.hpp"
#include "solvers/training/full_data.hpp"
#include "training_support.hpp"

namespace fairfront::experiments {
namespace {

using sweep::TaskResult;
using testing::HasSubstr;

const solvers::Control unwatched;
const std::string linear =
    "[split]\nvalidation = 0.2\nstratify = group_and_label\n[model]\nhidden =\n";

std::vector<double> weights_of(const TaskResult& result) {
  return std::get<std::vector<double>>(result.solutions.at("weights").front());
}

TEST(Postprocessing, WithoutABoundIsNoWorseThanTheModelThatIsBestForItsLoss) {
  const TaskResult post = TrainingSweep(linear + "[postprocessing]\nbound = 1\nl2 = 0\n").run();
  const TaskResult exact = TrainingSweep(linear + "[exact_training]\ndelta = 9\n").run();
  const std::vector<double> mine = weights_of(post), best = weights_of(exact);
  ASSERT_EQ(mine.size(), best.size());
  for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_NEAR(mine[i], best[i], 1e-5);
  EXPECT_LE(numbers_of(post).at("error_train"), numbers_of(exact).at("error_train") + 1e-12);
}

TEST(Postprocessing, KeepsEveryKindOfRateOnTheTrainingPartAtTheLeastError) {
  for (const auto& [name, kind] : training::rate_names()) {
    double before = 1;
    for (const double bound : {0.0, 0.02, 0.1}) {
      const TaskResult result =
          TrainingSweep(linear +
                        fmt::format("[postprocessing]\nrate = {}\nbound = {}\n", name, bound))
              .run();
      const auto numbers = numbers_of(result);
      const std::string gap = fmt::format("{}_train", training::gap_measure_of(kind));
      EXPECT_LE(numbers.at(gap), bound + 1e-9) << name;
      EXPECT_EQ(numbers.at(gap), numbers.at("rate_gap_train")) << name;
      EXPECT_EQ(numbers.at("error_train"), numbers.at("randomised_error_train")) << name;
      EXPECT_LE(numbers.at("error_train"), before + 1e-9) << name;
      before = numbers.at("error_train");
      EXPECT_NEAR(result.metrics.at("optimum_gap"), 0, 1e-9) << name;
    }
  }
}

TEST(Postprocessing, KeepsTheRatioOfEveryKindOfRateOnTheTrainingPart) {
  for (const auto& [name, kind] : training::rate_names()) {
    double before = 0;
    for (const double bound : {0.0, 0.8, 0.95, 1.0}) {
      const TaskResult result =
          TrainingSweep(linear + fmt::format("[postprocessing]\nrate = {}\nbound_of = ratio\n"
                                             "bound = {}\n",
                                             name, bound))
              .run();
      const auto numbers = numbers_of(result);
      EXPECT_GE(numbers.at("rate_ratio_train"), bound - 1e-9) << name;
      EXPECT_EQ(numbers.at("rate_ratio_train"), numbers.at("randomised_rate_ratio_train")) << name;
      EXPECT_GE(numbers.at("error_train"), before - 1e-9) << name;
      if (kind == training::RateKind::demographic_parity) {
        for (const std::string part : {"_train", "_validation", "_test"}) {
          EXPECT_EQ(numbers.at("independence_ratio" + part), numbers.at("rate_ratio" + part));
        }
        EXPECT_LE(numbers.at("independence_ratio_test_low"), numbers.at("rate_ratio_test"));
        EXPECT_GE(numbers.at("independence_ratio_test_high"), numbers.at("rate_ratio_test"));
        for (const auto& [rows, made] : result.measured.at("independence_ratio")) {
          if (rows.part != "test" || rows.group == "all") continue;
          EXPECT_NEAR(std::min(made.value, 1 / made.value), numbers.at("rate_ratio_test"), 1e-12);
        }
      }
      before = numbers.at("error_train");
      EXPECT_NEAR(result.metrics.at("optimum_gap"), 0, 1e-9) << name;
      EXPECT_THAT(result.remark, testing::Not(HasSubstr("ratio")));
    }
  }
}

TEST(Postprocessing, OnlyABoundOnARatioHasTheMeasureOfIt) {
  const auto gap = numbers_of(TrainingSweep(linear + "[postprocessing]\n[reductions]\n").run(0));
  EXPECT_FALSE(gap.contains("rate_ratio_train"));
  const auto reduced =
      numbers_of(TrainingSweep(linear + "[reductions]\nbound_of = ratio\nbound = 0.9\n").run());
  EXPECT_GE(reduced.at("randomised_rate_ratio_train"), 0.9 - 1e-9);
  EXPECT_TRUE(reduced.contains("rate_ratio_test"));
}

TEST(Postprocessing, ABoundOnErrorsThatNoneKeepsIsToldAndTheLeastOneTaken) {
  for (const std::string method : {"postprocessing", "reductions"}) {
    for (const std::string bound : {"0", "0.1", "0.6"}) {
      const TaskResult result =
          TrainingSweep(linear + "[" + method +
                        "]\nrate = equalised_odds\nbound_of = worst_group\nbound = " + bound + "\n")
              .run();
      const double least = result.metrics.at("least_bound");
      const double worst = numbers_of(result).at("randomised_rate_worst_error_train");
      const double asked = std::stod(bound);
      EXPECT_LE(worst, std::max(asked, least) + 1e-9) << method;
      const bool told = result.remark.find("the least bound that one keeps") != std::string::npos;
      EXPECT_EQ(told, least > asked + 1e-9) << method << ": " << result.remark;
      if (told) {
        EXPECT_NEAR(worst, least, 1e-9);
      }
    }
  }
}

TEST(Postprocessing, IntervalsOfTheTestPartHoldWhatIsExpected) {
  const auto numbers =
      numbers_of(TrainingSweep(linear + "[postprocessing]\nrate = equalised_odds\n").run());
  for (const std::string name : {"error", "separation_gap", "independence_gap", "gap"}) {
    EXPECT_LE(numbers.at(name + "_test_low"), numbers.at(name + "_test")) << name;
    EXPECT_GE(numbers.at(name + "_test_high"), numbers.at(name + "_test")) << name;
  }
}

/// What decides and what is reported are the same quantity: no rate is that of one draw.
TEST(Postprocessing, RatesOfEveryPartAreExpectedAsItsErrorIs) {
  const TaskResult result =
      TrainingSweep(linear + "[postprocessing]\nrate = equalised_odds\n").run();
  const auto value = [&](const std::string& name, const std::string& part) {
    return result.measured.at(name).at({part}).value;
  };
  for (const std::string part : {"train", "validation", "test"}) {
    const double positive = value("base_rate", part);
    const double found = value("true_positive_rate", part);
    const double alarms = value("false_positive_rate", part);
    EXPECT_NEAR(positive * (1 - found) + (1 - positive) * alarms, value("error", part), 1e-12)
        << part;
    EXPECT_NEAR(positive * found + (1 - positive) * alarms, value("positive_rate", part), 1e-12)
        << part;
  }
}

/// The groups that a gap is said to be made by have that difference.
TEST(Postprocessing, AGapIsTheDifferenceOfWhatItsGroupsHave) {
  const TaskResult result =
      TrainingSweep(linear + "[postprocessing]\nrate = equalised_odds\n").run();
  for (const auto& [gap, rate] :
       {std::pair{"independence_gap", "positive_rate"},
        std::pair{"true_positive_gap", "true_positive_rate"},
        std::pair{"false_positive_gap", "false_positive_rate"}, std::pair{"error_gap", "error"}}) {
    const double value = result.measured.at(gap).at({"test"}).value;
    double difference = 0;
    int makers = 0;
    for (const auto& [rows, part] : result.measured.at(gap)) {
      if (rows.part != "test" || rows.group == "all") continue;
      ++makers;
      EXPECT_NEAR(std::abs(part.value), value, 1e-12) << gap;
      const auto of_group = result.measured.at(rate).at(rows);
      EXPECT_TRUE(of_group.low <= of_group.value && of_group.value <= of_group.high) << rate;
      difference += part.value > 0 ? of_group.value : -of_group.value;
    }
    EXPECT_EQ(makers, 2) << gap;
    EXPECT_NEAR(difference, value, 1e-12) << gap;
  }
  const auto& worst = result.measured.at("worst_group_error");
  double most = 0;
  for (const auto& [rows, error] : result.measured.at("error")) {
    if (rows.part != "test" || rows.group == "all") continue;
    most = std::max(most, error.value);
    if (!worst.contains(rows)) continue;
    EXPECT_EQ(worst.at(rows).value, error.value);
  }
  EXPECT_EQ(worst.at({"test"}).value, most);
}

/// What a score is in another order of sums must not change a decision.
TEST(Postprocessing, NoTrainingRowStandsOnAThreshold) {
  const TrainingSweep sweep(linear + "[postprocessing]\nrate = equalised_odds\nbound = 0\n");
  const TaskResult result = sweep.run();
  const TrainingProblem problem = sweep.problem();
  const training::Part& train = problem.rows(data::Part::train);
  const std::vector<double> scores =
      training::FullData(problem.problem, unwatched, training::any_mean_loss)
          .scores(train, weights_of(result));
  const auto draw = draw_of(std::get<std::vector<double>>(result.solutions.at("thresholds")[0]));
  ASSERT_GE(draw.size(), 3u);
  for (const DrawnThreshold& one : draw) {
    for (const double score : scores) EXPECT_GT(std::abs(score - one.threshold), 1e-9);
  }
}

/// The front is of the rates of its decisions where the experiment bounds those.
TEST(Postprocessing, TheGapOfItsFrontIsThatOfExpectedDecisions) {
  const std::string rate = "[training]\nrate = equalised_odds\n";
  const TaskResult result =
      TrainingSweep(linear + rate + "[postprocessing]\nrate = equalised_odds\nbound = 0.03\n")
          .run();
  const auto numbers = numbers_of(result);
  ASSERT_EQ(result.front.points.size(), 2u);
  EXPECT_EQ(result.front.points[0], numbers.at("loss_validation"));
  EXPECT_NEAR(result.front.points[1], numbers.at("separation_gap_validation"), 1e-12);
  EXPECT_NEAR(numbers.at("gap_train"), numbers.at("separation_gap_train"), 1e-12);
}

TEST(Postprocessing, OfANetworkSharesItsTrainingAlongTheBound) {
  const TrainingSweep sweep(
      "[split]\nvalidation = 0.2\nstratify = group_and_label\n[model]\nhidden = 4\n[training]\n"
      "budget = 8000\n[postprocessing]\nbound = 0.01, 1\n");
  const TaskResult first = sweep.run(0), last = sweep.run(1);
  EXPECT_EQ(weights_of(first), weights_of(last));
  EXPECT_EQ(first.metrics.at("evaluations"), last.metrics.at("evaluations"));
  EXPECT_GT(first.metrics.at("evaluations"), 4000);
  // Whatever was asked for before: the last task alone.
  const TaskResult alone =
      TrainingSweep(
          "[split]\nvalidation = 0.2\nstratify = group_and_label\n[model]\n"
          "hidden = 4\n[training]\nbudget = 8000\n[postprocessing]\nbound = 1\n")
          .run();
  EXPECT_EQ(weights_of(alone), weights_of(last));
  EXPECT_EQ(alone.solutions.at("thresholds"), last.solutions.at("thresholds"));
  EXPECT_EQ(alone.front.points, last.front.points);
}

std::string table_of(bool b_in_test, double x_of_all) {
  base::Stream stream(base::StreamKey(1, "test", "postprocessing table"), 0);
  std::string csv = "label,group,part,x\n";
  for (int i = 0; i < 240; ++i) {
    const bool test = i % 3 == 0;
    const double x = stream.uniform();
    csv += fmt::format("{},{},{},{}\n", x + stream.uniform() > 1 ? 1 : 0,
                       i % 4 == 1 && (b_in_test || !test) ? "b" : "a", test ? "test" : "train",
                       x_of_all > 0 ? x_of_all : x);
  }
  return csv;
}

TaskResult result_of_table(bool b_in_test, double x_of_all) {
  return TableSweep("training", table_of(b_in_test, x_of_all),
                    "[split]\nby = column\n[preparation]\nscaling = none\n[model]\nhidden =\n"
                    "[postprocessing]\nrate = equalised_odds\n",
                    "label = label\nsensitive = group\nsplit = part\nfeatures = x\n")
      .run();
}

TEST(Postprocessing, AGroupWithoutTestRowsIsUndefinedThereAndRefusesNothing) {
  const TaskResult result = result_of_table(false, 0);
  const auto numbers = numbers_of(result);
  EXPECT_GT(numbers.at("error_test"), 0);
  EXPECT_EQ(numbers.at("error_test"), numbers.at("randomised_error_test"));
  for (const char* name : {"separation_gap_test", "rate_gap_test", "randomised_rate_gap_test"}) {
    EXPECT_FALSE(numbers.contains(name)) << name;
  }
  EXPECT_LE(numbers.at("separation_gap_train"), 0.05 + 1e-9);
}

/// An infinite log loss is in the nature of decisions: it has a value, and no remark in every task.
TEST(Postprocessing, TheLogLossOfCertainDecisionsIsInfinite) {
  const TaskResult result = TrainingSweep(linear + "[postprocessing]\n").run();
  EXPECT_EQ(numbers_of(result).at("log_loss_test"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(result.remark, "");
}

TEST(Postprocessing, AScoreThatSaysNothingIsTold) {
  EXPECT_THAT(result_of_table(true, 0.5).remark, HasSubstr("one score for all rows"));
  EXPECT_THAT(result_of_table(true, 0).remark, testing::Not(HasSubstr("one score")));
}

TEST(Postprocessing, OptionsOutOfRangeAndABudgetThatIsTooSmallAreRefusedByName) {
  const auto error_of = [](const std::string& config) -> std::string {
    try {
      (void)TrainingSweep(config).forecast();
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(error_of("[training]\nbudget = 10\n[postprocessing]\n"), HasSubstr("budget"));
  EXPECT_THAT(error_of(linear + "[postprocessing]\nbound = 2\n"),
              HasSubstr("postprocessing.bound"));
  EXPECT_THAT(error_of(linear + "[postprocessing]\nrate = parity\n"),
              HasSubstr("demographic_parity"));
  EXPECT_THAT(error_of(linear + "[postprocessing]\nbound_of = quotient\n"),
              HasSubstr("postprocessing.bound_of"));
  for (const std::string method : {"postprocessing", "reductions"}) {
    EXPECT_THAT(error_of(linear + "[" + method + "]\nbound_of = worst_group\n"),
                HasSubstr(method + ".rate = demographic_parity of decisions"));
  }
}

}  // namespace
}  // namespace fairfront::experiments
