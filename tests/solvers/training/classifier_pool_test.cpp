#include "solvers/training/classifier_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "base/index.hpp"
#include "optimise/mixture_program.hpp"
#include "solvers/training/aimed.hpp"
#include "solvers/training/cell_values.hpp"
#include "solvers/training/last_layer.hpp"
#include "solvers/training/mixture_search.hpp"
#include "support.hpp"

namespace fairfront::training {
namespace {

using base::at;
using test::Data;

constexpr RateBound of_positive{RateKind::demographic_parity, RateOf::decisions, 1};
constexpr RateBound of_odds{RateKind::equalised_odds, RateOf::decisions, 1};
constexpr RateBound of_errors{RateKind::error_rate_parity, RateOf::decisions, 1};

CountedClassifier drawn_counts(base::Stream& stream, std::size_t cells) {
  CountedClassifier one{.w = {1, stream.uniform()}, .error = stream.uniform(), .cells = {}};
  for (std::size_t k = 0; k < cells; ++k) one.cells.push_back(stream.uniform());
  return one;
}

void offer(ClassifierPool& pool, const CountedClassifier& one) {
  pool.offer(one.error, one.cells, true, [&] { return one.w; });
}

std::vector<double> expected_cells(const ClassifierPool& pool, const std::vector<double>& shares) {
  std::vector<double> cells(pool.members().front().cells.size(), 0.0);
  for (std::size_t m = 0; m < shares.size(); ++m) {
    for (std::size_t k = 0; k < cells.size(); ++k)
      cells[k] += shares[m] * pool.members()[m].cells[k];
  }
  return cells;
}

TEST(ClassifierPool, OfTwoGroupsTheBestDrawIsThatOfAllPairs) {
  // One gap: single classifiers within the bound, and pairs that are at one of its ends.
  const Data data(1, 40, 2, 2);
  const Problem problem = data.problem({}, of_positive);
  constexpr double bound = 0.1;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    base::Stream stream(base::StreamKey(seed, "test", "counts"), 0);
    ClassifierPool pool(problem, bound);
    for (int i = 0; i < 6; ++i) offer(pool, drawn_counts(stream, 2));
    const auto& all = pool.members();
    double least = std::numeric_limits<double>::infinity();
    const auto gap = [&](std::size_t m) { return all[m].cells[0] - all[m].cells[1]; };
    for (std::size_t a = 0; a < all.size(); ++a) {
      if (std::abs(gap(a)) <= bound) least = std::min(least, all[a].error);
      for (std::size_t b = 0; b < all.size(); ++b) {
        for (const double end : {-bound, bound}) {
          const double share = (end - gap(b)) / (gap(a) - gap(b));
          if (!(share >= 0 && share <= 1)) continue;
          least = std::min(least, share * all[a].error + (1 - share) * all[b].error);
        }
      }
    }
    const PoolMixture found = pool.best();
    EXPECT_NEAR(found.error, least, 1e-7) << seed;
    EXPECT_GE(found.error, least - 1e-12);
    EXPECT_EQ(found.excess, 0);
    EXPECT_LE(std::ranges::count_if(found.shares, [](double share) { return share > 0; }), 2);
  }
}

TEST(ClassifierPool, OfManyGroupsTheBestDrawIsWithinTheBoundAndItsPricesProveIt) {
  const Data data(2, 200, 2, 6);
  for (const RateBound& rate : {of_positive, of_odds}) {
    const Problem problem = data.problem({}, rate);
    const std::size_t cells = problem.constraints.cells().size();
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      base::Stream stream(base::StreamKey(seed, "test", "counts"), 1);
      const double bound = 0.01 + 0.2 * stream.uniform();
      ClassifierPool pool(problem, bound);
      for (int i = 0; i < 40; ++i) offer(pool, drawn_counts(stream, cells));
      const PoolMixture found = pool.best();
      EXPECT_NEAR(std::accumulate(found.shares.begin(), found.shares.end(), 0.0), 1, 1e-12);
      EXPECT_GE(std::ranges::min(found.shares), 0);
      EXPECT_EQ(found.excess, 0);
      std::vector<double> gaps(at(problem.constraints.gaps()));
      const std::vector<double> expected = expected_cells(pool, found.shares);
      problem.constraints.gaps_of(expected, gaps);
      EXPECT_LE(largest_size(gaps), bound);
      // At these prices no member costs less than the draw.
      const double cost =
          std::inner_product(expected.begin(), expected.end(), pool.prices().begin(), found.error);
      for (const CountedClassifier& one : pool.members()) {
        EXPECT_GE(ClassifierPool::cost(one, pool.prices()), cost - 1e-7);
      }
      EXPECT_LE(std::ranges::count_if(found.shares, [](double share) { return share > 0; }),
                std::ssize(gaps) * 2 + 1);
    }
  }
}

