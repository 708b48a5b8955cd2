#include "parallel/reduce_front.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/sha256.hpp"
#include "failing_memory.hpp"
#include "parallel/agree.hpp"
#include "pareto/random_points.hpp"

namespace fairfront::parallel {
namespace {

/// Digest of the bits of points and origins.
std::string digest(const pareto::Points& points) {
  base::Sha256 hash;
  hash.add_values(points.values());
  hash.add_values(points.origins());
  return hash.finish();
}

/// Which rank holds point i: from evenly spread to all on one rank, with ranks left empty.
using Share = std::function<int(std::size_t i, int ranks)>;
const std::vector<Share>& shares() {
  static const std::vector<Share> all{
      [](std::size_t i, int ranks) {
        return static_cast<int>(i % static_cast<std::size_t>(ranks));
      },
      [](std::size_t, int ranks) { return ranks - 1; }, [](std::size_t, int) { return 0; },
      [](std::size_t i, int ranks) { return i < 3 ? 0 : ranks / 2; },
      [](std::size_t i, int ranks) { return i * i % 7 == 0 ? ranks - 1 : ranks / 3; }};
  return all;
}

pareto::Points share_of(const Comm& comm, const pareto::Points& all, const Share& share) {
  pareto::Points mine(all.objectives());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (share(i, comm.size()) == comm.rank()) mine.add(all[i], all.origin(i));
  }
  return mine;
}

/// Calls check(points, share) for many points and ways to spread them. Collective.
template <class Check>
void for_many_shares(Check check) {
  for (const std::size_t objectives : {1u, 2u, 3u, 4u}) {
    for (const std::size_t count : {0u, 1u, 2u, 5u, 40u, 300u}) {
      for (const Share& share : shares()) {
        check(pareto::random_points(count + 1, objectives, count, 20), share);
      }
    }
  }
}

void expect_merged_like_serial(const Comm& comm) {
  for_many_shares([&](const pareto::Points& all, const Share& share) {
    const pareto::Front local(share_of(comm, all, share));
    EXPECT_EQ(digest(merge_nondominated(comm, local).points()), digest(pareto::Front(all).points()))
        << all.size() << " points, " << all.objectives() << " objectives";
  });
}

/// By hand: all points in the order of objectives, then origin.
pareto::Points sorted(const pareto::Points& all) {
  std::vector<std::pair<std::vector<double>, std::uint64_t>> rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    rows.emplace_back(std::vector<double>(all[i].begin(), all[i].end()), all.origin(i));
  }
  std::sort(rows.begin(), rows.end());
  pareto::Points result(all.objectives());
  for (const auto& [point, origin] : rows) result.add(point, origin);
  return result;
}

void expect_gathered_in_order(const Comm& comm) {
  for_many_shares([&](const pareto::Points& all, const Share& share) {
    EXPECT_EQ(digest(all_gather(comm, share_of(comm, all, share))), digest(sorted(all)))
        << all.size() << " points, " << all.objectives() << " objectives";
  });
}

TEST(MergeNondominated, IsTheSerialFilterOfAllPointsHoweverTheyAreSpread) {
  expect_merged_like_serial(Comm(MPI_COMM_WORLD));
}

TEST(MergeNondominated, OfAProcessAloneNeedsNoMpi) { expect_merged_like_serial(Comm::alone()); }

/// Front i of a rank holds its share of `shared[i]`, dealt out in another way for every i.
std::vector<pareto::Front> shares_of(const Comm& comm, const std::vector<pareto::Points>& shared) {
  std::vector<pareto::Front> local;
  for (std::size_t i = 0; i < shared.size(); ++i) {
    local.emplace_back(share_of(comm, shared[i], shares()[i % shares().size()]));
  }
  return local;
}

TEST(MergeNondominated, OfManyFrontsAtOnceIsThatOfEach) {
  const Comm world(MPI_COMM_WORLD);
  for (const std::size_t objectives : {1u, 2u, 3u, 4u}) {
    std::vector<pareto::Points> all;
    for (const std::size_t count : {0u, 40u, 0u, 1u, 300u, 7u, 0u}) {
      all.push_back(pareto::random_points(count + 3, objectives, count, 20));
    }
    const std::vector<pareto::Front> merged =
        merge_nondominated_on_root(world, shares_of(world, all));
    ASSERT_EQ(merged.size(), world.is_root() ? all.size() : 0);
    for (std::size_t i = 0; i < merged.size(); ++i) {
      EXPECT_EQ(digest(merged[i].points()), digest(pareto::Front(all[i]).points())) << i;
    }
  }
}

/// More than a message's first block holds, from every rank, from one alone and after the merge.
TEST(MergeNondominated, OfLongFrontsIsTheSerialFilter) {
  const Comm world(MPI_COMM_WORLD);
  for (const Share& share : shares()) {
    for (const std::size_t count : {340u, 341u, 342u, 1000u, 4000u}) {
      pareto::Points all(2);
      for (std::size_t i = 0; i < count; ++i) {
        const auto x = static_cast<double>(i);
        all.add(std::vector{x, -x}, i);
      }
      const pareto::Front local(share_of(world, all, share));
      EXPECT_EQ(digest(merge_nondominated(world, local).points()),
                digest(pareto::Front(all).points()));
    }
  }
}

