#include "experiments/predictions.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "config/config.hpp"
#include "config/config_text.hpp"
#include "experiments/registry.hpp"
#include "support/temporary_folder.hpp"
#include "sweep/plan.hpp"
#include "table_sweep.hpp"

namespace fairfront::experiments {
namespace {

using sweep::Plan;
using sweep::Task;
using sweep::TaskResult;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// One row of a table: label, group, part and what the model says.
struct Row {
  double label;
  std::string group;
  double score;
  std::string part = "train";
};

/// Runs the tasks of a config over a table of its own.
class Audit : public TableSweep {
 public:
  /// @param config  goes on in [predictions], @param data in [data].
  Audit(const std::vector<Row>& rows, const std::string& config, const std::string& data = "")
      : Audit(text_of(rows), "[predictions]\nscore = s\n" + config,
              "label = y\nsensitive = g\n" + data) {}

  Audit(const std::string& csv, const std::string& config, const std::string& data)
      : TableSweep("predictions", csv, config, data) {}

 private:
  static std::string text_of(const std::vector<Row>& rows) {
    std::string text = "y,g,s,part\n";
    for (const Row& row : rows) {
      text += base::format_double(row.label) + ',' + row.group + ',' +
              base::format_double(row.score) + ',' + row.part + '\n';
    }
    return text;
  }
};

std::string error_of(const std::string& csv, const std::string& config, const std::string& data) {
  try {
    (void)Audit(csv, config, data).forecast();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

// Group a: 3 of 4 decided 1, both positives and one of two negatives. Group b: 1 of 4, one of two
// positives and no negative.
std::vector<Row> eight_decisions() {
  return {{1, "a", 1}, {1, "a", 1}, {0, "a", 1}, {0, "a", 0},
          {1, "b", 1}, {1, "b", 0}, {0, "b", 0}, {0, "b", 0}};
}

/// Scores in multiples of 1/5: many ties. Every group has both labels in both parts.
std::vector<Row> tied_scores(std::uint64_t seed, std::uint32_t rows, std::uint32_t groups) {
  base::Stream stream(base::StreamKey(seed, "test", "predictions"), 0);
  std::vector<Row> all;
  for (std::uint32_t i = 0; i < rows; ++i) {
    const std::uint32_t cell = i < 4 * groups ? i : stream.below(4 * groups);
    all.push_back({static_cast<double>(cell % 2), std::string(1, static_cast<char>('a' + cell / 4)),
                   stream.below(6) / 5.0, cell / 2 % 2 == 0 ? "train" : "test"});
  }
  return all;
}

// What follows takes every number from its definition, row by row.

template <class Counts>
double share(const std::vector<Row>& rows, Counts counts, auto hits) {
  double of = 0;
  double hit = 0;
  for (const Row& row : rows) {
    if (!counts(row)) continue;
    of += 1;
    hit += hits(row) ? 1 : 0;
  }
  return of == 0 ? std::numeric_limits<double>::quiet_NaN() : hit / of;
}

std::set<std::string> groups_of(const std::vector<Row>& rows) {
  std::set<std::string> names;
  for (const Row& row : rows) names.insert(row.group);
  return names;
}

/// Largest less smallest of a rate over the groups.
double gap(const std::vector<Row>& rows, auto counts, auto hits) {
  std::vector<double> shares;
  for (const std::string& group : groups_of(rows)) {
    shares.push_back(share(
        rows, [&](const Row& row) { return row.group == group && counts(row); }, hits));
  }
  return std::ranges::max(shares) - std::ranges::min(shares);
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

std::vector<Row> part_of(const std::vector<Row>& rows, const std::string& part) {
  std::vector<Row> chosen;
  std::ranges::copy_if(rows, std::back_inserter(chosen),
                       [&](const Row& row) { return row.part == part; });
  return chosen;
}

using Thresholds = std::map<std::string, double>;

/// Error, and the gap of demographic parity or equalised odds.
std::pair<double, double> judge(const std::vector<Row>& rows, const Thresholds& thresholds,
                                bool parity) {
  const auto decided = [&](const Row& row) { return row.score >= thresholds.at(row.group); };
  const auto any = [](const Row&) { return true; };
  const double error =
      share(rows, any, [&](const Row& row) { return decided(row) != (row.label == 1); });
  if (parity) return {error, gap(rows, any, decided)};
  return {error, std::max(gap(
                              rows, [](const Row& row) { return row.label == 1; }, decided),
                          gap(
                              rows, [](const Row& row) { return row.label == 0; }, decided))};
}

/// Every combination of thresholds, one per group, and the nondominated ones of them.
std::vector<std::pair<double, double>> front_by_trial(const std::vector<Row>& rows, bool parity) {
  std::vector<Thresholds> combinations(1);
  for (const std::string& group : groups_of(rows)) {
    std::vector<Thresholds> more;
    for (const Thresholds& combination : combinations) {
      for (const double threshold : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 2.0}) {
        more.push_back(combination);
        more.back()[group] = threshold;
      }
    }
    combinations = std::move(more);
  }
  std::set<std::pair<double, double>> all;
  for (const Thresholds& thresholds : combinations) all.insert(judge(rows, thresholds, parity));
  std::vector<std::pair<double, double>> front;
  for (const auto& point : all) {  // by ascending error
    if (front.empty() || point.second < front.back().second - 1e-12) front.push_back(point);
  }
  return front;
}

const std::string part_column = "split = part\n";
const std::string by_column = "[split]\nby = column\nvalidation = 0\n";

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
    ASSERT_TRUE(result.metrics.contains(name)) << name;
    EXPECT_NEAR(result.metrics.at(name), value, 1e-15) << name;
  }
  EXPECT_FALSE(result.metrics.contains("auc_all"));
  EXPECT_FALSE(result.metrics.contains("brier_all"));
  EXPECT_EQ(std::get<std::vector<double>>(result.solutions.at("group_rows").at(0)),
            (std::vector<double>{4, 4}));
  EXPECT_EQ(std::get<std::vector<double>>(result.solutions.at("group_positives").at(0)),
            (std::vector<double>{2, 2}));
  EXPECT_EQ(result.remark, "");
}

TEST(Predictions, ARateHasTheIntervalOfWilson) {
  const TaskResult result =
      Audit(eight_decisions(), "[measures]\nintervals = formula\nlevel = 0.95\n").run();
  const double z = 1.959963984540054;
  const double middle = (0.25 + z * z / 16) / (1 + z * z / 8);
  const double half = z / (1 + z * z / 8) * std::sqrt(0.25 * 0.75 / 8 + z * z / (4 * 64));
  EXPECT_NEAR(result.metrics.at("error_all_low"), middle - half, 1e-14);
  EXPECT_NEAR(result.metrics.at("error_all_high"), middle + half, 1e-14);
  EXPECT_FALSE(result.metrics.contains("error_gap_all_low"));  // there is no formula
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
      return result.metrics.at(measure + suffix);
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
  EXPECT_FALSE(result.metrics.contains("error_train"));
  EXPECT_FALSE(result.metrics.contains("error_all_low"));
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
  EXPECT_TRUE(std::isnan(result.metrics.at("true_positive_gap_train")));
  EXPECT_TRUE(std::isnan(result.metrics.at("true_positive_gap_train_low")));
  EXPECT_EQ(result.metrics.at("false_positive_gap_train"), 0.5);
  EXPECT_THAT(result.remark, AllOf(HasSubstr("label 1 in group 1"), HasSubstr("1 = b"),
                                   HasSubstr("true_positive_gap_train")));
}

TEST(Predictions, ASignedDifferenceOfThreeGroupsIsUndefinedAndNamed) {
  const TaskResult result = Audit(tied_scores(2, 40, 3),
                                  "[measures]\nmeasures = auc, group_auc_difference\n"
                                  "intervals = formula\n")
                                .run();
  EXPECT_TRUE(std::isnan(result.metrics.at("group_auc_difference_all")));
  EXPECT_THAT(result.remark, HasSubstr("group_auc_difference_all"));
  EXPECT_EQ(result.metrics.count("brier_all"), 0u);
}

TEST(Predictions, ARealTargetGetsTheMeasuresOfRegression) {
  // Errors of a: 1, -2; of b: 0, 3. Means of the predictions: 2.5 and 6.5.
  const std::vector<Row> rows{{1, "a", 2}, {5, "a", 3}, {4, "b", 4}, {6, "b", 9}};
  for (const auto& [kind, data] : {std::pair{"", "target = real\n"}, {"kind = prediction\n", ""}}) {
    const TaskResult result =
        Audit(rows, std::string(kind) + "[measures]\nresamples = 50\n", data).run();
    EXPECT_DOUBLE_EQ(result.metrics.at("risk_all"), (1 + 4 + 0 + 9) / 4.0);
    EXPECT_DOUBLE_EQ(result.metrics.at("absolute_error_all"), (1 + 2 + 0 + 3) / 4.0);
    EXPECT_DOUBLE_EQ(result.metrics.at("risk_gap_all"), 4.5 - 2.5);
    EXPECT_DOUBLE_EQ(result.metrics.at("mean_gap_all"), 4);
    EXPECT_LE(result.metrics.at("risk_all_low"), result.metrics.at("risk_all_high"));
    EXPECT_FALSE(result.metrics.contains("error_all"));
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
  ASSERT_EQ(first.metrics.size(), again.metrics.size());
  for (const auto& [name, value] : first.metrics) {
    const double other = again.metrics.at(name);
    EXPECT_TRUE(value == other || (std::isnan(value) && std::isnan(other))) << name;
  }
  const TaskResult second = audit.run(1);
  EXPECT_EQ(first.metrics.at("auc_all"), second.metrics.at("auc_all"));
  EXPECT_NE(first.metrics.at("auc_all_low"), second.metrics.at("auc_all_low"));
  for (const char* name : {"auc_all", "error_all", "independence_gap_all"}) {
    EXPECT_LT(first.metrics.at(std::string(name) + "_low"),
              first.metrics.at(std::string(name) + "_high"));
  }
}

TEST(Predictions, TheFrontOfThresholdsIsThatOfAllCombinations) {
  for (const bool parity : {true, false}) {
    for (const std::uint32_t groups : {2u, 3u}) {
      SCOPED_TRACE(std::to_string(groups) + (parity ? " groups, parity" : " groups, odds"));
      const std::vector<Row> rows = tied_scores(4 + groups, 50, groups);
      const std::string name = parity ? "demographic_parity" : "equalised_odds";
      const TaskResult result =
          Audit(rows, "[thresholds]\ngap = " + name + "\nchoose_on = train\n" + by_column,
                part_column)
              .run();
      const std::vector<Row> train = part_of(rows, "train");
      const std::vector<Row> test = part_of(rows, "test");
      const auto expected = front_by_trial(train, parity);
      ASSERT_EQ(result.front.points.size(), 2 * expected.size());
      ASSERT_EQ(result.front.report.size(), 2 * expected.size());
      ASSERT_EQ(result.solutions.at("thresholds").size(), expected.size());
      double volume = 0;
      double before = 1;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto& values = std::get<std::vector<double>>(result.solutions.at("thresholds").at(i));
        Thresholds thresholds;
        for (std::size_t g = 0; g < groups; ++g) {
          thresholds[std::string(1, static_cast<char>('a' + g))] = values.at(g);
        }
        const auto chosen = judge(train, thresholds, parity);
        const auto reported = judge(test, thresholds, parity);
        EXPECT_NEAR(result.front.points[2 * i], expected[i].first, 1e-14);
        EXPECT_NEAR(result.front.points[2 * i + 1], expected[i].second, 1e-14);
        EXPECT_NEAR(chosen.first, expected[i].first, 1e-14);
        EXPECT_NEAR(chosen.second, expected[i].second, 1e-14);
        EXPECT_NEAR(result.front.report[2 * i], reported.first, 1e-14);
        EXPECT_NEAR(result.front.report[2 * i + 1], reported.second, 1e-14);
        volume += (1 - expected[i].first) * (before - expected[i].second);
        before = expected[i].second;
      }
      EXPECT_NEAR(result.front.hypervolume, volume, 1e-14);
      EXPECT_EQ(result.metrics.at("least_error"), result.front.points[0]);
      EXPECT_EQ(result.metrics.at("least_gap"), result.front.points.back());
    }
  }
}

TEST(Predictions, ThresholdsOfAGroupWithoutPositivesAreAFailureWithAReason) {
  const std::vector<Row> rows{{1, "a", 0.3}, {0, "a", 0.2}, {0, "b", 0.4}, {0, "b", 0.1}};
  const Audit audit(rows,
                    "[split]\nvalidation = 0\ntest = 0\n[thresholds]\nchoose_on = all\n"
                    "report_on = none\n");
  try {
    (void)audit.run();
    FAIL() << "no error";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("label 1 in group 1"), HasSubstr("1 = b")));
  }
}