TEST(ClassifierPool, NoDrawIsWorseThanTheBestMemberWithinTheBound) {
  const Data data(3, 60, 2, 3);
  const GapConstraints ratio = GapConstraints(of_odds, 3, BoundOf::ratio).with_ratio(0.8);
  const Problem ratios = data.constrained({}, ratio), gaps = data.problem({}, of_odds);
  for (const auto& [problem, bound] : {std::pair{&ratios, 1.0}, std::pair{&gaps, 0.1}}) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      base::Stream stream(base::StreamKey(seed, "test", "counts"), 2);
      ClassifierPool pool(*problem, bound);
      for (int i = 0; i < 12; ++i) {
        CountedClassifier one = drawn_counts(stream, 6);
        // Many alike, and some at a bound.
        for (double& rate : one.cells) rate = stream.uniform() < 0.7 ? 0.5 : 0.4;
        if (i == 0) one.error = 0.9;
        offer(pool, one);
      }
      std::vector<double> of_gaps(at(problem->constraints.gaps()));
      double least = std::numeric_limits<double>::infinity();
      for (const CountedClassifier& one : pool.members()) {
        problem->constraints.gaps_of(one.cells, of_gaps);
        const double gap = problem->constraints.largest_gap(one.cells, of_gaps);
        if (gap <= bound) least = std::min(least, one.error);
      }
      const PoolMixture found = pool.best();
      EXPECT_EQ(found.excess, 0);
      EXPECT_LE(found.error, least);
      for (const double share : found.shares) EXPECT_TRUE(share == 0 || share > 1e-7) << share;
    }
  }
}

TEST(ClassifierPool, WhereNothingIsDecidedOneEveryRatioIsKeptByThatAlone) {
  Data data(4, 100, 2, 2);
  for (std::size_t i = 0; i < data.labels.size(); ++i) data.labels[i] = i % 10 < 2 ? 1 : -1;
  const GapConstraints ratio = GapConstraints(of_odds, 2, BoundOf::ratio).with_ratio(0.8);
  const Problem problem = data.constrained({}, ratio);
  ClassifierPool pool(problem, 1);
  offer(pool, {.w = {1, 0, 0}, .error = 0.3, .cells = {0.5, 0.5, 0.4, 0.4}});
  const PoolMixture found = pool.best();
  EXPECT_EQ(found.error, 0.2);
  EXPECT_EQ(found.shares, (std::vector<double>{1, 0, 0}));
}

TEST(ClassifierPool, OfManyThatAreNearlyAlikeTheBestDrawIsFoundAtOnce) {
  // Rates of small groups, along lines: what is degenerate once had the simplex method go in
  // circles.
  const Data data(6, 4000, 2, 10);
  const Problem problem = data.problem({}, of_odds);
  base::Stream stream(base::StreamKey(6, "test", "alike"), 0);
  ClassifierPool pool(problem, 0.005);
  for (int line = 0; line < 12; ++line) {
    CountedClassifier one{.w = {1, 0}, .error = 0.2, .cells = std::vector<double>(20, 0.0)};
    for (double& rate : one.cells) rate = static_cast<double>(stream.below(12)) / 12;
    for (int k = 0; k < 64; ++k) {
      one.cells[stream.below(20)] = static_cast<double>(stream.below(12)) / 12;
      one.error = 0.15 + static_cast<double>(stream.below(200)) / 2e4;
      offer(pool, one);
    }
  }
  const PoolMixture found = pool.best();
  EXPECT_EQ(found.excess, 0);
  const std::vector<double> expected = expected_cells(pool, found.shares);
  const double cost =
      std::inner_product(expected.begin(), expected.end(), pool.prices().begin(), found.error);
  for (const CountedClassifier& one : pool.members()) {
    EXPECT_GE(ClassifierPool::cost(one, pool.prices()), cost - 1e-6);
  }
}

