#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "experiments/ranking.hpp"
#include "numbers.hpp"
#include "ranking_sweep.hpp"
#include "solvers/ranking/support.hpp"

namespace fairfront::experiments::ranking_report_test {
namespace {

using sweep::TaskResult;
using test::auc_by_pairs;
using test::table;
using testing::HasSubstr;
using Sweep = test::RankingSweep;

/// The move that is best within the level on the validation part, or the one with the least gap.
TEST(RankingReport, TheMeasuresOfPostprocessingAreThoseOfTheProcessedScores) {
  const Sweep sweep(table(300),
                    "[ranking]\nmetric = group\n[score_postprocessing]\nmodel = linear, network\n"
                    "steps = 300\nstep = 0.3\nhidden_units = 3\nlevel = 0, 0.02, 1\n"
                    "factor_step = 0.5\nmost_factor = 2\nshift_step = 0.3\nmost_shift = 1.2\n");
  int infeasible = 0;
  for (std::int64_t task = 0; task < sweep.tasks(); ++task) {
    const TaskResult result = sweep.run(task);
    const auto value = [&](const char* name) { return numbers_of(result).at(name); };
    if (value("feasible") == 1) {
      EXPECT_EQ(value("auc_validation"), value("best_auc_validation"));
      EXPECT_EQ(value("group_auc_gap_validation"), value("best_gap_validation"));
      EXPECT_EQ(value("auc_test"), value("best_auc_test"));
      EXPECT_EQ(value("group_auc_gap_test"), value("best_gap_test"));
    } else {
      ++infeasible;
      EXPECT_EQ(value("group_auc_gap_validation"), result.front.points.back());
    }
    if (sweep.task(task).values.at("score_postprocessing.model") == "network") continue;
    const RankingProblem problem = sweep.problem(task);
    std::vector<double> score = problem.scores(problem.train, problem.exact.unconstrained().w);
    std::vector<std::uint8_t> cells;
    for (std::size_t i = 0; i < score.size(); ++i) {
      const bool is_protected = problem.train.group[i] == 1;
      if (is_protected) score[i] = value("factor") * score[i] + value("shift");
      cells.push_back(ranking::cell_of(problem.train.label[i] > 0, is_protected ? 1 : 0));
    }
    const auto label_is = [&](double label) {
      return [&problem, label](std::size_t i) { return problem.train.label[i] == label; };
    };
    EXPECT_NEAR(value("auc_train"), auc_by_pairs(score, label_is(1), label_is(0)), 1e-12);
    EXPECT_NEAR(value("objective"), test::loss_by_pairs(score, cells, ranking::label_pair(), {}),
                1e-12);
  }
  EXPECT_GT(infeasible, 0);
  EXPECT_LT(infeasible, sweep.tasks());
}

/// By all pairs of rows, from the sets of the paper's table 1.
TEST(RankingReport, WhatIsConstrainedHasItsColumnAndOtherGapsOtherNames) {
  const std::string metrics =
      "group, inter_group, intra_group, positive_average, negative_average, background";
  const Sweep sweep(table(300),
                    fmt::format("[ranking]\nmetric = {}\n[exact_auc]\nkappa = 0.1\n", metrics));
  int other_gaps = 0;
  for (std::int64_t task = 0; task < sweep.tasks(); ++task) {
    const TaskResult result = sweep.run(task);
    const RankingProblem problem = sweep.problem(task);
    const std::string name = sweep.task(task).values.at("ranking.metric");
    const auto& w = std::get<std::vector<double>>(result.solutions.at("weights").front());
    for (const RankingPart* part : {&problem.train, &problem.validation, &problem.test}) {
      const std::vector<double> score = problem.scores(*part, w);
      const auto in = [&](ranking::CellSet set) {
        return [set, part](std::size_t i) {
          const bool is_protected = part->group[i] == 1;
          return ranking::contains(set, ranking::cell_of(part->label[i] > 0, is_protected ? 1 : 0));
        };
      };
      const auto auc = [&](const ranking::PairSet& pair) {
        return auc_by_pairs(score, in(pair.above), in(pair.below));
      };
      const ranking::Comparison& compared = problem.compared.at(0);
      const double difference = auc(compared.first) - auc(compared.second);
      const std::string suffix{part->name};
      EXPECT_NEAR(numbers_of(result).at("constrained_auc_difference_" + suffix), difference, 1e-12);
      EXPECT_NEAR(numbers_of(result).at("constrained_auc_gap_" + suffix), std::abs(difference),
                  1e-12);
      // A column that begins like the metric is what is bounded; others say that they are of any
      // group.
      for (const auto& [column, value] : numbers_of(result)) {
        if (!column.ends_with("_gap_" + suffix)) continue;
        if (column.starts_with(name)) {
          EXPECT_NEAR(value, std::abs(difference), 1e-12) << column;
        }
        other_gaps += column.starts_with("any_group_" + name) ? 1 : 0;
      }
    }
    EXPECT_EQ(result.front.points.at(1), numbers_of(result).at("constrained_auc_gap_validation"));
    EXPECT_EQ(result.front.report.at(1), numbers_of(result).at("constrained_auc_gap_test"));
    EXPECT_LT(numbers_of(result).at("constrained_auc_difference_test_low"),
              numbers_of(result).at("constrained_auc_difference_test"));
  }
  EXPECT_EQ(other_gaps, 9);  // three metrics, three parts
}

/// Evaluations that not even a first call has room for.
TEST(RankingReport, ARunThatFoundNoModelSaysSoAndMeasuresNone) {
  for (const char* method : {"sfls", "iqrc"}) {
    const Sweep sweep(table(300), fmt::format("[{}]\nkappa = 0.1\nevaluations = 150, 5000\n"
                                              "steps = 20\nlook_every = 5\n",
                                              method));
    const TaskResult none = sweep.run(0);
    EXPECT_EQ(numbers_of(none).at("found_model"), 0);
    EXPECT_EQ(numbers_of(none).at("steps"), 0);
    EXPECT_EQ(numbers_of(none).at("feasible"), 0);
    EXPECT_FALSE(numbers_of(none).contains("auc_test"));
    EXPECT_FALSE(numbers_of(none).contains("objective"));
    EXPECT_EQ(numbers_of(none).at("front_size"), 0);
    EXPECT_THAT(none.remark, HasSubstr(fmt::format("[{}] found no score", method)));
    const TaskResult some = sweep.run(1);
    EXPECT_EQ(numbers_of(some).at("found_model"), 1);
    EXPECT_LE(numbers_of(some).at("excess"), 1e-12);
    EXPECT_GT(numbers_of(some).at("auc_train"), 0.5);
    EXPECT_LE(numbers_of(some).at("evaluations"), 5000);
    EXPECT_EQ(some.remark, "");
  }
}

/// The two features are one and the same: there are two scores, each the other one negated.
std::string table_of_one_feature() {
  base::Stream stream(base::StreamKey(1, "test", "one feature"), 0);
  std::string text = "label,group,part,x,z\n";
  for (int i = 0; i < 240; ++i) {
    const std::uint32_t group = stream.below(2);
    const bool positive = stream.uniform() < 0.4;
    const std::string x = base::format_double(stream.normal() + group - (positive ? 0.5 : 0));
    text += fmt::format(
        "{},{},{},{},{}\n", positive ? 1 : 0, "ab" [group],
        std::array { "train", "validation", "test" }[static_cast<std::size_t>(i % 3)], x, x);
  }
  return text;
}

TEST(RankingReport, ATaskWithoutAScoreWithinTheBoundSaysSoAndIsNoPointOfTheFront) {
  const Sweep sweep(table_of_one_feature(), "[auc_front]\nbound = 0.001, 1\n");
  const TaskResult none = sweep.run(0);
  EXPECT_EQ(numbers_of(none).at("feasible_train"), 0);
  EXPECT_EQ(numbers_of(none).at("front_size"), 0);
  EXPECT_TRUE(none.front.points.empty());
  EXPECT_FALSE(numbers_of(none).contains("auc_test"));
  EXPECT_THAT(none.remark, HasSubstr("[auc_front] found no score with a gap of at most "
                                     "auc_front.bound = 0.001"));
  const TaskResult some = sweep.run(1);
  EXPECT_EQ(numbers_of(some).at("feasible_train"), 1);
  EXPECT_EQ(numbers_of(some).at("front_size"), 1);
  EXPECT_EQ(some.remark, "");
  EXPECT_GE(numbers_of(some).at("auc_train"), 0.5);
  EXPECT_NEAR(numbers_of(some).at("constrained_auc_gap_train"),
              numbers_of(none).at("least_gap_train"), 1e-12);
}

}  // namespace
}  // namespace fairfront::experiments::ranking_report_test
