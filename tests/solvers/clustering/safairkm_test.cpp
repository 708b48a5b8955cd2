#include "solvers/clustering/safairkm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "solvers/clustering/all_assignments.hpp"
#include "solvers/clustering/clustering_support.hpp"
#include "solvers/clustering/lloyd.hpp"

namespace fairfront::clustering {
namespace {

TEST(Safairkm, IsAFunctionOfSeedAndTaskKeyAndBalancesNoMoreThanTheDataAllow) {
  const data::Dataset dataset = random_dataset(2, 300, 3, 3);
  const Problem problem(dataset, 7);
  const SafairOptions options{.iterations = 60, .n_a = 10, .n_b = 6};
  const Clustering found = safairkm(problem, options, 1, "a").clustering;
  expect_consistent(dataset, 7, found);
  EXPECT_TRUE(same_bits(found, safairkm(problem, options, 1, "a").clustering));
  EXPECT_FALSE(same_bits(found, safairkm(problem, options, 2, "a").clustering));
  EXPECT_FALSE(same_bits(found, safairkm(problem, options, 1, "b").clustering));
}

/// Iteration t draws from stream t, so that a longer run begins like a shorter one.
TEST(Safairkm, ALongerRunGoesOnWhereAShorterOneEnds) {
  const Problem problem(random_dataset(3, 120, 2, 2), 4);
  const SafairOptions shorter{.iterations = 10, .n_a = 4, .n_b = 2, .trace_points = 11};
  const SafairOptions longer{.iterations = 30, .n_a = 4, .n_b = 2, .trace_points = 31};
  const SafairResult first = safairkm(problem, shorter, 1, "test");
  const SafairResult whole = safairkm(problem, longer, 1, "test");
  ASSERT_EQ(first.trace.steps.size(), 11u);
  ASSERT_EQ(whole.trace.steps.size(), 31u);
  for (std::size_t t = 0; t < first.trace.steps.size(); ++t) {
    EXPECT_EQ(first.trace.steps[t], static_cast<std::int64_t>(t));
    EXPECT_EQ(first.trace.of("cost")[t], whole.trace.of("cost")[t]);
    EXPECT_EQ(first.trace.of("balance")[t], whole.trace.of("balance")[t]);
  }
  EXPECT_EQ(first.clustering.cost, first.trace.of("cost").back());
  EXPECT_EQ(first.clustering.balance, first.trace.of("balance").back());
}

TEST(Safairkm, TracesBothEndsAndEvenlySpacedIterations) {
  const Problem problem(random_dataset(3, 40, 2, 2), 2);
  const auto steps = [&](std::int64_t iterations, std::int64_t points) {
    const SafairOptions options{.iterations = iterations, .n_a = 1, .trace_points = points};
    return safairkm(problem, options, 1, "test").trace.steps;
  };
  using Steps = std::vector<std::int64_t>;
  EXPECT_EQ(steps(20, 0), Steps{});
  EXPECT_EQ(steps(20, 2), (Steps{0, 20}));
  EXPECT_EQ(steps(20, 5), (Steps{0, 5, 10, 15, 20}));
  EXPECT_EQ(steps(10, 4), (Steps{0, 4, 7, 10}));
  EXPECT_EQ(steps(3, 100), (Steps{0, 1, 2, 3}));
}

TEST(Safairkm, KmeansUpdatesAloneEndNearLloyd) {
  const data::Dataset dataset = random_dataset(4, 500, 2, 2);
  const Problem problem(dataset, 4);
  const double best = lloyd(problem, {.restarts = 20}, 1, "test").clustering.cost;
  const SafairOptions options{.iterations = 200, .n_a = 100, .n_b = 0};
  const Clustering found = safairkm(problem, options, 1, "test").clustering;
  EXPECT_LT(found.cost, 1.1 * best);
  EXPECT_GE(found.cost, best - 1e-12);
}

/// With global targets an exchange takes from the cluster that can best afford it. Once balanced,
/// swaps go on and disturb small clusters: the best iterate counts.
TEST(Safairkm, SwapsAloneReachNearlyTheGreatestBalance) {
  for (const std::int64_t groups : {2, 3}) {
    const data::Dataset dataset = random_dataset(5, 400, 2, groups);
    const Problem problem(dataset, 4);
    SafairOptions options{.iterations = 400, .n_a = 0, .n_b = 1, .trace_points = 401};
    options.step.target = Target::global;
    const SafairResult found = safairkm(problem, options, 1, "test");
    expect_consistent(dataset, 4, found.clustering);
    // Exchanges keep the sizes of clusters: small ones cannot be balanced better than that.
    double bound = problem.balance_bound();
    std::vector<std::int64_t> sizes(4, 0);
    for (const std::int64_t label : as_integers(found.clustering.labels)) {
      ++sizes[static_cast<std::size_t>(label)];
    }
    for (const std::int64_t size : sizes) {
      const double least = static_cast<double>(size / groups);
      bound = std::min(bound, least / static_cast<double>((size + groups - 1) / groups));
    }
    EXPECT_GT(bound, 0.3);
    EXPECT_GT(std::ranges::max(found.trace.of("balance")), 0.9 * bound);
  }
}

TEST(Safairkm, MoreKmeansCostsLessAndMoreSwapsBalanceBetter) {
  const Problem problem(random_dataset(6, 400, 2, 2), 4);
  const auto run = [&](std::int64_t n_a) {
    const SafairOptions options{.iterations = 300, .n_a = n_a, .n_total = 25};
    return safairkm(problem, options, 1, "test").clustering;
  };
  const Clustering cheap = run(25);
  const Clustering fair = run(2);
  EXPECT_LT(cheap.cost, fair.cost);
  EXPECT_LT(cheap.balance, fair.balance);
}

TEST(Safairkm, IsNeverBetterThanTheFrontOfAllAssignments) {
  for (const Instance& instance : instances()) {
    const data::Dataset dataset =
        random_dataset(instance.seed, instance.points, 2, instance.groups);
    const Problem problem(dataset, instance.clusters);
    const auto expected = true_front(dataset, instance.clusters);
    for (const FirstLabels first :
         {FirstLabels::softmax, FirstLabels::by_group, FirstLabels::kmeans_plus_plus}) {
      for (const Effort effort : {Effort{3, 0}, Effort{3, 2}, Effort{0, 1}}) {
        const SafairOptions options{
            .iterations = 30, .n_a = effort.kmeans, .n_b = effort.swaps, .first_labels = first};
        const Clustering found = safairkm(problem, options, 1, "test").clustering;
        expect_never_better({found.cost, found.balance}, expected);
      }
    }
  }
}

TEST(Safairkm, RefusesBadOptions) {
  const Problem problem(random_dataset(2, 10, 2, 2), 2);
  const auto run = [&](const SafairOptions& options) {
    return safairkm(problem, options, 1, "test");
  };
  EXPECT_THROW((void)run({.n_a = 11}), std::invalid_argument);
  EXPECT_THROW((void)run({.n_a = 0, .n_b = 0}), std::invalid_argument);
  EXPECT_THROW((void)run({.n_a = -1}), std::invalid_argument);
  EXPECT_THROW((void)run({.n_a = 9, .n_total = 8}), std::invalid_argument);
  EXPECT_THROW((void)run({.iterations = 0, .n_a = 1}), std::invalid_argument);
  EXPECT_NO_THROW((void)run({.iterations = 1, .n_a = 8, .n_b = 7, .n_total = 8}));
}

}  // namespace
}  // namespace fairfront::clustering
