#include "pareto/front.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pareto/random_points.hpp"

namespace fairfront::pareto {
namespace {

using Row = std::pair<std::vector<std::uint64_t>, std::uint64_t>;  ///< bits of the point, origin

std::vector<Row> rows_of(const Points& points) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<std::uint64_t> bits;
    for (const double value : points[i]) bits.push_back(std::bit_cast<std::uint64_t>(value));
    rows.emplace_back(std::move(bits), points.origin(i));
  }
  return rows;
}
std::vector<Row> rows_of(const Front& front) { return rows_of(front.points()); }

bool no_worse(std::span<const double> a, std::span<const double> b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] > b[k]) return false;
  }
  return true;
}

/// By the definition: nobody dominates it, and nobody equal has a smaller origin. O(n^2).
std::vector<Row> brute_force_front(const Points& points) {
  Points kept(points.objectives());
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool stays = true;
    for (std::size_t j = 0; j < points.size(); ++j) {
      if (!no_worse(points[j], points[i])) continue;
      const bool equal = no_worse(points[i], points[j]);
      if (!equal || points.origin(j) < points.origin(i)) stays = false;
    }
    if (stays) kept.add(points[i], points.origin(i));
  }
  std::vector<std::size_t> order(kept.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(kept[a], kept[b]);
  });
  Points sorted(points.objectives());
  for (const std::size_t i : order) sorted.add(kept[i], kept.origin(i));
  return rows_of(sorted);
}

Points concatenate(const Points& a, const Points& b) {
  Points both = a;
  for (std::size_t i = 0; i < b.size(); ++i) both.add(b[i], b.origin(i));
  return both;
}

/// Calls `check(points a, b, c)` for many sizes, numbers of objectives and densities of ties.
template <class Check>
void for_many_points(Check check) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    for (const std::size_t objectives : {1u, 2u, 3u, 4u}) {
      for (const std::uint32_t values : {2u, 5u, 40u}) {
        const std::size_t count = seed * 3;
        check(random_points(3 * seed, objectives, count, values),
              random_points(3 * seed + 1, objectives, count / 2, values),
              random_points(3 * seed + 2, objectives, seed % 4, values));
      }
    }
  }
}

TEST(Points, NeedAnObjective) { EXPECT_THROW(Points(0), std::invalid_argument); }

TEST(Dominance, IsNoWorseInAllAndBetterInOne) {
  using Point = std::array<double, 2>;
  EXPECT_TRUE(dominates(Point{1, 2}, Point{1, 3}));
  EXPECT_TRUE(dominates(Point{0, 0}, Point{1, 1}));
  EXPECT_FALSE(dominates(Point{1, 2}, Point{1, 2}));
  EXPECT_FALSE(dominates(Point{1, 3}, Point{1, 2}));
  EXPECT_FALSE(dominates(Point{0, 3}, Point{1, 2}));
  EXPECT_FALSE(dominates(Point{0.0, 1}, Point{-0.0, 1}));
}

TEST(Dominance, TheTotalOrderPutsEveryDominatingPointFirst) {
  for_many_points([](const Points& a, const Points& b, const Points&) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) {
        const bool first = precedes(a[i], a.origin(i), b[j], b.origin(j));
        EXPECT_NE(first, precedes(b[j], b.origin(j), a[i], a.origin(i)));
        EXPECT_TRUE(first || !dominates(a[i], b[j]));
      }
    }
  });
}

TEST(Front, IsWhatTheDefinitionSays) {
  for_many_points([](const Points& points, const Points&, const Points&) {
    EXPECT_EQ(rows_of(Front(points)), brute_force_front(points));
  });
}

/// Points near and on a curved front of three objectives, of which most stay; every seventh twice,
/// and some coordinates are zeros of both signs.
Points curved_points(std::uint64_t seed, std::size_t count) {
  base::Stream stream(base::StreamKey(seed, "test", "curved"), 0);
  Points points(3);
  for (std::size_t i = 0; i < count; ++i) {
    const double zero = stream.below(2) == 0 ? 0.0 : -0.0;
    const double x = stream.below(9) == 0 ? zero : stream.uniform();
    const double y = stream.uniform();
    const double above = stream.below(3) == 0 ? 0.1 * stream.uniform() : 0;
    const std::array point{x, y, 4 - x * x - y + above};
    points.add(point, 2 * i + 1);
    if (i % 7 == 0) points.add(point, 2 * i);
  }
  return points;
}

TEST(Front, OfManyNondominatedPointsIsWhatTheDefinitionSays) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Points points = curved_points(seed, 600);
    const Front front(points);
    EXPECT_GT(front.size(), 250u);
    EXPECT_EQ(rows_of(front), brute_force_front(points)) << "seed " << seed;
  }
}

