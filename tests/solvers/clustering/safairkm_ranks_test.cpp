// The same bits for every number of ranks: each run on the world, and on halves of it, is compared
// with a run that every rank does alone.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
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
                     {.observer = [&](const FrontIteration& now) { seen.push_back(now); }});
  EXPECT_EQ(seen.size(), 9u);
  EXPECT_EQ(seen.size(), result.trace.size());
  for (std::size_t t = 0; t < seen.size(); ++t) {
    EXPECT_EQ(seen[t].iteration, static_cast<std::int64_t>(t));
    EXPECT_EQ(seen[t].list_length, result.trace[t].list_length);
    EXPECT_EQ(seen[t].hypervolume, result.trace[t].hypervolume);
  }
}

/// Runs until `stop_at` iterations are done, then from the packed state to the end.
SafairFrontResult run_in_two_parts(const parallel::Comm& first, const parallel::Comm& second,
                                   const Problem& problem, const SafairFrontOptions& options,
                                   std::int64_t stop_at) {
  std::string kept;
  std::int64_t asked = 0;
  FrontControl control;
  control.wish = [&] { return asked++ == stop_at ? RunWish::stop : RunWish::go_on; };
  control.save = [&](const FrontState& state) { kept = pack_state(state); };
  const SafairFrontResult part = safairkm_front(first, problem, options, 7, "parts", control);
  EXPECT_EQ(part.stop, FrontStop::interrupted);
  EXPECT_TRUE(part.points.empty());
  FrontState state;
  if (first.is_root()) state = unpack_state(kept);
  FrontControl again;
  if (second.is_root()) again.resume = &state;
  return safairkm_front(second, problem, options, 7, "parts", again);
}

TEST(SafairkmFront, GoingOnFromAStateGivesTheBitsOfAnUninterruptedRun) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Problem problem(random_dataset(11, 60, 2, 2), 3);
  for (const CentreRule centres : {CentreRule::exact, CentreRule::running}) {
    SafairFrontOptions options = cases().front().options;
    options.iterations = 12;
    options.step.centres = centres;
    const SafairFrontResult whole = safairkm_front(world, problem, options, 7, "parts");
    for (const std::int64_t stop_at : {0, 1, 5, 11}) {
      const SafairFrontResult parts = run_in_two_parts(world, world, problem, options, stop_at);
      EXPECT_EQ(digest_of_front(parts), digest_of_front(whole)) << "stopped at " << stop_at;
      EXPECT_EQ(parts.candidates, whole.candidates);
      EXPECT_EQ(parts.hypervolume_lost, whole.hypervolume_lost);
      EXPECT_EQ(parts.trace.size(), whole.trace.size());
    }
  }
}

TEST(SafairkmFront, AStateThatWasCutOrIsAnotherProblemsIsRefused) {
  const parallel::Comm alone(MPI_COMM_SELF);
  const Problem problem(random_dataset(3, 40, 2, 2), 2);
  SafairFrontOptions options = cases().front().options;
  std::string kept;
  FrontControl control;
  control.wish = [] { return RunWish::stop; };
  control.save = [&](const FrontState& state) { kept = pack_state(state); };
  (void)safairkm_front(alone, problem, options, 1, "cut", control);
  for (std::size_t length = 0; length < kept.size(); length += 7) {
    EXPECT_THROW((void)unpack_state(kept.substr(0, length)), base::InputError);
  }
  EXPECT_THROW((void)unpack_state(kept + "x"), base::InputError);
  const FrontState state = unpack_state(kept);
  const Problem larger(random_dataset(3, 41, 2, 2), 2);
  EXPECT_THROW((void)safairkm_front(alone, larger, options, 1, "cut", {.resume = &state}),
               base::InputError);
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
