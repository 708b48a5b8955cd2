#include "solvers/clustering/vfairkm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "solvers/clustering/all_assignments.hpp"
#include "solvers/clustering/clustering_support.hpp"
#include "solvers/clustering/naive_vfairkm.hpp"
#include "solvers/clustering/starts.hpp"
#include "solvers/killed.hpp"

namespace fairfront::clustering {
namespace {

/// Two groups with different means, so that cost and balance disagree.
data::Dataset shifted_dataset(std::uint64_t seed, std::int64_t rows, std::int64_t columns,
                              double shift) {
  data::Dataset dataset = random_dataset(seed, rows, columns, 2);
  for (std::size_t p = 0; p < static_cast<std::size_t>(rows); ++p) {
    if (dataset.group[p] == 1) dataset.features[p * static_cast<std::size_t>(columns)] += shift;
  }
  return dataset;
}

VfairWeight one_weight(const Problem& problem, double mu, VfairOptions options = {}) {
  options.mu_min = mu;
  options.mu_count = 1;
  return vfairkm(problem, options, 1, "test").weights.front();
}

/// Same labels, same number of iterations, on data and weights where the literal method works.
TEST(Vfairkm, GivesWhatTheLiteralMethodGives) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const data::Dataset dataset = shifted_dataset(seed, 150, 2, 1.0);
    for (const std::int64_t clusters : {2, 4}) {
      const Problem problem(dataset, clusters);
      base::Stream stream(base::StreamKey(1, "test", "vfairkm/start"), 0);
      const auto start = kmeans_plus_plus_labels<std::uint8_t>(problem, stream);
      for (const double mu : {1.0, 5.0, 15.0, 25.0}) {
        SCOPED_TRACE(problem.describe() + " mu " + std::to_string(mu));
        const NaiveVfair expected = naive_vfair(problem, start, mu, 2);
        if (expected.emptied || expected.outer_iterations == 100) continue;
        const VfairOptions options{.mu_min = mu, .mu_count = 1, .step = VfairStep::fixed};
        const VfairResult found = vfairkm(problem, options, 1, "test");
        const VfairWeight& weight = found.weights.front();
        EXPECT_EQ(as_integers(found.front.labels.front()),
                  as_integers(labels_by_row<std::uint8_t>(problem, expected.labels)));
        EXPECT_NEAR(weight.objective, expected.objective, 1e-9 * std::abs(expected.objective));
        // Unchanged labels end the fast method at once; the literal one goes on for nothing.
        EXPECT_LE(weight.outer_iterations, expected.outer_iterations);
        EXPECT_EQ(found.comparisons - kmeans_plus_plus_comparisons(problem), expected.comparisons);
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 24);
}

TEST(Vfairkm, ASafeStepChangesNothingWhereTheFixedOneDescends) {
  const Problem problem(shifted_dataset(1, 300, 2, 1.0), 3);
  const VfairWeight safe = one_weight(problem, 5);
  const VfairWeight fixed = one_weight(problem, 5, {.step = VfairStep::fixed});
  EXPECT_EQ(safe.taken_back, 0);
  EXPECT_EQ(safe.objective, fixed.objective);
  EXPECT_EQ(safe.inner_iterations, fixed.inner_iterations);
}

/// However far the weight is beyond what L bounds.
TEST(Vfairkm, TheObjectiveNeverRisesWithSafeSteps) {
  const Problem problem(shifted_dataset(6, 200, 2, 1.0), 4);
  for (const double mu : {10.0, 200.0, 1e4}) {
    double before = std::numeric_limits<double>::infinity();
    for (std::int64_t steps = 3; steps < 60; ++steps) {
      const VfairOptions options{
          .inner_iterations = steps, .inner_tolerance = 0, .outer_iterations = 1};
      const double now = one_weight(problem, mu, options).objective;
      EXPECT_LE(now, before * (1 + 1e-9));
      before = now;
    }
  }
}

/// mu K / N far above L: fixed steps jump to and fro until every cluster holds one group.
TEST(Vfairkm, ASafeStepBalancesWhereTheFixedOneCollapses) {
  const data::Dataset dataset = shifted_dataset(1, 300, 2, 1.0);
  const Problem problem(dataset, 3);
  const VfairWeight safe = one_weight(problem, 3000);
  const VfairWeight fixed = one_weight(problem, 3000, {.step = VfairStep::fixed});
  EXPECT_GT(safe.taken_back, 0);
  EXPECT_GT(safe.balance, 0.8 * problem.balance_bound());
  EXPECT_LT(fixed.balance, 0.1 * problem.balance_bound());
}

/// Two groups far apart: to begin with, no cluster has a share of both that a first L could bear.
TEST(Vfairkm, SafeStepsMixGroupsThatLieFarApart) {
  data::Dataset dataset = random_dataset(1, 200, 2, 2);
  for (std::size_t p = 0; p < 200; ++p) {
    dataset.group[p] = static_cast<std::int32_t>(p % 2);
    for (const std::size_t i : {2 * p, 2 * p + 1}) dataset.features[i] *= 0.1;
    dataset.features[2 * p] += p % 4 < 2 ? 0.0 : 1.1;
    dataset.features[2 * p + 1] += p % 2 == 0 ? 0.0 : 4.0;
  }
  const Problem problem(dataset, 2);
  EXPECT_EQ(one_weight(problem, 0, {.mu_max = 1}).balance, 0);
  EXPECT_EQ(one_weight(problem, 3000).balance, 1);
}

TEST(Vfairkm, MoreWeightBuysBalanceWithCost) {
  const data::Dataset dataset = shifted_dataset(2, 400, 3, 1.5);
  const Problem problem(dataset, 4);
  const VfairResult found = vfairkm(problem, {.mu_max = 200, .mu_count = 21}, 1, "test");
  ASSERT_EQ(found.weights.size(), 21u);
  EXPECT_GE(found.front.labels.size(), 3u);
  EXPECT_LT(found.weights.front().cost, found.weights.back().cost);
  EXPECT_LT(found.weights.front().balance, found.weights.back().balance);
  for (std::size_t i = 0; i < found.weights.size(); ++i) {
    EXPECT_NEAR(found.weights[i].mu, 10.0 * static_cast<double>(i), 1e-12);
  }
}

/// Every point of the front is that of a weight, and no weight dominates it.
TEST(Vfairkm, TheFrontIsTheNondominatedPartOfTheWeights) {
  const data::Dataset dataset = shifted_dataset(3, 200, 2, 1.5);
  const Problem problem(dataset, 3);
  for (const auto warm : {VfairWarmStart::none, VfairWarmStart::only}) {
    const VfairResult found =
        vfairkm(problem, {.mu_max = 300, .mu_count = 31, .warm_start = warm}, 1, "test");
    const std::vector<double>& points = found.front.points;
    ASSERT_EQ(found.front.labels.size() * 2, points.size());
    for (std::size_t i = 0; i < points.size(); i += 2) {
      expect_consistent(dataset, 3, {points[i], points[i + 1], found.front.labels[i / 2]});
      bool found_it = false;
      for (const VfairWeight& weight : found.weights) {
        found_it = found_it || (weight.cost == points[i] && weight.balance == points[i + 1]);
        EXPECT_FALSE(weight.cost <= points[i] && weight.balance >= points[i + 1] &&
                     (weight.cost < points[i] || weight.balance > points[i + 1]));
      }
      EXPECT_TRUE(found_it);
    }
    EXPECT_EQ(found.front.reference_cost, problem.total_variance());
    EXPECT_GT(found.front.hypervolume, 0);
  }
}

/// The last labels of a weight are the first ones of the next: one pass over weight 0 and 0 again
/// has nothing left to do.
TEST(Vfairkm, AWarmRunGoesOnFromTheWeightBefore) {
  const Problem problem(shifted_dataset(4, 500, 2, 1.0), 8);
  const auto iterations = [&](VfairWarmStart warm) {
    const VfairOptions options{.mu_max = 1e-9, .mu_count = 2, .warm_start = warm};
    return vfairkm(problem, options, 1, "test").weights[1].outer_iterations;
  };
  EXPECT_GT(iterations(VfairWarmStart::none), 3);
  EXPECT_LE(iterations(VfairWarmStart::only), 1);
}

/// No point is lost: whatever else is tried, each is still there or is dominated.
TEST(Vfairkm, RestartsAndWarmStartsOnlyAddToTheFront) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Problem problem(shifted_dataset(seed, 200, 2, 1.0), 5);
    const auto run = [&](std::int64_t restarts, VfairWarmStart warm) {
      return vfairkm(problem,
                     {.mu_max = 200, .mu_count = 11, .restarts = restarts, .warm_start = warm},
                     seed, "test");
    };
    const VfairResult least = run(1, VfairWarmStart::none);
    EXPECT_EQ(least.clusterings, 11);
    for (const auto& [restarts, warm, clusterings] : {std::tuple{4, VfairWarmStart::none, 44},
                                                      {1, VfairWarmStart::both, 21},
                                                      {3, VfairWarmStart::both, 63}}) {
      const VfairResult more = run(restarts, warm);
      EXPECT_EQ(more.clusterings, clusterings);
      ASSERT_EQ(more.weights.size(), 11u);
      EXPECT_GE(more.front.hypervolume, least.front.hypervolume);
      const std::vector<double>& points = more.front.points;
      for (std::size_t i = 0; i < least.front.points.size(); i += 2) {
        bool covered = false;
        for (std::size_t j = 0; j < points.size(); j += 2) {
          covered = covered || (points[j] <= least.front.points[i] &&
                                points[j + 1] >= least.front.points[i + 1]);
        }
        EXPECT_TRUE(covered);
      }
      for (std::size_t i = 0; i < 11; ++i) {
        EXPECT_EQ(more.weights[i].mu, least.weights[i].mu);
        EXPECT_LE(more.weights[i].objective, least.weights[i].objective);
      }
    }
  }
}

