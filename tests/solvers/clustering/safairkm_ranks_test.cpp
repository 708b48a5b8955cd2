// The same bits for every number of ranks: each run on the world, and on halves of it, is compared
// with a run that every rank does alone.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "solvers/clustering/front_support.hpp"

namespace fairfront::clustering {
namespace {

struct Case {
  std::string name;
  std::int64_t clusters;
  SafairFrontOptions options;
};

std::vector<Case> cases() {
  SafairFrontOptions strict;
  strict.iterations = 25;
  strict.starts = 10;
  SafairFrontOptions thinned = strict;
  thinned.list_budget = 7;
  SafairFrontOptions running = strict;
  running.step.centres = CentreRule::running;
  running.replicas = 2;
  SafairFrontOptions dense = strict;
  dense.thinning = ListThinning::authors;
  dense.dense_threshold = 0.05;
  SafairFrontOptions stopping = strict;
  stopping.list_budget = 12;
  stopping.stop_at_budget = true;
  SafairFrontOptions authors = authors_options();
  authors.iterations = 15;
  authors.starts = 30;
  SafairFrontOptions lonely = strict;  // fewer entries than ranks
  lonely.starts = 1;
  lonely.list_budget = 2;
  SafairFrontOptions many = strict;
  many.iterations = 3;
  many.pairs = {{20, 1}, {5, 0}};
  return {{"strict", 4, strict}, {"thinned", 4, thinned},     {"running", 4, running},
          {"dense", 4, dense},   {"stopping", 4, stopping},   {"authors", 4, authors},
          {"lonely", 4, lonely}, {"16-bit labels", 300, many}};
}

/// Collective over `team`; the run alone is local.
void expect_the_result_of_one_rank(const parallel::Comm& team) {
  const parallel::Comm alone(MPI_COMM_SELF);
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Problem problem(random_dataset(11, 400, 3, 2), c.clusters);
    const SafairFrontResult serial = safairkm_front(alone, problem, c.options, 5, "ranks");
    const SafairFrontResult parallel = safairkm_front(team, problem, c.options, 5, "ranks");
    EXPECT_EQ(digest_of_front(parallel), digest_of_front(serial));
    EXPECT_EQ(serial.labels.size(), front_size(serial));
    if (team.is_root()) {
      EXPECT_EQ(digest_of_labels(parallel), digest_of_labels(serial));
    } else {
      EXPECT_TRUE(parallel.labels.empty());
    }
    EXPECT_EQ(serial.rebalanced, 0);
  }
}

TEST(SafairkmFront, GivesTheSameBitsForEveryNumberOfRanks) {
  expect_the_result_of_one_rank(parallel::Comm(MPI_COMM_WORLD));
}

TEST(SafairkmFront, StaysInsideASplitCommunicator) {
  const parallel::Comm world(MPI_COMM_WORLD);
  expect_the_result_of_one_rank(world.split(world.rank() % 2));
}

TEST(SafairkmFront, HandsEntriesOverWhenRanksDrift) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Problem problem(random_dataset(12, 300, 2, 2), 3);
  SafairFrontOptions options;
  options.iterations = 30;
  options.starts = 8;
  const SafairFrontResult result = safairkm_front(world, problem, options, 1, "drift");
  EXPECT_EQ(result.rebalanced > 0, world.size() > 1);
}

TEST(SafairkmFront, TellsItsObserverTheSameOnEveryRank) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Problem problem(random_dataset(13, 200, 2, 2), 3);
  SafairFrontOptions options;
  options.iterations = 8;
  std::vector<FrontIteration> seen;
  const SafairFrontResult result =
      safairkm_front(world, problem, options, 1, "observer",
                     [&](const FrontIteration& now) { seen.push_back(now); });
  EXPECT_EQ(seen.size(), 9u);
  EXPECT_EQ(seen.size(), result.trace.size());
  for (std::size_t t = 0; t < seen.size(); ++t) {
    EXPECT_EQ(seen[t].iteration, static_cast<std::int64_t>(t));
    EXPECT_EQ(seen[t].list_length, result.trace[t].list_length);
    EXPECT_EQ(seen[t].hypervolume, result.trace[t].hypervolume);
  }
}

TEST(SafairkmFront, ABadOptionIsTheSameErrorOnEveryRankAndLeavesTheTeamUsable) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Problem problem(random_dataset(14, 50, 2, 2), 3);
  SafairFrontOptions options;
  options.pairs = {{51, 0}};
  EXPECT_THROW((void)safairkm_front(world, problem, options, 1, "bad"), std::invalid_argument);
  EXPECT_EQ(parallel::all_reduce_sum(world, 1), world.size());
}

}  // namespace
}  // namespace fairfront::clustering
