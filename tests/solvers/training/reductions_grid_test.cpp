// search = grid of [reductions]: one classifier for every point of a lattice of multipliers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "solvers/killed.hpp"
#include "solvers/training/reductions.hpp"
#include "support.hpp"

namespace fairfront::training {
namespace {

using test::Data;

constexpr std::array every_rate{RateKind::demographic_parity, RateKind::equal_opportunity,
                                RateKind::equalised_odds, RateKind::predictive_equality,
                                RateKind::error_rate_parity};

/// Error plus what the rates of the cells cost, counted row by row.
double price(const RateProblem& problem, RateKind rate, const std::vector<double>& costs,
             const std::vector<double>& decided) {
  const RateCells cells(rate, problem.num_groups);
  std::vector<double> rows(costs.size(), 0.0), sums(costs.size(), 0.0);
  double wrong = 0;
  for (std::size_t i = 0; i < decided.size(); ++i) {
    const bool positive = problem.labels[i] > 0, is_wrong = positive != (decided[i] > 0);
    wrong += is_wrong ? 1 : 0;
    const std::int64_t k = cells.cell_of(problem.groups[i], positive);
    if (k < 0) continue;
    rows[static_cast<std::size_t>(k)] += 1;
    sums[static_cast<std::size_t>(k)] +=
        rate == RateKind::error_rate_parity ? (is_wrong ? 1 : 0) : decided[i];
  }
  double all = wrong / static_cast<double>(decided.size());
  for (std::size_t k = 0; k < costs.size(); ++k) all += costs[k] * sums[k] / rows[k];
  return all;
}

/// Rows of six kinds, each of which has a column of its own, so that a linear score decides every
/// kind as it likes: the learner's answer is the best of all decisions.
TEST(ReductionsGrid, AnswersAreTheBestOfAllDecisionsWhereAScoreCanMakeThem) {
  constexpr int rows = 36, kinds = 6;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Data data(seed, rows, kinds, 2);
    base::Stream stream(base::StreamKey(seed, "test", "kinds"), 0);
    std::vector<std::size_t> kind_of;
    for (std::size_t i = 0; i < rows; ++i) {
      kind_of.push_back(i < 2 * kinds ? i / 2 : stream.below(kinds));
      data.labels[i] = i % 4 < 2 ? 1 : stream.uniform() < 0.4 ? 1 : -1;
      data.groups[i] = stream.uniform() < 0.5 ? 0 : 1;
      if (i < 4) data.groups[i] = static_cast<std::int32_t>(i / 2);
      if (i < 4) data.labels[i] = i % 2 == 0 ? 1 : -1;
      for (std::size_t j = 0; j < kinds; ++j) data.features[i * kinds + j] = kind_of[i] == j;
    }
    const RateProblem problem = test::rate_problem_of(data, 2);
    for (const RateKind rate : every_rate) {
      const ReductionsResult found = reductions(problem, {.rate = rate,
                                                          .l2 = 1e-9,
                                                          .learner_tolerance = 1e-10,
                                                          .search = Search::grid,
                                                          .grid_size = 25,
                                                          .grid_limit = 0.7321});
      for (const GridClassifier& one : found.grid) {
        double least = std::numeric_limits<double>::infinity();
        for (unsigned decisions = 0; decisions < 1U << kinds; ++decisions) {
          std::vector<double> decided(rows);
          for (std::size_t i = 0; i < rows; ++i) decided[i] = decisions >> kind_of[i] & 1U;
          least = std::min(least, price(problem, rate, one.costs, decided));
        }
        std::vector<double> decided(rows);
        expected_decisions(test::linear(data), problem.rows, {&one.w, 1}, std::vector<double>{1.0},
                           decided);
        EXPECT_NEAR(price(problem, rate, one.costs, decided), least, 1e-12)
            << static_cast<int>(rate) << ", seed " << seed;
      }
    }
  }
}

TEST(ReductionsGrid, HasTheRatesOfEveryClassifierAndTheBestOfThemAll) {
  for (const std::int64_t groups : {2, 3, 5}) {
    const Data data(7, 500, 3, static_cast<int>(groups));
    const RateProblem problem = test::rate_problem_of(data, groups);
    for (const RateKind rate : every_rate) {
      for (const BoundOf of : {BoundOf::gap, BoundOf::ratio, BoundOf::worst_group}) {
        if (of == BoundOf::worst_group && rate == RateKind::demographic_parity) continue;
        const RateLimit limit{rate, of, of == BoundOf::ratio ? 0.9 : 0.1};
        const ReductionsResult found = reductions(
            problem, {.rate = rate, .bound_of = of, .bound = limit.bound, .search = Search::grid});
        EXPECT_LE(found.grid.size(), 41U);
        EXPECT_EQ(found.fits, std::ssize(found.grid));
        const RateCells cells(rate, groups);
        double least = std::numeric_limits<double>::infinity(), fairest = least;
        for (const GridClassifier& one : found.grid) {
          std::vector<double> decided(500);
          expected_decisions(test::linear(data), problem.rows, {&one.w, 1},
                             std::vector<double>{1.0}, decided);
          const Rates rates = rates_of(problem, cells, decided);
          EXPECT_EQ(one.rates.error, rates.error);
          EXPECT_EQ(one.rates.of_cell, rates.of_cell);
          const double value = bounded_value(of, cells, rates.of_cell);
          fairest = std::min(fairest, unfairness(of, value));
          if (keeps(limit, value)) least = std::min(least, rates.error);
        }
        const Rates& best = found.rates[found.best];
        const double value = bounded_value(of, cells, best.of_cell);
        if (std::isinf(least)) {
          EXPECT_EQ(unfairness(of, value), fairest);
        } else {
          EXPECT_TRUE(keeps(limit, value));
          EXPECT_EQ(best.error, least);
        }
        EXPECT_NEAR(std::accumulate(found.shares.begin(), found.shares.end(), 0.0), 1, 1e-9);
        EXPECT_GE(found.duality_gap, -1e-9);
        if (std::isfinite(least) && of != BoundOf::worst_group) {
          EXPECT_LE(found.error, least + 1e-9);  // draws are no worse than single ones
        }
      }
    }
  }
}

TEST(ReductionsGrid, AClassifierHangsOnItsMultipliersAndNotOnTheGridAroundIt) {
  const Data data(3, 400, 4, 2);
  const RateProblem problem = test::rate_problem_of(data, 2);
  const auto grid = [&](std::int64_t size) {
    return reductions(problem, {.search = Search::grid, .grid_size = size, .grid_limit = 0.5}).grid;
  };
  const std::vector<GridClassifier> coarse = grid(5), fine = grid(9);
  ASSERT_EQ(coarse.size(), 5U);
  ASSERT_EQ(fine.size(), 9U);
  for (const GridClassifier& one : coarse) {
    const auto same = std::ranges::find(fine, one.costs, &GridClassifier::costs);
    ASSERT_NE(same, fine.end());
    EXPECT_EQ(same->w, one.w);
  }
}

TEST(ReductionsGrid, TakesKnownClassifiersForAnotherBoundWithoutFittingThemAgain) {
  const Data data(5, 300, 3, 3);
  const RateProblem problem = test::rate_problem_of(data, 3);
  ReductionsOptions options{.rate = RateKind::equalised_odds, .bound = 0.2, .search = Search::grid};
  const std::vector<GridClassifier> known = reductions(problem, options).grid;
  options.bound = 0.02;
  const ReductionsResult fitted = reductions(problem, options);
  solvers::test::KilledRun run([&](const solvers::Control& control) {
    return reductions(problem, options, control, known);
  });
  const ReductionsResult taken = run.to_the_end();
  EXPECT_EQ(run.kills(), 0);  // no fit, no checkpoint
  EXPECT_EQ(taken.members, fitted.members);
  EXPECT_EQ(taken.shares, fitted.shares);
  EXPECT_EQ(taken.best, fitted.best);
  EXPECT_EQ(taken.lower, fitted.lower);
  EXPECT_EQ(taken.fits, fitted.fits);
  EXPECT_EQ(taken.evaluations, fitted.evaluations);  // as if they had been fitted
}

TEST(ReductionsGrid, GoesOnFromEveryCheckpointToTheSameBits) {
  const Data data(7, 300, 4, 3);
  const RateProblem problem = test::rate_problem_of(data, 3);
  const ReductionsOptions options{.bound = 0.01, .search = Search::grid, .grid_size = 20};
  const auto run = [&](const solvers::Control& control) {
    return reductions(problem, options, control);
  };
  const ReductionsResult whole = run({});
  ASSERT_EQ(whole.grid.size(), 19U);
  solvers::test::KilledRun killed(run);
  const ReductionsResult resumed = killed.to_the_end();
  EXPECT_GE(killed.kills(), 18);
  EXPECT_EQ(resumed.members, whole.members);
  EXPECT_EQ(resumed.shares, whole.shares);
  EXPECT_EQ(resumed.evaluations, whole.evaluations);
  for (std::size_t i = 0; i < whole.grid.size(); ++i) {
    EXPECT_EQ(resumed.grid[i].w, whole.grid[i].w);
    EXPECT_EQ(resumed.grid[i].costs, whole.grid[i].costs);
  }
  solvers::test::expect_every_wish_is_heard(run, 19);
  solvers::test::KilledRun part(run);
  ASSERT_FALSE(part.to_next_checkpoint());
  solvers::test::expect_damage_is_refused(run, part.state());
}

TEST(ReductionsGrid, RefusesAGridOfTooFewPointsAndSaysHowManyItTakes) {
  const Data data(5, 400, 2, 5);
  const RateProblem problem = test::rate_problem_of(data, 5);
  const ReductionsOptions options{
      .rate = RateKind::equalised_odds, .search = Search::grid, .grid_size = 40};
  try {
    (void)reductions(problem, options);
    ADD_FAILURE() << "a grid of 40 points was taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("takes 41 points"), std::string::npos) << error.what();
  }
  EXPECT_THROW((void)reductions(problem, {.search = Search::grid, .grid_limit = 0}),
               std::exception);
  EXPECT_NO_THROW(require_grid({.grid_size = 1}, 5));  // of a mixture
}

}  // namespace
}  // namespace fairfront::training