/// A restart is a run from other seeds, whose labels the literal method is given.
TEST(Vfairkm, RestartsHaveTheBestOfWhatTheLiteralMethodFindsFromTheirSeeds) {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Problem problem(shifted_dataset(seed, 150, 2, 1.0), 6);
    double least = std::numeric_limits<double>::infinity();
    double first = 0;
    for (std::int64_t restarts = 1; restarts <= 6; ++restarts) {
      base::Stream stream(base::StreamKey(1, "test", "vfairkm/start"),
                          static_cast<std::uint64_t>(restarts - 1));
      const auto start = kmeans_plus_plus_labels<std::uint8_t>(problem, stream);
      const NaiveVfair alone = naive_vfair(problem, start, 5, 2);
      if (alone.emptied || alone.outer_iterations == 100) break;
      const VfairWeight found =
          one_weight(problem, 5, {.restarts = restarts, .step = VfairStep::fixed});
      least = std::min(least, alone.objective);
      if (restarts == 1) first = alone.objective;
      EXPECT_NEAR(found.objective, least, 1e-9 * least);
    }
    better += least < (1 - 1e-6) * first ? 1 : 0;
  }
  EXPECT_GE(better, 1);
}

/// Inner iterations per outer one, of a weight of some data sets.
template <class MakeDataset>
double steps_of_a_start(MakeDataset&& make_dataset, std::int64_t clusters, double mu) {
  std::int64_t inner = 0;
  std::int64_t outer = 0;
  for (std::uint64_t seed = 8; seed < 12; ++seed) {
    const VfairWeight weight = one_weight(Problem(make_dataset(seed), clusters), mu);
    EXPECT_GT(weight.taken_back, 0);
    inner += weight.inner_iterations;
    outer += weight.outer_iterations;
  }
  return static_cast<double>(inner) / static_cast<double>(outer);
}