TEST(ClassifierPool, KeepsOfManyWhatTheBestDrawIsMadeOf) {
  const Data data(3, 60, 2, 3);
  const Problem problem = data.problem({}, of_positive);
  constexpr double bound = 0.05;
  base::Stream stream(base::StreamKey(3, "test", "many counts"), 0);
  ClassifierPool pool(problem, bound);
  std::vector<CountedClassifier> all = pool.members();
  while (pool.members().size() + 1 > all.size()) {  // until some have gone
    all.push_back(drawn_counts(stream, 3));
    offer(pool, all.back());
    ASSERT_LE(all.size(), 5 * ClassifierPool::most);
  }
  EXPECT_EQ(pool.members().size(), ClassifierPool::most);
  std::vector<double> errors, excess;
  for (const CountedClassifier& one : all) errors.push_back(one.error);
  for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {0, 2}, {1, 0}, {2, 1}, {2, 0}}) {
    for (const CountedClassifier& one : all) {
      excess.push_back(one.cells[at(a)] - one.cells[at(b)] - bound);
    }
  }
  EXPECT_NEAR(pool.best().error, optimise::best_mixture(errors, excess, 100).value, 1e-7);
}

TEST(ClassifierPool, WithAnOffsetTheSumsAreWithinTheBound) {
  const Data data(4, 60, 2, 2);
  const Problem problem = data.problem({}, of_positive);
  base::Stream stream(base::StreamKey(4, "test", "counts"), 0);
  ClassifierPool pool(problem, 0.05);
  for (int i = 0; i < 20; ++i) offer(pool, drawn_counts(stream, 2));
  pool.set_offset(std::vector{0.2, 0.0});
  const PoolMixture found = pool.best();
  const std::vector<double> cells = expected_cells(pool, found.shares);
  EXPECT_EQ(found.excess, 0);
  EXPECT_LE(std::abs(cells[0] - cells[1] + 0.2), 0.05);
}

TEST(ClassifierPool, IsSureOfPointsWhoseOwnScoresWereCountedAlone) {
  const Data data(6, 200, 2, 2);
  const Problem problem = data.problem({}, of_positive);
  ClassifierPool pool(problem, 0.1);
  const auto certain = [&] {
    return std::ranges::count(pool.members(), true, &CountedClassifier::is_certain);
  };
  LastLayer layer(problem, std::vector<double>(problem.parameters(), 0.0));
  layer.offer_to(&pool);
  std::vector<double> v(layer.size(), 0.5), far(layer.size(), -2.0);
  far.back() = 0.25;
  (void)layer.at(v);
  layer.begin_line();
  (void)layer.at(far);
  layer.end_line();
  const auto before = certain();
  EXPECT_EQ(before, 4);
  // Scores of a line are those of its ends, mixed.
  (void)layer.on_line(0.4);
  (void)layer.count_line(2, 16);
  EXPECT_EQ(certain(), before);
  EXPECT_GT(std::ssize(pool.members()), before);
}

TEST(ClassifierPool, WhereNoDrawIsWithinTheBoundItIsTheNearest) {
  // Both constants have error rates that differ; their half has not.
  const Data data(5, 90, 2, 3);
  const Problem problem =
      data.constrained({}, GapConstraints(RateBound{RateKind::equalised_odds, RateOf::decisions, 1},
                                          3, BoundOf::worst_group));
  ClassifierPool pool(problem, 0.1);  // of the worst cell's error
  const PoolMixture found = pool.best();
  EXPECT_NEAR(found.shares[0], 0.5, 1e-6);
  EXPECT_NEAR(found.excess, 0.4, 1e-6);
}

