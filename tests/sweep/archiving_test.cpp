#include "sweep/archiving.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace fairfront::sweep {
namespace {

TEST(Archiving, CountsTheBytesOfSolutions) {
  results::TaskResult result;
  EXPECT_EQ(bytes_to_archive(result), 0);
  result.solutions["labels"] = {std::vector<std::uint8_t>(10), std::vector<std::uint16_t>(10)};
  result.solutions["weights"] = {std::vector<double>(10)};
  EXPECT_EQ(bytes_to_archive(result), 10 + 20 + 80);
}

TEST(Archiving, ManySmallResultsTakeTimeToo) {
  const results::TaskResult small;
  EXPECT_GT(10'000 * seconds_to_archive(small, 1), 1);
  EXPECT_LT(seconds_to_archive(small, 4), seconds_to_archive(small, 1));
  results::TaskResult large;
  large.solutions["labels"] = {std::vector<std::uint8_t>(100'000'000)};
  EXPECT_NEAR(seconds_to_archive(large, 2), seconds_to_archive(1e8, 2), 1e-3);
}

TEST(Archiving, MoreRanksTakeLessTimeButOneOfThemHasAShareOfItsOwn) {
  const double alone = seconds_to_archive(1e9, 1);
  EXPECT_GT(alone, 10);
  EXPECT_LT(alone, 60);
  EXPECT_LT(seconds_to_archive(1e9, 4), alone / 2);
  EXPECT_GT(seconds_to_archive(1e9, 4), alone / 4);
  EXPECT_GT(seconds_to_archive(1e9, 4096), alone / 50);
  EXPECT_GT(seconds_to_keep_labels(1e9, 4), seconds_to_archive(1e9, 4));
}

}  // namespace
}  // namespace fairfront::sweep
