#include "solvers/clustering/minibatch_kmeans.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "solvers/clustering/all_assignments.hpp"
#include "solvers/clustering/clustering_support.hpp"
#include "solvers/clustering/lloyd.hpp"

namespace fairfront::clustering {
namespace {

TEST(Centres, PullsMakeRunningMeansOfWhatHasPulled) {
  const Problem problem(lattice_dataset(1, 6, 2, 2), 2);
  Centres centres(problem);
  for (const std::int64_t k : {0, 1}) {
    centres.set(k, std::array{7.0, 7.0});
  }
  const std::array first{Pull{0, 0}, Pull{1, 1}};
  centres.pull(problem, first, std::array<std::int64_t, 2>{1, 1});
  const std::array second{Pull{2, 0}, Pull{3, 0}, Pull{4, 0}};
  centres.pull(problem, second, std::array<std::int64_t, 2>{4, 1});
  for (std::int64_t i = 0; i < 2; ++i) {
    double sum = 0;
    for (const std::int64_t p : {0, 2, 3, 4}) sum += problem.point(p)[i];
    EXPECT_NEAR(centres.coordinate(0, i), sum / 4, 1e-15);
    EXPECT_EQ(centres.coordinate(1, i), problem.point(1)[i]);
  }
}

/// Four groups of points, 1e4 apart: whatever is drawn, every cluster of seeds is one of them.
TEST(MinibatchKmeans, FindsClustersThatLieFarApart) {
  data::Dataset dataset = random_dataset(5, 120, 2, 2);
  for (std::size_t p = 0; p < 120; ++p) dataset.features[2 * p] += 1e4 * static_cast<double>(p % 4);
  const MinibatchOptions options{
      .iterations = 50, .batch = 20, .first_centres = FirstCentres::kmeans_plus_plus};
  const Clustering found = minibatch_kmeans(Problem(dataset, 4), options, 1, "test").clustering;
  const std::vector<std::int64_t> labels = as_integers(found.labels);
  for (std::size_t p = 4; p < 120; ++p) EXPECT_EQ(labels[p], labels[p % 4]);
}

TEST(MinibatchKmeans, ComesNearLloydAndNeverBelowTheOptimum) {
  const data::Dataset dataset = random_dataset(7, 2000, 3, 2);
  const Problem problem(dataset, 6);
  const double best = lloyd(problem, {.restarts = 20}, 1, "test").clustering.cost;
  for (const FirstCentres first : {FirstCentres::points, FirstCentres::kmeans_plus_plus}) {
    const MinibatchOptions options{.iterations = 400, .batch = 50, .first_centres = first};
    const Clustering found = minibatch_kmeans(problem, options, 1, "test").clustering;
    expect_consistent(dataset, 6, found);
    EXPECT_LT(found.cost, 1.15 * best);
  }
  for (const Instance& instance : instances()) {
    const data::Dataset tiny = random_dataset(instance.seed, instance.points, 2, instance.groups);
    const Problem all(tiny, instance.clusters);
    const Clustering found =
        minibatch_kmeans(all, {.iterations = 20, .batch = 4}, 1, "test").clustering;
    expect_consistent(tiny, instance.clusters, found);
    expect_never_better({found.cost, found.balance}, true_front(tiny, instance.clusters));
  }
}

TEST(MinibatchKmeans, LeavesNoClusterEmptyWherePointsCoincide) {
  data::Dataset dataset = random_dataset(1, 24, 2, 2);
  for (std::size_t i = 0; i < dataset.features.size(); ++i) dataset.features[i] = i < 24 ? 0 : 1;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    expect_consistent(dataset, 5,
                      minibatch_kmeans(Problem(dataset, 5), {3, 10}, seed, "test").clustering);
  }
}

TEST(MinibatchKmeans, IsAFunctionOfSeedAndTaskKey) {
  const Problem problem(random_dataset(2, 400, 3, 2), 20);
  const auto run = [&](std::uint64_t seed, const char* key) {
    return minibatch_kmeans(problem, {10, 30}, seed, key).clustering;
  };
  EXPECT_TRUE(same_bits(run(1, "a"), run(1, "a")));
  EXPECT_FALSE(same_bits(run(1, "a"), run(2, "a")));
  EXPECT_FALSE(same_bits(run(1, "a"), run(1, "b")));
}

TEST(MinibatchKmeans, RefusesBadOptions) {
  const Problem problem(random_dataset(2, 10, 2, 2), 2);
  EXPECT_THROW((void)minibatch_kmeans(problem, {.iterations = 0}, 1, ""), std::invalid_argument);
  EXPECT_THROW((void)minibatch_kmeans(problem, {.batch = 0}, 1, ""), std::invalid_argument);
  EXPECT_THROW((void)minibatch_kmeans(problem, {.batch = 11}, 1, ""), std::invalid_argument);
  EXPECT_NO_THROW((void)minibatch_kmeans(problem, {.batch = 10}, 1, ""));
}

}  // namespace
}  // namespace fairfront::clustering
