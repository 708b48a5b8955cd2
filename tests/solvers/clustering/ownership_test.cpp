#include "solvers/clustering/ownership.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "base/random.hpp"

namespace fairfront::clustering {
namespace {

std::vector<std::size_t> loads(const std::vector<int>& owner, int ranks) {
  std::vector<std::size_t> load(static_cast<std::size_t>(ranks), 0);
  for (const int rank : owner) ++load[static_cast<std::size_t>(rank)];
  return load;
}

TEST(Rebalance, LeavesNobodyWithMoreThanTheFairPart) {
  base::Stream stream(base::StreamKey(1, "test", "ownership"), 0);
  for (int trial = 0; trial < 2000; ++trial) {
    const int ranks = 1 + static_cast<int>(stream.below(9));
    std::vector<int> owner(stream.below(60));
    const auto active = 1 + stream.below(static_cast<std::uint32_t>(ranks));
    for (int& rank : owner) rank = static_cast<int>(stream.below(active));
    const std::size_t fair =
        (owner.size() + static_cast<std::size_t>(ranks) - 1) / static_cast<std::size_t>(ranks);
    const std::vector<std::size_t> before = loads(owner, ranks);
    std::size_t surplus = 0;
    for (const std::size_t load : before) surplus += load > fair ? load - fair : 0;

    const std::vector<Handover> handovers = rebalance(owner, ranks, 0);
    EXPECT_EQ(handovers.size(), surplus);  // no more than needed
    std::set<std::size_t> positions;
    for (const Handover& handover : handovers) {
      EXPECT_EQ(owner[handover.position], handover.from);
      EXPECT_NE(handover.from, handover.to);
      owner[handover.position] = handover.to;
      positions.insert(handover.position);
    }
    EXPECT_EQ(positions.size(), handovers.size());
    const std::vector<std::size_t> after = loads(owner, ranks);
    EXPECT_LE(*std::ranges::max_element(after), fair);
  }
}

TEST(Rebalance, DoesNothingWithinTheTolerance) {
  std::vector<int> owner(100, 0);
  std::fill(owner.begin() + 52, owner.end(), 1);  // 52 and 48, fair is 50
  EXPECT_TRUE(rebalance(owner, 2, 0.04).empty());
  EXPECT_EQ(rebalance(owner, 2, 0.03).size(), 2u);
}

TEST(Rebalance, TheBusiestGiveTheirLastEntriesToTheLeastBusy) {
  const std::vector<int> owner{0, 0, 0, 0, 1};
  const std::vector<Handover> handovers = rebalance(owner, 3, 0);
  ASSERT_EQ(handovers.size(), 2u);
  EXPECT_EQ(handovers[0].position, 3u);
  EXPECT_EQ(handovers[0].to, 2);
  EXPECT_EQ(handovers[1].position, 2u);
  EXPECT_EQ(handovers[1].to, 1);
}

TEST(Rebalance, OfNothingOrOnOneRankIsNothing) {
  EXPECT_TRUE(rebalance({}, 4, 0).empty());
  EXPECT_TRUE(rebalance(std::vector<int>(10, 0), 1, 0).empty());
}

}  // namespace
}  // namespace fairfront::clustering
