#include "solvers/clustering/centres.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "solvers/clustering/small_problems.hpp"

namespace fairfront::clustering {
namespace {

TEST(Centres, NearestIsTheFirstOfThoseAtLeastDistance) {
  for (const std::int64_t clusters : {2, 3, 4, 5, 8, 11}) {
    const data::Dataset dataset = lattice_dataset(1, 200, 2, 2);  // equal distances occur
    const Problem problem(dataset, clusters);
    Centres centres(problem);
    for (std::int64_t k = 0; k < clusters; ++k) {
      centres.set(k, problem.coordinates(k % 7));
    }
    for (std::int64_t p = 0; p < 200; ++p) {
      std::int64_t best = 0;
      for (std::int64_t k = 1; k < clusters; ++k) {
        if (centres.squared_distance(k, problem.point(p)) <
            centres.squared_distance(best, problem.point(p))) {
          best = k;
        }
      }
      EXPECT_EQ(centres.nearest(problem.point(p)), best);
    }
  }
}

TEST(Centres, DistancesAreEuclideanAndSquared) {
  const data::Dataset dataset = lattice_dataset(2, 10, 2, 2);
  const Problem problem(dataset, 6);
  Centres centres(problem);
  const double first[] = {1, 2};
  const double second[] = {4, 6};
  centres.set(1, first);
  centres.set(5, second);
  EXPECT_EQ(centres.coordinate(5, 1), 6);
  EXPECT_EQ(centres.squared_distance(1, second), 25);
  EXPECT_EQ(centres.squared_distance(5, first), 25);
  EXPECT_EQ(centres.squared_distance_between(1, 5), 25);
}

}  // namespace
}  // namespace fairfront::clustering
