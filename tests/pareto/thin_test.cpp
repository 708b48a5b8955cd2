#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "pareto/hypervolume.hpp"
#include "pareto/random_points.hpp"

namespace fairfront::pareto {
namespace {

std::vector<std::size_t> all_positions(std::size_t count) {
  std::vector<std::size_t> positions(count);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return positions;
}

/// A reference that every member of a random_front dominates; all values are small integers, so
/// areas are exact.
std::array<double, 2> reference_of(const Front& front) {
  return {front[front.size() - 1][0] + 1, front[0][1] + 1};
}

/// The definition: drop the interior member whose loss is least, the last of equal ones.
std::vector<std::size_t> brute_force_thin(const Front& front, std::size_t budget) {
  std::vector<std::size_t> kept = all_positions(front.size());
  const std::array reference = reference_of(front);
  while (kept.size() > budget) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t victim = 0;
    for (std::size_t i = 1; i + 1 < kept.size(); ++i) {
      std::vector<std::size_t> rest = kept;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      const double loss =
          hypervolume(front.subset(kept), reference) - hypervolume(front.subset(rest), reference);
      if (loss > least) continue;
      least = loss;
      victim = i;
    }
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(victim));
  }
  return kept;
}

/// (i, -i): every interior member contributes the same.
Front staircase(std::size_t count) {
  Points points(2);
  for (std::size_t i = 0; i < count; ++i) {
    points.add(std::array{static_cast<double>(i), -static_cast<double>(i)}, i);
  }
  return Front(points);
}

TEST(Thin, EveryRemovalIsTheLeastContribution) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Front front = random_front(seed, 3 + seed % 18);
    for (std::size_t budget = 2; budget <= front.size() + 1; ++budget) {
      EXPECT_EQ(thin(front, budget).kept, brute_force_thin(front, budget))
          << "seed " << seed << ", budget " << budget;
    }
  }
}

TEST(Thin, EqualContributionsGoFromTheBack) {
  EXPECT_EQ(thin(staircase(5), 4).kept, (std::vector<std::size_t>{0, 1, 2, 4}));
  for (std::size_t count = 3; count <= 16; ++count) {
    const Front front = staircase(count);
    for (std::size_t budget = 2; budget < count; ++budget) {
      EXPECT_EQ(thin(front, budget).kept, brute_force_thin(front, budget));
    }
  }
}

TEST(Thin, HypervolumeLostIsTheDifferenceExactlyOnIntegers) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Front front = random_front(seed, 50 + seed);
    const std::array reference = reference_of(front);
    for (const std::size_t budget : {2u, 3u, 10u, 49u, 200u}) {
      const Thinned thinned = thin(front, budget);
      EXPECT_EQ(thinned.kept.size(), std::min<std::size_t>(budget, front.size()));
      EXPECT_EQ(thinned.hypervolume_lost,
                hypervolume(front, reference) - hypervolume(front.subset(thinned.kept), reference));
    }
  }
}

TEST(Thin, BothExtremesStay) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Front front = random_front(seed, 30);
    EXPECT_EQ(thin(front, 2).kept, (std::vector<std::size_t>{0, 29}));
  }
}

TEST(Thin, AFrontWithinTheBudgetStaysAsItIs) {
  for (const std::size_t size : {0u, 1u, 2u, 7u}) {
    const Thinned thinned = thin(staircase(size), 7);
    EXPECT_EQ(thinned.kept, all_positions(size));
    EXPECT_EQ(thinned.hypervolume_lost, 0);
  }
}

TEST(Thin, ALargeFrontOfEqualContributionsEndsAtTheBudget) {
  const Front front = staircase(20'000);
  const Thinned thinned = thin(front, 100);
  EXPECT_EQ(thinned.kept.size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(thinned.kept));
  EXPECT_EQ(thinned.hypervolume_lost,
            hypervolume(front, {20'000, 1}) - hypervolume(front.subset(thinned.kept), {20'000, 1}));
}

TEST(Thin, RefusesABudgetBelowTheExtremes) {
  EXPECT_THROW((void)thin(staircase(3), 1), std::invalid_argument);
  EXPECT_THROW((void)thin(Front(3), 2), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::pareto
