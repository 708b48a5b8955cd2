// The same bits for every number of ranks: each run on the world is compared with a run that every
// rank does alone.
#include "solvers/alternating/pf_smg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "parallel/agree.hpp"
#include "solvers/alternating/noise.hpp"
#include "solvers/alternating/pf_smg_state.hpp"
#include "support.hpp"

namespace fairfront::alternating {
namespace {

using parallel::Comm;
using solvers::Request;

PfSmgResult run(const Comm& team, const std::string& name, std::int64_t objectives,
                const PfSmgOptions& options, std::uint64_t seed = 1,
                const solvers::Control& control = {}) {
  const TestProblem& entry = test_problem(name);
  const AnyProblem problem = make_problem(entry, 0, objectives);
  const auto reference = reference_point(entry, problem);
  const ProblemView view = view_of(problem);
  return pf_smg(team, GaussianNoise(view, 0.01), reference, options, seed, "key", control);
}

void expect_same(const PfSmgResult& a, const PfSmgResult& b) {
  EXPECT_TRUE(std::ranges::equal(a.front.points().values(), b.front.points().values()));
  EXPECT_TRUE(std::ranges::equal(a.front.points().origins(), b.front.points().origins()));
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.gradients, b.gradients);
  EXPECT_EQ(a.values, b.values);
  ASSERT_EQ(a.trace.size(), b.trace.size());
  for (std::size_t t = 0; t < a.trace.size(); ++t) {
    EXPECT_EQ(a.trace[t].hypervolume, b.trace[t].hypervolume);
    EXPECT_EQ(a.trace[t].gradients, b.trace[t].gradients);
  }
}

constexpr PfSmgOptions small{.starts = 10, .list_budget = 25, .most_gradients = 3001};

TEST(PfSmg, GivesTheSameBitsForEveryNumberOfRanks) {
  const Comm world(MPI_COMM_WORLD);
  const Comm alone(MPI_COMM_SELF);
  for (const auto& [name, objectives] : {std::pair{"sp1", 2}, {"ff1", 2}, {"dtlz2", 3}}) {
    SCOPED_TRACE(name);
    expect_same(run(world, name, objectives, small), run(alone, name, objectives, small));
  }
  PfSmgOptions lonely = small;  // fewer starts than ranks
  lonely.starts = 1;
  lonely.copies = 0;
  expect_same(run(world, "sp1", 2, lonely), run(alone, "sp1", 2, lonely));
}

TEST(PfSmg, StaysInsideASplitCommunicator) {
  const Comm world(MPI_COMM_WORLD);
  const Comm half = world.split(world.rank() % 2);
  expect_same(run(half, "sp1", 2, small), run(Comm(MPI_COMM_SELF), "sp1", 2, small));
}

TEST(PfSmg, GoesOnFromEveryStateWithTheBitsOfAnUninterruptedRun) {
  const Comm world(MPI_COMM_WORLD);
  const PfSmgResult whole = run(world, "ff1", 2, small);
  for (const int after : {1, 3}) {
    std::string state;
    int asked = 0;
    solvers::Control stopping;
    // Long before a heartbeat within an iteration asks: between them alone.
    stopping.request = [&] { return ++asked > 2 * after ? Request::stop : Request::go_on; };
    stopping.save = [&](const std::string& bytes) { state = bytes; };
    EXPECT_THROW((void)run(world, "ff1", 2, small, 1, stopping), solvers::Interrupted);
    solvers::Control resuming;
    if (world.is_root()) resuming.resume = state;
    EXPECT_EQ(state.empty(), !world.is_root());
    expect_same(run(world, "ff1", 2, small, 1, resuming), whole);
  }
}

TEST(PfSmg, RefusesStatesThatAreDamagedOrOfAnotherRun) {
  const Comm world(MPI_COMM_WORLD);
  std::string state;
  int asked = 0;
  solvers::Control stopping;
  stopping.request = [&] { return ++asked > 3 ? Request::stop : Request::go_on; };
  stopping.save = [&](const std::string& bytes) { state = bytes; };
  EXPECT_THROW((void)run(world, "sp1", 2, small, 1, stopping), solvers::Interrupted);
  const auto refused = [&](const std::string& bytes, const std::string& name) {
    solvers::Control resuming;
    if (world.is_root()) resuming.resume = bytes;
    EXPECT_THROW((void)run(world, name, 2, small, 1, resuming), parallel::CollectiveError);
  };
  refused(state, "ff1");
  refused("no state", "sp1");
  if (world.size() > 1) return;  // the others have no bytes to damage
  refused(state.substr(0, state.size() - 1), "sp1");
  refused(state + "x", "sp1");
  std::string changed = state;
  changed[changed.size() - 3] = static_cast<char>(changed[changed.size() - 3] ^ 1);
  refused(changed, "sp1");
}

TEST(PfSmg, AnErrorOfOneRankIsThatOfAll) {
  const Comm world(MPI_COMM_WORLD);
  const optimise::Box box(1, 0.0, 1.0);
  const int broken = world.size() - 1;
  const StochasticFunctions functions{
      2,
      {box, [](std::int64_t, std::span<const double> x) { return x[0]; },
       [](std::int64_t, std::span<const double>, std::span<double> out) { out[0] = 1; }},
      [&](std::int64_t, std::span<const double>, base::Stream&, std::span<double> out) {
        out[0] = world.rank() == broken ? std::numeric_limits<double>::quiet_NaN() : 1.0;
      }};
  const std::vector<double> reference{2, 2};
  EXPECT_THROW((void)pf_smg(world, functions, reference, {.copies = 40}, 1, "key"),
               parallel::CollectiveError);
}

TEST(PfSmg, EndsWithItsGradientsAndKeepsItsBudget) {
  const Comm alone(MPI_COMM_SELF);
  for (const std::int64_t most : {1, 100, 3001}) {
    PfSmgOptions options = small;
    options.most_gradients = most;
    const PfSmgResult found = run(alone, "jos1", 2, options);
    EXPECT_LE(found.gradients, most);
    EXPECT_GT(found.gradients, most - 2 * options.steps);
    EXPECT_LE(found.front.size(), 25u);
    EXPECT_EQ(found.x.size(), found.front.size());
  }
}

TEST(PfSmg, CoversAConvexAndAConcaveFront) {
  const Comm alone(MPI_COMM_SELF);
  for (const char* name : {"sp1", "ff1", "im1"}) {
    SCOPED_TRACE(name);
    const AnyProblem problem = make_problem(test_problem(name), 0, 2);
    const pareto::Points exact = analytic_front(problem, 501);
    const PfSmgResult found = run(alone, name, 2, {.most_gradients = 20'000});
    const double first = std::abs(exact[500][0] - exact[0][0]);
    const double second = std::abs(exact[500][1] - exact[0][1]);
    int covered = 0;
    for (std::size_t k = 0; k < exact.size(); ++k) {
      bool is_near = false;
      for (std::size_t p = 0; p < found.front.size(); ++p) {
        is_near |= std::hypot((exact[k][0] - found.front[p][0]) / first,
                              (exact[k][1] - found.front[p][1]) / second) < 0.05;
      }
      covered += static_cast<int>(is_near);
    }
    EXPECT_GT(covered, 400);
  }
}

TEST(PfSmg, BadOptionsAreNamed) {
  const Comm alone(MPI_COMM_SELF);
  for (const PfSmgOptions& bad :
       {PfSmgOptions{.starts = 0}, PfSmgOptions{.copies = -1}, PfSmgOptions{.runs = 0},
        PfSmgOptions{.steps = 0}, PfSmgOptions{.step = 0}, PfSmgOptions{.perturbation = -0.1},
        PfSmgOptions{.list_budget = 2}, PfSmgOptions{.most_gradients = 0},
        PfSmgOptions{.copies = 1000, .runs = 1000, .list_budget = 1'000'000}}) {
    EXPECT_THROW((void)run(alone, "sp1", 2, bad), std::invalid_argument);
  }
}

}  // namespace
}  // namespace fairfront::alternating
