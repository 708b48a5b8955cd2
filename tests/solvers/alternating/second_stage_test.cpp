#include "solvers/alternating/second_stage.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlopt.hpp>
#include <vector>

#include "optimise/linear_program.hpp"
#include "support.hpp"

namespace fairfront::alternating::second_stage_test {
namespace {

using Values = std::array<double, 3>;

struct Improved {
  SurfacePoint from, to;
  bool ended = false;
};

/// @param most  gradients.
Improved improve_from(const AnyProblem& any, const SurfacePoint& start,
                      std::int64_t most = 1'000'000) {
  const ProblemView problem = view_of(any);
  Improved made{start, {}, false};
  const auto values = values_at(problem, made.from.x);
  made.from.values = {values[0], values[1], values[2]};
  made.to = made.from;
  const ObjectiveFunctions functions = functions_of(problem);
  const solvers::Control control;
  Oracle<3> oracle(functions, most, control);
  std::vector<double> widths;
  for (std::size_t j = 0; j < made.from.x.size(); ++j) {
    widths.push_back(problem.box().upper()[j] - problem.box().lower()[j]);
  }
  made.ended = SecondStage(oracle, {}, widths).improve(made.to);
  EXPECT_LE(oracle.gradients(), most);
  return made;
}

/// From a point drawn in the box.
Improved improve(const AnyProblem& any, std::uint64_t sample, std::int64_t most = 1'000'000) {
  base::Stream stream = test::stream_of("second stage", sample);
  SurfacePoint start;
  start.x = view_of(any).box().random_point(stream);
  return improve_from(any, start, most);
}

double sum_of(const Values& values) { return values[0] + values[1] + values[2]; }

/// Of sums of |x_j - p_ij|: with y_i the sum of all x_j + 1/2 that belong to f_i, in [0, n_i] on
/// the efficient set's side, f_i = n_i + y_1 + y_2 + y_3 - 2 y_i. A linear program of three
/// numbers.
double least_sum_of_absolutes(const Values& bounds, std::int64_t variables) {
  optimise::LinearProgram program{.rows = 6, .columns = 3, .matrix = {}, .right = {}, .cost = {}};
  program.cost = {1, 1, 1};
  for (std::int64_t i = 0; i < 3; ++i) {
    const auto size = static_cast<double>((variables + 2 - i) / 3);
    for (std::int64_t k = 0; k < 3; ++k) program.matrix.push_back(k == i ? -1 : 1);
    program.right.push_back(bounds[static_cast<std::size_t>(i)] - size);
  }
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t k = 0; k < 3; ++k) program.matrix.push_back(k == i ? 1 : 0);
    program.right.push_back(static_cast<double>((variables + 2 - i) / 3));
  }
  return optimise::solve_linear_program(program).value + static_cast<double>(variables);
}

TEST(SecondStage, OfKinksIsTheLinearProgram) {
  for (const std::int64_t variables : {3, 6, 7}) {
    const AnyProblem problem = make_problem(test_problem("absolute"), variables, 3);
    for (std::uint64_t sample = 0; sample < 30; ++sample) {
      SCOPED_TRACE(std::to_string(variables) + " variables, sample " + std::to_string(sample));
      const Improved made = improve(problem, sample);
      EXPECT_TRUE(made.ended);
      EXPECT_NEAR(sum_of(made.to.values), least_sum_of_absolutes(made.from.values, variables),
                  4 * second_stage_slack + second_stage_gap);
    }
  }
}

/// min f_1 + f_2 + f_3 with f_i <= bounds_i by the SQP of Kraft (1988) in NLopt.
double least_sum_by_slsqp(const ProblemView& problem, const SurfacePoint& from) {
  struct Objective {
    const ProblemView& problem;
    std::int64_t first, last;
    double bound;
    static double value(const std::vector<double>& x, std::vector<double>& slope, void* data) {
      const auto& of = *static_cast<const Objective*>(data);
      std::fill(slope.begin(), slope.end(), 0.0);
      std::vector<double> one(x.size());
      double sum = -of.bound;
      for (std::int64_t i = of.first; i < of.last; ++i) {
        sum += of.problem.value(i, x);
        of.problem.gradient(i, x, one);
        for (std::size_t j = 0; j < slope.size(); ++j) slope[j] += one[j];
      }
      return sum;
    }
  };
  nlopt::opt solver(nlopt::LD_SLSQP, static_cast<unsigned>(from.x.size()));
  Objective sum{problem, 0, 3, 0};
  std::vector<Objective> bounds;
  for (std::int64_t i = 0; i < 3; ++i) {
    bounds.push_back({problem, i, i + 1, from.values[static_cast<std::size_t>(i)]});
  }
  solver.set_min_objective(Objective::value, &sum);
  for (Objective& bound : bounds) solver.add_inequality_constraint(Objective::value, &bound, 1e-9);
  const auto lower = problem.box().lower(), upper = problem.box().upper();
  solver.set_lower_bounds({lower.begin(), lower.end()});
  solver.set_upper_bounds({upper.begin(), upper.end()});
  solver.set_xtol_rel(1e-10);
  solver.set_maxeval(2000);
  std::vector<double> x = from.x;
  double least = 0;
  solver.optimize(x, least);
  return least;
}

