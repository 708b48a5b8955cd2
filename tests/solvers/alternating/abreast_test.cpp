#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "solvers/alternating/noise.hpp"
#include "solvers/alternating/sa2gd_abreast.hpp"
#include "solvers/alternating/test_problems.hpp"
#include "solvers/alternating/weighted_sums_abreast.hpp"
#include "support.hpp"

namespace fairfront::alternating {
namespace {

using testing::ElementsAreArray;

/// All test problems that may have two variables and have two objectives.
std::vector<test::NamedProblem> pair_problems() {
  std::vector<test::NamedProblem> problems;
  for (const TestProblem& entry : test_problems()) {
    if (entry.objectives != 2) continue;
    AnyProblem problem = make_problem(entry, entry.any_variables ? 2 : 0, 2);
    const auto variables = view_of(problem).box().variables();
    if (variables == 2) problems.push_back({entry.name, std::move(problem)});
  }
  return problems;
}

void expect_same(const RunResult& together, const RunResult& alone) {
  EXPECT_THAT(together.last, ElementsAreArray(alone.last));
  EXPECT_THAT(together.average, ElementsAreArray(alone.average));
  EXPECT_THAT(together.best, ElementsAreArray(alone.best));
  EXPECT_EQ(together.best_iteration, alone.best_iteration);
  EXPECT_EQ(together.gradients, alone.gradients);
  EXPECT_EQ(together.trace.steps, alone.trace.steps);
}

/// Starts outside of the box and in it, steps that leave it, all rules.
template <class Run, class P, class Fill>
std::vector<Run> runs_on(const P& problem, std::vector<std::vector<double>>& starts,
                         std::size_t count, const Fill& fill) {
  base::Stream stream = test::stream_of("abreast");
  std::vector<Run> runs(count);
  for (std::size_t r = 0; r < count; ++r) {
    starts.push_back(problem.box().random_point(stream));
    if (r % 3 == 1) starts.back()[0] -= 5;
    runs[r].options.run = {.iterations = 11,
                           .step = {.rule = static_cast<StepRule>(r % 3),
                                    .step = r % 2 == 0 ? 1e-3 : 0.05,
                                    .convexity = 4},
                           .track_best = r % 4 == 0,
                           .trace_points = r % 5 == 0 ? 3 : 0};
    runs[r].seed = r;
    runs[r].task_key = "key" + std::to_string(r / 2);
    fill(r, runs[r].options);
  }
  for (std::size_t r = 0; r < count; ++r) runs[r].start = starts[r];
  return runs;
}

template <class P>
void expect_bits_of_sa2gd(const P& problem, std::size_t count, std::int64_t total) {
  std::vector<std::vector<double>> starts;
  const auto runs =
      runs_on<Sa2gdRun>(problem, starts, count, [&](std::size_t r, Sa2gdOptions& options) {
        const auto first = static_cast<std::int64_t>(r) * total / 7;
        options.efforts = {first, total - first};
        options.order = r % 3 == 2 ? StepOrder::random : StepOrder::block;
      });
  const std::vector<RunResult> together = sa2gd_abreast(problem, std::span<const Sa2gdRun>(runs));
  ASSERT_EQ(together.size(), count);
  for (std::size_t r = 0; r < count; ++r) {
    expect_same(together[r],
                sa2gd(problem, runs[r].start, runs[r].options, runs[r].seed, runs[r].task_key));
  }
}

TEST(Abreast, RunsOfSa2gdHaveTheBitsThatEachHasAlone) {
  ASSERT_GE(pair_problems().size(), 9u);
  for (const test::NamedProblem& named : pair_problems()) {
    SCOPED_TRACE(named.name);
    const ProblemView problem = view_of(named.problem);
    expect_bits_of_sa2gd(problem, runs_abreast, 21);
    expect_bits_of_sa2gd(GaussianNoise(problem, 0.1), runs_abreast, 14);
    expect_bits_of_sa2gd(problem, 5, 7);  // too few for one loop
  }
}

TEST(Abreast, RunsThatDifferInStepsOrHaveMoreVariablesGoOneAfterAnother) {
  const Zdt1 problem(5);
  expect_bits_of_sa2gd(problem, runs_abreast, 21);
  const Sp1 pairs;
  std::vector<std::vector<double>> starts;
  auto runs =
      runs_on<Sa2gdRun>(pairs, starts, runs_abreast, [](std::size_t r, Sa2gdOptions& options) {
        options.efforts = {1 + static_cast<std::int64_t>(r), 2};
      });
  const std::vector<RunResult> together = sa2gd_abreast(pairs, std::span<const Sa2gdRun>(runs));
  for (std::size_t r = 0; r < runs.size(); ++r) {
    EXPECT_EQ(together[r].gradients, 11 * (3 + static_cast<std::int64_t>(r)));
  }
}

template <class P>
void expect_bits_of_weighted_sums(const P& problem, bool with_ends) {
  std::vector<std::vector<double>> starts;
  const auto runs = runs_on<WeightedSumRun>(
      problem, starts, runs_abreast, [&](std::size_t r, WeightedSumOptions& options) {
        const auto first = static_cast<std::int64_t>(r) + (with_ends ? 0 : 1);
        options.efforts = {first, 9 - first};
        options.inner_steps = 13;
      });
  const std::vector<RunResult> together =
      weighted_sums_abreast(problem, std::span<const WeightedSumRun>(runs));
  ASSERT_EQ(together.size(), runs_abreast);
  for (std::size_t r = 0; r < runs_abreast; ++r) {
    expect_same(together[r], weighted_sum(problem, runs[r].start, runs[r].options, runs[r].seed,
                                          runs[r].task_key));
  }
}

TEST(Abreast, RunsDownWeightedSumsHaveTheBitsThatEachHasAlone) {
  for (const test::NamedProblem& named : pair_problems()) {
    SCOPED_TRACE(named.name);
    const ProblemView problem = view_of(named.problem);
    for (const bool with_ends : {false, true}) {
      expect_bits_of_weighted_sums(problem, with_ends);
      expect_bits_of_weighted_sums(GaussianNoise(problem, 0.1), with_ends);
    }
  }
}

TEST(Abreast, OneThatIsNotFiniteFailsAll) {
  const Sp1 problem;
  std::vector<std::vector<double>> starts;
  const auto runs =
      runs_on<Sa2gdRun>(problem, starts, runs_abreast, [](std::size_t r, Sa2gdOptions& options) {
        options.efforts = {3, 3};
        options.run.step = {.step = r == 6 ? 1e100 : 1e-3};
      });
  EXPECT_THROW((void)sa2gd_abreast(problem, std::span<const Sa2gdRun>(runs)), std::domain_error);
}

TEST(Abreast, StopsWhenItsCallerWantsThat) {
  const Sp1 problem;
  std::vector<std::vector<double>> starts;
  const auto runs =
      runs_on<Sa2gdRun>(problem, starts, runs_abreast, [](std::size_t, Sa2gdOptions& options) {
        options.efforts = {3, 3};
      });
  solvers::Control control;
  control.request = [] { return solvers::Request::stop; };
  EXPECT_THROW((void)sa2gd_abreast(problem, std::span<const Sa2gdRun>(runs), control),
               solvers::Interrupted);
}

}  // namespace
}  // namespace fairfront::alternating