/// Error and rates of a draw, row by row.
PoolMixture counted_by_rows(const Problem& problem, const RandomisedClassifier& draw,
                            double bound) {
  double error = 0;
  std::vector<double> cells(problem.constraints.cells().size(), 0.0);
  for (std::size_t m = 0; m < draw.members.size(); ++m) {
    const std::vector<double> scores =
        FullData(problem, test::no_control, any_mean_loss).scores(problem.train, draw.members[m]);
    std::vector<double> values(scores.size());
    cell_values(problem, scores, problem.labels, values);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const bool wrong = (scores[i] >= 0) != (problem.labels[i] > 0);
      error += draw.shares[m] * (wrong ? 1 : 0) / static_cast<double>(scores.size());
      const std::int32_t k = problem.train.cell[i];
      if (k < 0) continue;
      cells[at(k)] +=
          draw.shares[m] * values[i] / static_cast<double>(problem.train.of_cell[at(k)].size());
    }
  }
  std::vector<double> gaps(at(problem.constraints.gaps()));
  problem.constraints.gaps_of(cells, gaps);
  return {.shares = {}, .error = error, .excess = std::max(0.0, largest_size(gaps) - bound)};
}

std::vector<double> first_weights_of(const Problem& problem) {
  return initial_weights(problem.model, models::Initialisation::fan_in, 1);
}

