#include "pareto/hypervolume.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "pareto/random_points.hpp"

namespace fairfront::pareto {
namespace {

/// Counts the unit cells below the reference that some point dominates.
double grid_volume(const Points& points, int reference_x, int reference_y, int least) {
  std::int64_t cells = 0;
  for (int x = least; x < reference_x; ++x) {
    for (int y = least; y < reference_y; ++y) {
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i][0] <= x && points[i][1] <= y) {
          ++cells;
          break;
        }
      }
    }
  }
  return static_cast<double>(cells);
}

/// Inclusion and exclusion over all subsets of the rectangles [p, reference].
double inclusion_exclusion(const Front& front, std::array<double, 2> reference) {
  double volume = 0;
  for (std::uint32_t subset = 1; subset < 1u << front.size(); ++subset) {
    std::array<double, 2> corner{-1e300, -1e300};
    int members = 0;
    for (std::size_t i = 0; i < front.size(); ++i) {
      if ((subset >> i & 1u) == 0) continue;
      ++members;
      corner = {std::max(corner[0], front[i][0]), std::max(corner[1], front[i][1])};
    }
    const double area =
        std::max(0.0, reference[0] - corner[0]) * std::max(0.0, reference[1] - corner[1]);
    volume += members % 2 == 1 ? area : -area;
  }
  return volume;
}

TEST(Hypervolume, CountsTheCellsOfAGridExactly) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Points points = random_points(seed, 2, seed, 12);
    for (const auto& [x, y] : {std::pair{12, 12}, {6, 9}, {1, 12}, {0, 5}, {20, 3}}) {
      EXPECT_EQ(hypervolume(Front(points), {static_cast<double>(x), static_cast<double>(y)}),
                grid_volume(points, x, y, 0))
          << "seed " << seed << ", reference " << x << ", " << y;
    }
  }
}

TEST(Hypervolume, AgreesWithInclusionAndExclusionOnRealNumbers) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    base::Stream stream(base::StreamKey(seed, "test", "hypervolume"), 0);
    Points points(2);
    for (std::uint64_t i = 0; i < 30; ++i) {
      points.add(std::array{stream.normal(), stream.normal()}, i);
    }
    const Front front(points);
    ASSERT_LE(front.size(), 16u);
    for (const double reference : {2.0, 0.0, -0.7}) {
      // The alternating sum cancels up to 2^16 areas of size 10.
      EXPECT_NEAR(hypervolume(front, {reference, reference}),
                  inclusion_exclusion(front, {reference, reference}), 1e-10);
    }
  }
}

TEST(Hypervolume, OfNothingIsZero) {
  EXPECT_EQ(hypervolume(Front(2), {1, 1}), 0);
  EXPECT_EQ(hypervolume(random_front(1, 5), {0, -100}), 0);
}

/// Unit cells of [0, reference)^3 that some point dominates.
double grid_volume3(const Points& points, int reference) {
  int cells = 0;
  for (int x = 0; x < reference; ++x) {
    for (int y = 0; y < reference; ++y) {
      for (int z = 0; z < reference; ++z) {
        bool covered = false;
        for (std::size_t i = 0; i < points.size() && !covered; ++i) {
          covered = points[i][0] <= x && points[i][1] <= y && points[i][2] <= z;
        }
        cells += covered ? 1 : 0;
      }
    }
  }
  return cells;
}

TEST(Hypervolume, CountsTheCellsOfACubeExactly) {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    const Points points = random_points(seed, 3, seed % 40 + 1, 10);
    for (const int reference : {1, 5, 10, 13}) {
      const auto corner = static_cast<double>(reference);
      EXPECT_EQ(hypervolume(Front(points), std::vector{corner, corner, corner}),
                grid_volume3(points, reference))
          << "seed " << seed << ", reference " << reference;
    }
  }
}