/// The masses of a group with 1 % of the points want a greater L than those of the others.
TEST(Vfairkm, ARareGroupDoesNotHoldBackTheOthers) {
  const auto with_a_rare_group = [](std::uint64_t seed) {
    data::Dataset dataset = shifted_dataset(seed, 1000, 3, 0.0);
    for (std::size_t p = 0; p < 1000; ++p) dataset.group[p] = p % 100 == 0 ? 1 : 0;
    return dataset;
  };
  EXPECT_LT(steps_of_a_start(with_a_rare_group, 10, 500), 60);
}

/// With a weight of N all masses want an L of K and more.
TEST(Vfairkm, ManyClustersSettleBeforeTheLimit) {
  const auto shifted = [](std::uint64_t seed) { return shifted_dataset(seed, 600, 3, 0.5); };
  EXPECT_LT(steps_of_a_start(shifted, 60, 600), 500);
}

TEST(Vfairkm, EveryInnerStepDescendsWhereAGroupIsRare) {
  data::Dataset dataset = shifted_dataset(8, 400, 3, 0.5);
  for (std::size_t p = 0; p < 400; ++p) dataset.group[p] = p % 40 == 0 ? 1 : 0;
  const Problem problem(dataset, 10);
  double before = std::numeric_limits<double>::infinity();
  for (std::int64_t steps = 3; steps < 80; ++steps) {
    const VfairOptions options{
        .inner_iterations = steps, .inner_tolerance = 0, .outer_iterations = 1};
    const double now = one_weight(problem, 400, options).objective;
    EXPECT_LE(now, before * (1 + 1e-9));
    before = now;
  }
}