// Of quadratics it knows how convex they are, of the others not.
TEST(SecondStage, OfSmoothObjectivesIsTheLeastSumWithinTheBoundsWhereItEnds) {
  for (const char* name : {"quadratic", "huber"}) {
    int ended = 0;
    const AnyProblem problem = make_problem(test_problem(name), 3, 3);
    for (std::uint64_t sample = 0; sample < 30; ++sample) {
      SCOPED_TRACE(std::string(name) + ", sample " + std::to_string(sample));
      const Improved made = improve(problem, sample);
      const double least = least_sum_by_slsqp(view_of(problem), made.from);
      EXPECT_GE(sum_of(made.to.values), least - 0.01);  // which the slack may win
      if (!made.ended) continue;
      ++ended;
      EXPECT_LE(sum_of(made.to.values), least + 1e-3);
    }
    EXPECT_GE(ended, std::string(name) == "quadratic" ? 30 : 10) << name;
  }
}

/// Of the sum with these weights, by the minimiser in closed form.
double excess_of_sum(const AnyProblem& any, const Values& values, const Values& weights) {
  const ProblemView problem = view_of(any);
  const auto least = values_at(problem, minimiser(any, weights).value());
  double excess = 0;
  for (std::size_t i = 0; i < 3; ++i) excess += weights[i] * (values[i] - least[i]);
  return excess;
}

// Where curved objectives bound each other steps along lines leave the bounds.
TEST(SecondStage, OfKinksThatBendEndsWithAProofThatTheMinimiserInClosedFormConfirms) {
  for (const char* name : {"elastic", "quadratic"}) {
    for (const std::int64_t variables : {3, 5, 10, 20}) {
      const AnyProblem problem = make_problem(test_problem(name), variables, 3);
      for (std::uint64_t sample = 0; sample < 20; ++sample) {
        SCOPED_TRACE(fmt::format("{}, {} variables, sample {}", name, variables, sample));
        const Improved made = improve(problem, sample);
        EXPECT_TRUE(made.ended);
        EXPECT_LE(excess_of_sum(problem, made.to.values, made.to.weights), second_stage_gap + 1e-9);
        for (const double weight : made.to.weights) EXPECT_GE(weight, 1);
      }
    }
  }
}

TEST(SecondStage, LeavesAnEfficientPointWhereItIs) {
  const AnyProblem problem = make_problem(test_problem("elastic"), 10, 3);
  for (const Values& weights : {Values{1, 1, 1}, Values{1, 2, 3}, Values{1, 10, 3}}) {
    SurfacePoint point;
    point.x = minimiser(problem, weights).value();
    const Improved made = improve_from(problem, point);
    EXPECT_TRUE(made.ended);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(made.to.values[i], made.from.values[i], 2 * second_stage_gap);
    }
  }
}

TEST(SecondStage, RaisesNoObjectiveAndLeavesTheBoxNowhere) {
  for (const char* name : {"absolute", "elastic", "quadratic", "huber", "dtlz2"}) {
    const AnyProblem any = make_problem(test_problem(name), 5, 3);
    const ProblemView problem = view_of(any);
    for (std::uint64_t sample = 0; sample < 15; ++sample) {
      const Improved made = improve(any, sample);
      EXPECT_TRUE(problem.box().contains(made.to.x));
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_LE(made.to.values[i], made.from.values[i] + second_stage_slack) << name;
        EXPECT_EQ(made.to.values[i], problem.value(static_cast<std::int64_t>(i), made.to.x));
      }
      EXPECT_LE(sum_of(made.to.values), sum_of(made.from.values));
      if (made.ended) {
        for (const double weight : made.to.weights) EXPECT_GE(weight, 0) << name;
      }
    }
  }
}

TEST(SecondStage, EndsWithTheGradientsThatItMayDraw) {
  const AnyProblem problem = make_problem(test_problem("absolute"), 6, 3);
  EXPECT_FALSE(improve(problem, 1, 2).ended);
  EXPECT_FALSE(improve(problem, 1, 7).ended);
}

}  // namespace
}  // namespace fairfront::alternating::second_stage_test
