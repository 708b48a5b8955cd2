// The same bits for every number of ranks: each run on the world, and on halves of it, is compared
// with a run that every rank does alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "parallel/agree.hpp"
#include "solvers/clustering/front_support.hpp"

namespace fairfront::clustering {
namespace {

using solvers::Request;

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
  return {{"strict", 4, strict}, {"thinned", 4, thinned},      {"running", 4, running},
          {"dense", 4, dense},   {"stopping", 4, stopping},    {"authors", 4, authors},
          {"lonely", 4, lonely}, {"16-bit labels", 300, many}, {"balanced starts", 60, many}};
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

TEST(SafairkmFront, ReportsEveryIterationOnEveryRank) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Problem problem(random_dataset(13, 200, 2, 2), 3);
  SafairFrontOptions options;
  options.iterations = 8;
  std::vector<double> fractions;
  const SafairFrontResult result = safairkm_front(
      world, problem, options, 1, "report",
      {.report = [&](const solvers::Progress& now) { fractions.push_back(now.fraction); }});
  ASSERT_EQ(fractions.size(), 9u);
  ASSERT_EQ(result.trace.size(), 9u);
  for (std::size_t t = 0; t < fractions.size(); ++t) {
    EXPECT_EQ(result.trace[t].iteration, static_cast<std::int64_t>(t));
  }
  EXPECT_EQ(fractions.front(), 0);
  EXPECT_EQ(fractions.back(), 1);
  EXPECT_TRUE(std::ranges::is_sorted(fractions)) << "shares of the time that is expected";
}

/// Runs until `stop_at` iterations are done, then from the packed state to the end.
SafairFrontResult run_in_two_parts(const parallel::Comm& first, const parallel::Comm& second,
                                   const Problem& problem, const SafairFrontOptions& options,
                                   std::int64_t stop_at) {
  std::string kept;
  std::int64_t done = -1;  // told after the start list and after every iteration
  solvers::Control control;
  control.report = [&](const solvers::Progress& /*now*/) { ++done; };
  control.request = [&] { return done >= stop_at ? Request::stop : Request::go_on; };
  control.save = [&](const std::string& state) { kept = state; };
  EXPECT_THROW((void)safairkm_front(first, problem, options, 7, "parts", control),
               solvers::Interrupted);
  solvers::Control again;
  if (second.is_root()) again.resume = kept;
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

/// The packed state of a run with these options after `iterations` of them; on rank 0.
std::string state_after(const parallel::Comm& comm, const Problem& problem,
                        const SafairFrontOptions& options, std::int64_t iterations) {
  std::string kept;
  std::int64_t done = -1;  // told after the start list and after every iteration
  solvers::Control control;
  control.report = [&](const solvers::Progress& /*now*/) { ++done; };
  control.request = [&] { return done >= iterations ? Request::stop : Request::go_on; };
  control.save = [&](const std::string& state) { kept = state; };
  EXPECT_THROW((void)safairkm_front(comm, problem, options, 1, "state", control),
               solvers::Interrupted);
  return kept;
}

SafairFrontOptions short_options(CentreRule centres) {
  SafairFrontOptions options = cases().front().options;
  options.iterations = 6;
  options.step.centres = centres;
  return options;
}

TEST(SafairkmFront, AStateThatWasCutOrIsAnotherProblemsIsRefused) {
  const parallel::Comm alone(MPI_COMM_SELF);
  const Problem problem(random_dataset(3, 40, 2, 2), 2);
  const SafairFrontOptions options = short_options(CentreRule::exact);
  const std::string kept = state_after(alone, problem, options, 3);
  for (std::size_t length = 0; length < kept.size(); length += 7) {
    EXPECT_THROW((void)unpack_state(kept.substr(0, length)), base::CheckpointError);
  }
  EXPECT_THROW((void)unpack_state(kept + "x"), base::CheckpointError);
  const auto refused = [&](const Problem& other, const SafairFrontOptions& with) {
    EXPECT_THROW((void)safairkm_front(alone, other, with, 1, "state", {.resume = kept}),
                 parallel::CollectiveError);
  };
  refused(Problem(random_dataset(3, 41, 2, 2), 2), options);  // another number of points
  refused(Problem(random_dataset(4, 40, 2, 2), 2), options);  // the labels have another cost
  refused(problem, short_options(CentreRule::running));
  SafairFrontOptions shorter = options;
  shorter.iterations = 2;
  refused(problem, shorter);
}

/// What changes one thing in a good state, so that it is none.
using Spoil = std::function<void(FrontState&)>;

TEST(SafairkmFront, EveryRankRefusesAStateOfWhichOneNumberIsWrong) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Problem problem(random_dataset(3, 40, 2, 2), 3);
  const std::vector<Spoil> all{
      [](FrontState& s) { s.labels.back().back() = 3; },  // K
      [](FrontState& s) { s.labels.front()[7] = '\xff'; },
      [](FrontState& s) { s.labels.front() += '\0'; },
      [](FrontState& s) { std::swap(s.labels.front(), s.labels.back()); },
      [](FrontState& s) { s.labels.pop_back(); },
      [](FrontState& s) { ++s.iteration; },
      [](FrontState& s) { s.trace.pop_back(); },
      [](FrontState& s) { s.trace.clear(); },
      [](FrontState& s) { ++s.trace.back().list_length; },
      [](FrontState& s) { s.trace.back().hypervolume += 1e-9; },
      [](FrontState& s) { s.trace[1].iteration = 2; },
      [](FrontState& s) { s.candidates = -1; },
      [](FrontState& s) { s.hypervolume_lost = std::nan(""); },
      [](FrontState& s) { s.list.add(s.list[0], s.list.origin(0)); },
      [](FrontState& s) { s.list = pareto::Points(2); },
      [](FrontState& s) { s.centres.pop_back(); },
      [](FrontState& s) { s.centres.front().pop_back(); },
      [](FrontState& s) { s.centres.back()[0] = std::numeric_limits<double>::infinity(); },
  };
  const SafairFrontOptions options = short_options(CentreRule::running);
  const std::string kept = state_after(world, problem, options, 3);
  for (std::size_t i = 0; i < all.size(); ++i) {
    FrontState state;
    if (world.is_root()) {
      state = unpack_state(kept);
      ASSERT_GT(state.list.size(), 1u);
      all[i](state);
    }
    solvers::Control again;
    if (world.is_root()) again.resume = pack_state(state);
    try {
      (void)safairkm_front(world, problem, options, 1, "state", again);
      ADD_FAILURE() << "change " << i;
    } catch (const parallel::CollectiveError& error) {
      EXPECT_EQ(error.fault(), base::Fault::checkpoint) << i << ": " << error.what();
    }
  }
}

/// Files have a checksum beside: here flips come as far as the solver.
TEST(SafairkmFront, FlippedBytesInAStateNeverDoHarm) {
  const parallel::Comm alone(MPI_COMM_SELF);
  const Problem problem(random_dataset(3, 40, 2, 2), 3);
  const SafairFrontOptions options = short_options(CentreRule::exact);
  const std::string whole = digest_of_front(safairkm_front(alone, problem, options, 1, "state"));
  const std::string kept = state_after(alone, problem, options, 5);
  std::int64_t refused = 0;
  for (std::size_t place = 0; place < kept.size(); ++place) {
    std::string bytes = kept;
    bytes[place] = static_cast<char>(bytes[place] ^ (1 << (place % 8)));
    try {
      const SafairFrontResult result =
          safairkm_front(alone, problem, options, 1, "state", {.resume = bytes});
      EXPECT_EQ(std::ssize(result.trace), 7);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.fault(), base::Fault::checkpoint) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, std::ssize(kept) / 2);
  EXPECT_EQ(digest_of_front(safairkm_front(alone, problem, options, 1, "state", {.resume = kept})),
            whole);
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