TEST(Vfairkm, WeightZeroIsLloyd) {
  const data::Dataset dataset = shifted_dataset(5, 300, 2, 1.0);
  const Problem problem(dataset, 5);
  const VfairWeight weight = one_weight(problem, 0, {.mu_max = 1});
  EXPECT_EQ(weight.stop, VfairStop::converged);
  EXPECT_EQ(weight.inner_iterations, 0);
  EXPECT_NEAR(weight.objective, 300 * weight.cost, 1e-9);
}

/// The labels of an earlier iteration come again: found by a search over small data sets.
TEST(Vfairkm, ACycleEndsWithItsBestIterate) {
  int cycles = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const data::Dataset dataset = shifted_dataset(seed, 40, 2, 1.0);
    const Problem problem(dataset, 4);
    VfairOptions options{
        .mu_max = 200, .mu_count = 21, .warm_start = VfairWarmStart::none, .outer_tolerance = 0};
    for (const VfairWeight& weight : vfairkm(problem, options, 1, "test").weights) {
      EXPECT_NE(weight.stop, VfairStop::iterations_done);
      if (weight.stop != VfairStop::cycle) continue;
      ++cycles;
      // Ended earlier, at any length, no iterate has a smaller objective.
      for (std::int64_t length = 1; length < weight.outer_iterations; ++length) {
        options.outer_iterations = length;
        EXPECT_GE(one_weight(problem, weight.mu, options).objective, weight.objective);
      }
      options.outer_iterations = 100;
    }
  }
  EXPECT_GE(cycles, 3);
}

/// Centres are means of hard labels, not of memberships: an outer iteration may raise the
/// objective.
TEST(Vfairkm, TheAnswerIsTheIterateWithTheLeastObjective) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Problem problem(shifted_dataset(seed, 200, 2, 1.0), 4);
    for (const double mu : {50.0, 200.0, 400.0}) {
      VfairOptions options{.warm_start = VfairWarmStart::none};
      const VfairWeight whole = one_weight(problem, mu, options);
      double least = std::numeric_limits<double>::infinity();
      for (std::int64_t length = 1; length <= whole.outer_iterations; ++length) {
        options.outer_iterations = length;
        const double now = one_weight(problem, mu, options).objective;
        EXPECT_LE(now, least) << "more iterations are never worse";
        least = now;
      }
      EXPECT_EQ(whole.objective, least);
    }
  }
}

