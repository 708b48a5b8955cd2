// The bounds of Liu and Vicente (2022) are theorems about an expectation. Without noise there is
// nothing to estimate, and the bound is asserted as it stands. With noise the expectation is
// replaced by the mean over fixed seeds; the test requires its standard error to be less than a
// hundredth of the distance to the bound, so that the estimate cannot decide the outcome.
#include "solvers/alternating/rates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/alternating/noise.hpp"
#include "solvers/alternating/sa2gd.hpp"
#include "support.hpp"

namespace fairfront::alternating {
namespace {

struct Case {
  std::string problem;
  StepRule rule;
  double noise;
};
const std::vector<Case> cases = {
    {"quadratic", StepRule::strongly_convex, 0.0},
    {"quadratic", StepRule::strongly_convex, 1.0},
    {"quadratic", StepRule::convex, 0.0},
    {"quadratic", StepRule::convex, 1.0},
    {"elastic", StepRule::strongly_convex, 0.0},
    {"elastic", StepRule::strongly_convex, 1.0},
    {"elastic", StepRule::convex, 0.0},
    {"elastic", StepRule::convex, 1.0},
    {"absolute", StepRule::convex, 0.0},
    {"absolute", StepRule::convex, 1.0},
    {"huber", StepRule::convex, 0.0},
    {"huber", StepRule::convex, 1.0},
};

/// Mean and standard error over the seeds of the gaps at the trace's iterations.
struct Gaps {
  std::vector<std::int64_t> iterations;
  std::vector<double> mean, error, mean_average, error_average;
};

/// How long and how often the noisy cases run; the noiseless ones run once.
struct Size {
  std::int64_t iterations = 500;
  std::uint64_t seeds = 20;
};

template <class P>
Gaps gaps_of(const P& problem, const std::vector<double>& best, const Sa2gdOptions& options,
             std::uint64_t seeds) {
  const std::vector<double> weights = weights_of(options.efforts);
  const double least = scalarised(problem, weights, best);
  Gaps gaps;
  std::vector<double> square, square_average;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    base::Stream stream = test::stream_of("rates", seed);
    const std::vector<double> start = problem.box().random_point(stream);
    const RunResult result = sa2gd(problem, start, options, seed, "rates");
    gaps.mean.resize(result.trace.steps.size());
    for (auto* v : {&gaps.mean_average, &gaps.error, &gaps.error_average, &square, &square_average})
      v->resize(result.trace.steps.size());
    gaps.iterations.clear();
    for (std::size_t k = 0; k < result.trace.steps.size(); ++k) {
      const double gap = result.trace.of("scalarised")[k] - least;
      const double gap_average = result.trace.of("average")[k] - least;
      EXPECT_GE(gap, -1e-13);
      EXPECT_GE(gap_average, -1e-13);
      gaps.iterations.push_back(result.trace.steps[k]);
      gaps.mean[k] += gap;
      square[k] += gap * gap;
      gaps.mean_average[k] += gap_average;
      square_average[k] += gap_average * gap_average;
    }
  }
  const auto n = static_cast<double>(seeds);
  for (std::size_t k = 0; k < gaps.mean.size(); ++k) {
    gaps.mean[k] /= n;
    gaps.mean_average[k] /= n;
    const auto standard_error = [n](double squares, double mean) {
      return std::sqrt(std::max(0.0, squares / n - mean * mean) / n);
    };
    gaps.error[k] = standard_error(square[k], gaps.mean[k]);
    gaps.error_average[k] = standard_error(square_average[k], gaps.mean_average[k]);
  }
  return gaps;
}

/// Runs a case; calls check(problem, options, gaps) with the noise in place.
template <class Check>
void run_case(const Case& which, const Efforts& efforts, StepOrder order, const Size& size,
              const Check& check) {
  const auto objectives = std::ssize(efforts);
  const AnyProblem any = make_problem(test_problem(which.problem), 0, objectives);
  Sa2gdOptions options{.efforts = efforts,
                       .order = order,
                       .run = {.iterations = size.iterations,
                               .step = {.rule = which.rule, .step = 1},
                               .trace_points = 60}};
  const auto best = minimiser(any, weights_of(efforts));
  ASSERT_TRUE(best.has_value());
  const ProblemView problem = view_of(any);
  if (which.noise == 0) {
    check(any, options, gaps_of(problem, *best, options, 1));
  } else {
    const GaussianNoise noisy(problem, which.noise);
    check(any, options, gaps_of(noisy, *best, options, size.seeds));
  }
}

void expect_bound(const Case& which, const Efforts& efforts, StepOrder order) {
  SCOPED_TRACE(which.problem + (which.noise > 0 ? " with noise " : " ") + format_efforts(efforts) +
               (which.rule == StepRule::convex ? " convex" : " strongly convex"));
  run_case(which, efforts, order, {},
           [&](const AnyProblem& any, const Sa2gdOptions& options, const Gaps& gaps) {
             std::int64_t steps = 0;
             for (const std::int64_t n : options.efforts) steps += n;
             const StepSizes sizes(options.run.step, steps);
             const auto constants = rate_constants(
                 any, {.inner_steps = steps, .first_step = sizes(0), .noise = which.noise});
             ASSERT_TRUE(constants.has_value());
             double least = std::numeric_limits<double>::infinity();
             double error = 0;
             for (std::size_t k = 0; k < gaps.iterations.size(); ++k) {
               if (gaps.mean[k] < least) {
                 least = gaps.mean[k];
                 error = gaps.error[k];
               }
               const double bound = rate_bound(*constants, options.run.step, gaps.iterations[k]);
               EXPECT_LE(least, bound) << "t = " << gaps.iterations[k];
               EXPECT_LE(gaps.mean_average[k], bound) << "t = " << gaps.iterations[k];
               EXPECT_LE(100 * error, bound - least) << "t = " << gaps.iterations[k];
               EXPECT_LE(100 * gaps.error_average[k], bound - gaps.mean_average[k]);
             }
           });
}

TEST(Rates, TheBoundsHoldForTwoObjectivesInBlockOrder) {
  for (const Case& which : cases) {
    for (const Efforts& efforts :
         {Efforts{10, 10}, Efforts{15, 5}, Efforts{1, 19}, Efforts{20, 0}}) {
      expect_bound(which, efforts, StepOrder::block);
    }
  }
}

TEST(Rates, TheBoundsHoldInRandomOrder) {
  for (const Case& which : cases) expect_bound(which, {13, 7}, StepOrder::random);
}

TEST(Rates, TheBoundsHoldForThreeObjectives) {
  for (const Case& which : cases) {
    expect_bound(which, {10, 6, 4}, StepOrder::block);
    expect_bound(which, {2, 9, 9}, StepOrder::random);
  }
}

/// Least-squares slope of log(gap) against log(t) over t >= 200.
double slope_of(const std::vector<std::int64_t>& t, const std::vector<double>& gap) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t k = 0; k < t.size(); ++k) {
    if (t[k] < 200) continue;
    const double a = std::log(static_cast<double>(t[k]));
    const double b = std::log(gap[k]);
    n += 1;
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

TEST(Rates, TheSlopesAreThoseOfTheFourCases) {
  // Observed slopes; a worst-case bound may be beaten, so these problems are the ones whose
  // iterates follow the rate: noise for the smooth ones, a kink at the minimiser for the others.
  const auto slope = [](const Case& which, const Efforts& efforts) {
    double result = 0;
    run_case(which, efforts, StepOrder::block, {.iterations = 2000, .seeds = 40},
             [&](const AnyProblem&, const Sa2gdOptions&, const Gaps& gaps) {
               result = slope_of(gaps.iterations, gaps.mean);
             });
    return result;
  };
  EXPECT_NEAR(slope({"quadratic", StepRule::strongly_convex, 1.0}, {12, 8}), -1, 0.1);
  EXPECT_NEAR(slope({"elastic", StepRule::strongly_convex, 1.0}, {12, 8}), -1, 0.1);
  EXPECT_NEAR(slope({"absolute", StepRule::convex, 1.0}, {12, 8}), -0.5, 0.1);
  EXPECT_NEAR(slope({"huber", StepRule::convex, 1.0}, {12, 8}), -0.5, 0.1);
}

TEST(Rates, ConstantsAreRefusedWhereInnerStepsWouldLeaveTheBox) {
  const Quadratic quadratic(10, 2);
  EXPECT_TRUE(quadratic.rate_constants({.inner_steps = 8, .first_step = 0.25}).has_value());
  EXPECT_FALSE(quadratic.rate_constants({.inner_steps = 7, .first_step = 2.0 / 7}).has_value());
  const Elastic elastic(10, 2);
  EXPECT_TRUE(elastic.rate_constants({.inner_steps = 4, .first_step = 0.5}).has_value());
  EXPECT_FALSE(elastic.rate_constants({.inner_steps = 3, .first_step = 2.0 / 3}).has_value());
}

TEST(Rates, TheBoundsAreTheFormulasOfThePaper) {
  const RateConstants smooth{
      .smooth = true, .convexity = 0.5, .gradient_change = 3, .second_moment = 4, .diameter = 5};
  const StepOptions strong{.rule = StepRule::strongly_convex, .convexity = 0.5};
  EXPECT_DOUBLE_EQ(rate_bound(smooth, strong, 9), 4 / (0.5 * 10) * (4 + 3 * 5 * 2));
  const StepOptions convex{.rule = StepRule::convex, .step = 2};
  EXPECT_DOUBLE_EQ(rate_bound(smooth, convex, 9), (25.0 / 4 + 2 * 2 * 4 + 2 * 2 * 3 * 5 * 2) / 3);
  const RateConstants kinked{
      .smooth = false, .convexity = 0.5, .value_change = 7, .second_moment = 4, .diameter = 5};
  EXPECT_DOUBLE_EQ(rate_bound(kinked, strong, 9), 4 / (0.5 * 10) * (8 + 7 * 2 + 0.5 * 5 * 2));
  EXPECT_DOUBLE_EQ(rate_bound(kinked, convex, 9), (25.0 / 4 + 4 * 2 * 4 + 2 * 2 * 2 * 7) / 3);
  EXPECT_TRUE(std::isnan(rate_bound(smooth, {}, 9)));
  EXPECT_TRUE(
      std::isnan(rate_bound(smooth, {.rule = StepRule::strongly_convex, .convexity = 1}, 9)));
}

TEST(Rates, TheConstantsBoundSampledGradients) {
  base::Stream stream = test::stream_of("constants");
  for (const char* name : {"quadratic", "elastic", "absolute", "huber"}) {
    const AnyProblem any = make_problem(test_problem(name), 0, 2);
    const auto constants = rate_constants(any, {.inner_steps = 20, .first_step = 0.1});
    ASSERT_TRUE(constants.has_value());
    const ProblemView problem = view_of(any);
    std::vector<double> g(10);
    std::vector<double> h(10);
    for (int sample = 0; sample < 2000; ++sample) {
      const auto x = problem.box().random_point(stream);
      const auto y = problem.box().random_point(stream);
      for (std::int64_t i = 0; i < 2; ++i) {
        problem.gradient(i, x, g);
        problem.gradient(i, y, h);
        double norm = 0, change = 0, distance = 0, product = 0;
        for (std::size_t j = 0; j < 10; ++j) {
          norm += g[j] * g[j];
          change += (g[j] - h[j]) * (g[j] - h[j]);
          distance += (x[j] - y[j]) * (x[j] - y[j]);
          product += (g[j] - h[j]) * (x[j] - y[j]);
        }
        EXPECT_LE(norm, constants->second_moment * (1 + 1e-14));
        EXPECT_LE(std::sqrt(distance), constants->diameter);
        EXPECT_GE(product, constants->convexity * distance * (1 - 1e-12));
        if (constants->smooth) {
          EXPECT_LE(std::sqrt(change),
                    constants->gradient_change * std::sqrt(distance) * (1 + 1e-14));
        }
        EXPECT_LE(std::abs(problem.value(i, x) - problem.value(i, y)),
                  constants->value_change * std::sqrt(distance) * (1 + 1e-14));
      }
    }
  }
}

}  // namespace
}  // namespace fairfront::alternating
