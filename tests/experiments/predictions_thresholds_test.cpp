// Fronts of thresholds, one per group, against all combinations of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "experiments/predictions.hpp"
#include "predictions_support.hpp"

namespace fairfront::experiments::audit {
namespace {

using sweep::TaskResult;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

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

TEST(PredictionThresholds, TheFrontOfThresholdsIsThatOfAllCombinations) {
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

TEST(PredictionThresholds, ThresholdsOfAGroupWithoutPositivesAreAFailureWithAReason) {
  const std::vector<Row> rows{{1, "a", 0.3}, {0, "a", 0.2}, {0, "b", 0.4}, {0, "b", 0.1}};
  const Audit audit(rows,
                    "[split]\nvalidation = 0\ntest = 0\n[thresholds]\nchoose_on = all\n"
                    "report_on = none\n");
  try {
    (void)audit.run();
    FAIL() << "no error";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no row with label 1 in group 'b': the gap on"));
    EXPECT_THAT(error.what(), HasSubstr("join small groups by data.group_map"));
  }
}

TEST(PredictionThresholds, OneGroupAloneHasNoGap) {
  const std::vector<Row> rows{{1, "a", 0.3}, {0, "a", 0.2}, {0, "a", 0.4}, {1, "a", 0.1}};
  for (const char* section : {"thresholds", "drawn_thresholds"}) {
    const Audit audit(rows, fmt::format("[split]\nvalidation = 0\ntest = 0\n[{}]\nchoose_on = all\n"
                                        "report_on = none\n",
                                        section));
    EXPECT_THAT([&] { (void)audit.run(); },
                ThrowsMessage<base::Error>(HasSubstr("one group alone")))
        << section;
  }
}

TEST(PredictionThresholds, AFrontThatTakesTooLongNamesTheOptionsThatBoundIt) {
  const Audit audit(tied_scores(3, 200, 3),
                    "[split]\nvalidation = 0\ntest = 0\n[thresholds]\nchoose_on = all\n"
                    "report_on = none\nmax_steps = 10\n");
  EXPECT_THAT([&] { (void)audit.run(); },
              ThrowsMessage<base::Error>(AllOf(HasSubstr("thresholds.max_steps = 10 steps"),
                                               HasSubstr("thresholds_per_group"))));
}

}  // namespace
}  // namespace fairfront::experiments::audit