TEST(Predictions, SeveralScoresAreModelsToCompare) {
  const std::string csv = "y,g,p,q\n1,a,0.9,0.1\n0,a,0.1,0.9\n1,b,0.8,0.2\n0,b,0.3,0.7\n";
  const Audit audit(csv, "[predictions]\nscore = p, q\n[measures]\n", "label = y\nsensitive = g\n");
  ASSERT_EQ(audit.tasks(), 2);
  EXPECT_EQ(audit.run(0).metrics.at("auc_all"), 1);
  EXPECT_EQ(audit.run(1).metrics.at("auc_all"), 0);
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
    metrics.push_back(experiment.run(self, task, {}).metrics);
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
      {good, score + "[measures]\nparts = all, all\n", columns, "twice"},
      {good, score + "[measures]\nmeasures = auc, auc\n", columns, "twice"},
      {good, score + "[split]\nvalidation = 0\ntest = 0\n[thresholds]\n", columns, "no row is in"},
      {"y,g,s\n1,a,1\n0,a,0\n1,b,1\n0,b,0\n1,b,0\n", score + "[measures]\nthreshold = 2\n", columns,
       "must be in (0, 1]"},
      {good, score + "kind = prediction\n[thresholds]\n", columns, "label of two values"},
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
  EXPECT_NEAR(result.metrics.at("custom_auc_difference_all"), expected, 1e-14);
  EXPECT_NEAR(result.metrics.at("custom_auc_gap_all"), std::abs(expected), 1e-14);
  EXPECT_LT(result.metrics.at("custom_auc_difference_all_low"), expected);
  EXPECT_GT(result.metrics.at("custom_auc_difference_all_high"), expected);
  EXPECT_TRUE(result.metrics.contains("custom_auc_gap_all_low"));
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
}  // namespace fairfront::experiments