AimedResult trained(const Problem& problem, double delta, const solvers::Control& control = {},
                    Shift shift = Shift::none) {
  const CertifiedOptions options{
      .delta = delta, .classifier = Classifier::randomised, .shift = shift, .folds = 2};
  return aimed_training(problem, options, {.seed = 1, .task_key = "test"},
                        first_weights_of(problem), {.budget = 60'000, .trace_points = 0}, control);
}

TEST(RandomisedClassifier, IsWithinTheBoundsByCountingRowsWhateverTheProblem) {
  for (const int groups : {2, 5}) {
    const Data data(7, 400, 3, groups);
    for (const std::vector<std::int64_t>& hidden : {std::vector<std::int64_t>{}, {6}}) {
      for (const RateBound& rate : {of_positive, of_odds, of_errors}) {
        for (const double delta : {0.2, 0.01}) {
          const Problem problem = data.problem(hidden, rate);
          const AimedResult found = trained(problem, delta);
          ASSERT_FALSE(found.draw.members.empty());
          const PoolMixture counted = counted_by_rows(problem, found.draw, delta);
          const bool is_in_reach = rate.kind != RateKind::error_rate_parity;
          EXPECT_LE(counted.excess, is_in_reach ? 0 : 1);
          EXPECT_NEAR(counted.error, found.draw.error, 1e-12);
          EXPECT_NEAR(counted.excess, found.draw.excess, 1e-12);
          EXPECT_LE(found.result.evaluations, 60'000);
        }
      }
    }
  }
}

TEST(RandomisedClassifier, SpendsNoMoreThanItsBudgetHoweverSmallThatIs) {
  for (const int rows : {7, 60, 361}) {
    const Data data(2, rows, 2, 2);
    for (const std::vector<std::int64_t>& hidden : {std::vector<std::int64_t>{}, {1}, {6}}) {
      for (const RateBound& rate : {of_positive, of_errors}) {
        const Problem problem = data.problem(hidden, rate);
        for (const std::int64_t halves : {4, 5, 6, 8, 12, 24}) {
          const std::int64_t budget = rows * halves / 2;
          const AimedResult found =
              aimed_training(problem, {.delta = 0.02, .classifier = Classifier::randomised},
                             {.seed = 1, .task_key = "test"}, first_weights_of(problem),
                             {.budget = budget, .trace_points = 0});
          EXPECT_LE(found.result.evaluations, budget) << rows << ' ' << hidden.size();
          EXPECT_FALSE(found.draw.members.empty());
        }
      }
    }
  }
}

TEST(RandomisedClassifier, HasFewerErrorsThanTheConstantAndFewerWithinAWiderBound) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Data data(seed, 300, 3, 3);
    const Problem problem = data.problem({}, of_odds);
    const auto ones = std::ranges::count_if(data.labels, [](double label) { return label > 0; });
    const double constant = static_cast<double>(std::min(ones, 300 - ones)) / 300;
    const double tight = trained(problem, 0.02).draw.error, wide = trained(problem, 0.2).draw.error;
    EXPECT_LT(tight, constant);
    EXPECT_LE(wide, tight);
  }
}

TEST(RandomisedClassifier, OfRatiosAndOfTheWorstGroupIsWithinTheirBounds) {
  const Data data(8, 400, 3, 3);
  const Problem ratio =
      data.constrained({}, GapConstraints(of_positive, 3, BoundOf::ratio).with_ratio(0.8));
  const AimedResult found = trained(ratio, 1);
  EXPECT_EQ(counted_by_rows(ratio, found.draw, 1).excess, 0);
  EXPECT_NEAR(counted_by_rows(ratio, found.draw, 1).error, found.draw.error, 1e-12);
  const Problem worst = data.constrained({}, GapConstraints(of_errors, 3, BoundOf::worst_group));
  const AimedResult least = trained(worst, 0.45);
  EXPECT_EQ(counted_by_rows(worst, least.draw, 0.45).excess, 0);
}

/// A run that is killed after each of these steps and goes on from the bytes of its state.
RandomisedClassifier killed_after(const Problem& problem, const std::vector<std::int64_t>& steps) {
  const CertifiedOptions options{.delta = 0.02, .classifier = Classifier::randomised};
  const Address address{.seed = 1, .task_key = "test"};
  const RunOptions run{.budget = 60'000};
  auto certified = std::make_unique<Certified>(problem, options, address);
  Allowance allowance(run);
  std::vector<double> w = first_weights_of(problem);
  for (std::int64_t k = 1; certified->step(w, allowance); ++k) {
    if (std::ranges::find(steps, k) == steps.end()) continue;
    solvers::Packer packer;
    certified->pack(packer);
    const std::string state = packer.take();
    certified = std::make_unique<Certified>(problem, options, address);
    solvers::Unpacker unpacker(state);
    certified->unpack(unpacker);
    EXPECT_TRUE(unpacker.at_end());
  }
  return certified->draw();
}

TEST(RandomisedClassifier, GoesOnFromAnyCheckpointWithTheIteratesThatItHasLookedAt) {
  const Data data(9, 120, 3, 2);
  const Problem problem = data.problem({4}, of_positive);
  ASSERT_GT(Certified::looks_every(30'000, problem.train.size()), 0);
  const RandomisedClassifier whole = killed_after(problem, {});
  EXPECT_FALSE(whole.members.empty());
  const RandomisedClassifier killed = killed_after(problem, {1, 100, 300, 700});
  EXPECT_EQ(killed.members, whole.members);
  EXPECT_EQ(killed.shares, whole.shares);
  EXPECT_EQ(killed.error, whole.error);
}

TEST(RandomisedClassifier, IsAimedBesideZeroWithAShift) {
  const Data data(10, 300, 3, 2);
  const Problem problem = data.problem({}, of_positive);
  const AimedResult found = trained(problem, 0.05, {}, Shift::folds);
  std::vector<double> gaps(1), aimed(1);
  problem.constraints.gaps_of(found.offset, aimed);
  RandomisedClassifier draw = found.draw;
  std::vector<double> cells(2, 0.0);
  const PoolMixture counted = counted_by_rows(problem, draw, 0);
  EXPECT_LE(std::abs(counted.excess), 0.05 + std::abs(aimed[0]));
}

TEST(RandomisedClassifier, IsOfBoundsOnDecisionsAlone) {
  const Data data(11, 60, 2, 2);
  const CertifiedOptions options{.classifier = Classifier::randomised};
  const RunOptions run{.budget = 100'000};
  EXPECT_THROW(Certified::validate_for(data.problem({}), options, run), std::invalid_argument);
  const RateBound probabilities{RateKind::demographic_parity, RateOf::probabilities, 1};
  EXPECT_THROW(Certified::validate_for(data.problem({}, probabilities), options, run),
               std::invalid_argument);
  EXPECT_NO_THROW(Certified::validate_for(data.problem({}, of_positive), options, run));
}

}  // namespace
}  // namespace fairfront::training
