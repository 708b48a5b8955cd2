#include "solvers/training/certified.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "solvers/training/exact.hpp"
#include "solvers/training/full_data.hpp"
#include "solvers/training/support.hpp"

namespace fairfront::training {
namespace {

using test::Data;

const Address address{.seed = 1, .task_key = "test"};
const solvers::Control control;

std::vector<double> start_of(const Problem& problem) {
  return initial_weights(problem.model, models::Initialisation::fan_in, 1);
}

double length(std::span<const double> s) {
  return std::sqrt(std::inner_product(s.begin(), s.end(), s.begin(), 0.0));
}

TEST(RestoringStep, ToOneBoundIsTheShortestWayInClosedForm) {
  const std::vector<double> jacobian{3, 4}, gradient{1, 1};
  const auto s = restoring_step(std::vector{1.5}, jacobian, gradient, 0.5, 0);
  EXPECT_NEAR(s[0], -1.0 * 3 / 25, 1e-12);
  EXPECT_NEAR(s[1], -1.0 * 4 / 25, 1e-12);
  const auto inside = restoring_step(std::vector{0.2}, jacobian, gradient, 10, 0.1);
  EXPECT_NEAR(inside[0], -0.1, 1e-15) << "no bound: a step of descent";
}

TEST(RestoringStep, KeepsAllBoundsAndNoShorterStepDoes) {
  base::Stream stream(base::StreamKey(1, "test", "steps"), 0);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> jacobian(3 * 5), gradient(5), gaps(3);
    for (auto* values : {&jacobian, &gradient, &gaps}) {
      for (double& value : *values) value = stream.normal();
    }
    constexpr double bound = 0.1;
    const auto largest_after = [&](std::span<const double> s) {
      double most = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const auto row = jacobian.begin() + static_cast<std::ptrdiff_t>(5 * i);
        most = std::max(most, std::abs(std::inner_product(s.begin(), s.end(), row, gaps[i])));
      }
      return most;
    };
    for (const double eta : {0.0, 0.5}) {
      const auto s = restoring_step(gaps, jacobian, gradient, bound, eta);
      EXPECT_LE(largest_after(s), bound * (1 + 1e-6));
      // |s + eta g|^2 is what is least.
      const auto value = [&](std::span<const double> at) {
        double sum = 0;
        for (std::size_t j = 0; j < 5; ++j) {
          sum += (at[j] + eta * gradient[j]) * (at[j] + eta * gradient[j]);
        }
        return sum;
      };
      for (int trial = 0; trial < 200; ++trial) {
        std::vector<double> other(s.begin(), s.end());
        for (double& x : other) x += 0.1 * stream.normal();
        if (largest_after(other) <= bound) {
          EXPECT_GE(value(other), value(s) - 1e-6);
        }
      }
    }
  }
}

TEST(LossTable, HasTheGapsOfAllRowsOnceAllAreSeen) {
  const Data data(1, 120, 3, 3);
  const Problem problem = data.problem({4}, Fairness::equalised_odds);
  const std::vector<double> w = start_of(problem);
  LossTable table(problem);
  EXPECT_FALSE(table.is_complete());
  Pass pass(problem);
  std::vector<std::int64_t> positions(120);
  std::iota(positions.begin(), positions.end(), 0);
  const std::vector<double> other(120, 7.0);
  table.update(positions, other);  // what is known later replaces it
  const auto losses = pass.forward(w, problem.train.rows);
  table.update(std::span(positions).first(50), losses.first(50));
  table.update(std::span(positions).subspan(50), losses.subspan(50));
  EXPECT_TRUE(table.is_complete());
  std::vector<double> gaps(static_cast<std::size_t>(problem.constraints.gaps()));
  table.gaps(gaps);
  const PartLosses all = FullData(problem, control).losses(problem.train, w);
  for (std::size_t i = 0; i < gaps.size(); ++i) EXPECT_NEAR(gaps[i], all.gaps[i], 1e-13);
}

TEST(Certified, EndsWithinTheBoundsWhateverTheProblem) {
  for (const auto fairness : {Fairness::loss_gap, Fairness::equal_opportunity,
                              Fairness::equalised_odds, Fairness::group_to_overall}) {
    for (const auto loss :
         {models::LossKind::logistic, models::LossKind::square, models::LossKind::hinge}) {
      for (const int groups : {2, 4}) {
        for (const double delta : {0.1, 1e-4}) {
          const Data data(1, 240, 3, groups);
          const Problem problem = data.problem({6}, fairness, loss);
          Certified certified(problem, {.delta = delta}, address);
          const TrainingResult found =
              train(problem, certified, start_of(problem), {.budget = 20'000, .trace_points = 3});
          EXPECT_LE(found.evaluations, 20'000);
          const PartLosses at = FullData(problem, control).losses(problem.train, found.w);
          EXPECT_LE(at.gap(), delta) << static_cast<int>(fairness) << static_cast<int>(loss);
        }
      }
    }
  }
}

TEST(Certified, ScalesTheOutputDownWhereNoPassWasFeasible) {
  const Data data(2, 300, 3, 3);
  const Problem problem = data.problem({5});
  std::vector<double> start = start_of(problem);
  for (double& value : start) value *= 20;  // far from the bounds
  constexpr double delta = 1e-3;
  ASSERT_GT(FullData(problem, control).losses(problem.train, start).gap(), 0.1);
  // Two passes are the whole budget: the first is a try, the second must end it.
  Certified certified(problem, {.delta = delta, .passes = 2}, address);
  const TrainingResult found = train(problem, certified, start, {.budget = 600, .trace_points = 0});
  EXPECT_EQ(found.evaluations, 600);
  const PartLosses at = FullData(problem, control).losses(problem.train, found.w);
  EXPECT_LE(at.gap(), delta);
  EXPECT_GT(length(found.w), 0);
}

TEST(Certified, ComesNearTheOptimumOfALinearScoreAndNotBelowIt) {
  const Data data(3, 600, 4, 2);
  const Problem problem = data.problem({});
  for (const double delta : {0.1, 0.01}) {
    const ExactOptimum best = exact_training(problem, {.delta = delta});
    Certified certified(problem, {.delta = delta}, address);
    const TrainingResult found =
        train(problem, certified, start_of(problem), {.budget = 300'000, .trace_points = 0});
    const PartLosses at = FullData(problem, control).losses(problem.train, found.w);
    EXPECT_LE(at.gap(), delta);
    EXPECT_GE(at.loss, best.lower - 1e-9);
    EXPECT_LE(at.loss, best.loss + 2e-3);
  }
}

TEST(Certified, RefusesABudgetThatIsTooSmallForItsPasses) {
  const Data data(4, 100, 3, 2);
  const Problem problem = data.problem({});
  const CertifiedOptions options{.passes = 6};
  EXPECT_NO_THROW(Certified::validate_for(problem, options, {.budget = 600}));
  EXPECT_THROW(Certified::validate_for(problem, options, {.budget = 599}), std::invalid_argument);
  EXPECT_THROW(Certified::validate_for(problem, options, {.budget = 0, .iterations = 10}),
               std::invalid_argument);
  EXPECT_THROW(Certified(problem, {.delta = 0}, address), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::training
