#include "solvers/alternating/sa2gd.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "solvers/alternating/noise.hpp"
#include "solvers/alternating/weighted_sum.hpp"
#include "support.hpp"
#include "support/allocation_count.hpp"

namespace fairfront::alternating {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

/// f_i = (x - i)^2 / 2 on [0, 10], in one variable: steps can be followed by hand.
class Line {
 public:
  [[nodiscard]] std::int64_t objectives() const { return 2; }
  [[nodiscard]] const optimise::Box& box() const { return box_; }
  [[nodiscard]] double value(std::int64_t i, std::span<const double> x) const {
    const double u = x[0] - 8 * static_cast<double>(i);
    return 0.5 * u * u;
  }
  void gradient(std::int64_t i, std::span<const double> x, std::span<double> out) const {
    out[0] = x[0] - 8 * static_cast<double>(i);
  }

 private:
  optimise::Box box_{1, 1.0, 10.0};
};

Sa2gdOptions options_with(Efforts efforts, std::int64_t iterations, double step) {
  return {.efforts = std::move(efforts),
          .run = {.iterations = iterations, .step = {.step = step}, .track_best = true}};
}

TEST(Sa2gd, BlockOrderTakesTheStepsOnTheFirstObjectiveFirst) {
  const std::vector<double> start = {4.0};
  // 4 -> 2 (f_0) -> 5 (f_1) -> 6.5 (f_1)
  const RunResult result = sa2gd(Line(), start, options_with({1, 2}, 1, 0.5), 1, "key");
  EXPECT_THAT(result.last, ElementsAre(6.5));
  EXPECT_EQ(result.gradients, 3);
}

TEST(Sa2gd, ProjectsOncePerIterationAndNotBetweenInnerSteps) {
  const std::vector<double> start = {1.0};
  // 1 -> 0.5 -> 0.25, out of the box, then -> 4.125; a projection in between would give 4.5.
  const RunResult inside = sa2gd(Line(), start, options_with({2, 1}, 1, 0.5), 1, "key");
  EXPECT_THAT(inside.last, ElementsAre(4.125));
  const RunResult outside = sa2gd(Line(), start, options_with({2, 0}, 1, 0.5), 1, "key");
  EXPECT_THAT(outside.last, ElementsAre(1.0));
}

TEST(Sa2gd, LastBestAndAverageAreThoseOfTheIterates) {
  const std::vector<double> start = {4.0};
  Sa2gdOptions options = options_with({1, 1}, 3, 0.5);
  std::vector<double> iterates;
  double x = 4.0;
  for (int t = 0; t < 3; ++t) {
    x = 0.5 * x;
    x = 0.5 * (x + 8);
    iterates.push_back(x);
  }
  const RunResult convex = sa2gd(Line(), start, options, 1, "key");
  EXPECT_THAT(convex.last, ElementsAre(iterates[2]));
  EXPECT_DOUBLE_EQ(convex.average[0], (iterates[0] + iterates[1] + iterates[2]) / 3);
  EXPECT_THAT(convex.best, ElementsAre(iterates[0]));  // nearest to 4, the minimiser of S
  EXPECT_EQ(convex.best_iteration, 1);
}

TEST(Sa2gd, StronglyConvexStepsWeightTheAverageByTheIteration) {
  const std::vector<double> start = {4.0};
  Sa2gdOptions options = options_with({3, 1}, 3, 1);
  options.run.step = {.rule = StepRule::strongly_convex};
  options.run.trace_points = 3;
  std::vector<double> iterates;
  for (std::int64_t last = 1; last <= 3; ++last) {
    options.run.iterations = last;
    iterates.push_back(sa2gd(Line(), start, options, 1, "key").last[0]);
  }
  const RunResult result = sa2gd(Line(), start, options, 1, "key");
  EXPECT_DOUBLE_EQ(result.average[0], (iterates[0] + 2 * iterates[1] + 3 * iterates[2]) / 6);
}

TEST(Sa2gd, TheTraceHoldsTheScalarisedValues) {
  const std::vector<double> start = {4.0};
  Sa2gdOptions options = options_with({1, 3}, 100, 0.01);
  options.run.trace_points = 5;
  const RunResult result = sa2gd(Line(), start, options, 1, "key");
  ASSERT_EQ(result.trace.steps.size(), 5u);
  EXPECT_EQ(result.trace.steps.front(), 1);
  EXPECT_EQ(result.trace.steps.back(), 100);
  const std::vector<double> weights = {0.25, 0.75};
  EXPECT_DOUBLE_EQ(result.trace.of("scalarised").back(), scalarised(Line(), weights, result.last));
  EXPECT_DOUBLE_EQ(result.trace.of("average").back(), scalarised(Line(), weights, result.average));
}

TEST(Sa2gd, ConvergesToTheMinimiserOfTheWeightedSumForEveryWeight) {
  const Quadratic problem(10, 2);
  const std::vector<double> start(10, 1.0);
  for (std::int64_t n = 0; n <= 20; ++n) {
    Sa2gdOptions options = options_with({n, 20 - n}, 3000, 1);
    options.run.step = {.rule = StepRule::strongly_convex};
    const RunResult result = sa2gd(problem, start, options, 1, "key");
    const auto best = problem.minimiser(weights_of(options.efforts));
    EXPECT_THAT(result.last, Pointwise(DoubleNear(2e-3), best)) << n;
  }
}

TEST(Sa2gd, RandomOrderConvergesToTheSamePoint) {
  const Quadratic problem(10, 3);
  const std::vector<double> start(10, -1.0);
  Sa2gdOptions options = options_with({6, 10, 4}, 3000, 1);
  options.order = StepOrder::random;
  options.run.step = {.rule = StepRule::strongly_convex};
  const RunResult result = sa2gd(problem, start, options, 1, "key");
  const auto best = problem.minimiser(weights_of(options.efforts));
  EXPECT_THAT(result.last, Pointwise(DoubleNear(5e-3), best));
}

TEST(Sa2gd, TheResultDependsOnSeedAndKeyAndOnNothingElse) {
  const Huber plain(4, 2);
  const GaussianNoise problem(plain, 0.3);
  const std::vector<double> start(4, 0.5);
  Sa2gdOptions options = options_with({3, 2}, 50, 0.01);
  options.order = StepOrder::random;
  const auto last = [&](std::uint64_t seed, const std::string& key) {
    return sa2gd(problem, start, options, seed, key).last;
  };
  EXPECT_EQ(last(1, "a"), last(1, "a"));
  EXPECT_NE(last(1, "a"), last(2, "a"));
  EXPECT_NE(last(1, "a"), last(1, "b"));
}

TEST(Sa2gd, IterationsAllocateNothing) {
  const Zdt3 problem(30);
  const GaussianNoise noisy(problem, 0.1);
  const std::vector<double> start(30, 0.5);
  const auto allocated = [&](const auto& p, std::int64_t iterations) {
    Sa2gdOptions options = options_with({5, 5}, iterations, 1e-3);
    options.order = StepOrder::random;
    const std::int64_t before = support::allocations();
    const RunResult result = sa2gd(p, start, options, 1, "key");
    const WeightedSumOptions weighted{.efforts = {5, 5}, .inner_steps = 2, .run = options.run};
    const RunResult other = weighted_sum(p, start, weighted, 1, "key");
    EXPECT_EQ(result.last.size(), other.last.size());
    return support::allocations() - before;
  };
  EXPECT_EQ(allocated(problem, 1), allocated(problem, 1000));
  EXPECT_EQ(allocated(noisy, 1), allocated(noisy, 1000));
}

TEST(Sa2gd, RefusesBadOptions) {
  const std::vector<double> start = {4.0};
  const auto run = [&](const Sa2gdOptions& options) {
    return sa2gd(Line(), start, options, 1, "key");
  };
  EXPECT_THROW((void)run(options_with({1, 1, 1}, 1, 0.5)), std::invalid_argument);
  EXPECT_THROW((void)run(options_with({0, 0}, 1, 0.5)), std::invalid_argument);
  EXPECT_THROW((void)run(options_with({-1, 2}, 1, 0.5)), std::invalid_argument);
  EXPECT_THROW((void)run(options_with({1, 1}, 0, 0.5)), std::invalid_argument);
  EXPECT_THROW((void)run(options_with({1, 1}, 1, 0)), std::invalid_argument);
  const std::vector<double> long_start = {4.0, 4.0};
  EXPECT_THROW((void)sa2gd(Line(), long_start, options_with({1, 1}, 1, 0.5), 1, ""),
               std::invalid_argument);
}

TEST(Sa2gd, AnIterateThatIsNotFiniteIsAnError) {
  const std::vector<double> start = {std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THAT(
      [&] {
        (void)sa2gd(Line(), start, options_with({1, 1}, 1, 0.5), 1, "");
      },
      testing::ThrowsMessage<std::domain_error>(testing::HasSubstr("`step_rule`")));
}

TEST(WeightedSum, TakesProjectedStepsAlongTheWeightedGradient) {
  const std::vector<double> start = {4.0};
  const WeightedSumOptions options{.efforts = {1, 3},
                                   .run = {.iterations = 2, .step = {.step = 0.5}}};
  // Minimiser 6: 4 -> 5 -> 5.5
  const RunResult result = weighted_sum(Line(), start, options, 1, "key");
  EXPECT_THAT(result.last, ElementsAre(5.5));
  EXPECT_EQ(result.gradients, 4);
}

TEST(WeightedSum, IsSa2gdWhereOneObjectiveHasAllTheWeight) {
  const Zdt1 problem(30);
  const std::vector<double> start(30, 0.7);
  for (const Efforts& efforts : {Efforts{0, 7}, Efforts{7, 0}}) {
    const RunResult one = sa2gd(problem, start, options_with(efforts, 20, 1e-3), 1, "");
    const WeightedSumOptions options{
        .efforts = efforts, .inner_steps = 7, .run = {.iterations = 20, .step = {.step = 1e-3}}};
    EXPECT_EQ(one.last, weighted_sum(problem, start, options, 1, "").last);
  }
}

TEST(WeightedSum, RefusesBadOptions) {
  const std::vector<double> start = {4.0};
  EXPECT_THROW((void)weighted_sum(Line(), start, {.inner_steps = 0}, 1, ""), std::invalid_argument);
  EXPECT_THROW((void)weighted_sum(Line(), start, {.efforts = {1}}, 1, ""), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::alternating
