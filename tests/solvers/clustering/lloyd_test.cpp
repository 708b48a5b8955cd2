#include "solvers/clustering/lloyd.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "solvers/clustering/all_assignments.hpp"
#include "solvers/clustering/clustering_support.hpp"

namespace fairfront::clustering {
namespace {

/// By the definition, in doubles: no centre is nearer to a point than that of its own cluster.
void expect_fixed_point(const data::Dataset& dataset, std::int64_t clusters,
                        const std::vector<std::int64_t>& labels) {
  const auto columns = static_cast<std::size_t>(dataset.columns);
  std::vector<std::vector<double>> means(static_cast<std::size_t>(clusters),
                                         std::vector<double>(columns, 0));
  std::vector<double> sizes(means.size(), 0);
  for (std::size_t p = 0; p < labels.size(); ++p) {
    const auto k = static_cast<std::size_t>(labels[p]);
    ++sizes[k];
    for (std::size_t i = 0; i < columns; ++i) means[k][i] += dataset.features[p * columns + i];
  }
  for (std::size_t k = 0; k < means.size(); ++k) {
    for (double& value : means[k]) value /= sizes[k];
  }
  const auto distance = [&](std::size_t p, std::size_t k) {
    double sum = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      sum += std::pow(dataset.features[p * columns + i] - means[k][i], 2);
    }
    return sum;
  };
  for (std::size_t p = 0; p < labels.size(); ++p) {
    const double own = distance(p, static_cast<std::size_t>(labels[p]));
    for (std::size_t k = 0; k < means.size(); ++k) EXPECT_LE(own, distance(p, k) + 1e-12);
  }
}

TEST(Lloyd, EndsInAFixedPoint) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const data::Dataset dataset = random_dataset(seed, 200, 3, 2);
    for (const std::int64_t clusters : {2, 5, 9}) {
      const LloydResult found =
          lloyd(Problem(dataset, clusters), {.restarts = 3, .iterations = 500}, seed, "test");
      EXPECT_TRUE(found.fixed_point);
      EXPECT_GE(found.iterations, 3);
      expect_consistent(dataset, clusters, found.clustering);
      expect_fixed_point(dataset, clusters, as_integers(found.clustering.labels));
    }
  }
}

TEST(Lloyd, FindsTheCheapestOfAllAssignments) {
  for (const Instance& instance : instances()) {
    const data::Dataset dataset =
        random_dataset(instance.seed, instance.points, 2, instance.groups);
    const Problem problem(dataset, instance.clusters);
    SCOPED_TRACE(problem.describe());
    const auto expected = true_front(dataset, instance.clusters);
    const LloydResult found = lloyd(problem, {.restarts = 200}, 1, "test");
    EXPECT_NEAR(found.clustering.cost, expected.front().first, 1e-13);
    expect_never_better({found.clustering.cost, found.clustering.balance}, expected);
    const LloydResult hasty = lloyd(problem, {.restarts = 1, .iterations = 1}, 1, "test");
    expect_never_better({hasty.clustering.cost, hasty.clustering.balance}, expected);
  }
}

TEST(Lloyd, NeverGetsWorseWithMoreRestartsOrIterations) {
  const Problem problem(random_dataset(3, 300, 2, 2), 12);
  const auto cost = [&](std::int64_t restarts, std::int64_t iterations) {
    return lloyd(problem, {restarts, iterations}, 5, "test").clustering.cost;
  };
  for (std::int64_t n = 1; n < 12; ++n) {
    EXPECT_LE(cost(n + 1, 300), cost(n, 300));
    EXPECT_LE(cost(1, n + 1), cost(1, n));
  }
  EXPECT_LT(cost(12, 300), cost(1, 300));
  EXPECT_LT(cost(1, 12), cost(1, 1));
}

TEST(Lloyd, EndsAndLeavesNoClusterEmptyWherePointsCoincide) {
  data::Dataset dataset = random_dataset(1, 24, 2, 2);
  for (std::size_t i = 0; i < dataset.features.size(); ++i) {
    dataset.features[i] = i < 24 ? 0 : 1;  // two places
  }
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const LloydResult found = lloyd(Problem(dataset, 5), {.restarts = 1}, seed, "test");
    EXPECT_TRUE(found.fixed_point);
    EXPECT_NEAR(found.clustering.cost, 0, 1e-15);
    expect_consistent(dataset, 5, found.clustering);
  }
}

TEST(Lloyd, SaysThatItHasNotReachedAFixedPoint) {
  const Problem problem(random_dataset(3, 300, 2, 2), 12);
  const LloydResult found = lloyd(problem, {.restarts = 4, .iterations = 1}, 1, "test");
  EXPECT_FALSE(found.fixed_point);
  EXPECT_EQ(found.iterations, 4);
}

TEST(Lloyd, ManyClustersHaveWideLabels) {
  const data::Dataset dataset = random_dataset(1, 900, 2, 2);
  const LloydResult found = lloyd(Problem(dataset, 300), {.restarts = 1}, 1, "test");
  EXPECT_TRUE(std::holds_alternative<std::vector<std::uint16_t>>(found.clustering.labels));
  expect_consistent(dataset, 300, found.clustering);
}

TEST(Lloyd, IsAFunctionOfSeedAndTaskKey) {
  const Problem problem(random_dataset(2, 400, 3, 2), 20);
  const auto run = [&](std::uint64_t seed, const char* key) {
    return lloyd(problem, {.restarts = 1}, seed, key).clustering;
  };
  EXPECT_TRUE(same_bits(run(1, "a"), run(1, "a")));
  EXPECT_FALSE(same_bits(run(1, "a"), run(2, "a")));
  EXPECT_FALSE(same_bits(run(1, "a"), run(1, "b")));
}

TEST(Lloyd, RefusesBadOptions) {
  const Problem problem(random_dataset(2, 10, 2, 2), 2);
  EXPECT_THROW((void)lloyd(problem, {.restarts = 0}, 1, ""), std::invalid_argument);
  EXPECT_THROW((void)lloyd(problem, {.iterations = 0}, 1, ""), std::invalid_argument);
}

TEST(RefillEmptyClusters, TakesTheFarthestPointOfAClusterThatHasOthers) {
  data::Dataset dataset = empty_dataset(1, 2);
  dataset.rows = 6;
  dataset.features = {0, 1, 2, 10, 11, 100};
  dataset.group = {0, 0, 0, 1, 1, 1};  // the problem keeps the order
  const Problem problem(dataset, 4);
  Solution<std::uint8_t> solution(problem);
  const std::vector<std::uint8_t> labels{0, 0, 0, 0, 0, 1};  // clusters 2 and 3 are empty
  solution.partition.assign(problem, labels);
  solution.set_exact_centres(problem);
  refill_empty_clusters(problem, solution.centres, solution.partition);
  // The mean of cluster 0 is 4.8: 11 is the farthest, then 10; the point 100 is alone.
  EXPECT_THAT(solution.partition.labels(), testing::ElementsAre(0, 0, 0, 3, 2, 1));
}

}  // namespace
}  // namespace fairfront::clustering