/// Each clustering has balance 0 and the same penalty: weights are answered by weight 0.
TEST(Vfairkm, WhereNoClusteringIsBalancedEveryWeightIsLloyd) {
  data::Dataset dataset = shifted_dataset(8, 400, 3, 0.5);
  for (std::size_t p = 0; p < 400; ++p) dataset.group[p] = p < 9 ? 1 : 0;
  const Problem problem(dataset, 10);
  const VfairWeight plain = one_weight(problem, 0, {.mu_max = 1, .restarts = 3});
  const VfairResult found = vfairkm(problem, {.mu_count = 5, .restarts = 3}, 1, "test");
  ASSERT_EQ(found.weights.size(), 5u);
  std::int64_t outer = 0;
  for (const VfairWeight& weight : found.weights) {
    EXPECT_EQ(weight.cost, plain.cost);
    EXPECT_EQ(weight.objective, plain.objective);
    EXPECT_EQ(weight.balance, 0);
    EXPECT_EQ(weight.inner_iterations, 0);
    EXPECT_EQ(weight.stop, VfairStop::converged);
    outer += weight.outer_iterations;
  }
  EXPECT_EQ(found.weights.back().mu, 400);
  EXPECT_EQ(outer, plain.outer_iterations) << "iterations are counted once";
  EXPECT_EQ(found.clusterings, 3);
  ASSERT_EQ(found.front.points.size(), 2u);
  EXPECT_EQ(found.front.points[0], plain.cost);
}

/// With a member for each cluster there are balanced clusterings, which weights find.
TEST(Vfairkm, AGroupOfAsManyRowsAsClustersIsSolved) {
  data::Dataset dataset = shifted_dataset(8, 400, 3, 0.5);
  for (std::size_t p = 0; p < 400; ++p) dataset.group[p] = p < 10 ? 1 : 0;
  EXPECT_GT(one_weight(Problem(dataset, 10), 400).inner_iterations, 0);
}

TEST(Vfairkm, AnEmptyClusterIsRefilledAndTheRunGoesOn) {
  std::int64_t refills = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    data::Dataset dataset = random_dataset(seed, 24, 2, 3);
    for (std::size_t p = 0; p < 24; ++p) dataset.group[p] = static_cast<std::int32_t>(p % 3);
    const Problem problem(dataset, 8);
    const VfairResult found = vfairkm(problem, {.mu_max = 100, .mu_count = 6}, 1, "test");
    for (const VfairWeight& weight : found.weights) {
      refills += weight.refills;
      EXPECT_GE(weight.objective, 0);
    }
    for (std::size_t i = 0; i < found.front.labels.size(); ++i) {
      expect_consistent(
          dataset, 8,
          {found.front.points[2 * i], found.front.points[2 * i + 1], found.front.labels[i]});
    }
  }
  EXPECT_GT(refills, 0);
}

TEST(Vfairkm, IsNeverBetterThanTheFrontOfAllAssignments) {
  for (const Instance& instance : instances()) {
    const data::Dataset dataset =
        random_dataset(instance.seed, instance.points, 2, instance.groups);
    const Problem problem(dataset, instance.clusters);
    const auto expected = true_front(dataset, instance.clusters);
    for (const VfairStep step : {VfairStep::descent, VfairStep::fixed}) {
      const VfairOptions options{.mu_max = 100, .mu_count = 21, .step = step};
      expect_never_better(vfairkm(problem, options, 1, "test").front.points, expected);
    }
  }
}

TEST(Vfairkm, IsAFunctionOfSeedAndTaskKey) {
  const Problem problem(shifted_dataset(2, 300, 3, 1.0), 9);
  const auto run = [&](std::uint64_t seed, const char* key) {
    return vfairkm(problem, {.mu_max = 100, .mu_count = 5}, seed, key).front;
  };
  const ClusteringFront first = run(1, "a");
  EXPECT_EQ(first.points, run(1, "a").points);
  EXPECT_EQ(first.labels, run(1, "a").labels);
  EXPECT_NE(first.points, run(2, "a").points);
  EXPECT_NE(first.points, run(1, "b").points);
}

TEST(Vfairkm, ManyClustersHaveWideLabels) {
  const data::Dataset dataset = random_dataset(1, 900, 2, 2);
  const VfairOptions options{
      .mu_min = 5, .mu_count = 1, .inner_iterations = 50, .outer_iterations = 3};
  const VfairResult found = vfairkm(Problem(dataset, 300), options, 1, "test");
  EXPECT_TRUE(std::holds_alternative<std::vector<std::uint16_t>>(found.front.labels.front()));
  expect_consistent(dataset, 300,
                    {found.front.points[0], found.front.points[1], found.front.labels.front()});
}

