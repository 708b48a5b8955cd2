#include "solvers/training/levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/training/support.hpp"

namespace fairfront::training::levels_test {
namespace {

using test::Data;

constexpr Fairness all_kinds[] = {Fairness::loss_gap, Fairness::equal_opportunity,
                                  Fairness::equalised_odds, Fairness::group_to_overall};

/// Whether every family has a centre from which all its levels are at most half a width away.
bool are_within(const Levels& levels, std::span<const double> cells, double delta) {
  for (std::size_t first = 0; first < levels.size(); first += levels.per_family) {
    double least = levels.has_free_centre ? INFINITY : 0;
    double most = levels.has_free_centre ? -INFINITY : 0;
    for (std::size_t j = first; j < first + levels.per_family; ++j) {
      double level = 0;
      for (std::size_t k = 0; k < cells.size(); ++k) level += levels.row(j)[k] * cells[k];
      least = std::min(least, level);
      most = std::max(most, level);
    }
    const double width = levels.half_width * delta;
    if (levels.has_free_centre ? most - least > 2 * width : std::max(most, -least) > width) {
      return false;
    }
  }
  return true;
}

TEST(Levels, AreWithinTheirWidthsExactlyWhereAllGapsAreWithinDelta) {
  base::Stream stream(base::StreamKey(1, "test", "levels"), 0);
  for (const Fairness fairness : all_kinds) {
    for (const int groups : {2, 3, 5}) {
      const Data data(1, 30 * groups, 2, groups);
      const GapConstraints constraints = data.problem({}, fairness).constraints;
      const Levels levels = levels_of(constraints);
      std::vector<double> cells(constraints.cells().size());
      std::vector<double> gaps(static_cast<std::size_t>(constraints.gaps()));
      int within = 0;
      for (int round = 0; round < 200; ++round) {
        for (double& loss : cells) loss = stream.uniform();
        constraints.gaps_of(cells, gaps);
        const double largest = largest_size(gaps);
        const double delta = largest * (0.5 + stream.uniform());
        EXPECT_EQ(are_within(levels, cells, delta), largest <= delta);
        within += largest <= delta ? 1 : 0;
      }
      EXPECT_GT(within, 20);
      EXPECT_LT(within, 180);
    }
  }
}

/// min sum_k p_k (L_k - t_k)^2 / 2 with all |L_k - L_l| <= delta: t cut off at both ends, where as
/// much is taken from above as from below.
std::vector<double> levelled(const std::vector<double>& t, const std::vector<double>& p,
                             double delta) {
  double low = *std::ranges::min_element(t) - delta;
  double high = *std::ranges::max_element(t) + delta;
  std::vector<double> cut(t.size());
  for (int k = 0; k < 100; ++k) {
    const double bottom = 0.5 * (low + high);
    double balance = 0;
    for (std::size_t j = 0; j < t.size(); ++j) {
      cut[j] = std::clamp(t[j], bottom, bottom + delta);
      balance += p[j] * (t[j] - cut[j]);
    }
    (balance > 0 ? low : high) = bottom;
  }
  return cut;
}

TEST(LevelMultipliers, LeadASeparableProblemToItsOptimum) {
  // Every loss may be chosen for itself: at multipliers v the best one is t_k - v_k / p_k.
  const Data data(1, 100, 2, 5);
  Problem problem = data.problem({});
  const std::vector<std::size_t> sizes{50, 30, 12, 6, 2};
  std::vector<double> p;
  std::size_t first = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    problem.train.of_cell[k].assign(
        problem.train.rows.begin() + static_cast<std::ptrdiff_t>(first),
        problem.train.rows.begin() + static_cast<std::ptrdiff_t>(first + sizes[k]));
    first += sizes[k];
    p.push_back(static_cast<double>(sizes[k]) / 100);
  }
  const std::vector<double> t{0.5, 0.3, 0.9, 0.1, 1.5};
  for (const double delta : {0.7, 0.1, 0.001}) {
    LevelMultipliers multipliers(problem, 1);
    std::vector<double> losses = t;
    for (int round = 0; round < 3000; ++round) {
      const auto v = multipliers.update(losses, delta, 0.2);
      double sum = 0;
      for (const double value : v) sum += value;
      EXPECT_NEAR(sum, 0, 1e-12);
      for (std::size_t k = 0; k < t.size(); ++k) {
        losses[k] += 0.2 * (t[k] - v[k] / p[k] - losses[k]);
      }
    }
    const std::vector<double> best = levelled(t, p, delta);
    for (std::size_t k = 0; k < t.size(); ++k) EXPECT_NEAR(losses[k], best[k], 1e-6) << delta;
  }
}

TEST(LevelMultipliers, AreZeroWhereNothingIsBroken) {
  for (const Fairness fairness : all_kinds) {
    const Data data(2, 120, 2, 3);
    const Problem problem = data.problem({}, fairness);
    LevelMultipliers multipliers(problem, 10);
    const std::vector<double> equal(problem.constraints.cells().size(), 0.4);
    for (const double v : multipliers.update(equal, 0.01, 0.5)) EXPECT_NEAR(v, 0, 1e-15);
  }
}

}  // namespace
}  // namespace fairfront::training::levels_test
