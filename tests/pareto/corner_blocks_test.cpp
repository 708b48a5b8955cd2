#include "pareto/corner_blocks.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/random.hpp"
#include "pareto/staircase.hpp"

namespace fairfront::pareto {
namespace {

/// As CornerBlocks::offer, by the map.
bool offer(Staircase& stairs, double x, double y) {
  if (stairs.covers(x, y)) return false;
  stairs.add(x, y);
  return true;
}

/// Corners along a descending line with noise: narrow noise leaves thousands of them, which stand
/// in many blocks, and wide noise sweeps whole blocks away. Few distinct values bring ties.
void agrees(std::uint64_t seed, double noise, std::uint32_t values) {
  base::Stream stream(base::StreamKey(seed, "test", "corners"), 0);
  CornerBlocks blocks;
  Staircase stairs;
  std::int64_t taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double x = stream.below(values);
    const double y = values - x + noise * stream.below(values);
    const bool expected = offer(stairs, x, y);
    taken += expected;
    ASSERT_EQ(blocks.offer(x, y), expected) << "corner " << i << " of seed " << seed;
  }
  EXPECT_GT(taken, 10);
}

TEST(CornerBlocks, TakeWhatAPlainStaircaseTakes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    for (const double noise : {0.0, 1e-6, 1e-3, 0.1, 1.0}) {
      for (const std::uint32_t values : {50u, 3'000u, 1u << 25}) agrees(seed, noise, values);
    }
  }
}

TEST(CornerBlocks, ACornerBelowAllTakesTheirPlace) {
  CornerBlocks blocks;
  for (int i = 0; i < 1'000; ++i) ASSERT_TRUE(blocks.offer(i, -i));
  EXPECT_TRUE(blocks.offer(-1, -2'000));
  for (int i = 0; i < 1'000; ++i) ASSERT_FALSE(blocks.offer(i, -i));
  EXPECT_TRUE(blocks.offer(-2, 0));
  EXPECT_FALSE(blocks.offer(-2, 0));
}

}  // namespace
}  // namespace fairfront::pareto
