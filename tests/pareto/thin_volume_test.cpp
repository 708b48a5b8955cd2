// Thinning with three objectives, against its definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "pareto/hypervolume.hpp"
#include "pareto/random_points.hpp"

namespace fairfront::pareto {
namespace {

using Reference = std::array<double, 3>;

/// At most `count` members with coordinates 0 .. values-1: volumes are exact.
Front integer_front(std::uint64_t seed, std::size_t count, std::uint32_t values) {
  return Front(random_points(seed, 3, count, values));
}

bool is_extreme(const Front& front, std::size_t i) {
  for (std::size_t k = 0; k < 3; ++k) {
    bool first_least = true;
    for (std::size_t j = 0; j < front.size(); ++j) {
      if (front[j][k] < front[i][k] || (j < i && front[j][k] == front[i][k])) first_least = false;
    }
    if (first_least) return true;
  }
  return false;
}

/// The definition: drop the member whose loss is least and that is no extreme, the last of equals.
std::vector<std::size_t> brute_force_thin(const Front& front, std::size_t budget,
                                          const Reference& reference) {
  std::vector<std::size_t> kept(front.size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  while (kept.size() > budget) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t victim = kept.size();
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (is_extreme(front, kept[i])) continue;
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

TEST(ThinVolume, EveryRemovalIsTheLeastContribution) {
  std::size_t removals = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Front front = integer_front(seed, 150, 8 + static_cast<std::uint32_t>(seed));
    for (std::size_t budget = 3; budget <= front.size() + 1; ++budget) {
      // All inside, and a reference that leaves many members without a volume.
      for (const Reference& reference : {Reference{99, 99, 99}, Reference{4, 5, 6}}) {
        EXPECT_EQ(thin(front, budget, reference).kept, brute_force_thin(front, budget, reference))
            << "seed " << seed << ", budget " << budget << ", reference " << reference[0];
      }
      removals += front.size() > budget ? front.size() - budget : 0;
    }
  }
  EXPECT_GT(removals, 1000u);
}

TEST(ThinVolume, HypervolumeLostIsTheDifferenceExactlyOnIntegers) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Front front = integer_front(seed, 200, 60);
    const Reference reference{60, 60, 60};
    for (const std::size_t budget : {3u, 4u, 10u, 30u, 500u}) {
      const Thinned thinned = thin(front, budget, reference);
      EXPECT_EQ(thinned.kept.size(), std::min<std::size_t>(budget, front.size()));
      EXPECT_TRUE(std::ranges::is_sorted(thinned.kept));
      EXPECT_EQ(thinned.hypervolume_lost,
                hypervolume(front, reference) - hypervolume(front.subset(thinned.kept), reference));
    }
  }
}

TEST(ThinVolume, HypervolumeLostIsTheDifferenceUpToRoundingOnASphere) {
  base::Stream stream(base::StreamKey(1, "test", "sphere"), 0);
  Points points(3);
  for (std::uint64_t i = 0; i < 300; ++i) {
    std::array<double, 3> point{};
    double length = 0;
    for (double& value : point) {
      value = std::abs(stream.normal());
      length += value * value;
    }
    for (double& value : point) value = -value / std::sqrt(length);
    points.add(point, i);
  }
  const Front front(points);
  ASSERT_EQ(front.size(), 300u);  // no point of a sphere dominates another
  const Reference reference{0, 0, 0};
  const Thinned thinned = thin(front, 100, reference);
  EXPECT_GT(thinned.hypervolume_lost, 1e-3);
  EXPECT_NEAR(thinned.hypervolume_lost,
              hypervolume(front, reference) - hypervolume(front.subset(thinned.kept), reference),
              1e-13);
}

TEST(ThinVolume, TheBestOfEveryObjectiveStays) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Front front = integer_front(seed, 100, 12);
    for (const Reference& reference : {Reference{12, 12, 12}, Reference{1, 1, 1}}) {
      const Front thinned = front.subset(thin(front, 3, reference).kept);
      for (std::size_t k = 0; k < 3; ++k) {
        auto least = [k](const Front& of) {
          double value = of[0][k];
          for (std::size_t i = 1; i < of.size(); ++i) value = std::min(value, of[i][k]);
          return value;
        };
        EXPECT_EQ(least(thinned), least(front));
      }
    }
  }
}

TEST(ThinVolume, MembersBeyondTheReferenceGoFirstAndCostNothing) {
  Points points(3);
  points.add(std::array{1.0, 8.0, 8.0}, 0);
  points.add(std::array{5.0, 5.0, 5.0}, 1);
  points.add(std::array{8.0, 1.0, 8.0}, 2);
  points.add(std::array{8.0, 8.0, 1.0}, 3);
  points.add(std::array{9.0, 7.0, 7.0}, 4);  // the first value is beyond
  points.add(std::array{7.0, 7.0, 4.0}, 5);
  const Thinned thinned = thin(Front(points), 5, Reference{9, 9, 9});
  EXPECT_EQ(thinned.kept, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(thinned.hypervolume_lost, 0);
}

TEST(ThinVolume, TwoObjectivesAreThinnedAsWithoutAReference) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Front front = random_front(seed, 40);
    const Thinned with = thin(front, 7, std::array{1.0, 2.0});
    EXPECT_EQ(with.kept, thin(front, 7).kept);
    EXPECT_EQ(with.hypervolume_lost, thin(front, 7).hypervolume_lost);
  }
}

TEST(ThinVolume, AFrontWithinTheBudgetStaysAsItIs) {
  EXPECT_TRUE(thin(Front(3), 3, Reference{1, 1, 1}).kept.empty());
  const Front front = integer_front(3, 50, 20);
  EXPECT_EQ(thin(front, front.size(), Reference{1, 1, 1}).kept.size(), front.size());
  EXPECT_EQ(thin(front, front.size(), Reference{1, 1, 1}).hypervolume_lost, 0);
}

TEST(ThinVolume, RefusesABudgetBelowTheExtremesAndOtherNumbersOfObjectives) {
  const Front front = integer_front(1, 20, 9);
  EXPECT_THROW((void)thin(front, 2, Reference{9, 9, 9}), std::invalid_argument);
  EXPECT_THROW((void)thin(front, 3, std::array{9.0, 9.0}), std::invalid_argument);
  EXPECT_THROW((void)thin(Front(4), 5, std::array{1.0, 1.0, 1.0, 1.0}), std::invalid_argument);
  EXPECT_THROW((void)thin(Front(2), 1, std::array{1.0, 1.0}), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::pareto
