#include "solvers/ranking/level_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "solvers/ranking/exact_auc.hpp"
#include "solvers/ranking/iqrc.hpp"
#include "support.hpp"

namespace fairfront::ranking::level_set_test {
namespace {

double norm_of(const std::vector<double>& w) {
  double sum = 0;
  for (const double value : w) sum += value * value;
  return std::sqrt(sum);
}

struct Instance {
  LinearScores rows;
  PairSets pairs;
  ExactAuc exact;
  double radius;

  Instance(const test::RankingRows& made, FairnessMetric metric)
      : rows{made.scores()},
        pairs{pair_sets(metric)},
        exact{QuadraticLosses(rows, pairs, {})},
        radius{1.5 * norm_of(exact.unconstrained().w)} {}

  [[nodiscard]] SurrogateProblem<LinearScores> at(double kappa) const {
    return {rows, pairs, {}, kappa, radius, radius * exact.losses().mean_bound()};
  }
};

TEST(LevelSet, ComesNearTheExactOptimumAndStaysFeasible) {
  const test::RankingRows sets[] = {test::random_rows(1, 1000, 4),
                                    test::random_indicators(2, 1000, 3, 5)};
  for (const test::RankingRows& made : sets) {
    for (const FairnessMetric metric : {FairnessMetric::group, FairnessMetric::intra_group}) {
      const Instance instance(made, metric);
      for (const double kappa : {0.1, 0.3}) {
        const LevelSetResult found =
            level_set(instance.at(kappa), {.descent = {.step = 0.1, .steps = 4000}}, 1, "task");
        const ExactOptimum best = instance.exact.solve(kappa);
        const Losses losses = instance.exact.losses()(found.w);
        EXPECT_LE(losses.excess(kappa), 1e-3);
        EXPECT_LE(losses.objective, best.losses.objective + 0.03);
        EXPECT_GE(losses.objective, best.losses.objective - 1e-3);
        EXPECT_LE(norm_of(found.w), instance.radius);
        EXPECT_EQ(found.evaluations, 100 * found.steps + 1000 * (1 + 2 * std::ssize(found.calls)));
      }
    }
  }
}

TEST(LevelSet, LevelsFallByTheBoundAndTheStopIsWhatTheLastBoundSays) {
  const Instance instance(test::random_rows(3, 500, 3), FairnessMetric::inter_group);
  const LevelSetResult found =
      level_set(instance.at(0.2), {.descent = {.steps = 2000}, .level_step = 2, .tolerance = 0.01},
                1, "task");
  EXPECT_EQ(found.calls[0].level, 0.5);
  for (std::size_t k = 1; k < found.calls.size(); ++k) {
    const auto& [level, bound] = found.calls[k - 1];
    EXPECT_EQ(found.calls[k].level, bound < -0.01 ? level + bound / 4 : level);
  }
  const double last = found.calls.back().upper_bound;
  EXPECT_EQ(found.stop, last > 0        ? LevelSetStop::too_coarse
                        : last >= -0.01 ? LevelSetStop::converged
                                        : LevelSetStop::calls_spent);
}

/// f*(kappa + v) = r + v says H(r) = v: what U(r) is to bound from above.
TEST(LevelSet, TheUpperBoundIsNearTheValueOfTheLevel) {
  const Instance instance(test::random_rows(4, 800, 3), FairnessMetric::inter_group);
  constexpr double kappa = 0.2;
  const double level = 0.5;
  double low = -kappa + 1e-9;
  double high = 0;
  while (high - low > 1e-12) {
    const double v = (low + high) / 2;
    const bool above = instance.exact.solve(kappa + v).losses.objective > level + v;
    (above ? low : high) = v;
  }
  const LevelSetResult found =
      level_set(instance.at(kappa), {.descent = {.steps = 60'000}, .most_calls = 1}, 1, "task");
  EXPECT_GE(found.calls[0].upper_bound, high - 2e-3);  // noise of the batches
  EXPECT_LE(found.calls[0].upper_bound, high + 0.01);
}

TEST(LevelSet, ACallThatIsTooCoarseIsTriedAgainWithTwiceTheSteps) {
  const Instance instance(test::random_rows(5, 400, 3), FairnessMetric::group);
  int again = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const LevelSetResult found =
        level_set(instance.at(0.2), {.descent = {.steps = 200}, .most_doublings = 3}, seed, "task");
    std::int64_t steps = 0;
    std::int64_t of_call = 200;
    int doublings = 0;
    int too_coarse = 0;
    bool is_confirming = false;
    for (const auto& [level, bound] : found.calls) {
      steps += of_call;
      too_coarse += bound > 0 ? 1 : 0;
      const bool is_end = bound <= 0 && is_confirming;
      if (bound < -1e-3) {
        is_confirming = false;
      } else if (doublings < 3 && !is_end) {
        ++doublings;
        of_call *= 2;
        is_confirming = bound <= 0;
      }
    }
    EXPECT_EQ(found.steps, steps);
    const double last = found.calls.back().upper_bound;
    EXPECT_EQ(found.stop == LevelSetStop::too_coarse, last > 0);
    EXPECT_EQ(found.stop == LevelSetStop::converged, last <= 0 && last >= -1e-3);
    again += too_coarse > 0 && found.stop == LevelSetStop::converged ? 1 : 0;
  }
  EXPECT_GT(again, 0);
  const LevelSetResult as_in_the_paper = level_set(
      instance.at(0.2), {.descent = {.step = 50, .steps = 2}, .most_doublings = 0}, 1, "task");
  EXPECT_EQ(as_in_the_paper.stop, LevelSetStop::too_coarse);
  EXPECT_EQ(as_in_the_paper.calls.size(), 1u);
}

/// U is near 0 also where so few and short steps come to no lower level.
TEST(LevelSet, ABoundWithinTheToleranceIsTriedAgainWithTwiceTheSteps) {
  const Instance instance(test::random_rows(6, 400, 3), FairnessMetric::intra_group);
  const double best = instance.exact.solve(0.1).losses.objective;
  const auto gap = [&](std::int64_t most_doublings) {
    const LevelSetResult found = level_set(instance.at(0.1),
                                           {.descent = {.step = 0.01, .steps = 1000},
                                            .most_calls = 200,
                                            .most_doublings = most_doublings},
                                           1, "task");
    EXPECT_EQ(found.stop, LevelSetStop::converged);
    return instance.exact.losses()(found.w).objective - best;
  };
  EXPECT_GT(gap(0), 3 * gap(4));
}

/// Steps far too long, or far too few: what is returned is feasible, and better than nothing.
TEST(LevelSet, TheResultIsFeasibleAndNoConstantScoreWhateverTheSteps) {
  for (const FairnessMetric metric : {FairnessMetric::group, FairnessMetric::inter_group}) {
    const Instance instance(test::random_rows(5, 400, 3), metric);
    for (const double step : {0.001, 0.3, 5.0, 100.0}) {
      for (const std::int64_t steps : {1, 50}) {
        const LevelSetResult found =
            level_set(instance.at(0.1),
                      {.descent = {.step = step, .steps = steps}, .most_calls = 6}, 1, "task");
        const Losses losses = instance.exact.losses()(found.w);
        EXPECT_TRUE(found.found);
        EXPECT_LE(losses.excess(0.1), 1e-14);
        EXPECT_LT(losses.objective, 0.5);
        EXPECT_LE(norm_of(found.w), instance.radius * (1 + 1e-14));
      }
    }
  }
}

TEST(LevelSet, EvaluationsEndItAndNothingFoundIsSaid) {
  const Instance instance(test::random_rows(5, 400, 3), FairnessMetric::group);
  for (const std::int64_t most : {5000, 20'000, 123'456}) {
    const LevelSetResult found =
        level_set(instance.at(0.2),
                  {.descent = {.steps = 100}, .tolerance = 1e-9, .evaluations = most}, 1, "task");
    EXPECT_EQ(found.stop, LevelSetStop::evaluations_spent);
    EXPECT_LE(found.evaluations, most);
    EXPECT_GT(found.evaluations, most - 1300);  // a batch, and the passes over a call's scores
    EXPECT_TRUE(found.found);
  }
  const LevelSetResult none = level_set(instance.at(0.2), {.evaluations = 1000}, 1, "task");
  EXPECT_FALSE(none.found);
  EXPECT_EQ(none.steps, 0);
  EXPECT_EQ(norm_of(none.w), 0);
}

/// Cells of 1 and 0.4 % of the rows: batches that are drawn from all rows mostly miss them.
TEST(LevelSet, ComesNearTheExactOptimumWhereAGroupIsRare) {
  for (const std::size_t groups : {2u, 5u}) {
    test::RankingRows made = test::random_rows(8, 3000, 4, groups);
    for (std::size_t i = 4 * groups; i < made.cells.size(); ++i) {
      // Rows of the last group are few: most of them go over to group 0 with the same label.
      const bool is_last = made.cells[i] % groups == groups - 1;
      if (is_last && i % 20 != 0) made.cells[i] = cell_of(made.cells[i] >= groups, 0, groups);
    }
    const LinearScores rows = made.scores();
    const PairSets sets = pair_sets(FairnessMetric::intra_group, groups);
    const ExactAuc exact(QuadraticLosses(rows, sets, {}));
    const double radius = 1.5 * norm_of(exact.unconstrained().w);
    const double interval = radius * exact.losses().mean_bound();
    for (const double kappa : {0.1, 0.4}) {
      const double optimum = exact.solve(kappa).losses.objective;
      for (const std::uint64_t seed : {1u, 2u}) {
        const LevelSetResult found = level_set({rows, sets, {}, kappa, radius, interval},
                                               {.descent = {.steps = 4000}}, seed, "task");
        const Losses losses = exact.losses()(found.w);
        EXPECT_LE(losses.excess(kappa), 1e-14);
        EXPECT_LE(losses.objective - optimum, 0.008) << groups << " " << kappa << " " << seed;
      }
    }
  }
}

TEST(LevelSet, WatchingChangesNothingAndSeesEveryStepAskedFor) {
  const Instance instance(test::random_rows(6, 200, 2), FairnessMetric::group);
  const LevelSetOptions options{.descent = {.steps = 300}, .most_calls = 2};
  const LevelSetResult alone = level_set(instance.at(0.2), options, 3, "task");
  std::vector<std::int64_t> seen;
  const LevelSetResult watched = level_set(instance.at(0.2), options, 3, "task", {},
                                           {100, [&](std::int64_t step, std::span<const double> w) {
                                              seen.push_back(step);
                                              EXPECT_EQ(w.size(), 2u);
                                            }});
  EXPECT_EQ(alone.w, watched.w);
  EXPECT_EQ(std::ssize(seen), alone.steps / 100);
  EXPECT_EQ(seen.front(), 100);
  EXPECT_NE(level_set(instance.at(0.2), options, 4, "task").w, alone.w);
}

/// As many as runs took on COMPAS and on synthetic rows.
TEST(LevelSet, AsManyStepsAreExpectedAsRunsTake) {
  LevelSetOptions options;
  options.descent.steps = 1000;
  const auto with = [&](std::int64_t doublings, std::int64_t calls) {
    options.most_doublings = doublings;
    options.most_calls = calls;
    return expected_steps(options) / 1000;
  };
  EXPECT_EQ(with(0, 25), 9);
  EXPECT_EQ(with(2, 25), 15);
  EXPECT_EQ(with(4, 3), 3);
  EXPECT_EQ(with(4, 8), 8);
  EXPECT_EQ(with(4, 25), 39);
  options.evaluations = 2'000'000;
  EXPECT_EQ(with(4, 25), 20);
  const auto of_problems = [](std::int64_t doublings, std::int64_t problems) {
    IqrcOptions network;
    network.iterations = problems;
    network.level.most_doublings = doublings;
    network.level.evaluations = 1'000'000'000;
    return expected_steps(network) / static_cast<double>(network.level.descent.steps);
  };
  EXPECT_EQ(of_problems(4, 1), 5);
  EXPECT_EQ(of_problems(4, 2), 36);
  EXPECT_EQ(of_problems(4, 4), 68);
  EXPECT_EQ(of_problems(0, 4), 8);
  EXPECT_EQ(of_problems(1, 4), 12);
}

TEST(LevelSet, BadInputIsRefused) {
  const Instance instance(test::random_rows(7, 100, 2), FairnessMetric::group);
  EXPECT_THROW((void)level_set(instance.at(0), {}, 1, "task"), std::invalid_argument);
  EXPECT_THROW((void)level_set(instance.at(0.1), {.descent = {.step = 0}}, 1, "task"),
               std::invalid_argument);
  EXPECT_THROW((void)level_set(instance.at(0.1), {.descent = {.batch = 3}}, 1, "task"),
               std::invalid_argument);
  EXPECT_THROW((void)level_set(instance.at(0.1), {.level_step = 0.5}, 1, "task"),
               std::invalid_argument);
  SurrogateProblem<LinearScores> problem = instance.at(0.1);
  problem.radius = 0;
  EXPECT_THROW((void)level_set(problem, {}, 1, "task"), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::ranking::level_set_test