TEST(MergeNondominated, OfNoFrontsIsNone) {
  EXPECT_TRUE(merge_nondominated_on_root(Comm(MPI_COMM_WORLD), {}).empty());
}

TEST(MergeNondominated, StaysInsideASplitCommunicator) {
  const Comm world(MPI_COMM_WORLD);
  expect_merged_like_serial(world.split(world.rank() % 2));
  const Comm alone(MPI_COMM_SELF);
  if (world.is_root()) expect_merged_like_serial(alone);
}

TEST(MergeNondominated, OfEqualPointsOnSeveralRanksTheSmallestOriginStays) {
  const Comm world(MPI_COMM_WORLD);
  pareto::Points local(2);
  const double point[] = {1, 2};
  local.add(point, static_cast<std::uint64_t>(100 - world.rank()));
  const pareto::Front front = merge_nondominated(world, pareto::Front(local));
  EXPECT_EQ(front.size(), 1u);
  EXPECT_EQ(front.points().origins().back(), static_cast<std::uint64_t>(101 - world.size()));
}

TEST(MergeNondominated, KeepsLargeOriginsAndExtremeValuesBitForBit) {
  const Comm world(MPI_COMM_WORLD);
  pareto::Points local(2);
  const auto rank = static_cast<double>(world.rank());
  const double point[] = {5e-324 * (rank + 1), -1.7e308 + rank * -1e306};
  local.add(point, ~std::uint64_t{0} - static_cast<std::uint64_t>(world.rank()));
  const pareto::Front front = merge_nondominated(world, pareto::Front(local));
  EXPECT_EQ(static_cast<int>(front.size()), world.size());
  const auto mine = static_cast<std::size_t>(world.rank());
  if (mine < front.size()) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(front[mine][0]), std::bit_cast<std::uint64_t>(point[0]));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(front[mine][1]), std::bit_cast<std::uint64_t>(point[1]));
    EXPECT_EQ(front.origin(mine), local.origin(0));
  }
}

TEST(AllGather, BringsEveryPointToEveryRankInTheTotalOrder) {
  expect_gathered_in_order(Comm(MPI_COMM_WORLD));
}

TEST(AllGather, OfAProcessAloneNeedsNoMpi) { expect_gathered_in_order(Comm::alone()); }

TEST(AllGather, StaysInsideASplitCommunicator) {
  const Comm world(MPI_COMM_WORLD);
  expect_gathered_in_order(world.split(world.rank() % 2));
}

/// What merging the fronts of the points (i, -i) ends with. Collective.
/// @param count        points of each rank.
/// @param allocations  that succeed on rank `culprit`.
/// @param merge        of the rank's front, to the number of points of the merged one.
template <class Merge>
std::string outcome_with_little_memory(const Comm& comm, std::size_t count, int culprit,
                                       int allocations, Merge merge) {
  pareto::Points mine(2);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place =
        i * static_cast<std::size_t>(comm.size()) + static_cast<std::size_t>(comm.rank());
    const auto x = static_cast<double>(place);
    mine.add(std::vector{x, -x}, place);
  }
  const pareto::Front local(mine);
  try {
    test::let_allocations_succeed(comm.rank() == culprit ? allocations : -1);
    const std::size_t size = merge(local);
    test::let_allocations_succeed(-1);
    return size == count * static_cast<std::size_t>(comm.size()) ? "merged" : "wrong";
  } catch (const CollectiveError& error) {
    test::let_allocations_succeed(-1);
    return error.exit_code() == base::ExitCode::internal ? error.what() : "wrong code";
  }
}

/// Fails the first, the second and every later allocation of each rank in turn, until none is left.
template <class Merge>
void expect_an_error_on_every_rank(const Comm& world, Merge merge) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{400}}) {  // in a block, and not
    for (int culprit = 0; culprit < world.size(); ++culprit) {
      int failed = 0;
      for (bool here = true; here; ++failed) {
        const std::string outcome =
            outcome_with_little_memory(world, count, culprit, failed, merge);
        here = outcome.starts_with("merging fronts: out of memory");
        EXPECT_TRUE(here || outcome == "merged") << outcome;
        EXPECT_EQ(all_reduce_sum(world, here ? 1 : 0), here ? world.size() : 0);
      }
      EXPECT_GT(failed, 3) << "of rank " << culprit;
    }
  }
}

/// One that left the exchange half done left the others waiting.
TEST(MergeNondominated, WithoutMemoryIsAnErrorOnEveryRank) {
  const Comm world(MPI_COMM_WORLD);
  if (world.size() == 1) GTEST_SKIP() << "nothing is merged";
  expect_an_error_on_every_rank(
      world, [&](const pareto::Front& local) { return merge_nondominated(world, local).size(); });
}

TEST(MergeNondominated, OfManyFrontsWithoutMemoryIsAnErrorOnEveryRank) {
  const Comm world(MPI_COMM_WORLD);
  if (world.size() == 1) GTEST_SKIP() << "nothing is merged";
  expect_an_error_on_every_rank(world, [&](const pareto::Front& local) {
    std::vector<pareto::Front> fronts;
    agree(world, "merging fronts", [&] { fronts.assign(3, local); });
    fronts = merge_nondominated_on_root(world, std::move(fronts));
    return world.is_root() ? fronts[1].size()
                           : local.size() * static_cast<std::size_t>(world.size());
  });
}

}  // namespace
}  // namespace fairfront::parallel