TEST(Front, OfOrderedPointsNeedsNoSort) {
  for_many_points([](const Points& points, const Points& others, const Points&) {
    const Front front(points);
    EXPECT_EQ(rows_of(Front::of_ordered(front.points())), rows_of(front));
    const Points both = concatenate(points, others);
    std::vector<std::size_t> order(both.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return precedes(both[a], both.origin(a), both[b], both.origin(b));
    });
    Points ordered(both.objectives());
    for (const std::size_t i : order) ordered.add(both[i], both.origin(i));
    EXPECT_EQ(rows_of(Front::of_ordered(ordered)), brute_force_front(both));
  });
}

TEST(Front, OfPointsInAnotherOrderThanPromisedIsRefused) {
  Points points(3);
  points.add(std::array{1.0, 2.0, 3.0}, 0);
  points.add(std::array{1.0, 1.0, 3.0}, 1);
  EXPECT_THROW((void)Front::of_ordered(points), std::invalid_argument);
}

TEST(Points, TakeTheirNumbersWhole) {
  const Points points(2, {1, 2, 3, 4}, {7, 8});
  EXPECT_EQ(points.size(), 2u);
  EXPECT_EQ(points[1][0], 3);
  EXPECT_EQ(points.origin(1), 8u);
  EXPECT_THROW(Points(2, {1, 2, 3}, {7, 8}), std::invalid_argument);
  EXPECT_THROW(Points(0, {}, {}), std::invalid_argument);
}

TEST(Front, OfNoPointsIsEmpty) {
  EXPECT_TRUE(Front(Points(2)).empty());
  EXPECT_EQ(Front(Points(3)).objectives(), 3u);
}

TEST(Front, DoesNotDependOnTheOrderOfThePoints) {
  for_many_points([](const Points& points, const Points&, const Points&) {
    Points reversed(points.objectives());
    for (std::size_t i = points.size(); i-- > 0;) reversed.add(points[i], points.origin(i));
    EXPECT_EQ(rows_of(Front(reversed)), rows_of(Front(points)));
  });
}

TEST(Front, OfEqualVectorsTheSmallestOriginStays) {
  Points points(2);
  for (const std::uint64_t origin : {7u, 3u, 5u}) points.add(std::array{1.0, 2.0}, origin);
  const Front front(points);
  ASSERT_EQ(front.size(), 1u);
  EXPECT_EQ(front.origin(0), 3u);
}

TEST(FrontMerge, EqualsTheFilterOfAllPointsTogether) {
  for_many_points([](const Points& a, const Points& b, const Points&) {
    EXPECT_EQ(rows_of(merge(Front(a), Front(b))), brute_force_front(concatenate(a, b)));
  });
}

TEST(FrontMerge, OfManyPointsEqualsTheirFilter) {
  const Points a = curved_points(11, 500);
  const Points b = curved_points(12, 500);
  EXPECT_EQ(rows_of(merge(Front(a), Front(b))), brute_force_front(concatenate(a, b)));
}

TEST(FrontMerge, IsAssociativeCommutativeAndIdempotentBitForBit) {
  for_many_points([](const Points& a, const Points& b, const Points& c) {
    const Front fa(a);
    const Front fb(b);
    const Front fc(c);
    EXPECT_EQ(rows_of(merge(merge(fa, fb), fc)), rows_of(merge(fa, merge(fb, fc))));
    EXPECT_EQ(rows_of(merge(fa, fb)), rows_of(merge(fb, fa)));
    EXPECT_EQ(rows_of(merge(fa, fa)), rows_of(fa));
    EXPECT_EQ(rows_of(merge(fa, Front(fa.objectives()))), rows_of(fa));
  });
}

TEST(FrontCovers, AgreesWithAPassOverAllMembers) {
  std::int64_t covered = 0;
  std::int64_t open = 0;
  for_many_points([&](const Points& points, const Points& queries, const Points&) {
    const Front front(points);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      bool expected = false;
      for (std::size_t i = 0; i < front.size(); ++i) {
        expected = expected || no_worse(front[i], queries[q]);
      }
      EXPECT_EQ(front.covers(queries[q]), expected);
      ++(expected ? covered : open);
    }
    for (std::size_t i = 0; i < front.size(); ++i) EXPECT_TRUE(front.covers(front[i]));
  });
  EXPECT_GT(covered, 1000);
  EXPECT_GT(open, 100);
}

TEST(FrontSubset, IsAFrontOfTheChosenMembers) {
  const Front front = random_front(1, 10);
  const Front part = front.subset(std::vector<std::size_t>{0, 3, 9});
  EXPECT_EQ(rows_of(part), rows_of(Front(part.points())));
  ASSERT_EQ(part.size(), 3u);
  EXPECT_EQ(part.origin(1), front.origin(3));
}

}  // namespace
}  // namespace fairfront::pareto
