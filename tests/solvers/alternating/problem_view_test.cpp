#include "solvers/alternating/problem_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "solvers/alternating/noise.hpp"
#include "solvers/alternating/sa2gd.hpp"
#include "solvers/alternating/weighted_sum.hpp"
#include "support.hpp"

namespace fairfront::alternating {
namespace {

template <class P>
void expect_same_at(const P& problem, const ProblemView& view, std::span<const double> x) {
  for (std::int64_t i = 0; i < problem.objectives(); ++i) {
    std::vector<double> expected(x.size()), found(x.size());
    EXPECT_EQ(view.value(i, x), problem.value(i, x));
    problem.gradient(i, x, expected);
    view.gradient(i, x, found);
    EXPECT_EQ(found, expected);
    base::Stream stream = test::stream_of("draws");
    base::Stream same = test::stream_of("draws");
    draw_gradient(problem, i, x, stream, expected);
    draw_gradient(view, i, x, same, found);
    EXPECT_EQ(found, expected);
    EXPECT_EQ(same.uniform(), stream.uniform()) << "not so many numbers were drawn";
  }
}

template <class P>
void expect_same_everywhere(const P& problem) {
  const ProblemView view = ProblemView::of(problem);
  EXPECT_EQ(view.objectives(), problem.objectives());
  EXPECT_EQ(&view.box(), &problem.box());
  base::Stream points = test::stream_of("points");
  for (int sample = 0; sample < 20; ++sample) {
    expect_same_at(problem, view, problem.box().random_point(points));
  }
}

TEST(ProblemView, HasTheBitsOfTheProblem) {
  for (const test::NamedProblem& named : test::all_problems()) {
    SCOPED_TRACE(named.name);
    std::visit([](const auto& problem) { expect_same_everywhere(problem); }, named.problem);
  }
  const DataProblem data(test::small_dataset(), {.batch = 7});
  expect_same_everywhere(data);
  expect_same_everywhere(GaussianNoise(data, 0.3));
}

/// Gradients of runs beside each other, and how far their streams are.
template <class P>
void expect_same_abreast(const P& problem) {
  base::Stream points = test::stream_of("abreast");
  EachRun<std::int64_t> objectives;
  std::vector<base::Stream> noise, same;
  Pairs x, expected, found;
  for (std::size_t r = 0; r < runs_abreast; ++r) {
    const std::vector<double> point = problem.box().random_point(points);
    objectives[r] = static_cast<std::int64_t>(r % 2);
    x.first[r] = point[0];
    x.second[r] = point[1];
    noise.push_back(test::stream_of("noise", r));
  }
  same = noise;
  draw_gradients(problem, objectives, x, noise, expected);
  draw_gradients(ProblemView::of(problem), objectives, x, same, found);
  EXPECT_EQ(found.first, expected.first);
  EXPECT_EQ(found.second, expected.second);
  for (std::size_t r = 0; r < runs_abreast; ++r) EXPECT_EQ(same[r].uniform(), noise[r].uniform());
}

TEST(ProblemView, HasTheBitsOfRunsBesideEachOther) {
  expect_same_abreast(Sp1());
  expect_same_abreast(Ff1());  // by vectors of elementary functions
  expect_same_abreast(Jos2(2));
  expect_same_abreast(Im1());
  const Sp1 problem;
  expect_same_abreast(GaussianNoise(problem, 0.2));
}

template <class P>
void expect_same_runs(const P& problem) {
  const ProblemView view = ProblemView::of(problem);
  base::Stream stream = test::stream_of("start");
  const std::vector<double> start = problem.box().random_point(stream);
  const RunOptions run{.iterations = 40, .step = {.step = 1e-2}, .track_best = true};
  const Sa2gdOptions alternating{.efforts = {3, 4}, .order = StepOrder::random, .run = run};
  EXPECT_EQ(sa2gd(view, start, alternating, 1, "key").last,
            sa2gd(problem, start, alternating, 1, "key").last);
  const WeightedSumOptions weighted{.efforts = {3, 4}, .inner_steps = 7, .run = run};
  EXPECT_EQ(weighted_sum(view, start, weighted, 1, "key").best,
            weighted_sum(problem, start, weighted, 1, "key").best);
}

TEST(ProblemView, SolversFindTheSame) {
  expect_same_runs(Ff1());
  expect_same_runs(Zdt1(5));
  const Im1 problem;
  expect_same_runs(GaussianNoise(problem, 0.1));
  expect_same_runs(DataProblem(test::small_dataset(), {.batch = 5}));
}

}  // namespace
}  // namespace fairfront::alternating
