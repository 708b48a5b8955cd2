// A ladder of many points gives the same bits for every team, also where one team goes on from the
// state of another.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "parallel/agree.hpp"
#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/clustering_support.hpp"

namespace fairfront::clustering {
namespace {

using solvers::Request;

struct SharedCase {
  std::string name;
  std::int64_t clusters;
  BalanceLadderOptions options;
};

std::vector<SharedCase> shared_cases() {
  const BalanceLadderOptions carried{
      .starts = 2, .relocations = 5, .refinements = 40, .sample = 250, .carried = 15};
  BalanceLadderOptions refined = carried;
  refined.refinements = 200;
  BalanceLadderOptions rounds = carried;  // more starts than ranks
  rounds.starts = 5;
  rounds.relocations = 0;
  rounds.carried = 6;
  BalanceLadderOptions relabelled = carried;  // rounds of relocations and of relabellings
  relabelled.starts = 1;
  relabelled.relocations = 20;
  relabelled.refinements = 1500;
  relabelled.carried = 6;
  BalanceLadderOptions few = carried;  // fewer clusterings than ranks
  few.carried = 1;
  BalanceLadderOptions wide = few;
  wide.carried = 4;
  BalanceLadderOptions many = few;  // clusters that look at those around them
  many.starts = many.relocations = 1;
  many.levels = many.bisections = 2;
  many.carried = 4;
  return {{"carried", 4, carried}, {"refined", 4, refined},
          {"rounds", 4, rounds},   {"relabelled", 4, relabelled},
          {"few", 4, few},         {"wide", 12, wide},
          {"many", 130, many}};
}

Problem shared_problem(std::int64_t clusters) {
  return {random_dataset(17, clusters < 100 ? 4400 : 5400, 3, 2), clusters};
}

void expect_same_ladder(const BalanceLadderResult& found, const BalanceLadderResult& alone) {
  EXPECT_EQ(found.front.points, alone.front.points);
  EXPECT_EQ(found.front.labels, alone.front.labels);
  EXPECT_EQ(found.floors_tried, alone.floors_tried);
  EXPECT_EQ(found.gains, alone.gains);
  EXPECT_EQ(found.comparisons, alone.comparisons);
  ASSERT_EQ(found.trace.size(), alone.trace.size());
  for (std::size_t i = 0; i < found.trace.size(); ++i) {
    EXPECT_EQ(found.trace[i].hypervolume, alone.trace[i].hypervolume);
    EXPECT_EQ(found.trace[i].floors, alone.trace[i].floors);
  }
}

/// Collective over `team`; the run alone is local.
void expect_the_ladder_of_one_rank(const parallel::Comm& team) {
  for (const SharedCase& c : shared_cases()) {
    SCOPED_TRACE(c.name);
    const Problem problem = shared_problem(c.clusters);
    ASSERT_TRUE(is_shared(problem, c.options));
    const BalanceLadderResult alone = balance_ladder(problem, c.options, 5, "ranks");
    ASSERT_GE(alone.front.labels.size(), 2u);
    const BalanceLadderResult found = balance_ladder(team, problem, c.options, 5, "ranks");
    if (team.is_root()) {
      expect_same_ladder(found, alone);
    } else {
      EXPECT_TRUE(found.front.points.empty());
    }
  }
}

TEST(SharedLadder, GivesTheSameBitsForEveryNumberOfRanks) {
  expect_the_ladder_of_one_rank(parallel::Comm(MPI_COMM_WORLD));
}

/// A rank is asked for its wish at every floor that it tries.
std::int64_t asked_of_this_rank(const BalanceLadderOptions& options) {
  const parallel::Comm world(MPI_COMM_WORLD);
  std::int64_t asked = 0;
  const solvers::Control control{.request = [&] {
    ++asked;
    return Request::go_on;
  }};
  (void)balance_ladder(world, shared_problem(4), options, 5, "share", control);
  return asked;
}

TEST(SharedLadder, EveryRankTriesItsShareOfRelocationsAndRelabellings) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const BalanceLadderOptions none{
      .starts = 1, .relocations = 0, .refinements = 0, .sample = 250, .carried = 2};
  BalanceLadderOptions relocated = none;
  relocated.relocations = 80;
  BalanceLadderOptions relabelled = none;
  relabelled.refinements = 2000;
  const std::int64_t before = asked_of_this_rank(none);
  EXPECT_GE(asked_of_this_rank(relocated) - before, 60 / world.size());
  EXPECT_GE(asked_of_this_rank(relabelled) - before, 60 / world.size());
}

TEST(SharedLadder, StaysInsideASplitCommunicator) {
  const parallel::Comm world(MPI_COMM_WORLD);
  expect_the_ladder_of_one_rank(world.split(world.rank() % 2));
}

TEST(SharedLadder, OfFewPointsIsRankZerosAlone) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Problem problem = shared_problem(4);
  const BalanceLadderOptions options{.starts = 2, .relocations = 3, .refinements = 10};
  ASSERT_FALSE(is_shared(problem, options));
  const BalanceLadderResult found = balance_ladder(world, problem, options, 5, "few");
  if (world.is_root()) {
    expect_same_ladder(found, balance_ladder(problem, options, 5, "few"));
  } else {
    EXPECT_TRUE(found.front.points.empty());
  }
}