TEST(Hypervolume, OfThreeObjectivesDoesNotChangeWhenTheyChangePlaces) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Points points = random_points(seed, 3, 60, 1000);
    const std::array<std::size_t, 3> order{2, 0, 1};
    Points turned(3);
    for (std::size_t i = 0; i < points.size(); ++i) {
      turned.add(std::array{points[i][order[0]], points[i][order[1]], points[i][order[2]]}, i);
    }
    const std::array reference{900.0, 1000.0, 800.0};
    const std::array other{reference[order[0]], reference[order[1]], reference[order[2]]};
    EXPECT_EQ(hypervolume(Front(points), std::span<const double>{reference}),
              hypervolume(Front(turned), std::span<const double>{other}));
  }
}

TEST(Hypervolume, OfOnePointIsItsBox) {
  Points points(3);
  points.add(std::array{0.5, 0.25, 0.75}, 0);
  EXPECT_EQ(hypervolume(Front(points), std::vector{1.0, 1.0, 1.0}), 0.5 * 0.75 * 0.25);
  EXPECT_EQ(hypervolume(Front(points), std::vector{1.0, 0.25, 1.0}), 0);
}

/// Unit cells of [0, reference)^m that some point dominates.
double grid_volume_of(const Points& points, int reference) {
  const std::size_t m = points.objectives();
  std::vector<int> cell(m, 0);
  double cells = 0;
  for (std::size_t k = 0; k < m;) {
    bool covered = false;
    for (std::size_t i = 0; i < points.size() && !covered; ++i) {
      covered = std::ranges::equal(points[i], cell, std::less_equal{});
    }
    cells += covered ? 1 : 0;
    for (k = 0; k < m && ++cell[k] == reference; ++k) cell[k] = 0;
  }
  return cells;
}

TEST(Hypervolume, CountsTheCellsOfFourAndFiveObjectivesExactly) {
  for (const std::size_t m : {4u, 5u}) {
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
      const Points points = random_points(seed, m, seed * 2, 5);
      for (const int reference : {1, 3, 6}) {
        const std::vector<double> corner(m, reference);
        EXPECT_EQ(hypervolume(Front(points), corner), grid_volume_of(points, reference))
            << m << " objectives, seed " << seed << ", reference " << reference;
      }
    }
  }
}

TEST(Hypervolume, OfFourAndFiveObjectivesHardlyChangesWhenTheyChangePlaces) {
  for (const std::size_t m : {4u, 5u}) {
    const Front front(points_on_sphere(1, m, 200));
    const std::vector<double> reference(m, 0.1);
    const double volume = hypervolume(front, reference);
    for (std::size_t shift = 1; shift < m; ++shift) {
      Points turned(m);
      for (std::size_t i = 0; i < front.size(); ++i) {
        std::vector<double> point(front[i].begin(), front[i].end());
        std::rotate(point.begin(), point.begin() + static_cast<std::ptrdiff_t>(shift), point.end());
        turned.add(point, i);
      }
      EXPECT_NEAR(hypervolume(Front(turned), reference) / volume, 1, 1e-13);
    }
  }
}

TEST(Hypervolume, OfALayerUnderAnotherObjectiveIsThatOfTheOthersTimesItsHeight) {
  for (const std::size_t m : {3u, 4u}) {
    const Front front(points_on_sphere(2, m, 150));
    Points lifted(m + 1);
    for (std::size_t i = 0; i < front.size(); ++i) {
      std::vector<double> point(front[i].begin(), front[i].end());
      point.push_back(0.25);
      lifted.add(point, i);
    }
    const double expected = 0.5 * hypervolume(front, std::vector<double>(m, 0.1));
    std::vector<double> reference(m, 0.1);
    reference.push_back(0.75);
    EXPECT_NEAR(hypervolume(Front(lifted), reference) / expected, 1, 1e-13);
  }
}

TEST(Hypervolume, NeedsTwoToFiveObjectivesAndAReferenceAsLong) {
  EXPECT_THROW((void)hypervolume(Front(3), {1, 1}), std::invalid_argument);
  EXPECT_THROW((void)hypervolume(Front(2), std::vector{1.0, 1.0, 1.0}), std::invalid_argument);
  EXPECT_THROW((void)hypervolume(Front(1), std::vector{1.0}), std::invalid_argument);
  EXPECT_THROW((void)hypervolume(Front(6), std::vector<double>(6, 1.0)), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::pareto
