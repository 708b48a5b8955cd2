#include "solvers/clustering/centres.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "solvers/clustering/nearest_centres.hpp"
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

TEST(NearestCentres, EveryProcessorFindsThoseOfOnePointAfterAnother) {
  using Shape = std::pair<std::int64_t, std::int64_t>;
  for (const auto& [clusters, columns] : std::initializer_list<Shape>{
           {2, 2}, {4, 1}, {5, 2}, {11, 2}, {300, 2}, {11, 5}, {10, 16}, {10, 17}}) {
    const data::Dataset dataset = lattice_dataset(3, 400, columns, 2);  // equal distances occur
    const Problem problem(dataset, clusters);
    Centres centres(problem);
    for (std::int64_t k = 0; k < clusters; ++k) centres.set(k, problem.coordinates(k * 5 % 31));
    std::vector<std::int64_t> points;
    for (std::int64_t p = 0; p < 400; p += 3) points.push_back(p);
    const CentresAndRows given{centres.values().data(), (clusters + 3) / 4, problem.point(0),
                               problem.columns()};
    for (const base::Simd simd : base::available_simd()) {
      std::vector<std::int64_t> found(points.size(), -1);
      nearest_centres(simd)(given, points.data(), std::ssize(points), found.data());
      for (std::size_t i = 0; i < points.size(); ++i) {
        ASSERT_EQ(found[i], centres.nearest(problem.point(points[i]))) << base::name_of(simd);
      }
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