/// A team that one of its ranks stops when it is asked for the `stop_at`-th time.
/// @return what it has saved, on rank 0; nothing where it came to its end before. Collective.
std::optional<std::string> state_of_stopped_team(const parallel::Comm& team, const Problem& problem,
                                                 const BalanceLadderOptions& options,
                                                 std::int64_t stop_at) {
  std::string kept;
  std::int64_t asked = 0;
  const bool stops = team.rank() == stop_at % team.size();
  const solvers::Control control{
      .request = [&] { return asked++ >= stop_at && stops ? Request::stop : Request::checkpoint; },
      .save = [&](const std::string& state) { kept = state; }};
  try {
    (void)balance_ladder(team, problem, options, 1, "parts", control);
    return std::nullopt;
  } catch (const solvers::Interrupted&) {
    return kept;
  }
}

TEST(SharedLadder, AnotherTeamGoesOnFromItsStateWithTheSameBits) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const parallel::Comm half = world.split(world.rank() % 2);
  for (const SharedCase& c : shared_cases()) {
    const Problem problem = shared_problem(c.clusters);
    const BalanceLadderResult alone = balance_ladder(problem, c.options, 1, "parts");
    for (std::int64_t stop_at = 0; stop_at < 400; stop_at = 2 * stop_at + 7) {
      SCOPED_TRACE(c.name + ", stopped at " + std::to_string(stop_at));
      const auto state = state_of_stopped_team(world, problem, c.options, stop_at);
      if (!state) break;
      const std::string bytes = parallel::broadcast(world, 0, *state);
      solvers::Control control;
      if (half.is_root() && !bytes.empty()) control.resume = bytes;
      const BalanceLadderResult found =
          balance_ladder(half, problem, c.options, 1, "parts", control);
      if (half.is_root()) expect_same_ladder(found, alone);
    }
  }
}

TEST(SharedLadder, AStateThatIsRefusedIsRefusedOnEveryRank) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Problem problem = shared_problem(4);
  const BalanceLadderOptions options = shared_cases().front().options;
  solvers::Control control;
  if (world.is_root()) control.resume = "of another method";
  try {
    (void)balance_ladder(world, problem, options, 1, "parts", control);
    ADD_FAILURE() << "taken";
  } catch (const parallel::CollectiveError& error) {
    EXPECT_EQ(error.fault(), base::Fault::checkpoint);
  }
}

/// Files have a checksum beside: here flips come as far as the solver.
TEST(SharedLadder, FlippedBytesInATrailNeverDoHarm) {
  const Problem problem = shared_problem(4);
  BalanceLadderOptions options = shared_cases().front().options;
  options.carried = 2;
  std::string kept;
  const BalanceLadderResult whole =
      balance_ladder(problem, options, 1, "flip",
                     {.request = [] { return Request::checkpoint; },
                      .save = [&](const std::string& state) { kept = state; }});
  ASSERT_EQ(whole.trace.size(), 2u);
  std::int64_t refused = 0;
  std::int64_t tried = 0;
  for (std::size_t place = 0; place < kept.size(); place += 1 + kept.size() / 200, ++tried) {
    std::string bytes = kept;
    bytes[place] = static_cast<char>(bytes[place] ^ (1 << (place % 8)));
    try {
      const auto result = balance_ladder(problem, options, 1, "flip", {.resume = bytes});
      EXPECT_EQ(result.trace.size(), 2u);
    } catch (const base::CheckpointError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, tried / 2);
}

}  // namespace
}  // namespace fairfront::clustering
