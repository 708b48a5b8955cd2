/// training.bound_of: what results say of bounds on ratios and on the worst group, and what is
/// refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "experiments/training_bounds.hpp"
#include "numbers.hpp"
#include "training_support.hpp"

namespace fairfront::experiments {
namespace {

using sweep::TaskResult;
using testing::HasSubstr;

const std::string linear_parts = "[split]\nvalidation = 0.3\ntest = 0.2\n[model]\nhidden =\n";
const std::string every_part[] = {"_train", "_validation", "_test"};

std::string refusal_of(const std::string& config) {
  try {
    (void)TrainingSweep(config).run();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(TrainingBounds, TheGapOfARatioIsWhatItLacksToOne) {
  for (const char* rate : {"demographic_parity", "equalised_odds"}) {
    for (const char* method : {"certified_training", "alm"}) {
      const TaskResult result =
          TrainingSweep(linear_parts +
                        fmt::format("[training]\nrate = {}\nbound_of = ratio\nbudget = 40000\n"
                                    "[{}]\ndelta = 0.9\n",
                                    rate, method))
              .run();
      const auto& found = numbers_of(result);
      for (const std::string& part : every_part) {
        EXPECT_NEAR(found.at("gap" + part), 1 - found.at("rate_ratio" + part), 1e-14);
      }
      EXPECT_NEAR(found.at("excess"), 0.9 - found.at("rate_ratio_train"), 1e-14);
      EXPECT_EQ(found.at("feasible"), found.at("rate_ratio_train") >= 0.9 ? 1 : 0);
      EXPECT_EQ(found.at("feasible") == 0,
                result.remark.find("below delta = 0.9") != std::string::npos);
      if (std::string(method) == "certified_training") {
        EXPECT_EQ(found.at("feasible"), 1);
      }
      EXPECT_EQ(result.front.points,
                (std::vector{found.at("loss_validation"), found.at("gap_validation")}));
      EXPECT_FALSE(found.contains("gap_bound_test"));
      EXPECT_FALSE(found.contains("least_bound"));
    }
  }
}

TEST(TrainingBounds, TheRatioOfDecisionsIsThatOfTheAudit) {
  const TaskResult result =
      TrainingSweep(linear_parts +
                    "[training]\nrate = demographic_parity\nbound_of = ratio\nbudget = 20000\n"
                    "[pi_duals]\ndelta = 0.8\n")
          .run();
  const auto& found = numbers_of(result);
  for (const std::string& part : every_part) {
    EXPECT_NEAR(found.at("rate_ratio" + part), found.at("independence_ratio" + part), 1e-14);
  }
  EXPECT_NEAR(found.at("gap_test_low"), 1 - found.at("independence_ratio_test_high"), 1e-12);
  EXPECT_NEAR(found.at("gap_test_high"), 1 - found.at("independence_ratio_test_low"), 1e-12);
}

TEST(TrainingBounds, TheGapOfTheWorstGroupIsItsLossOrError) {
  const TaskResult losses = TrainingSweep(linear_parts +
                                          "[training]\nbound_of = worst_group\nbudget = 20000\n"
                                          "[clamped_alm]\ndelta = 0.6\n")
                                .run();
  const TaskResult errors =
      TrainingSweep(linear_parts +
                    "[training]\nrate = error_rate_parity\nbound_of = worst_group\n"
                    "budget = 20000\n[switching_subgradient]\ndelta = 0.3\n")
          .run();
  for (const std::string& part : every_part) {
    EXPECT_NEAR(numbers_of(losses).at("gap" + part),
                numbers_of(losses).at("worst_group_log_loss" + part), 1e-13);
    EXPECT_NEAR(numbers_of(errors).at("gap" + part),
                numbers_of(errors).at("rate_worst_error" + part), 1e-14);
  }
  EXPECT_LE(numbers_of(losses).at("gap_test_low"), numbers_of(losses).at("gap_test"));
  EXPECT_GE(numbers_of(losses).at("gap_test_high"), numbers_of(losses).at("gap_test"));
  EXPECT_EQ(numbers_of(errors).at("least_bound"), numbers_of(errors).at("gap_train"));
}

TEST(TrainingBounds, ABoundOutOfReachIsToldAndTheLeastThereIsReturned) {
  const std::string worst = linear_parts + "[training]\nbound_of = worst_group\nbudget = 60000\n";
  const TaskResult exact = TrainingSweep(worst + "[exact_training]\ndelta = 0.01\n").run();
  const double least = numbers_of(exact).at("least_bound");
  EXPECT_THAT(exact.remark, HasSubstr("the bound is not kept: the largest mean loss of a group"));
  EXPECT_THAT(exact.remark,
              HasSubstr(fmt::format("the least that a linear score keeps is {:.6g}", least)));
  EXPECT_NEAR(numbers_of(exact).at("gap_train"), least, 1e-6);
  EXPECT_NEAR(numbers_of(exact).at("least_bound_lower"), least, 1e-8);
  EXPECT_EQ(numbers_of(exact).at("feasible"), 0);
  EXPECT_EQ(numbers_of(exact).at("starts_converged"), 1);
  const TaskResult certified = TrainingSweep(worst + "[certified_training]\ndelta = 0.01\n").run();
  EXPECT_NEAR(numbers_of(certified).at("gap_train"), least, 1e-3);
  EXPECT_EQ(numbers_of(certified).at("least_bound"), least);
  EXPECT_THAT(certified.remark, HasSubstr("the least that a linear score keeps"));
  EXPECT_FALSE(numbers_of(certified).contains("optimum"));
  const TaskResult kept =
      TrainingSweep(worst + fmt::format("[certified_training]\ndelta = {}\n", least + 0.01)).run();
  EXPECT_EQ(numbers_of(kept).at("feasible"), 1);
  EXPECT_GE(numbers_of(kept).at("objective_gap"), -1e-9);
  EXPECT_LE(numbers_of(kept).at("objective_gap"), 0.01);
}

TEST(TrainingBounds, TheLeastBoundIsNoMoreThanWhatTheDrawOrAConstantKeeps) {
  for (const char* rate : {"predictive_equality", "equalised_odds"}) {
    const TaskResult result =
        TrainingSweep(linear_parts +
                      fmt::format("[training]\nbound_of = worst_group\nrate = {}\nbudget = 12000\n"
                                  "[certified_training]\nclassifier = randomised\ndelta = 0.3\n",
                                  rate))
            .run();
    const auto& found = numbers_of(result);
    EXPECT_LE(found.at("least_bound"), found.at("randomised_rate_worst_error_train"));
    EXPECT_LE(found.at("least_bound"), found.at("gap_train"));
    if (std::string(rate) == "predictive_equality") {
      EXPECT_EQ(found.at("least_bound"), 0);
      EXPECT_EQ(found.at("feasible"), 1);
    }
  }
}

TEST(TrainingBounds, MeasuresTakenAgainAreTheSame) {
  for (const std::string bound : {"ratio", "worst_group"}) {
    const TrainingSweep sweep(linear_parts + "[training]\nrate = equal_opportunity\nbound_of = " +
                              bound + "\nbudget = 4000\n[alm]\ndelta = 0.5\n");
    const TaskResult result = sweep.run();
    const results::Findings& findings = result;
    const results::Measures again = bounded_rates_of(sweep.problem(), findings);
    const std::string name = bound == "ratio" ? "rate_ratio" : "rate_worst_error";
    ASSERT_TRUE(again.contains(name));
    for (const auto& [rows, value] : again.at(name)) {
      EXPECT_EQ(value.value, result.measured.at(name).at(rows).value);
    }
  }
}

TEST(TrainingBounds, WhatAMethodCannotTakeIsRefusedInASentence) {
  const std::string ratio = "[training]\nbound_of = ratio\n";
  const std::string worst = "[training]\nbound_of = worst_group\n";
  EXPECT_THAT(refusal_of(ratio + "[alm]\n"), HasSubstr("training.rate must not be none"));
  EXPECT_THAT(refusal_of(ratio + "rate = demographic_parity\n[alm]\ndelta = 2\n"),
              HasSubstr("alm.delta = 2, must be in [0, 1]"));
  EXPECT_THAT(refusal_of(ratio + "rate = demographic_parity\n[stochastic_ghost]\ndelta = 2\n"),
              HasSubstr("stochastic_ghost.delta = 2, must be in [0, 1]"));
  EXPECT_THAT(refusal_of(ratio + "rate = demographic_parity\n[certified_training]\ndelta = 1.5\n"),
              HasSubstr("certified_training.delta = 1.5, must be in [0, 1]"));
  EXPECT_THAT(refusal_of(ratio + "rate = demographic_parity\n[fairret]\n"),
              HasSubstr("training.bound_of must be gap"));
  EXPECT_THAT(
      refusal_of("[model]\nhidden =\n" + ratio + "rate = demographic_parity\n[exact_training]\n"),
      HasSubstr("training.rate = none"));
  EXPECT_THAT(refusal_of(worst + "rate = demographic_parity\n[alm]\n"),
              HasSubstr("training.bound_of = worst_group is of errors"));
  EXPECT_THAT(refusal_of(worst + "fairness = group_to_overall\n[alm]\n"),
              HasSubstr("training.fairness must be loss_gap"));
  EXPECT_THAT(refusal_of(worst + "[certified_training]\nshift = folds\n"),
              HasSubstr("certified_training.shift"));
  EXPECT_THAT(refusal_of("[split]\nvalidation = 0.2\n" + worst +
                         "[certified_training]\nconfidence = 0.9\n"),
              HasSubstr("certified_training.confidence"));
}

}  // namespace
}  // namespace fairfront::experiments
