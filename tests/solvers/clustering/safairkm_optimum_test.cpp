// Tiny instances, where all assignments can be tried.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "solvers/clustering/all_assignments.hpp"
#include "solvers/clustering/front_support.hpp"

namespace fairfront::clustering {
namespace {

SafairFrontOptions thorough_options(std::int64_t points) {
  SafairFrontOptions options;
  options.iterations = 40;
  options.starts = 1000;
  options.replicas = 10;
  options.pairs = {{1, 0}, {2, 0}, {0, 1},          {0, 2},     {1, 1},
                   {0, 4}, {2, 5}, {points / 2, 2}, {points, 0}};
  return options;
}

SafairFrontOptions hasty_options(bool of_authors) {
  SafairFrontOptions options = of_authors ? authors_options() : SafairFrontOptions{};
  options.iterations = 3;
  options.starts = 4;
  options.pairs = {{3, 0}, {2, 2}};
  return options;
}

/// Costs of the solver come from exact sums, those of the definition from two passes: equal up to
/// rounding. Balances are equal as they stand.
void expect_same_front(const SafairFrontResult& found,
                       const std::vector<std::pair<double, double>>& expected) {
  EXPECT_EQ(front_size(found), expected.size());
  for (std::size_t i = 0; i < std::min(front_size(found), expected.size()); ++i) {
    EXPECT_NEAR(found.points[2 * i], expected[i].first, 1e-13);
    EXPECT_EQ(found.points[2 * i + 1], expected[i].second);
  }
}

TEST(SafairkmFront, ReachesExactlyTheFrontOfAllAssignments) {
  const parallel::Comm world(MPI_COMM_WORLD);
  for (const Instance& instance : instances()) {
    const data::Dataset dataset =
        random_dataset(instance.seed, instance.points, 2, instance.groups);
    const Problem problem(dataset, instance.clusters);
    const SafairFrontResult found =
        safairkm_front(world, problem, thorough_options(instance.points), instance.seed, "optimum");
    SCOPED_TRACE(problem.describe());
    expect_same_front(found, true_front(dataset, instance.clusters));
    if (world.is_root()) expect_labels_reproduce_points(dataset, instance.clusters, found);
  }
}

TEST(SafairkmFront, IsNeverBetterThanTheFrontOfAllAssignments) {
  const parallel::Comm world(MPI_COMM_WORLD);
  for (const Instance& instance : instances()) {
    const data::Dataset dataset =
        random_dataset(instance.seed, instance.points, 2, instance.groups);
    const Problem problem(dataset, instance.clusters);
    const auto expected = true_front(dataset, instance.clusters);
    for (const bool of_authors : {false, true}) {
      const SafairFrontResult found =
          safairkm_front(world, problem, hasty_options(of_authors), instance.seed, "optimum");
      SCOPED_TRACE(problem.describe());
      EXPECT_GE(front_size(found), 1u);
      expect_strictly_nondominated(found);
      expect_never_better(found.points, expected);
    }
  }
}

}  // namespace
}  // namespace fairfront::clustering
