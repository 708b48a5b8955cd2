#include "solvers/ranking/level_set.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "solvers/ranking/exact_auc.hpp"
#include "support.hpp"

namespace fairfront::ranking {
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
        EXPECT_EQ(found.steps, 4000 * std::ssize(found.calls));
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
    EXPECT_EQ(found.calls[k].level, found.calls[k - 1].level + found.calls[k - 1].upper_bound / 4);
    EXPECT_LT(found.calls[k - 1].upper_bound, -0.01);
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

TEST(LevelSet, ACallThatIsTooCoarseIsToldAndTheScoreOfTheCallBeforeKept) {
  const Instance instance(test::random_rows(5, 400, 3), FairnessMetric::group);
  const LevelSetResult first =
      level_set(instance.at(0.2), {.descent = {.step = 50, .steps = 2}}, 1, "task");
  EXPECT_EQ(first.stop, LevelSetStop::too_coarse);
  EXPECT_EQ(first.calls.size(), 1u);
  EXPECT_EQ(norm_of(first.w), 0);  // feasible, and known before the first call
  int later = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    LevelSetOptions options{.descent = {.steps = 200}};
    const LevelSetResult found = level_set(instance.at(0.2), options, seed, "task");
    if (found.stop != LevelSetStop::too_coarse || found.calls.size() == 1) continue;
    ++later;
    EXPECT_GT(found.calls.back().upper_bound, 0);
    options.most_calls = std::ssize(found.calls) - 1;
    EXPECT_EQ(level_set(instance.at(0.2), options, seed, "task").w, found.w);
  }
  EXPECT_GT(later, 0);
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

TEST(LevelSet, BadInputIsRefused) {
  const Instance instance(test::random_rows(7, 100, 2), FairnessMetric::group);
  EXPECT_THROW((void)level_set(instance.at(0), {}, 1, "task"), std::invalid_argument);
  EXPECT_THROW((void)level_set(instance.at(0.1), {.descent = {.step = 0}}, 1, "task"),
               std::invalid_argument);
  EXPECT_THROW((void)level_set(instance.at(0.1), {.level_step = 0.5}, 1, "task"),
               std::invalid_argument);
  SurrogateProblem<LinearScores> problem = instance.at(0.1);
  problem.radius = 0;
  EXPECT_THROW((void)level_set(problem, {}, 1, "task"), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::ranking
