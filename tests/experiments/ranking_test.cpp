#include "experiments/ranking.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/shared_pages.hpp"
#include "base/stop.hpp"
#include "experiments/ranking_results.hpp"
#include "experiments/ranking_selection.hpp"
#include "experiments/registry.hpp"
#include "numbers.hpp"
#include "ranking_sweep.hpp"

namespace fairfront::experiments::ranking_test {
namespace {

using test::auc_by_pairs;
using test::table;
using Sweep = test::RankingSweep;
using sweep::TaskResult;
using testing::HasSubstr;

std::string error_of(const std::string& csv, const std::string& config) {
  try {
    const Sweep sweep(csv, config);
    (void)sweep.forecast();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Ranking, SelectionAndReportAreThePairwiseAucsOfTheWeights) {
  const Sweep sweep(table(240), "[ranking]\nmetric = inter_group\n[exact_auc]\nkappa = 0.1\n");
  const TaskResult result = sweep.run();
  const RankingProblem problem = sweep.problem();
  const auto& w = std::get<std::vector<double>>(result.solutions.at("weights").front());
  for (const RankingPart* part : {&problem.validation, &problem.test}) {
    std::vector<double> score;  // the mean of the training rows changes no order
    for (const std::int64_t row : part->rows) {
      const auto x = problem.set->set.row(row);
      score.push_back(w[0] * x[0] + w[1] * x[1]);
    }
    const auto cell = [&](int label, int group) {
      return [=](std::size_t i) { return part->label[i] == label && part->group[i] == group; };
    };
    const auto label = [&](int value) {
      return [=](std::size_t i) { return part->label[i] == value; };
    };
    const double auc = auc_by_pairs(score, label(1), label(0));
    const double gap = std::abs(auc_by_pairs(score, cell(1, 1), cell(0, 0)) -
                                auc_by_pairs(score, cell(1, 0), cell(0, 1)));
    const auto& point = part == &problem.validation ? result.front.points : result.front.report;
    EXPECT_NEAR(point[0], auc, 1e-12);
    EXPECT_NEAR(point[1], gap, 1e-12);
    EXPECT_NEAR(numbers_of(result).at(fmt::format("auc_{}", part->name)), auc, 1e-12);
    EXPECT_NEAR(numbers_of(result).at(fmt::format("inter_group_auc_gap_{}", part->name)), gap,
                1e-12);
  }
  EXPECT_LT(numbers_of(result).at("auc_test_low"), numbers_of(result).at("auc_test"));
  EXPECT_GT(numbers_of(result).at("auc_test_high"), numbers_of(result).at("auc_test"));
}

TEST(Ranking, TheExactOptimumProvesItselfAndVoidConstraintsGiveTheUnconstrainedOne) {
  const Sweep sweep(table(240), "[unconstrained_auc]\n[exact_auc]\nkappa = 0.05, 5\n");
  const TaskResult free = sweep.run(0);
  const TaskResult bound = sweep.run(1);
  const TaskResult loose = sweep.run(2);
  EXPECT_NEAR(numbers_of(bound).at("excess"), 0, 1e-12);
  EXPECT_NEAR(numbers_of(bound).at("dual_gap"), 0, 1e-12);
  EXPECT_GT(numbers_of(bound).at("multiplier"), 0);
  EXPECT_EQ(numbers_of(loose).at("multiplier"), 0);
  EXPECT_EQ(numbers_of(loose).at("objective"), numbers_of(free).at("objective"));
  EXPECT_EQ(loose.front, free.front);
  EXPECT_GT(numbers_of(bound).at("objective"), numbers_of(free).at("objective"));
}

TEST(Ranking, TheLevelSetMethodKeepsTheBestIteratesOfEveryLevelAndSaysItsGap) {
  const Sweep sweep(table(600),
                    "[ranking]\nfront_points = 12\n[sfls]\nkappa = 0.1\nsteps = 1000\n");
  const TaskResult result = sweep.run();
  EXPECT_LE(numbers_of(result).at("front_size"), 12);
  EXPECT_GT(numbers_of(result).at("front_size"), 1);
  const auto& points = result.front.points;
  for (std::size_t i = 2; i < points.size(); i += 2) {
    EXPECT_LT(points[i], points[i - 2]);      // less AUC,
    EXPECT_LT(points[i + 1], points[i - 1]);  // a smaller gap
  }
  EXPECT_EQ(result.front.report.size(), points.size());
  EXPECT_NEAR(numbers_of(result).at("objective_gap"),
              numbers_of(result).at("objective") - numbers_of(result).at("optimum"), 1e-15);
  EXPECT_LE(numbers_of(result).at("excess"), 1e-3);
  EXPECT_LE(numbers_of(result).at("objective_gap"), 0.05);
  EXPECT_EQ(std::ssize(result.series.at("level").values),
            static_cast<std::int64_t>(numbers_of(result).at("calls")));
}

TEST(Ranking, TheBestModelOfALevelIsThatOfTheFrontAndALevelWithoutOneIsAResult) {
  const Sweep sweep(table(300),
                    "[iqrc]\nkappa = 0.5\nsteps = 300\niterations = 2\nlook_every = 20\n"
                    "hidden_units = 3\nlevel = 0, 0.4, 1\n");
  const TaskResult none = sweep.run(0);
  EXPECT_EQ(numbers_of(none).at("feasible"), 0);
  EXPECT_FALSE(numbers_of(none).contains("best_auc_test"));
  EXPECT_GT(numbers_of(none).at("front_size"), 0);
  for (const std::int64_t task : {1, 2}) {
    const TaskResult some = sweep.run(task);
    const double level = task == 1 ? 0.4 : 1;
    ASSERT_EQ(numbers_of(some).at("feasible"), 1);
    double best = 0;
    for (std::size_t i = 0; i < some.front.points.size(); i += 2) {
      if (some.front.points[i + 1] <= level) best = std::max(best, some.front.points[i]);
    }
    EXPECT_EQ(numbers_of(some).at("best_auc_validation"), best);
    EXPECT_LE(numbers_of(some).at("best_gap_validation"), level);
    EXPECT_TRUE(numbers_of(some).contains("best_gap_test"));
  }
}

/// Every look, save and stop: what was selected before a stop is selected after it.
TEST(Ranking, ARunThatGoesOnFromACheckpointHasTheSameResult) {
  const Sweep sweep(table(300),
                    "[sfls]\nkappa = 0.2\nsteps = 300\nmost_calls = 4\nlook_every = 10\n");
  const TaskResult whole = sweep.run();
  std::string state;
  int stops = 0;
  for (;;) {
    const auto run = sweep.run_until_stopped(4, state);
    if (!run) {
      ++stops;
      continue;
    }
    EXPECT_EQ(numbers_of(*run), numbers_of(whole));
    EXPECT_EQ(run->front, whole.front);
    break;
  }
  EXPECT_GT(stops, 1);
}

TEST(Ranking, SelectedModelsAreThoseThatNoOtherBeats) {
  const Sweep sweep(table(120), "[unconstrained_auc]\n");
  const RankingProblem problem = sweep.problem();
  SelectedModels selected(problem, linear_scores(problem));
  const std::vector<double> w{1, 0};
  selected.add({0.7, 0.2}, w);
  selected.add({0.7, 0.3}, w);  // beaten
  selected.add({0.8, 0.2}, w);  // beats the first
  selected.add({0.6, 0.05}, w);
  selected.add({0.6, 0.05}, w);  // known
  TaskResult result;
  selected.put_into(result);
  EXPECT_THAT(result.front.points, testing::ElementsAre(0.8, 0.2, 0.6, 0.05));
  EXPECT_NEAR(result.front.hypervolume, 0.1 * 0.95 + 0.2 * 0.8, 1e-15);
}

TEST(Ranking, BaselinesTrainLinearScoresAndNetworks) {
  for (const char* method : {"proxy_lagrangian", "correlation_penalty", "score_postprocessing"}) {
    const Sweep sweep(table(300), fmt::format("[{}]\nmodel = linear, network\nsteps = 3000\n"
                                              "step = 0.3\n",
                                              method));
    for (const std::int64_t task : {0, 1}) {
      const TaskResult result = sweep.run(task);
      EXPECT_GT(numbers_of(result).at("auc_train"), 0.7) << method << " " << task;
      EXPECT_GT(numbers_of(result).at("front_size"), 0);
      EXPECT_EQ(numbers_of(result).contains("objective_gap"), method[0] != 's' && task == 0);
      EXPECT_EQ(numbers_of(result).contains("excess"), method[0] == 'p');
    }
  }
}

TEST(Ranking, WhereNoModelKeepsTheBoundTheRemarkSaysSo) {
  const Sweep sweep(table(300),
                    "[proxy_lagrangian]\nbound = 0, 1\nsteps = 60\nstep = 1e50\n"
                    "[score_postprocessing]\nbound = 0, 1\n");
  for (std::int64_t task = 0; task < sweep.tasks(); ++task) {
    const TaskResult result = sweep.run(task);
    const bool told =
        result.remark.find("no model that was looked at keeps bound = 0") != std::string::npos;
    EXPECT_EQ(told, numbers_of(result).at("feasible") == 0) << task << " " << result.remark;
  }
  EXPECT_THAT(sweep.run(0).remark, HasSubstr("the least gap seen is "));
}

TEST(Ranking, BadInputIsNamed) {
  for (const char* grid : {"factor_step = 100\n", "most_factor = 1e-9\n"}) {
    EXPECT_THAT(error_of(table(120), fmt::format("[score_postprocessing]\n{}", grid)),
                HasSubstr("the only factor tried would be 0"));
  }
  EXPECT_EQ(error_of(table(120), "[score_postprocessing]\nfactor_step = 5\n"), "");
  for (const char* method : {"exact_auc", "sfls", "iqrc", "proxy_lagrangian"}) {
    EXPECT_THAT(error_of(table(120), fmt::format("[{}]\nkappa = 0\n", method)),
                HasSubstr(fmt::format("{}.kappa = 0: no score is feasible", method)));
  }
  for (const char* method : {"sfls", "iqrc"}) {
    EXPECT_THAT(error_of(table(120), fmt::format("[{}]\nbatch = 3\n", method)),
                HasSubstr(fmt::format("{}.batch = 3, but rows = balanced", method)));
    EXPECT_EQ(error_of(table(120), fmt::format("[{}]\nbatch = 3\nrows = drawn\n", method)), "");
  }
  EXPECT_THAT(error_of(table(120), "[ranking]\nscale = 1\n[sfls]\nkappa = 0.9\n"),
              HasSubstr("no score is feasible up to 2 scale margin^2 - 1 = 1"));
  for (const char* method :
       {"auc_front", "proxy_lagrangian", "correlation_penalty", "score_postprocessing"}) {
    EXPECT_THAT(error_of(table(240, 3), fmt::format("[{}]\n", method)),
                HasSubstr("[unconstrained_auc], [exact_auc], [sfls] and [iqrc] take more"));
  }
  EXPECT_THAT(error_of(table(120, 1), "[exact_auc]\n"),
              HasSubstr("data.sensitive must make at least two groups"));
  EXPECT_THAT(error_of(table(120), "[ranking]\nmetric = custom\n[exact_auc]\n"),
              HasSubstr("needs ranking.difference"));
  EXPECT_THAT(error_of(table(120),
                       "[ranking]\nmetric = custom\ndifference = auc(group = x, all) "
                       "- auc(all, all)\n[exact_auc]\n"),
              HasSubstr("ranking.difference = 'auc(group = x, all) - auc(all, all)': there is no "
                        "group 'x'; groups 0 .. 1 are a, b"));
  EXPECT_THAT(
      error_of(table(120),
               "[ranking]\nmetric = custom\ndifference = auc(age = 1, all) - "
               "auc(all, all)\n[exact_auc]\n"),
      testing::AllOf(HasSubstr("ranking.difference"), HasSubstr("age = 1"), HasSubstr("test.ini")));
  EXPECT_THAT(error_of(table(120), "[ranking]\nresamples = 1\n[exact_auc]\n"),
              HasSubstr("ranking.resamples must be 0"));
  EXPECT_THAT(error_of(table(9), "[exact_auc]\n"), HasSubstr("no row of group"));
  EXPECT_THAT(error_of(table(120), "[score_postprocessing]\nfactor_step = 1e-30\n"),
              HasSubstr("most_factor must be at most 100000 times factor_step"));
  EXPECT_THAT(error_of(table(120), "[score_postprocessing]\nmost_shift = 1e20\n"),
              HasSubstr("most_shift must be at most 100000 times shift_step"));
}

/// Table 1 of Yao, Lin, Yang (2023), once with variables and once with groups by name or number.
TEST(Ranking, ADeclaredMetricIsTheBuiltInOneBitForBit) {
  const std::pair<const char*, std::array<const char*, 2>> metrics[] = {
      {"group",
       {"auc(group = g, group = h) - auc(all, all)", "auc(group = b, group = a) - auc(all, all)"}},
      {"inter_group",
       {"auc(label = 1 and group = g, label = 0 and group = h) - "
        "auc(label = 1 and group = h, label = 0 and group = g)",
        "auc(label = 1 and group = 1, label = 0 and group = 0) - "
        "auc(label = 1 and group = 0, label = 0 and group = 1)"}},
      {"intra_group",
       {"auc(label = 1 and group = g, label = 0 and group = g) - "
        "auc(label = 1 and group = h, label = 0 and group = h)",
        "auc(label != 0 and group = b, label = 0 and group != a) - "
        "auc(label = 1 and group = a, label = 0 and group = a)"}},
      {"positive_average",
       {"auc(label = 1 and group = g, label = 1) - auc(all, all)",
        "auc(label = 1 and group = 1, label = 1) - auc(all, label = 1 or label = 0)"}},
      {"negative_average",
       {"auc(label = 0 and group = g, label = 0) - auc(all, all)",
        "auc(label = 0 and group = 1, label = 0) - auc(all, all)"}},
      {"background",
       {"auc(label = 1, label = 0 and group = g) - auc(label = 1 and group = g, label = 0)",
        "auc(label = 1, label = 0 and group = 1) - auc(label = 1 and group = 1, label = 0)"}}};
  const std::string methods =
      "[exact_auc]\nkappa = 0.1\n[sfls]\nkappa = 0.1\nsteps = 200\nmost_calls = 3\n"
      "[proxy_lagrangian]\nkappa = 0.1\nsteps = 300\n[auc_front]\nrounds = 2\niterations = 5\n";
  for (const auto& [name, texts] : metrics) {
    const Sweep built_in(table(300), fmt::format("[ranking]\nmetric = {}\n{}", name, methods));
    for (const char* text : texts) {
      const Sweep declared(
          table(300),
          fmt::format("[ranking]\nmetric = custom\ndifference = {}\n{}", text, methods));
      for (std::int64_t task = 0; task < built_in.tasks(); ++task) {
        const TaskResult expected = built_in.run(task);
        TaskResult found = declared.run(task);
        const double gap = numbers_of(found).at("constrained_auc_gap_test");
        EXPECT_EQ(
            gap,
            numbers_of(expected).at(fmt::format(
                "{}{}_test", name,
                std::string_view{name}.ends_with("average") ? "_difference" : "_auc_difference")) *
                (gap == numbers_of(found).at("constrained_auc_difference_test") ? 1 : -1));
        EXPECT_EQ(numbers_of(found), numbers_of(expected)) << name << " " << task;
        EXPECT_EQ(found.front, expected.front) << name << " " << task;
        EXPECT_EQ(found.solutions, expected.solutions) << name << " " << task;
      }
    }
  }
}

TEST(Ranking, SeveralGroupsAreComparedAndTheWorstPairIsNamed) {
  const Sweep sweep(
      table(600, 3),
      "[ranking]\nmetric = inter_group\n[exact_auc]\nkappa = 0.1\n[sfls]\n"
      "kappa = 0.1\nsteps = 1000\n[iqrc]\nkappa = 0.1\nsteps = 200\niterations = 2\n");
  const RankingProblem problem = sweep.problem();
  for (std::int64_t task = 0; task < sweep.tasks(); ++task) {
    const TaskResult result = sweep.run(task);
    EXPECT_FALSE(numbers_of(result).contains("inter_group_auc_difference_test"));
    EXPECT_FALSE(numbers_of(result).contains("constrained_auc_difference_test"));
    // By name, of the pair that the test part tells apart most: one difference and its negative.
    std::map<std::string, double> worst;
    for (const auto& [rows, measured] : result.measured.at("worst_auc_difference")) {
      if (rows.part == "test") worst[rows.group] = measured.value;
    }
    ASSERT_EQ(worst.size(), 2u);
    const auto& [first, second] = std::pair{*worst.begin(), *worst.rbegin()};
    EXPECT_EQ(first.second, -second.second);
    EXPECT_THAT(result.remark,
                HasSubstr("the largest difference of AUCs on the test part is that of"));
    EXPECT_THAT(result.remark, HasSubstr("'" + first.first + "'"));
    EXPECT_THAT(result.remark, HasSubstr("'" + second.first + "'"));
    if (task == 2) continue;  // weights of a network
    const auto& w = std::get<std::vector<double>>(result.solutions.at("weights").back());
    if (task == 0) {
      EXPECT_NEAR(numbers_of(result).at("excess"), 0, 1e-12);
      EXPECT_NEAR(numbers_of(result).at("dual_gap"), 0, 1e-11);
      EXPECT_EQ(std::get<std::vector<double>>(result.solutions.at("multipliers").front()).size(),
                6u);
    }
    std::vector<double> score;
    for (const std::int64_t row : problem.test.rows) {
      const auto x = problem.set->set.row(row);
      score.push_back(w[0] * x[0] + w[1] * x[1]);
    }
    double largest = 0;
    std::map<std::string, double> expected;
    for (int g = 0; g < 3; ++g) {
      for (int h = 0; h < g; ++h) {
        const auto cell = [&](int label, int group) {
          return [=, &problem](std::size_t i) {
            return problem.test.label[i] == label && problem.test.group[i] == group;
          };
        };
        const double difference = auc_by_pairs(score, cell(1, g), cell(0, h)) -
                                  auc_by_pairs(score, cell(1, h), cell(0, g));
        if (std::abs(difference) <= largest) continue;
        largest = std::abs(difference);
        const auto& names = problem.set->set.group_names;
        expected = {{names[static_cast<std::size_t>(g)], difference},
                    {names[static_cast<std::size_t>(h)], -difference}};
      }
    }
    EXPECT_NEAR(result.front.report.back(), largest, 1e-12);
    if (task != 0) continue;  // the last point of the front need not be the result
    EXPECT_NEAR(numbers_of(result).at("inter_group_auc_gap_test"), largest, 1e-12);
    ASSERT_EQ(worst.size(), expected.size());
    for (const auto& [name, difference] : expected) {
      EXPECT_NEAR(worst.at(name), difference, 1e-12) << name;
    }
  }
}

/// The test part decides nothing: what lacks rows there is undefined, and all else is reported.
TEST(Ranking, ALabelThatAGroupLacksOnTheTestPartIsUndefinedThereAndRefusesNothing) {
  std::string csv = table(300);
  for (const std::string missing : {"1,b,test,", "0,b,test,"}) {
    for (std::size_t at = csv.find(missing); at != csv.npos; at = csv.find(missing)) {
      csv.replace(at, 3, missing.starts_with('1') ? "1,a" : "0,a");
    }
    const TaskResult result =
        Sweep(csv, "[ranking]\nmetric = intra_group\n[exact_auc]\nkappa = 0.2\n").run();
    EXPECT_GT(numbers_of(result).at("auc_test"), 0.5);
    EXPECT_GE(numbers_of(result).at("intra_group_auc_gap_validation"), 0);
    EXPECT_FALSE(numbers_of(result).contains("intra_group_auc_gap_test"));
    EXPECT_TRUE(std::isnan(result.front.report.at(1)));
    EXPECT_THAT(result.remark, HasSubstr("in group 'b'"));
    EXPECT_THAT(result.remark, HasSubstr("intra_group_auc_gap (test)"));
  }
}

TEST(Ranking, BootstrapIntervalsHoldTheValueAndLieNearThoseOfDeLong) {
  const Sweep sweep(table(1500),
                    "[ranking]\nmetric = custom\ndifference = auc(group = g, label = 0) "
                    "- auc(all, label = 0)\nresamples = 400, 0\nbootstrap_seed = 1, 2\n"
                    "[exact_auc]\nkappa = 0.1\n");
  ASSERT_EQ(sweep.tasks(), 4);  // resamples outermost
  const auto result = numbers_of(sweep.run(0));
  const auto formula = numbers_of(sweep.run(2));
  for (const std::string name :
       {"auc_test", "group_auc_difference_test", "intra_group_auc_difference_test",
        "constrained_auc_difference_test"}) {
    const double width = result.at(name + "_high") - result.at(name + "_low");
    EXPECT_LT(result.at(name + "_low"), result.at(name)) << name;
    EXPECT_GT(result.at(name + "_high"), result.at(name)) << name;
    EXPECT_NE(result.at(name + "_low"), formula.at(name + "_low")) << name;
    EXPECT_NEAR(width / (formula.at(name + "_high") - formula.at(name + "_low")), 1, 0.2) << name;
  }
  // Of the absolute value of a difference: resamples make it larger.
  for (const char* end : {"_low", "_high"}) {
    const std::string name = std::string("constrained_auc_gap_test") + end;
    EXPECT_EQ(result.at(name), formula.at(name));
  }
  EXPECT_EQ(numbers_of(sweep.run(0)), result);
  const auto other = numbers_of(sweep.run(1));
  EXPECT_NE(other.at("auc_test_high"), result.at("auc_test_high"));
  EXPECT_EQ(numbers_of(sweep.run(3)), formula);
}

TEST(Ranking, TheCorrelationPenaltySaysItsDistanceFromTheOptimumAtItsOwnKappa) {
  const Sweep sweep(table(600),
                    "[correlation_penalty]\nweight = 0, 0.3\nsteps = 3000\nstep = 0.3\n");
  for (const std::int64_t task : {0, 1}) {
    const TaskResult result = sweep.run(task);
    const RankingProblem problem = sweep.problem(task);
    const double kappa = numbers_of(result).at("own_kappa");
    const auto& optimum = problem.exact.solve(kappa);
    EXPECT_LE(optimum.losses.excess(kappa), 1e-12);
    EXPECT_EQ(numbers_of(result).at("optimum"), optimum.losses.objective);
    EXPECT_GE(numbers_of(result).at("objective_gap"), -1e-12);
    EXPECT_LE(numbers_of(result).at("objective_gap"), 0.1);
    EXPECT_FALSE(numbers_of(result).contains("excess"));
  }
}

TEST(Ranking, AStopIsObeyedWhileResultsAreMeasured) {
  for (const char* method : {"[unconstrained_auc]\n", "[exact_auc]\nkappa = 0.1\n"}) {
    const Sweep sweep(table(240), method);
    EXPECT_TRUE(sweep.is_stopped(0, 40)) << method;
  }
}

TEST(Ranking, AProblemTakenFromAnotherRankIsThatWhichWasMade) {
  const Sweep sweep(table(300), "[ranking]\nmetric = inter_group\n[exact_auc]\nkappa = 0.1\n");
  const Family<RankingProblem> family = ranking_family();
  const Loaded<RankingProblem> made = family.load(sweep.task(), sweep.context());
  base::PageWriter pages;
  family.lay_down(pages, made);
  const base::Descriptor laid_down = pages.finish();
  base::PageReader reader(laid_down);
  const Loaded<RankingProblem> taken = family.take(sweep.task(), sweep.context(), reader);
  EXPECT_EQ(taken.text, made.text);
  EXPECT_EQ(taken.warnings, made.warnings);
  EXPECT_EQ(taken.bytes, made.bytes);
  EXPECT_EQ(taken.data.digest, made.data.digest);
  EXPECT_EQ(taken.data.fitted, made.data.fitted);
  EXPECT_EQ(taken.problem.radius, made.problem.radius);
  EXPECT_EQ(taken.problem.interval, made.problem.interval);
  EXPECT_EQ(taken.problem.exact.solve(0.1).w, made.problem.exact.solve(0.1).w);
  const std::vector<double> w{1, -0.5};
  for (const auto part : {&RankingProblem::train, &RankingProblem::validation,
                          &RankingProblem::test, &RankingProblem::choice}) {
    const RankingPart& own = taken.problem.*part;
    EXPECT_EQ(own.name, (made.problem.*part).name);
    EXPECT_EQ(own.label, (made.problem.*part).label);
    EXPECT_EQ(own.group, (made.problem.*part).group);
    EXPECT_EQ(taken.problem.scores(own, w), made.problem.scores(made.problem.*part, w));
  }
}

TEST(Ranking, AStopIsObeyedBetweenTheModelsOfAFront) {
  const Sweep sweep(table(120), "[exact_auc]\n");
  const RankingProblem problem = sweep.problem();
  int scored = 0;
  const auto counted = [&](const RankingPart& part, std::span<const double> w) {
    ++scored;
    return problem.scores(part, w);
  };
  SelectedModels selected(problem, {counted, {"score"}});
  for (int i = 0; i < 30; ++i) selected.add({0.5 + 0.01 * i, 0.01 * i}, std::vector<double>{1, 0});
  int asked = 0;
  const base::StopScope scope([&] { return ++asked > 10; });
  TaskResult result;
  EXPECT_THROW(selected.put_into(result), base::Interrupted);
  EXPECT_EQ(scored, 10);
}

}  // namespace
}  // namespace fairfront::experiments::ranking_test
