#include "solvers/training/reductions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/killed.hpp"
#include "support.hpp"

namespace fairfront::training {
namespace {

using test::Data;

TEST(RateCells, RatesAreThoseCountedRowByRowForEveryKind) {
  const Data data(3, 60, 2, 3);
  const RateProblem problem = test::rate_problem_of(data, 3);
  base::Stream stream(base::StreamKey(3, "test", "decisions"), 0);
  std::vector<double> decisions(60);
  for (double& decision : decisions) decision = stream.uniform() < 0.5 ? 0 : 1;
  struct Case {
    RateKind kind;
    bool with_positive, with_negative, of_errors;
  };
  for (const Case& now : {Case{RateKind::demographic_parity, true, true, false},
                          Case{RateKind::equal_opportunity, true, false, false},
                          Case{RateKind::predictive_equality, false, true, false},
                          Case{RateKind::error_rate_parity, true, true, true}}) {
    const RateCells cells(now.kind, 3);
    const Rates rates = rates_of(problem, cells, decisions);
    for (std::int32_t g = 0; g < 3; ++g) {
      double rows = 0, ones = 0;
      for (std::size_t i = 0; i < 60; ++i) {
        const bool positive = data.labels[i] > 0;
        if (data.groups[i] != g || !(positive ? now.with_positive : now.with_negative)) continue;
        rows += 1;
        ones += now.of_errors ? (decisions[i] > 0) != positive : decisions[i] > 0;
      }
      EXPECT_NEAR(rates.of_cell[static_cast<std::size_t>(g)], ones / rows, 1e-14);
    }
  }
}

/// Rows whose only feature tells the group: a linear score decides for each group as a whole, so
/// that all classifiers and their best mixture are known.
TEST(Reductions, ReachTheBestMixtureOfFourClassifiersThatAreAllThereAre) {
  Data data(1, 40, 1, 2);
  const auto positives = [](int group) { return group == 0 ? 4 : 15; };  // of 20 each
  for (int i = 0; i < 40; ++i) {
    const auto r = static_cast<std::size_t>(i);
    data.features[r] = i % 2 == 0 ? -1 : 1;
    data.labels[r] = i / 2 < positives(i % 2) ? 1 : -1;
  }
  for (const double bound : {0.0, 0.1, 0.5, 1.0}) {
    const ReductionsResult found = reductions(
        test::rate_problem_of(data, 2), {.bound = bound, .largest_multiplier = 10, .l2 = 1e-6});
    // P(1) = p0 and p1 in the groups: 4 + 12 p0 + 15 - 10 p1 wrong rows of 40, |p0 - p1| <= bound.
    // Both raised together cost 2 rows more: p0 = 0 and p1 = bound.
    EXPECT_NEAR(found.error, (19 - 10 * bound) / 40, 1e-3) << bound;
    EXPECT_LE(found.gap, bound + 1e-3);
    EXPECT_TRUE(found.converged) << found.duality_gap;
    EXPECT_NEAR(found.lower, (19 - 10 * bound) / 40, 2e-3);
  }
}

TEST(Reductions, MixturesAreWithinTheBoundForEveryKindAndNumberOfGroups) {
  for (const std::int64_t groups : {2, 3, 5, 10}) {
    Data data(7, 400, 3, 2);
    for (std::size_t i = 0; i < 400; ++i) {
      data.groups[i] = static_cast<std::int32_t>(i % static_cast<std::size_t>(groups));
    }
    for (const RateKind rate :
         {RateKind::demographic_parity, RateKind::equal_opportunity, RateKind::equalised_odds,
          RateKind::predictive_equality, RateKind::error_rate_parity}) {
      constexpr double bound = 0.1;
      const ReductionsResult found = reductions(test::rate_problem_of(data, groups),
                                                {.rate = rate, .bound = bound, .rounds = 15});
      const RateCells cells(rate, groups);
      double error = 0;
      std::vector<double> mixed(static_cast<std::size_t>(cells.size()), 0.0);
      for (std::size_t m = 0; m < found.members.size(); ++m) {
        error += found.shares[m] * found.rates[m].error;
        for (std::size_t k = 0; k < mixed.size(); ++k) {
          mixed[k] += found.shares[m] * found.rates[m].of_cell[k];
        }
      }
      EXPECT_NEAR(found.error, error, 1e-12);
      EXPECT_NEAR(found.gap, largest_gap(cells, mixed), 1e-12);
      // No classifier found is better than the bound says, and none is above the mixture's value.
      EXPECT_GE(found.duality_gap, -1e-9);
      EXPECT_LE(found.lower, found.error + 100 * std::max(0.0, found.gap - bound) + 1e-9);
      if (rate == RateKind::error_rate_parity) continue;  // constants need not keep it
      EXPECT_LE(found.gap, bound + 1e-9) << groups << " groups, kind " << static_cast<int>(rate);
      // The deterministic one is within the bound where a member is, and then has its least error.
      const double gap = largest_gap(cells, found.rates[found.best].of_cell);
      for (const Rates& other : found.rates) {
        const double of_other = largest_gap(cells, other.of_cell);
        if (of_other <= bound) {
          EXPECT_LE(found.rates[found.best].error, other.error);
          EXPECT_LE(gap, bound);
        }
        if (gap > bound) {
          EXPECT_LE(gap, of_other);
        }
      }
    }
  }
}

TEST(Reductions, TellHowFarTheDualityGapHasClosedNotRoundsThatMostRunsDoNotNeed) {
  const Data data(7, 600, 3, 2);
  std::vector<double> fractions;
  const solvers::Control control{
      .report = [&](const solvers::Progress& now) { fractions.push_back(now.fraction); }};
  const ReductionsResult found = reductions(
      test::rate_problem_of(data, 2), {.rate = RateKind::equalised_odds, .bound = 0.01}, control);
  ASSERT_TRUE(found.converged);
  ASSERT_GE(found.rounds, 3);
  EXPECT_TRUE(std::ranges::is_sorted(fractions));
  EXPECT_GE(fractions.front(), 0);
  const double of_rounds =
      static_cast<double>(found.rounds) / static_cast<double>(ReductionsOptions{}.rounds);
  EXPECT_GT(fractions.back(), 2 * of_rounds);
  EXPECT_LT(fractions.back(), 1);
}

TEST(Reductions, RefuseAGroupWithoutRowsThatARateNeedsAndOptionsOutOfRange) {
  Data data(5, 30, 2, 2);
  for (std::size_t i = 0; i < 30; ++i) {
    if (data.groups[i] == 1) data.labels[i] = -1;
  }
  const RateProblem problem = test::rate_problem_of(data, 2);
  EXPECT_THROW((void)reductions(problem, {.rate = RateKind::equal_opportunity}),
               std::invalid_argument);
  EXPECT_THROW((void)reductions(problem, {.rate = RateKind::equalised_odds}),
               std::invalid_argument);
  EXPECT_NO_THROW((void)reductions(problem, {.rate = RateKind::predictive_equality}));
  EXPECT_THROW((void)reductions(problem, {.bound = -0.1}), std::exception);
  EXPECT_THROW((void)reductions(problem, {.bound = 1.1}), std::exception);
  EXPECT_THROW((void)reductions(problem, {.rounds = 0}), std::exception);
}

TEST(Reductions, AStopEndsThem) {
  const Data data(5, 60, 2, 2);
  const solvers::Control control{.request = [] { return solvers::Request::stop; }};
  EXPECT_THROW((void)reductions(test::rate_problem_of(data, 2), {.bound = 0}, control),
               solvers::Interrupted);
}

TEST(Reductions, GoOnFromEveryCheckpointToTheSameBits) {
  const Data data(7, 900, 5, 3), other(7, 900, 6, 3);
  const RateProblem problem = test::rate_problem_of(data, 3),
                    another = test::rate_problem_of(other, 3);
  const ReductionsOptions options{
      .rate = RateKind::equalised_odds, .bound = 0.01, .rounds = 8, .tolerance = 1e-9};
  const auto run = [&](const solvers::Control& control) {
    return reductions(problem, options, control);
  };
  const auto numbers = [](const ReductionsResult& found) {
    std::vector<std::vector<double>> all = found.members;
    all.push_back(found.shares);
    all.push_back({found.error, found.gap, found.lower, found.duality_gap});
    for (const Rates& rates : found.rates) all.push_back(rates.of_cell);
    return all;
  };
  const ReductionsResult whole = run({});
  EXPECT_GE(whole.rounds, 5);
  solvers::test::KilledRun killed(run);
  EXPECT_EQ(numbers(killed.to_the_end()), numbers(whole));
  EXPECT_GE(killed.kills(), 3 * whole.rounds);  // two fits and a mixture a round
  solvers::test::expect_every_wish_is_heard(run, 15);
  for (const int kills : {1, 2, 10, 15}) {
    solvers::test::KilledRun part(run);
    for (int k = 0; k < kills; ++k) ASSERT_FALSE(part.to_next_checkpoint());
    solvers::test::expect_damage_is_refused(run, part.state());
    EXPECT_THROW((void)reductions(another, options, {.resume = part.state()}),
                 base::CheckpointError);
    part.stop_at(0);
    const ReductionsResult resumed = run({.resume = part.state()});
    EXPECT_EQ(numbers(resumed), numbers(whole));
    EXPECT_EQ(resumed.fits, whole.fits);
    EXPECT_EQ(resumed.best, whole.best);
  }
}

}  // namespace
}  // namespace fairfront::training
