/// The bound of convex sums of losses against what Newton's method finds of them.
#include "solvers/training/convex_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "solvers/training/exact.hpp"
#include "solvers/training/exact_starts.hpp"
#include "solvers/training/support.hpp"

namespace fairfront::training {
namespace {

using test::Data;

void expect_bounded_from_everywhere(const Problem& problem) {
  CellLosses losses(problem);
  base::Stream stream(base::StreamKey(1, "test", "convex bound"), 0);
  for (int k = 0; k < 20; ++k) {
    std::vector<double> weights(losses.num_slots()), from(losses.parameters(), 0.0);
    for (double& weight : weights) weight = k == 0 ? 1 : stream.uniform();
    const ConvexMinimum least = minimise_weighted(losses, weights, from, 1e-11, 200, {});
    ASSERT_TRUE(least.converged);
    const double tight = convex_lower_bound(losses, weights, least.w);
    EXPECT_LE(tight, least.value + 1e-13);
    EXPECT_NEAR(tight, least.value, 1e-9);
    for (const double distance : {1e-4, 0.1, 3.0}) {
      std::vector<double> w = least.w;
      for (double& value : w) value += distance * stream.normal();
      const double bound = convex_lower_bound(losses, weights, w);
      EXPECT_LE(bound, least.value + 1e-13);
      if (distance < 0.01) {
        EXPECT_NEAR(bound, least.value, 1e-6);
      }
    }
  }
}

TEST(ConvexBound, IsNeverAboveTheMinimumAndTightNearIt) {
  const Data data(3, 300, 4, 3);
  Problem problem = data.problem({});
  expect_bounded_from_everywhere(problem);
  problem.loss = models::LossKind::square;
  expect_bounded_from_everywhere(problem);
}

/// Fewer rows than weights: the loss has no minimum, its infimum is 0.
TEST(ConvexBound, OfSeparableDataIsNotAboveTheInfimum) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Data data(seed, 8, 10, 2);
    const Problem problem = data.problem({});
    for (const double tolerance : {0.1, 1e-3, 1e-8, 1e-12}) {
      const ExactOptimum found = exact_training(problem, {.delta = 0.01, .tolerance = tolerance});
      EXPECT_LE(found.lower, 1e-12) << seed << ' ' << tolerance;
      EXPECT_GE(found.lower, 0);
    }
  }
}

/// Two columns that differ by little: the minimum may need weights of millions that cancel each
/// other. It is that of one column beside the difference.
TEST(ConvexBound, OfColumnsThatAreNearlyTheSameIsNotAboveTheMinimum) {
  for (const double difference : {1e-3, 1e-5, 1e-6, 1e-7, 1e-9}) {
    Data apart(5, 200, 2, 2);
    Data near = apart;
    for (std::size_t i = 0; i < near.features.size(); i += 2) {
      near.features[i + 1] = near.features[i] + difference * near.features[i + 1];
      apart.features[i + 1] = (near.features[i + 1] - near.features[i]) / difference;  // as rounded
    }
    const Problem well = apart.problem({});
    const Problem ill = near.problem({});
    CellLosses losses(well), same_losses(ill);
    const std::vector<double> weights(losses.num_slots(), 0.5), from(losses.parameters(), 0.0);
    const ConvexMinimum least = minimise_weighted(losses, weights, from, 1e-11, 200, {});
    ASSERT_TRUE(least.converged);
    // Where only the common column is used, where a search ends, and next to the minimum.
    std::vector<std::vector<double>> places{{least.w[0], 0, least.w[2]}};
    places.push_back(minimise_weighted(same_losses, weights, from, 1e-9, 200, {}).w);
    places.push_back({least.w[0] - least.w[1] / difference, least.w[1] / difference, least.w[2]});
    for (const std::vector<double>& w : places) {
      EXPECT_LE(convex_lower_bound(same_losses, weights, w), least.value + 1e-12) << difference;
    }
    if (difference < 1e-6) continue;  // below, rounding of the slopes counts for more
    EXPECT_NEAR(convex_lower_bound(same_losses, weights, places.back()), least.value, 1e-6);
  }
}

}  // namespace
}  // namespace fairfront::training
