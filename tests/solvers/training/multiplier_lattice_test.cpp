#include "solvers/training/multiplier_lattice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

namespace fairfront::training {
namespace {

using Point = std::vector<std::int64_t>;

/// Every point of the box of `steps` whose numbers are those of multipliers within `steps`.
std::set<Point> of_the_box(BoundOf of, const RateCells& cells, std::int64_t steps) {
  std::set<Point> found;
  Point point(static_cast<std::size_t>(cells.size()), -steps);
  while (true) {
    std::int64_t sizes = 0;
    bool is_one = true;
    for (std::int64_t event = 0; event < cells.events(); ++event) {
      const auto first = point.begin() + event * cells.groups();
      const auto last = first + cells.groups();
      for (auto value = first; value != last; ++value) sizes += std::abs(*value);
      is_one = is_one && (of == BoundOf::worst_group ? *std::min_element(first, last) >= 0
                                                     : std::accumulate(first, last, 0L) == 0);
    }
    if (is_one && sizes <= (of == BoundOf::worst_group ? steps : 2 * steps)) found.insert(point);
    std::size_t k = 0;
    while (k < point.size() && point[k] == steps) point[k++] = -steps;
    if (k == point.size()) return found;
    ++point[k];
  }
}

TEST(MultiplierLattice, OfTwoGroupsAndOneRateIsOneSignedNumber) {
  const RateCells cells(RateKind::demographic_parity, 2);
  const MultiplierLattice lattice(BoundOf::gap, cells, 10, 2);
  EXPECT_EQ(lattice.steps(), 4);
  EXPECT_THAT(lattice.points(), testing::ElementsAre(Point{0, 0}, Point{-1, 1}, Point{1, -1},
                                                     Point{-2, 2}, Point{2, -2}, Point{-3, 3},
                                                     Point{3, -3}, Point{-4, 4}, Point{4, -4}));
  const auto limits = inequalities_of({.bound = 0.1}, cells);
  EXPECT_EQ(lattice.multipliers(Point{-3, 3}, limits), (std::vector<double>{0, 1.5}));
  EXPECT_EQ(lattice.multipliers(Point{4, -4}, limits), (std::vector<double>{2, 0}));
}

TEST(MultiplierLattice, HasEveryPointOfASearchThroughTheBoxAndAsManyStepsAsFit) {
  struct Case {
    RateKind rate;
    std::int64_t groups, most_points;
  };
  for (const BoundOf of : {BoundOf::gap, BoundOf::ratio, BoundOf::worst_group}) {
    for (const Case now :
         {Case{RateKind::equal_opportunity, 2, 41}, Case{RateKind::equalised_odds, 2, 41},
          Case{RateKind::error_rate_parity, 3, 40}, Case{RateKind::equalised_odds, 3, 100},
          Case{RateKind::predictive_equality, 4, 60}}) {
      const RateCells cells(now.rate, now.groups);
      const MultiplierLattice lattice(of, cells, now.most_points, 0.5);
      const std::set<Point> found(lattice.points().begin(), lattice.points().end());
      EXPECT_EQ(found.size(), lattice.points().size());
      EXPECT_EQ(found, of_the_box(of, cells, lattice.steps()));
      EXPECT_LE(std::ssize(found), now.most_points);
      EXPECT_GT(std::ssize(of_the_box(of, cells, lattice.steps() + 1)), now.most_points);
      EXPECT_EQ(std::ssize(of_the_box(of, cells, 1)), least_lattice(of, cells));
      EXPECT_EQ(lattice.points().front(), Point(static_cast<std::size_t>(cells.size()), 0));
    }
  }
}

TEST(MultiplierLattice, MultipliersHaveTheSumsOfAPointAndAreTheLeastThatDo) {
  for (const BoundOf of : {BoundOf::gap, BoundOf::worst_group}) {
    const RateCells cells(RateKind::equalised_odds, 4);
    const auto limits = inequalities_of({RateKind::equalised_odds, of, 0.1}, cells);
    const MultiplierLattice lattice(of, cells, 400, 0.3);
    const double step = 0.3 / static_cast<double>(lattice.steps());
    double before = 0;
    for (const Point& point : lattice.points()) {
      const std::vector<double> multipliers = lattice.multipliers(point, limits);
      EXPECT_GE(std::ranges::min(multipliers), 0);
      std::vector<double> sums(point.size(), 0.0);
      for (std::size_t k = 0; k < limits.size(); ++k) {
        if (of == BoundOf::gap) sums[limits[k].b] -= multipliers[k];
        sums[limits[k].a] += multipliers[k];
      }
      double sizes = 0;
      for (std::size_t k = 0; k < sums.size(); ++k) {
        EXPECT_NEAR(sums[k], step * static_cast<double>(point[k]), 1e-15);
        sizes += std::abs(sums[k]);
      }
      const double sum = std::accumulate(multipliers.begin(), multipliers.end(), 0.0);
      EXPECT_NEAR(sum, of == BoundOf::gap ? sizes / 2 : sizes, 1e-15);
      EXPECT_LE(sum, 0.3 + 1e-15);
      EXPECT_GE(sum, before - 1e-15);  // the nearest to 0 first
      before = sum;
    }
    EXPECT_NEAR(before, 0.3, 1e-15);
  }
}

TEST(MultiplierLattice, RefusesFewerPointsThanOneStepHas) {
  const RateCells cells(RateKind::equalised_odds, 10);
  EXPECT_EQ(least_lattice(BoundOf::gap, cells), 181);
  EXPECT_THROW(MultiplierLattice(BoundOf::gap, cells, 180, 1), std::invalid_argument);
  EXPECT_EQ(MultiplierLattice(BoundOf::gap, cells, 181, 1).steps(), 1);
  EXPECT_EQ(least_lattice(BoundOf::worst_group, cells), 21);
}

}  // namespace
}  // namespace fairfront::training
