// Methods without checkpoints obey a stop in the middle of their work, and begin anew later.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/clustering_support.hpp"
#include "solvers/clustering/lloyd.hpp"
#include "solvers/clustering/minibatch_kmeans.hpp"
#include "solvers/clustering/safairkm.hpp"
#include "solvers/clustering/safairkm_front.hpp"
#include "solvers/clustering/starts.hpp"
#include "solvers/clustering/vfairkm.hpp"

namespace fairfront::clustering {
namespace {

using Solve = std::function<void(const Problem&, const solvers::Control&)>;

/// Each would take hours.
const std::vector<Solve>& endless_runs() {
  static const std::vector<Solve> runs{
      [](const Problem& problem, const solvers::Control& control) {
        (void)lloyd(problem, {.restarts = 1'000'000}, 1, "stop", control);
      },
      [](const Problem& problem, const solvers::Control& control) {
        (void)minibatch_kmeans(problem, {.iterations = 2'000'000'000}, 1, "stop", control);
      },
      [](const Problem& problem, const solvers::Control& control) {
        (void)safairkm(problem, {.iterations = 2'000'000'000}, 1, "stop", control);
      },
      [](const Problem& problem, const solvers::Control& control) {
        // One weight whose inner loop never settles.
        (void)vfairkm(
            problem,
            {.mu_min = 100, .mu_count = 1, .inner_iterations = 1'000'000'000, .inner_tolerance = 0},
            1, "stop", control);
      }};
  return runs;
}

TEST(Stop, IsObeyedInTheMiddleOfARun) {
  const Problem problem(random_dataset(3, 400, 2, 2), 5);
  for (const Solve& run : endless_runs()) {
    int asked = 0;
    const solvers::Control control{.request = [&] {
      return ++asked > 5 ? solvers::Request::stop : solvers::Request::checkpoint;
    }};
    EXPECT_THROW(run(problem, control), solvers::Interrupted);
    EXPECT_EQ(asked, 6);
  }
}

/// Each would take many minutes before its first iteration.
const std::vector<Solve>& endless_starts() {
  static const std::vector<Solve> runs{
      [](const Problem& problem, const solvers::Control& control) {
        (void)lloyd(problem, {}, 1, "stop", control);
      },
      [](const Problem& problem, const solvers::Control& control) {
        (void)minibatch_kmeans(problem, {.first_centres = FirstCentres::kmeans_plus_plus}, 1,
                               "stop", control);
      },
      [](const Problem& problem, const solvers::Control& control) {
        (void)safairkm(problem, {.first_labels = FirstLabels::kmeans_plus_plus}, 1, "stop",
                       control);
      },
      [](const Problem& problem, const solvers::Control& control) {
        (void)safairkm_front(parallel::Comm(MPI_COMM_SELF), problem, {}, 1, "stop", control);
      }};
  return runs;
}

TEST(Stop, IsObeyedWhileSeedsAreDrawn) {
  const Problem problem(random_dataset(3, 40'000, 4, 2), 20'000);
  for (const Solve& run : endless_starts()) {
    int asked = 0;
    const solvers::Control control{
        .request = [&] { return ++asked > 3 ? solvers::Request::stop : solvers::Request::go_on; }};
    EXPECT_THROW(run(problem, control), solvers::Interrupted);
    EXPECT_LE(asked, 5);
  }
}

TEST(Stop, IsAskedForWhileSeedsAreDrawnByMethodsThatNeedMoreMemory) {
  using Clock = std::chrono::steady_clock;
  const Problem problem(random_dataset(3, 10'000, 64, 2), 400);
  base::Stream stream(base::StreamKey(1, "stop", "seeds"), 0);
  const auto begin = Clock::now();
  (void)kmeans_plus_plus_labels<std::uint16_t>(problem, stream);
  const auto seeding = Clock::now() - begin;
  const solvers::Control control{.request = [] { return solvers::Request::stop; }};
  const std::vector<Solve> runs{
      [](const Problem& p, const solvers::Control& c) { (void)vfairkm(p, {}, 1, "stop", c); },
      [](const Problem& p, const solvers::Control& c) {
        (void)balance_ladder(p, {}, 1, "stop", c);
      }};
  for (const Solve& run : runs) {
    const auto start = Clock::now();
    EXPECT_THROW(run(problem, control), solvers::Interrupted);
    EXPECT_LT(Clock::now() - start, seeding / 2);
  }
}

TEST(Stop, IsObeyedWithinAStep) {
  const Problem problem(random_dataset(3, 400, 2, 2), 5);
  int asked = 0;
  const solvers::Control control{
      .request = [&] { return ++asked > 3 ? solvers::Request::stop : solvers::Request::go_on; }};
  // One iteration of so many swaps takes an hour, and more memory than there is.
  EXPECT_THROW((void)safairkm(problem, {.n_b = 2'000'000'000}, 1, "stop", control),
               solvers::Interrupted);
}

TEST(Stop, WithinAnIterationOfTheListLeavesTheStateBeforeIt) {
  const parallel::Comm self(MPI_COMM_SELF);
  const Problem problem(random_dataset(3, 3'000, 3, 2), 8);
  SafairFrontOptions options;
  options.iterations = 6;
  options.starts = 4;
  options.list_budget = 50;
  const SafairFrontResult whole = safairkm_front(self, problem, options, 1, "stop");
  std::string state;
  int asked = -1;  // since the second iteration
  solvers::Control control;
  control.report = [&](const solvers::Progress& now) {
    if (now.text.starts_with("iteration 2/")) asked = 0;
  };
  control.request = [&] {  // the first question comes before an iteration, the second within it
    return asked >= 0 && ++asked > 1 ? solvers::Request::stop : solvers::Request::go_on;
  };
  control.save = [&](const std::string& saved) { state = saved; };
  EXPECT_THROW((void)safairkm_front(self, problem, options, 1, "stop", control),
               solvers::Interrupted);
  ASSERT_FALSE(state.empty());
  const SafairFrontResult resumed =
      safairkm_front(self, problem, options, 1, "stop", {.resume = state});
  EXPECT_EQ(resumed.points, whole.points);
  EXPECT_EQ(resumed.candidates, whole.candidates);
  EXPECT_EQ(resumed.comparisons, whole.comparisons);
}

}  // namespace
}  // namespace fairfront::clustering
