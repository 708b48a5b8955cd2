#include "experiments/predictions.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/shared_pages.hpp"
#include "config/config.hpp"
#include "config/config_text.hpp"
#include "experiments/registry.hpp"
#include "metrics/paired_rates.hpp"
#include "numbers.hpp"
#include "predictions_support.hpp"
#include "sweep/plan.hpp"

namespace fairfront::experiments::audit {
namespace {

using sweep::Plan;
using sweep::Task;
using sweep::TaskResult;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::Not;

// Group a: 3 of 4 decided 1, both positives and one of two negatives. Group b: 1 of 4, one of two
// positives and no negative.
std::vector<Row> eight_decisions() {
  return {{1, "a", 1}, {1, "a", 1}, {0, "a", 1}, {0, "a", 0},
          {1, "b", 1}, {1, "b", 0}, {0, "b", 0}, {0, "b", 0}};
}

double area_under_curve(const std::vector<Row>& rows) {
  double wins = 0;
  double pairs = 0;
  for (const Row& above : rows) {
    for (const Row& below : rows) {
      if (above.label != 1 || below.label != 0) continue;
      pairs += 1;
      wins += above.score > below.score ? 1 : above.score == below.score ? 0.5 : 0;
    }
  }
  return wins / pairs;
}

TEST(Predictions, DecisionsAreCountedAsByHand) {
  const TaskResult result = Audit(eight_decisions(), "[measures]\nintervals = none\n").run();
  const std::map<std::string, double> expected{{"error_all", 0.25},
                                               {"positive_rate_all", 0.5},
                                               {"true_positive_rate_all", 0.75},
                                               {"false_positive_rate_all", 0.25},
                                               {"independence_gap_all", 0.5},
                                               {"independence_ratio_all", 1.0 / 3},
                                               {"true_positive_gap_all", 0.5},
                                               {"false_positive_gap_all", 0.5},
                                               {"separation_gap_all", 0.5},
                                               {"separation_sum_all", 1},
                                               {"positive_predictive_gap_all", 1.0 / 3},
                                               {"negative_predictive_gap_all", 1.0 / 3},
                                               {"error_gap_all", 0},
                                               {"worst_group_error_all", 0.25},
                                               {"rows_all", 8}};
  for (const auto& [name, value] : expected) {
    ASSERT_TRUE(numbers_of(result).contains(name)) << name;
    EXPECT_NEAR(numbers_of(result).at(name), value, 1e-15) << name;
  }
  EXPECT_FALSE(numbers_of(result).contains("auc_all"));
  EXPECT_FALSE(numbers_of(result).contains("brier_all"));
  EXPECT_EQ(std::get<std::vector<double>>(result.solutions.at("group_rows").at(0)),
            (std::vector<double>{4, 4}));
  EXPECT_EQ(std::get<std::vector<double>>(result.solutions.at("group_positives").at(0)),
            (std::vector<double>{2, 2}));
  EXPECT_EQ(result.remark, "");
}

/// Two errors in eight: Clopper and Pearson's limits at 2.5 %.
TEST(Predictions, ARateHasItsExactInterval) {
  const TaskResult result =
      Audit(eight_decisions(), "[measures]\nintervals = formula\nlevel = 0.95\n").run();
  EXPECT_NEAR(numbers_of(result).at("error_all_low"), 0.031854026249944226, 1e-12);
  EXPECT_NEAR(numbers_of(result).at("error_all_high"), 0.6508557944128242, 1e-12);
}

/// Both groups have one error in four: Clopper and Pearson's limits of 1 in 4 at 2.5 %.
TEST(Predictions, AGapHasAnIntervalWithoutResampling) {
  for (const char* kind : {"formula", "bootstrap"}) {
    const TaskResult result =
        Audit(eight_decisions(), fmt::format("[measures]\nintervals = {}\n", kind)).run();
    const double above = 0.8058795503167566 - 0.25;
    const double below = 0.25 - 0.006309463209709866;
    EXPECT_EQ(numbers_of(result).at("error_gap_all"), 0);
    EXPECT_EQ(numbers_of(result).at("error_gap_all_low"), 0);
    EXPECT_NEAR(numbers_of(result).at("error_gap_all_high"), std::hypot(above, below), 1e-12);
  }
}

/// A group without a second one cannot be unfair: there is no gap, and not one of 0.
TEST(Predictions, OneGroupAloneHasNoGap) {
  std::vector<Row> rows = eight_decisions();
  for (Row& row : rows) row.group = "a";
  const TaskResult result = Audit(rows, "[measures]\n").run();
  EXPECT_FALSE(numbers_of(result).contains("error_gap_all"));
  EXPECT_FALSE(numbers_of(result).contains("independence_ratio_all"));
  EXPECT_EQ(numbers_of(result).at("error_all"), 0.25);
  EXPECT_THAT(result.remark, HasSubstr("one group alone"));
}

TEST(Predictions, MeasuresOfEveryPartFollowFromTheirDefinitions) {
  const std::vector<Row> rows = tied_scores(1, 70, 3);
  const TaskResult result = Audit(rows,
                                  "[measures]\nthreshold = 0.4\nintervals = none\n"
                                  "parts = test, all\n" +
                                      by_column,
                                  part_column)
                                .run();
  const auto any = [](const Row&) { return true; };
  const auto decided = [](const Row& row) { return row.score >= 0.4; };
  for (const auto& [name, part] : {std::pair{"_all", rows}, {"_test", part_of(rows, "test")}}) {
    const std::string suffix = name;
    const auto value = [&](const std::string& measure) {
      return numbers_of(result).at(measure + suffix);
    };
    double brier = 0;
    for (const Row& row : part) brier += (row.score - row.label) * (row.score - row.label);
    const auto count = static_cast<double>(part.size());
    EXPECT_NEAR(value("brier"), brier / count, 1e-14);
    EXPECT_NEAR(value("auc"), area_under_curve(part), 1e-14);
    EXPECT_NEAR(value("independence_gap"), gap(part, any, decided), 1e-14);
    EXPECT_NEAR(value("true_positive_gap"),
                gap(
                    part, [](const Row& row) { return row.label == 1; }, decided),
                1e-14);
    EXPECT_NEAR(value("error"),
                share(part, any, [&](const Row& row) { return decided(row) != (row.label == 1); }),
                1e-14);
    EXPECT_EQ(value("rows"), count);
    double worst = 1;
    for (const std::string& group : groups_of(part)) {
      std::vector<Row> own;
      std::ranges::copy_if(part, std::back_inserter(own),
                           [&](const Row& row) { return row.group == group; });
      worst = std::min(worst, area_under_curve(own));
    }
    EXPECT_NEAR(value("worst_group_auc"), worst, 1e-14);
  }
  EXPECT_FALSE(numbers_of(result).contains("error_train"));
  EXPECT_FALSE(numbers_of(result).contains("error_all_low"));
  EXPECT_EQ(result.solutions.at("group_rows").size(), 2u);
}

TEST(Predictions, WhatIsUndefinedIsNaNAndTheRemarkSaysWhy) {
  std::vector<Row> rows = eight_decisions();
  for (Row& row : rows) {
    if (row.group == "b" && row.label == 1) row.part = "test";
  }
  rows.push_back({0, "a", 0, "test"});
  const TaskResult result =
      Audit(rows, "[measures]\nparts = test, train\nresamples = 20\n" + by_column, part_column)
          .run();
  EXPECT_FALSE(numbers_of(result).contains("true_positive_gap_train"));
  EXPECT_FALSE(numbers_of(result).contains("true_positive_gap_train_low"));
  EXPECT_EQ(numbers_of(result).at("false_positive_gap_train"), 0.5);
  EXPECT_THAT(result.remark,
              AllOf(HasSubstr("label 1 in group 'b': "), HasSubstr("true_positive_gap (train)")));
}

TEST(Predictions, ASignedDifferenceOfThreeGroupsIsUndefinedAndNamed) {
  const TaskResult result = Audit(tied_scores(2, 40, 3),
                                  "[measures]\nmeasures = auc, group_auc_difference\n"
                                  "intervals = formula\n")
                                .run();
  EXPECT_FALSE(numbers_of(result).contains("group_auc_difference_all"));
  EXPECT_THAT(result.remark, HasSubstr("group_auc_difference (all)"));
  EXPECT_EQ(numbers_of(result).count("brier_all"), 0u);
}

TEST(Predictions, ScoresOfTheOtherLabelAreTold) {
  std::vector<Row> rows = tied_scores(7, 400, 2);
  for (Row& row : rows) row.score = (row.score + 2 * row.label) / 3;
  const auto reversed = HasSubstr("scores are higher where the label is 0");
  EXPECT_THAT(Audit(rows, "[measures]\n").run().remark, Not(reversed));
  for (Row& row : rows) row.score = 1 - row.score;
  EXPECT_THAT(Audit(rows, "[measures]\n").run().remark,
              HasSubstr("on all rows scores are higher where the label is 0 (AUC at most 0."));
}

TEST(Predictions, ARealTargetGetsTheMeasuresOfRegression) {
  // Errors of a: 1, -2; of b: 0, 3. Means of the predictions: 2.5 and 6.5.
  const std::vector<Row> rows{{1, "a", 2}, {5, "a", 3}, {4, "b", 4}, {6, "b", 9}};
  for (const auto& [kind, data] : {std::pair{"", "target = real\n"}, {"kind = prediction\n", ""}}) {
    const TaskResult result =
        Audit(rows, std::string(kind) + "[measures]\nresamples = 50\n", data).run();
    EXPECT_DOUBLE_EQ(numbers_of(result).at("risk_all"), (1 + 4 + 0 + 9) / 4.0);
    EXPECT_DOUBLE_EQ(numbers_of(result).at("absolute_error_all"), (1 + 2 + 0 + 3) / 4.0);
    EXPECT_DOUBLE_EQ(numbers_of(result).at("risk_gap_all"), 4.5 - 2.5);
    EXPECT_DOUBLE_EQ(numbers_of(result).at("mean_gap_all"), 4);
    EXPECT_LE(numbers_of(result).at("risk_all_low"), numbers_of(result).at("risk_all_high"));
    EXPECT_FALSE(numbers_of(result).contains("error_all"));
    EXPECT_EQ(result.solutions.count("group_positives"), 0u);
  }
}

TEST(Predictions, TheBootstrapIsThatOfItsSeedAlone) {
  const std::vector<Row> rows = tied_scores(3, 60, 2);
  const Audit audit(rows,
                    "[measures]\nintervals = bootstrap\nresamples = 100\n"
                    "bootstrap_seed = 1, 2\n");
  ASSERT_EQ(audit.tasks(), 2);
  const TaskResult first = audit.run(0);
  const TaskResult again = audit.run(0);
  ASSERT_EQ(numbers_of(first).size(), numbers_of(again).size());
  for (const auto& [name, value] : numbers_of(first)) {
    const double other = numbers_of(again).at(name);
    EXPECT_TRUE(value == other || (std::isnan(value) && std::isnan(other))) << name;
  }
  const TaskResult second = audit.run(1);
  EXPECT_EQ(numbers_of(first).at("auc_all"), numbers_of(second).at("auc_all"));
  EXPECT_NE(numbers_of(first).at("auc_all_low"), numbers_of(second).at("auc_all_low"));
  for (const char* name : {"auc_all", "error_all", "independence_gap_all"}) {
    EXPECT_LT(numbers_of(first).at(std::string(name) + "_low"),
              numbers_of(first).at(std::string(name) + "_high"));
  }
}

TEST(Predictions, SeveralScoresAreModelsToCompare) {
  const std::string csv = "y,g,p,q\n1,a,0.9,0.1\n0,a,0.1,0.9\n1,b,0.8,0.2\n0,b,0.3,0.7\n";
  const Audit audit(csv, "[predictions]\nscore = p, q\n[measures]\n", "label = y\nsensitive = g\n");
  ASSERT_EQ(audit.tasks(), 2);
  EXPECT_EQ(numbers_of(audit.run(0)).at("auc_all"), 1);
  EXPECT_EQ(numbers_of(audit.run(1)).at("auc_all"), 0);
}

/// Of p: a 2 of 4 decided 1, b 1 of 4; of q: a 4 of 4, b 1 of 4. Both are right about the labels of
/// a in 2 of 4 rows.
const std::string two_models =
    "y,g,p,q\n1,a,1,1\n1,a,0,1\n0,a,1,1\n0,a,0,1\n"
    "1,b,1,1\n1,b,0,0\n0,b,0,0\n0,b,0,0\n";

TEST(Predictions, MeasuresAreComparedWithThoseOfAReference) {
  const Audit audit(two_models,
                    "[predictions]\nscore = p, q\nreference = q\n"
                    "[measures]\nmeasures = error, independence_gap, separation_gap\n",
                    "label = y\nsensitive = g\n");
  ASSERT_EQ(audit.tasks(), 2);
  const std::map<std::string, double> numbers = numbers_of(audit.run(0));
  EXPECT_DOUBLE_EQ(numbers.at("independence_gap_less_reference_all"), 0.25 - 0.75);
  EXPECT_DOUBLE_EQ(numbers.at("separation_gap_less_reference_all"), 0.5 - 1);
  EXPECT_FALSE(numbers.contains("error_gap_less_reference_all"));  // nobody asked for error_gap
  EXPECT_DOUBLE_EQ(numbers.at("error_less_reference_all"), 3.0 / 8 - 3.0 / 8);
  EXPECT_EQ(numbers.at("error_less_reference_p_all"), 1);  // each is right alone in one row
  std::vector<metrics::JointDecisions> groups(2);
  const auto count = [](metrics::JointDecisions& group, bool label, bool p, bool q) {
    ++group.rows[metrics::JointDecisions::place(label, p, q)];
  };
  for (const bool label : {false, true}) {
    count(groups[0], label, true, true);
    count(groups[0], label, false, true);
    count(groups[1], label, label, label);
    count(groups[1], label, false, false);
  }
  const metrics::Rate rate = metrics::Rate::positive;
  const metrics::Interval interval = metrics::paired_gap_interval(groups, {&rate, 1}, 0.95);
  EXPECT_EQ(numbers.at("independence_gap_less_reference_all_low"), interval.low);
  EXPECT_EQ(numbers.at("independence_gap_less_reference_all_high"), interval.high);
  for (const auto& [name, value] : numbers_of(audit.run(1))) {  // with itself
    EXPECT_THAT(name, ::testing::Not(HasSubstr("reference")));
  }
  const std::map<std::string, double> alone = numbers_of(
      Audit(two_models, "[predictions]\nscore = p\n[measures]\n", "label = y\nsensitive = g\n")
          .run());
  EXPECT_EQ(alone.at("independence_gap_all_high"), numbers.at("independence_gap_all_high"));
  EXPECT_FALSE(alone.contains("independence_gap_less_reference_all"));
}

/// By how much an audit with a reference takes longer than one without, as it is expected to.
double longer_with_a_reference(int groups) {
  std::string table = "y,g,p,q\n";
  for (int row = 0; row < 960; ++row) {
    table += fmt::format("{},g{},0.{:03},0.{:03}\n", row % 7 % 2, row % groups, row * 7 % 1000,
                         row * 13 % 1000);
  }
  const Audit audit(table, "[predictions]\nscore = p, q\nreference = q\n[measures]\n",
                    "label = y\nsensitive = g\n");
  return audit.forecast(0).work.amount / audit.forecast(1).work.amount;
}

/// Of 250,000 rows in 2, 8 and 24 groups it took 6.3, 3.7 and 3.4 times as long.
TEST(Predictions, TheMoreGroupsTheLessOfAnAuditIsItsComparison) {
  EXPECT_NEAR(longer_with_a_reference(2), 6.3, 1);
  EXPECT_NEAR(longer_with_a_reference(8), 3.7, 0.6);
  EXPECT_NEAR(longer_with_a_reference(24), 3.4, 0.6);
}

TEST(Predictions, ATaskWithAReferenceIsTheLongerOneAndItsComparisonMostOfIt) {
  std::string table = "y,g,p,q\n";
  for (int row = 0; row < 200; ++row) {
    table += fmt::format("{},{},0.{:03},0.{:03}\n", row % 3 % 2, row % 2 == 0 ? "a" : "b",
                         row * 7 % 1000, row * 13 % 1000);
  }
  const Audit audit(table, "[predictions]\nscore = p, q\nreference = q\n[measures]\n",
                    "label = y\nsensitive = g\n");
  EXPECT_GT(audit.forecast(0).work.amount, 3 * audit.forecast(1).work.amount);
  const Audit decisions(two_models, "[predictions]\nscore = p, q\nreference = q\n[measures]\n",
                        "label = y\nsensitive = g\n");
  EXPECT_GT(decisions.forecast(0).work.amount, decisions.forecast(1).work.amount);
  EXPECT_LT(decisions.forecast(0).work.amount, 2 * decisions.forecast(1).work.amount)
      << "rates are counted, with a reference or without";
  const parallel::Comm self(MPI_COMM_SELF);
  for (const std::int64_t index : {0, 1}) {
    sweep::RunContext context = audit.context();
    double before = 0;
    double compared_from = 1;
    context.report = [&](const sweep::TaskProgress& now) {
      EXPECT_GE(now.fraction, before) << now.text;
      before = now.fraction;
      if (now.text.find("comparison") == std::string::npos) return;
      compared_from = std::min(compared_from, now.fraction);
    };
    (void)find("predictions").run(self, audit.task(index), context);
    EXPECT_EQ(before, 1);
    // The second is the reference itself.
    EXPECT_TRUE(index == 0 ? compared_from < 0.3 : compared_from == 1) << compared_from;
  }
}

TEST(Predictions, SeveralModelsAreComparedWithTheFirstOne) {
  const std::string data = "label = y\nsensitive = g\n";
  const Audit unsaid(two_models, "[predictions]\nscore = p, q\n[measures]\n", data);
  const Audit said(two_models, "[predictions]\nscore = p, q\nreference = p\n[measures]\n", data);
  for (const std::int64_t task : {0, 1}) EXPECT_EQ(unsaid.run(task), said.run(task)) << task;
  EXPECT_DOUBLE_EQ(numbers_of(unsaid.run(1)).at("independence_gap_less_reference_all"),
                   0.75 - 0.25);
  const auto is_compared = [](const TaskResult& result) {
    return std::ranges::any_of(numbers_of(result), [](const auto& number) {
      return number.first.find("less_reference") != std::string::npos;
    });
  };
  EXPECT_FALSE(is_compared(unsaid.run(0)));  // with itself
  const Audit apart(two_models, "[predictions]\nscore = p, q\nreference =\n[measures]\n", data);
  EXPECT_FALSE(is_compared(apart.run(1)));
}

/// Once the warnings were those of the method that came first, as all have the same rows.
TEST(Predictions, EachMethodWarnsOfGroupsThatItsPartsLack) {
  std::string table = "y,g,s\n1,rare,0.5\n";
  for (int row = 0; row < 100; ++row) {
    table += fmt::format("{},a,0.{}\n{},b,0.{}\n", row % 2, row, (row + 1) % 2, row);
  }
  const Audit audit(table, "[predictions]\nscore = s\n[measures]\n[thresholds]\n",
                    "label = y\nsensitive = g\n");
  const auto any = [](const std::vector<std::string>& warnings, const std::string& text) {
    return std::ranges::any_of(
        warnings, [&](const std::string& warning) { return warning.find(text) != text.npos; });
  };
  const std::vector<std::string> first = audit.forecast(0).warnings;
  const std::vector<std::string> second = audit.forecast(1).warnings;
  EXPECT_FALSE(any(first, "part has no row of group 'rare'"));  // it measures all rows
  EXPECT_TRUE(any(second, "part has no row of group 'rare'"));
  for (const auto& warnings : {first, second}) {
    EXPECT_TRUE(any(warnings, "1 of 3 groups have less than 1 % of the 201 rows: 'rare' 1"));
  }
}

/// No failure of an audit that has good models to measure, as well.
TEST(Predictions, ScoresAndProbabilitiesAreMeasuredAndNotCompared) {
  const Audit audit("y,g,s,r\n1,a,0.9,3\n0,a,0.1,0\n1,b,0.8,1\n0,b,0.2,-1\n",
                    "[predictions]\nscore = s, r\n[measures]\n", "label = y\nsensitive = g\n");
  const std::vector<std::string> warnings = audit.forecast(1).warnings;
  EXPECT_TRUE(std::ranges::any_of(warnings, [](const std::string& warning) {
    return warning.find("'r' is not compared with 's': one is a score, the other a probability") !=
           std::string::npos;
  }));
  const TaskResult result = audit.run(1);
  EXPECT_EQ(numbers_of(result).at("auc_all"), 1);
  EXPECT_FALSE(numbers_of(result).contains("error_less_reference_all"));
  EXPECT_THAT(result.remark, HasSubstr("one threshold cannot decide predictions.score and "
                                       "predictions.reference: all that is compared (all)"));
}

TEST(Predictions, EachMeasureOfScoresOrOfARealTargetIsCompared) {
  for (const bool real : {false, true}) {
    std::string csv = "y,g,s,r\n";
    base::Stream stream(base::StreamKey(9, "test", "reference"), 0);
    for (int row = 0; row < 200; ++row) {
      const double label = real ? stream.normal() : stream.below(2);
      const double score = 0.3 * label + 0.5 * stream.uniform();
      csv += fmt::format("{},{},{},{}\n", base::format_double(label), stream.below(2),
                         base::format_double(std::abs(score)),
                         base::format_double(std::abs(0.8 * score + 0.2 * stream.uniform())));
    }
    const std::string data =
        std::string{"label = y\nsensitive = g\n"} + (real ? "target = real\n" : "");
    const auto run = [&](const std::string& columns) {
      return Audit(csv,
                   "[predictions]\nkind = " + std::string{real ? "prediction" : "auto"} + "\n" +
                       columns + "[measures]\n",
                   data)
          .run();
    };
    const auto both = numbers_of(run("score = s\nreference = r\n"));
    const auto first = numbers_of(run("score = s\n"));
    const auto second = numbers_of(run("score = r\n"));
    std::size_t compared = 0;
    for (const auto& [name, value] : first) {
      const std::set<std::string> of_labels{"rows_all", "base_rate_all", "mean_target_all"};
      if (!name.ends_with("_all") || of_labels.contains(name)) continue;
      const std::string measure = name.substr(0, name.size() - 4);
      ASSERT_TRUE(both.contains(measure + "_less_reference_all")) << measure;
      EXPECT_NEAR(both.at(measure + "_less_reference_all"), value - second.at(name), 1e-12);
      const bool no_interval = measure.starts_with("wasserstein_2");
      EXPECT_EQ(both.contains(measure + "_less_reference_all_low"), !no_interval) << measure;
      ++compared;
    }
    EXPECT_GE(compared, real ? 9 : 40);
    EXPECT_EQ(both.contains("auc_less_reference_p_all"), !real);
    EXPECT_EQ(both.contains("error_less_reference_p_all"), !real);
  }
}

TEST(Predictions, BesideDecisionsOnlyDecisionsAreCompared) {
  const std::string csv =
      "y,g,p,d\n1,a,0.9,1\n1,a,0.4,0\n0,a,0.6,1\n0,a,0.1,0\n1,b,0.8,1\n1,b,0.7,0\n0,b,0.3,1\n"
      "0,b,0.2,0\n";
  const auto run = [&](const std::string& score, const std::string& reference) {
    return Audit(
               csv,
               "[predictions]\nscore = " + score + "\nreference = " + reference + "\n[measures]\n",
               "label = y\nsensitive = g\n")
        .run();
  };
  const auto compared = [](const sweep::TaskResult& result) {
    std::set<std::string> names;
    for (const auto& [name, value] : numbers_of(result)) {
      if (name.ends_with("_less_reference_all")) names.insert(name);
    }
    return names;
  };
  const sweep::TaskResult beside_decisions = run("p", "d");
  EXPECT_EQ(compared(beside_decisions), compared(run("d", "p")));
  EXPECT_TRUE(compared(beside_decisions).contains("error_less_reference_all"));
  EXPECT_THAT(beside_decisions.remark, HasSubstr("predictions.reference holds decisions"));
  EXPECT_TRUE(numbers_of(beside_decisions).contains("auc_all"));
}

TEST(Predictions, AReferenceIsOfTheRowsOfEachPart) {
  std::vector<Row> rows = tied_scores(7, 90, 2);
  std::string csv = "y,g,s,r,part\n";
  base::Stream stream(base::StreamKey(8, "test", "reference"), 0);
  std::vector<Row> others = rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    others[i].score = stream.uniform();
    csv += fmt::format("{},{},{},{},{}\n", rows[i].label, rows[i].group,
                       base::format_double(rows[i].score), base::format_double(others[i].score),
                       rows[i].part);
  }
  const std::string data = "label = y\nsensitive = g\n" + part_column;
  const auto numbers = [&](const std::string& columns) {
    return numbers_of(
        Audit(csv, "[predictions]\n" + columns + "[measures]\nparts = test, train\n" + by_column,
              data)
            .run());
  };
  const auto both = numbers("score = s\nreference = r\n");
  const auto first = numbers("score = s\n");
  const auto second = numbers("score = r\n");
  for (const char* part : {"_test", "_train"}) {
    for (const char* gap : {"independence_gap", "true_positive_gap", "false_positive_gap",
                            "separation_gap", "error_gap"}) {
      const std::string name = gap;
      EXPECT_NEAR(both.at(name + "_less_reference" + part),
                  first.at(name + part) - second.at(name + part), 1e-15)
          << name << part;
      EXPECT_LT(both.at(name + "_less_reference" + part + "_low"),
                both.at(name + "_less_reference" + part + "_high"));
    }
  }
}

std::set<std::string> parts_of(const TaskResult& result) {
  std::set<std::string> parts;
  for (const auto& [rows, measured] : result.measured.at("error")) parts.insert(rows.part);
  return parts;
}

TEST(Predictions, TrainingRowsAreMeasuredOnlyWhenAskedFor) {
  const std::vector<Row> rows = tied_scores(7, 200, 2);
  using Parts = std::set<std::string>;
  const auto measured = [&](const std::string& measures, const std::string& split,
                            const std::string& data = "") {
    return parts_of(Audit(rows, "[measures]\nintervals = none\n" + measures + split, data).run());
  };
  const std::string shares = "[split]\nvalidation = 0.3\ntest = 0.4\n";
  EXPECT_EQ(measured("", shares), (Parts{"validation", "test"}));
  EXPECT_EQ(measured("parts = auto\n", shares + "choice = 0.1\n"),
            (Parts{"validation", "choice", "test"}));
  EXPECT_EQ(measured("", "[split]\nvalidation = 0\ntest = 0.4\n"), Parts{"test"});
  EXPECT_EQ(measured("", "[split]\nvalidation = 0.4\ntest = 0.6\n"), (Parts{"validation", "test"}));
  EXPECT_EQ(measured("", by_column, part_column), Parts{"test"});
  // The default share of validation rows is of those that the column calls training.
  EXPECT_EQ(measured("", "", part_column), Parts{"test"});
  EXPECT_EQ(measured("parts = validation, test\n", "", part_column), (Parts{"validation", "test"}));
  const std::string chosen = "[thresholds]\n";
  EXPECT_THAT(Audit(rows, chosen, part_column).forecast().warnings,
              Contains(HasSubstr("thresholds are chosen on rows that the table calls training")));
  EXPECT_THAT(Audit(rows, chosen + shares).forecast().warnings,
              Not(Contains(HasSubstr("table calls training"))));
  EXPECT_EQ(measured("parts = train\n", shares), Parts{"train"});
  EXPECT_EQ(measured("parts = all\n", shares), Parts{"all"});
}

/// `choose` would prove bounds on rows that the model has learnt from.
TEST(Predictions, RowsForTestsAreNotDrawnOfTrainingRows) {
  const std::string csv = "y,g,s,part\n1,a,1,train\n0,b,0,train\n1,a,1,test\n0,b,0,test\n";
  const auto told = [&](const std::string& rows, const std::string& split) {
    return error_of(csv + rows, "[predictions]\nscore = s\n[measures]\n[split]\n" + split,
                    "label = y\nsensitive = g\nsplit = part\n");
  };
  EXPECT_THAT(told("", "choice = 0.5\nvalidation = 0\n"),
              HasSubstr("split.choice = 0.5 would test a choice on rows that the table calls "
                        "training, which the model may have learnt from: name others by "
                        "split.choice_values"));
  EXPECT_EQ(told("", "validation = 0\n"), "no error");
  EXPECT_EQ(told("1,a,1,held\n0,b,0,held\n", "validation = 0\nchoice_values = held\n"), "no error");
}

/// A draw that nobody asked for does not say on which rows a model was trained.
TEST(Predictions, WithoutPartsOfItsOwnEveryRowIsMeasured) {
  const std::vector<Row> rows = tied_scores(7, 200, 2);
  for (const char* split :
       {"", "[split]\nsplit_seed = 3\n", "[split]\nvalidation = 0\ntest = 0\n"}) {
    const TaskResult result =
        Audit(rows, "[measures]\nintervals = none\n" + std::string{split}).run();
    EXPECT_EQ(parts_of(result), std::set<std::string>{"all"}) << split;
    EXPECT_EQ(numbers_of(result).at("rows_all"), 200);
  }
}

/// The default split leaves no row of three for its test part, and nobody had asked for it.
TEST(Predictions, WhereNoPartIsLookedAtNoneIsAskedFor) {
  const std::string csv = "y,g,s\n1,a,0.9\n0,b,0.2\n1,b,0.7\n";
  const std::string columns = "label = y\nsensitive = g\n";
  const auto told = [&](const std::string& sections) {
    return error_of(csv, "[predictions]\nscore = s\n" + sections, columns);
  };
  EXPECT_EQ(told("[measures]\nparts = all\n"), "no error");
  EXPECT_EQ(told("[measures]\n"), "no error");
  EXPECT_EQ(told("[thresholds]\nchoose_on = all\nreport_on = none\n"), "no error");
  EXPECT_EQ(told("[drawn_thresholds]\nchoose_on = all\nreport_on = all\n"), "no error");
  const std::string reason = "split: the test part has no rows";
  for (const char* sections :
       {"[measures]\nparts = test\n", "[measures]\nparts = all, train\n",
        "[split]\nvalidation = 0.2\ntest = 0.1\n[measures]\n", "[thresholds]\nchoose_on = all\n",
        "[thresholds]\nreport_on = none\n", "[drawn_thresholds]\nchoose_on = all\n"}) {
    EXPECT_THAT(told(sections), HasSubstr(reason)) << sections;
  }
  const Audit audit(csv, "[predictions]\nscore = s\n[measures]\n", columns);
  EXPECT_EQ(numbers_of(audit.run()).at("rows_all"), 3);
}

/// A gap over groups and a group's own number were called the same.
TEST(Predictions, RemarksTellGroupsOwnNumbersFromThoseOfAllRows) {
  const std::string csv = "y,g,s\n1,a,0.9\n1,a,0.8\n1,b,0.7\n1,c,0.7\n0,c,0.1\n0,c,0.2\n";
  const auto remark = [&](const std::string& measures) {
    return Audit(csv,
                 "[predictions]\nscore = s\n[measures]\nintervals = none\nmeasures = " + measures +
                     "\n",
                 "label = y\nsensitive = g\n")
        .run()
        .remark;
  };
  EXPECT_EQ(remark("auc, false_positive_rate"),
            "undefined: no row with label 0 in groups 'a', 'b': of groups 'a', 'b': auc (all), "
            "false_positive_rate (all)");
  EXPECT_EQ(remark("auc, false_positive_gap"),
            "undefined: no row with label 0 in group 'a': false_positive_gap (all), and of group "
            "'a': auc (all); no row with label 0 in group 'b': of group 'b': auc (all)");
}

TEST(Predictions, AThresholdBeyondAllProbabilitiesIsRefused) {
  const std::string csv = "y,g,s\n1,a,0.9\n0,a,0.2\n1,b,0.7\n0,b,0.4\n";
  const auto told = [&](const std::string& threshold, const std::string& kind) {
    return error_of(csv,
                    "[predictions]\nscore = s\nkind = " + kind +
                        "\n[measures]\nthreshold = " + threshold + "\n",
                    "label = y\nsensitive = g\n");
  };
  for (const char* beyond : {"-0.1", "1.5"}) {
    EXPECT_THAT(told(beyond, "probability"), HasSubstr("must be in [0, 1] for probabilities"));
    EXPECT_EQ(told(beyond, "score"), "no error");
  }
  for (const char* within : {"0", "0.3", "1"}) EXPECT_EQ(told(within, "auto"), "no error");
}

TEST(Predictions, TheGeneratedSetShowsACalibratedAndAShiftedModel) {
  const sweep::Experiment& experiment = find("predictions");
  const auto scanned = config::scan_config(
      "experiment = predictions\n[data]\ndata = syn_predictions\n[predictions]\n"
      "score = calibrated, shifted\n[measures]\nintervals = none\n",
      "test.ini");
  const Plan plan(config::resolve(scanned, "predictions", experiment.sections()), experiment);
  const parallel::Comm self(MPI_COMM_SELF);
  std::vector<std::map<std::string, double>> metrics;
  for (std::int64_t i = 0; i < plan.num_tasks(); ++i) {
    Task task = plan.task(i);
    task.key = plan.key_of(task, "digest");
    metrics.push_back(numbers_of(experiment.run(self, task, {})));
  }
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_LT(metrics[0].at("calibration_error_all"), metrics[1].at("calibration_error_all"));
  EXPECT_GT(metrics[0].at("auc_all"), metrics[1].at("auc_all"));
  EXPECT_GT(metrics[1].at("independence_gap_all"), 0.1);
}

TEST(Predictions, BadInputsGiveOneClearError) {
  const std::string good = "y,g,s\n1,a,0.9\n0,a,0.1\n1,b,0.8\n0,b,0.3\n";
  const std::string score = "[predictions]\nscore = s\n";
  const std::string columns = "label = y\nsensitive = g\n";
  struct Case {
    std::string csv, config, data, message;
  };
  const std::vector<Case> cases{
      {good, "[predictions]\nscore = t\n[measures]\n", columns, "'t'"},
      {good, "[measures]\n", columns, "predictions.score must name"},
      {good, "[predictions]\nscore = y\n[measures]\n", columns, "same column"},
      {good, score + "[measures]\n", "sensitive = g\n", "data.label must name"},
      {good, score + "[measures]\n", columns + "features = s\n", "data.features must be empty"},
      {good, score + "[measures]\n", columns + "missing_rule = mean\n", "cannot be filled in"},
      {"y,g,s\n1,a,0.9\n0,a,high\n1,b,0.8\n", score + "[measures]\n", columns, "line 3"},
      {"y,g,s\n1,a,0.9\n0,a,nan\n1,b,0.8\n", score + "[measures]\n", columns, "line 3"},
      {"y,g,s\n1,a,0.9\n0,a,\n1,b,0.8\n", score + "[measures]\n", columns, "line 3"},
      {"y,g,s\n1,a,0.9\n0,a,0.1\n2,b,0.8\n", score + "[measures]\n", columns,
       "data.positive, data.label_map"},
      {"y,g,s\n1,a,0.9\n0,a,0.1\n2,b,0.8\n", score + "kind = score\n[measures]\n", columns,
       "3 different values, must have 2"},
      {"y,g,s\nx,a,0.9\ny,a,0.1\nz,b,0.8\n", score + "[measures]\n", columns, "3 classes"},
      {good, score + "kind = decision\n[measures]\n", columns, "other than 0 and 1"},
      {"y,g,s\n1,a,1.5\n0,a,0.1\n1,b,0.8\n", score + "kind = probability\n[measures]\n", columns,
       "outside [0, 1]"},
      {good, score + "[measures]\nmeasures = aucc\n", columns, "'auc'"},
      {good, score + "[measures]\nmeasures = risk\n", columns, "does not suit"},
      {good, score + "[measures]\nparts = tset\n", columns, "'test'"},
      {good, score + "[split]\nvalidation = 0\ntest = 0.5\n[measures]\nparts = nothing\n", columns,
       "(valid: auto, all, train, test)"},
      {good, score + "[split]\nvalidation = 0\ntest = 0.5\n[measures]\nparts = test, nothing\n",
       columns, "(valid: all, train)"},
      {good, score + "[measures]\nparts = auto, test\n", columns, "auto, which must stand alone"},
      {good, score + "[measures]\nparts = all, all\n", columns, "twice"},
      {good, score + "[measures]\nmeasures = auc, auc\n", columns, "twice"},
      {good, score + "[split]\nvalidation = 0\ntest = 0\n[thresholds]\n", columns, "no row is in"},
      {"y,g,s\n1,a,1\n0,a,0\n1,b,1\n0,b,0\n1,b,0\n", score + "[measures]\nthreshold = 2\n", columns,
       "must be in (0, 1]"},
      {good, score + "kind = prediction\n[thresholds]\n", columns, "label of two values"},
      {good, score + "reference = t\n[measures]\n", columns, "no column 't'"},
      {good, score + "reference = y\n[measures]\n", columns, "nothing is compared"},
      {"y,g,s,r\n1.5,a,0.9,1e200\n0,a,0.1,0\n1,b,0.8,1\n", score + "reference = r\n[measures]\n",
       columns + "target = real\n", "'r'"},
  };
  for (const Case& bad : cases) {
    EXPECT_THAT(error_of(bad.csv, bad.config, bad.data), HasSubstr(bad.message)) << bad.config;
  }
}

TEST(Predictions, AGroupForEveryRowIsRefusedBeforeAnyPairIsCompared) {
  std::string csv = "y,g,s\n";
  for (int row = 0; row <= 500; ++row) csv += fmt::format("{},name{},0.5\n", row % 2, row);
  EXPECT_THAT(error_of(csv, "[predictions]\nscore = s\n[measures]\n", "label = y\nsensitive = g\n"),
              HasSubstr("data.sensitive makes 501 groups"));
}

TEST(Predictions, AProblemTakenFromAnotherRankIsThatWhichWasMade) {
  const Audit audit(
      "y,g,s,r,part\n1,a,0.2,0.1,train\n0,a,0.5,0.9,train\n1,b,0.7,0.3,test\n0,b,0.4,0.8,test\n"
      "1,a,0.9,0.6,test\n0,a,0.1,0.2,test\n",
      "[predictions]\nscore = s\nreference = r\n[split]\nvalidation = 0\n[measures]\n",
      "label = y\nsensitive = g\nsplit = part\n");
  const Family<experiments::Predictions> family = predictions_family();
  const auto made = family.load(audit.task(), audit.context());
  base::PageWriter pages;
  family.lay_down(pages, made);
  const base::Descriptor laid_down = pages.finish();
  base::PageReader reader(laid_down);
  const auto taken = family.take(audit.task(), audit.context(), reader);
  EXPECT_EQ(taken.text, made.text);
  EXPECT_EQ(taken.warnings, made.warnings);
  EXPECT_EQ(taken.bytes, made.bytes);
  EXPECT_EQ(taken.data.digest, made.data.digest);
  EXPECT_EQ(taken.problem.kind, made.problem.kind);
  EXPECT_EQ(taken.problem.reference_kind, made.problem.reference_kind);
  EXPECT_EQ(taken.problem.parted, made.problem.parted);
  EXPECT_EQ(taken.problem.table, made.problem.table);  // of the cache
  for (const AuditPart part : {AuditPart::all, AuditPart::train, AuditPart::test}) {
    const PredictionSample own = sample_of(taken.problem, part);
    const PredictionSample first = sample_of(made.problem, part);
    EXPECT_EQ(own.score.size(), part == AuditPart::all ? 6 : part == AuditPart::test ? 4 : 2);
    EXPECT_THAT(own.score, ElementsAreArray(first.score));
    EXPECT_THAT(own.reference, ElementsAreArray(first.reference));
    EXPECT_THAT(own.label, ElementsAreArray(first.label));
    EXPECT_THAT(own.group, ElementsAreArray(first.group));
    EXPECT_EQ(own.groups, 2);
  }
}

TEST(Predictions, ATaskNeedsMemoryForThePartsThatItLooksAt) {
  std::string csv = "y,g,s,part\n";
  for (int i = 0; i < 40; ++i) {
    csv += fmt::format("{},{},0.{},{}\n", i % 2, "ab"[i / 2 % 2], i, i < 30 ? "train" : "test");
  }
  const auto bytes = [&](const std::string& parts) {
    return Audit(csv,
                 "[predictions]\nscore = s\n[split]\nvalidation = 0\n[measures]\nparts = " + parts +
                     "\n",
                 "label = y\nsensitive = g\nsplit = part\n")
        .forecast()
        .work.bytes_per_rank;
  };
  EXPECT_GT(bytes("test"), 0);
  EXPECT_DOUBLE_EQ(bytes("train, test"), 3 * bytes("test"));
  EXPECT_DOUBLE_EQ(bytes("all"), 4 * bytes("test"));
}

TEST(Predictions, ADeclaredDifferenceOfAucsIsMeasuredBesideTheOthers) {
  const std::vector<Row> rows = tied_scores(5, 120, 2);
  const Audit audit(rows,
                    "[measures]\ndifference = auc(label = 1 and group = g, label = 0) - "
                    "auc(label = 1 and group = a, label = 0)\nresamples = 50\n");
  const TaskResult result = audit.run();
  const auto auc = [&](const std::string& group) {
    double wins = 0;
    double pairs = 0;
    for (const Row& above : rows) {
      for (const Row& below : rows) {
        if (above.label != 1 || above.group != group || below.label != 0) continue;
        ++pairs;
        wins += above.score > below.score ? 1 : above.score == below.score ? 0.5 : 0;
      }
    }
    return wins / pairs;
  };
  const double expected = auc("b") - auc("a");
  EXPECT_NEAR(numbers_of(result).at("custom_auc_difference_all"), expected, 1e-14);
  EXPECT_NEAR(numbers_of(result).at("custom_auc_gap_all"), std::abs(expected), 1e-14);
  EXPECT_LT(numbers_of(result).at("custom_auc_difference_all_low"), expected);
  EXPECT_GT(numbers_of(result).at("custom_auc_difference_all_high"), expected);
  EXPECT_TRUE(numbers_of(result).contains("custom_auc_gap_all_low"));
  const std::string csv = "y,g,s\n1,a,0.2\n0,a,0.5\n1,b,0.7\n0,b,0.4\n";
  const std::string data = "label = y\nsensitive = g\n";
  EXPECT_THAT(error_of(csv,
                       "[predictions]\nscore = s\n[measures]\ndifference = "
                       "auc(group = z, all) - auc(all, all)\n",
                       data),
              AllOf(HasSubstr("measures.difference"), HasSubstr("no group 'z'")));
  EXPECT_THAT(error_of(csv,
                       "[predictions]\nscore = s\nkind = prediction\n[measures]\ndifference = "
                       "auc(group = a, all) - auc(all, all)\n",
                       "label = y\nsensitive = g\ntarget = real\n"),
              HasSubstr("predictions.score holds none"));
}

}  // namespace
}  // namespace fairfront::experiments::audit
