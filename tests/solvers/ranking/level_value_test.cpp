// H(r) = min over w of max(f0(w) - r, f1(w) - 1 - kappa, f2(w) - 1 - kappa), the value of a level,
// by brute force: losses are sums over all pairs of rows, minima are searched by thirds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/ranking/exact_auc.hpp"
#include "solvers/ranking/level_set.hpp"
#include "support.hpp"

namespace fairfront::ranking {
namespace {

constexpr double kappa = 0.15;

/// The least value of a convex function on an interval, by thirds.
template <class Function>
double least(double low, double high, Function function) {
  for (int step = 0; step < 60; ++step) {
    const double third = (high - low) / 3;
    if (function(low + third) < function(high - third)) {
      high -= third;
    } else {
      low += third;
    }
  }
  return function((low + high) / 2);
}

struct Tiny {
  test::RankingRows made;
  PairSets pairs;
  LinearScores rows;
  ExactAuc exact;
  double radius;

  Tiny(std::uint64_t seed, FairnessMetric metric)
      : made{test::random_rows(seed, 14, 2)},
        pairs{pair_sets(metric)},
        rows{made.scores()},
        exact{QuadraticLosses(rows, pairs, {})} {
    const std::vector<double> w = exact.unconstrained().w;
    radius = 1.5 * std::hypot(w[0], w[1]);
  }

  [[nodiscard]] double value_at(double r, double x, double y) const {
    std::vector<double> score;
    for (std::size_t i = 0; i < made.cells.size(); ++i) {
      score.push_back(x * made.features[2 * i] + y * made.features[2 * i + 1]);
    }
    const Losses losses = test::losses_by_pairs(score, made.cells, pairs, {});
    return std::max({losses.objective - r, losses.constraints[0] - 1 - kappa,
                     losses.constraints[1] - 1 - kappa});
  }

  /// H(r): the function is convex, and so is its least value over y as a function of x.
  [[nodiscard]] double value(double r) const {
    return least(-radius, radius, [&](double x) {
      const double height = std::sqrt(radius * radius - x * x);
      return least(-height, height, [&](double y) { return value_at(r, x, y); });
    });
  }
};

constexpr FairnessMetric metrics[] = {FairnessMetric::group, FairnessMetric::inter_group,
                                      FairnessMetric::positive_average};

TEST(LevelValue, OfTheOptimumIsZero) {
  for (const FairnessMetric metric : metrics) {
    const Tiny tiny(1, metric);
    ASSERT_LT(kappa, tiny.exact.void_kappa());
    EXPECT_NEAR(tiny.value(tiny.exact.solve(kappa).losses.objective), 0, 1e-7);
  }
}

TEST(LevelValue, FollowsFromTheOptimaOfAllKappas) {
  for (const FairnessMetric metric : metrics) {
    const Tiny tiny(2, metric);
    for (const double v : {-0.1, -0.02, 0.05}) {
      const double r = tiny.exact.solve(kappa + v).losses.objective - v;
      EXPECT_NEAR(tiny.value(r), v, 1e-7);
    }
  }
}

/// With every row in each step there is no noise: U(r) is an upper bound of H(r), and comes near
/// it.
TEST(LevelValue, IsBoundedFromAboveByMirrorDescentAndNearlyReached) {
  for (const FairnessMetric metric : metrics) {
    const Tiny tiny(3, metric);
    const SurrogateProblem<LinearScores> problem{
        tiny.rows, tiny.pairs,  {},
        kappa,     tiny.radius, tiny.radius * tiny.exact.losses().mean_bound()};
    const double least = tiny.value(0.5);
    double before = 1e300;
    for (const std::int64_t steps : {100, 2000, 40'000}) {
      LevelSetOptions options{.most_calls = 1};
      options.descent = {.step = 0.1, .steps = steps, .batch = 14, .rows = RowOrder::file};
      const LevelSetResult found = level_set(problem, options, 1, "task");
      ASSERT_EQ(found.calls[0].level, 0.5);
      EXPECT_GE(found.calls[0].upper_bound, least - 1e-7);
      EXPECT_LT(found.calls[0].upper_bound, before);
      before = found.calls[0].upper_bound;
    }
    EXPECT_LE(before, least + 5e-3);
  }
}

}  // namespace
}  // namespace fairfront::ranking
