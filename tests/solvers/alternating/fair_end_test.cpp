// The ends of fronts whose f_2 is squares of differences, against SLSQP of NLopt.
#include "solvers/alternating/fair_end.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <nlopt.hpp>
#include <vector>

#include "solvers/killed.hpp"
#include "support.hpp"

namespace fairfront::alternating {
namespace {

DataProblem gap_problem(models::LossKind loss) {
  return {test::small_dataset(),
          {.loss = loss,
           .fairness = FairnessKind::loss_gap,
           .fairness_scale = 3,
           .regularisation = 0.01}};
}

/// The least f_1 that SLSQP finds of some starts.
/// @param bound  of f_2; 0: every difference is 0.
double least_by_slsqp(const DataProblem& problem, double bound) {
  const auto variables = static_cast<unsigned>(problem.box().variables());
  const auto objective = [](const std::vector<double>& x, std::vector<double>& gradient,
                            void* data) {
    const auto& of = *static_cast<const DataProblem*>(data);
    if (!gradient.empty()) of.gradient(0, x, gradient);
    return of.value(0, x);
  };
  struct Difference {
    const DataProblem* problem;
    std::size_t which;
  };
  const auto difference = [](const std::vector<double>& x, std::vector<double>& gradient,
                             void* data) {
    const auto& of = *static_cast<const Difference*>(data);
    std::vector<double> all(static_cast<std::size_t>(of.problem->differences()));
    std::vector<double> factors(all.size(), 0.0);
    factors[of.which] = 1;
    if (!gradient.empty()) of.problem->differences_gradient(x, factors, gradient);
    of.problem->differences_at(x, all);
    return all[of.which];
  };
  struct Bound {
    const DataProblem* problem;
    double most;
  };
  const auto excess = [](const std::vector<double>& x, std::vector<double>& gradient, void* data) {
    const auto& of = *static_cast<const Bound*>(data);
    if (!gradient.empty()) {
      of.problem->gradient(1, x, gradient);
      for (double& slope : gradient) slope /= of.most;
    }
    return of.problem->value(1, x) / of.most - 1;
  };
  std::vector<Difference> differences;
  for (std::int64_t k = 0; k < problem.differences(); ++k) {
    differences.push_back({&problem, static_cast<std::size_t>(k)});
  }
  Bound most{&problem, bound};
  double best = std::numeric_limits<double>::infinity();
  for (std::uint64_t start = 0; start < 6; ++start) {
    nlopt::opt solver(nlopt::LD_SLSQP, variables);
    solver.set_lower_bounds({problem.box().lower().begin(), problem.box().lower().end()});
    solver.set_upper_bounds({problem.box().upper().begin(), problem.box().upper().end()});
    solver.set_min_objective(objective, const_cast<DataProblem*>(&problem));
    if (bound > 0) {
      solver.add_inequality_constraint(excess, &most, 1e-9);
    } else {
      for (Difference& one : differences) solver.add_equality_constraint(difference, &one, 1e-10);
    }
    solver.set_xtol_rel(1e-12);
    solver.set_maxeval(2000);
    base::Stream stream = test::stream_of("slsqp", start);
    std::vector<double> x(variables);
    for (double& component : x) component = 0.4 * static_cast<double>(start) * stream.normal();
    double value = 0;
    try {
      (void)solver.optimize(x, value);
    } catch (const std::exception&) {
      continue;  // no progress is possible from this start
    }
    const double unfair = problem.value(1, x);
    if (unfair <= (bound > 0 ? bound * (1 + 1e-6) : 1e-16)) best = std::min(best, value);
  }
  return best;
}

TEST(FairEnd, IsTheLeastLossWithoutAGapAndTheWholeFrontIsThatOfSlsqp) {
  for (const auto loss : {models::LossKind::logistic, models::LossKind::square}) {
    const DataProblem problem = gap_problem(loss);
    const auto result = epsilon_constraint(problem, EpsilonConstraintOptions{}, 1, "key");
    ASSERT_GT(result.front.size(), 20u);
    const auto& first = result.front.front().values;
    const auto& last = result.front.back().values;
    const double range = last[0] - first[0];
    const double fall = first[1] - last[1];
    EXPECT_LE(last[1], fair_end_tolerance * fall);
    EXPECT_NEAR(last[0], least_by_slsqp(problem, 0), 1e-6 * range);
    EXPECT_LE(result.open_gap, 0.035);
    for (std::size_t k = 1; k + 1 < result.front.size(); ++k) {
      const auto& values = result.front[k].values;
      EXPECT_GT(values[1], last[1] + fair_end_tolerance * fall) << "no better than the end";
      if (k % 8 == 1) {
        EXPECT_LE(values[0], least_by_slsqp(problem, values[1]) + 1e-3 * range);
      }
    }
  }
}

TEST(FairEnd, NoPointIsBehindEqualScores) {
  const DataProblem problem = gap_problem(models::LossKind::logistic);
  const std::vector<double> zero(problem.box().lower().size(), 0.0);
  ASSERT_EQ(problem.value(1, zero), 0);
  for (const std::int64_t most : {2, 100, 8000}) {
    const auto result = epsilon_constraint(problem, {.most_gradients = most}, 1, "key");
    for (const TracedPoint& point : result.front) {
      EXPECT_LE(point.values[0], problem.value(0, zero));
    }
    EXPECT_LE(result.gradients, most);
  }
}

TEST(FairEnd, DifferencesAreThoseOfTheGroupsLossesAndHaveTheirGradient) {
  const DataProblem problem = gap_problem(models::LossKind::logistic);
  ASSERT_EQ(problem.differences(), 2);
  const std::vector<double> x{0.3, -0.7, 1.1, 0.2};
  const std::vector<double> factors{0.8, -1.7};
  const auto sum_at = [&](const std::vector<double>& at) {
    std::vector<double> all(2);
    problem.differences_at(at, all);
    return factors[0] * all[0] + factors[1] * all[1];
  };
  std::vector<double> all(2), gradient(4);
  problem.differences_at(x, all);
  EXPECT_NEAR(problem.value(1, x),
              3 * (all[0] * all[0] + all[1] * all[1] + (all[0] - all[1]) * (all[0] - all[1])),
              1e-14);
  problem.differences_gradient(x, factors, gradient);
  for (std::size_t j = 0; j < x.size(); ++j) {
    std::vector<double> up = x, down = x;
    up[j] += 1e-6;
    down[j] -= 1e-6;
    EXPECT_NEAR(gradient[j], (sum_at(up) - sum_at(down)) / 2e-6, 1e-8);
  }
}

TEST(FairEnd, GoesOnFromCheckpointsToTheSameBits) {
  const DataProblem problem = gap_problem(models::LossKind::logistic);
  const EpsilonConstraintOptions options{.samples = 100, .walk_levels = 5, .spacing = 0.2};
  const auto whole = epsilon_constraint(problem, options, 1, "key");
  solvers::test::KilledRun killed([&](const solvers::Control& control) {
    return epsilon_constraint(problem, options, 1, "key", control);
  });
  const auto again = killed.to_the_end();
  EXPECT_GT(killed.kills(), 4);  // the least loss, and the end from each start
  ASSERT_EQ(again.front.size(), whole.front.size());
  for (std::size_t k = 0; k < whole.front.size(); ++k) {
    EXPECT_EQ(again.front[k].x, whole.front[k].x);
  }
  EXPECT_EQ(again.gradients, whole.gradients);
}

}  // namespace
}  // namespace fairfront::alternating