TEST(Vfairkm, TheGreatestWeightIsTheNumberOfPointsUnlessGiven) {
  const Problem problem(random_dataset(1, 50, 2, 2), 2);
  EXPECT_EQ(weights_of(problem, {.mu_count = 3}), (std::vector<double>{0, 25, 50}));
  EXPECT_EQ(weights_of(problem, {.mu_min = 2, .mu_max = 4, .mu_count = 3}),
            (std::vector<double>{2, 3, 4}));
  EXPECT_EQ(weights_of(problem, {.mu_min = 7, .mu_max = 4, .mu_count = 1}), std::vector<double>{7});
}

TEST(Vfairkm, RefusesBadOptions) {
  const Problem problem(random_dataset(2, 10, 2, 2), 2);
  const auto run = [&](const VfairOptions& options) { return vfairkm(problem, options, 1, ""); };
  EXPECT_THROW((void)run({.mu_min = -1}), std::invalid_argument);
  EXPECT_THROW((void)run({.mu_min = 5, .mu_max = 4}), std::invalid_argument);
  EXPECT_THROW((void)run({.mu_min = 11}), std::invalid_argument);  // above N
  EXPECT_THROW((void)run({.mu_count = 0}), std::invalid_argument);
  EXPECT_THROW((void)run({.restarts = 0}), std::invalid_argument);
  EXPECT_THROW((void)run({.lipschitz = 0}), std::invalid_argument);
  EXPECT_THROW((void)run({.inner_iterations = 2}), std::invalid_argument);
  EXPECT_THROW((void)run({.outer_iterations = 0}), std::invalid_argument);
  EXPECT_THROW((void)run({.outer_tolerance = -1}), std::invalid_argument);
}

bool same_weights(const VfairResult& a, const VfairResult& b) {
  const auto numbers = [](const VfairWeight& w) {
    return std::tuple(w.mu, w.cost, w.balance, w.objective, w.outer_iterations, w.inner_iterations,
                      w.taken_back, w.refills, w.stop);
  };
  return std::ranges::equal(a.weights, b.weights, {}, numbers, numbers) &&
         a.front.points == b.front.points && a.front.labels == b.front.labels &&
         a.clusterings == b.clusterings && a.comparisons == b.comparisons;
}

TEST(Vfairkm, GoesOnFromEveryCheckpointToTheSameBits) {
  const Problem problem(random_dataset(3, 60, 2, 2), 4), other(random_dataset(3, 61, 2, 2), 4);
  for (const VfairWarmStart warm :
       {VfairWarmStart::none, VfairWarmStart::both, VfairWarmStart::only}) {
    const VfairOptions options{.mu_count = 5, .restarts = 2, .warm_start = warm};
    const auto run = [&](const solvers::Control& control) {
      return vfairkm(problem, options, 1, "test", control);
    };
    const VfairResult whole = run({});
    solvers::test::KilledRun killed(run);
    EXPECT_TRUE(same_weights(killed.to_the_end(), whole));
    EXPECT_GT(killed.kills(), 3 * 2 * 5 / 2);
    solvers::test::expect_every_wish_is_heard(run, 10);
    const std::int64_t all = killed.kills();
    for (const std::int64_t kills : {std::int64_t{2}, all / 4, all / 2, all - 2}) {
      solvers::test::KilledRun part(run);
      for (std::int64_t k = 0; k < kills; ++k) ASSERT_FALSE(part.to_next_checkpoint());
      solvers::test::expect_damage_is_refused(run, part.state());
      EXPECT_THROW((void)vfairkm(other, options, 1, "test", {.resume = part.state()}),
                   base::CheckpointError);
      part.stop_at(0);
      EXPECT_TRUE(same_weights(run({.resume = part.state()}), whole));
    }
  }
}

}  // namespace
}  // namespace fairfront::clustering
