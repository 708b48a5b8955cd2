#include "solvers/training/certified.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "solvers/training/exact.hpp"
#include "solvers/training/full_data.hpp"
#include "solvers/training/last_layer_step.hpp"
#include "solvers/training/support.hpp"

namespace fairfront::training {
namespace {

using test::Data;

const Address address{.seed = 1, .task_key = "test"};
const solvers::Control control;

std::vector<double> start_of(const Problem& problem) {
  return initial_weights(problem.model, models::Initialisation::fan_in, 1);
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

TEST(Certified, EndsWithinTheBoundsWithNoStepAtAllFromAFarStart) {
  const Data data(2, 300, 3, 3);
  const Problem problem = data.problem({5});
  for (const double scale : {20.0, 1e5, 1e200}) {
    std::vector<double> start = start_of(problem);
    for (double& value : start) value *= scale;
    constexpr double delta = 1e-3;
    // The passes at the end are the whole budget.
    Certified certified(problem, {.delta = delta}, address);
    const TrainingResult found =
        train(problem, certified, start, {.budget = 600, .trace_points = 0});
    EXPECT_LE(found.evaluations, 600);
    const PartLosses at = FullData(problem, control).losses(problem.train, found.w);
    EXPECT_LE(at.gap(), delta);
    EXPECT_LE(at.loss, best_constant_score(problem, delta).loss + 1e-12);
  }
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

/// Two large groups and `small` groups of three rows each.
Data with_small_groups(int small) {
  Data data(5, 200, 3, 2);
  for (int g = 0; g < small; ++g) {
    for (int i = 0; i < 3; ++i) {
      data.groups[static_cast<std::size_t>(3 * g + i)] = static_cast<std::int32_t>(2 + g);
    }
  }
  return data;
}

TEST(Certified, LevelsGroupsOfThreeRowsAtNoMoreThanALinearScoreNeeds) {
  for (const auto fairness : {Fairness::loss_gap, Fairness::group_to_overall}) {
    for (const int small : {2, 4}) {
      const Data data = with_small_groups(small);
      const Problem linear = data.problem({}, fairness);
      for (const double delta : {0.05, 0.005}) {
        const ExactOptimum best = exact_training(linear, {.delta = delta});
        for (const auto& hidden : {std::vector<std::int64_t>{}, std::vector<std::int64_t>{16, 8}}) {
          const Problem problem = data.problem(hidden, fairness);
          Certified certified(problem, {.delta = delta}, address);
          const TrainingResult found =
              train(problem, certified, start_of(problem), {.budget = 100'000, .trace_points = 0});
          const PartLosses at = FullData(problem, control).losses(problem.train, found.w);
          EXPECT_LE(at.gap(), delta);
          EXPECT_LE(at.loss, best.loss + 0.02) << small << ' ' << delta << ' ' << hidden.size();
        }
      }
    }
  }
}

TEST(Certified, TheWholeTrainingPartMayBeTwoGroupsOfThreeRows) {
  const Data data(6, 6, 3, 2);
  for (const auto fairness : {Fairness::loss_gap, Fairness::group_to_overall}) {
    const Problem problem = data.problem({8}, fairness);
    for (const double delta : {0.05, 1e-6}) {
      Certified certified(problem, {.delta = delta}, address);
      const TrainingResult found =
          train(problem, certified, start_of(problem), {.budget = 20'000, .trace_points = 20});
      const PartLosses at = FullData(problem, control).losses(problem.train, found.w);
      EXPECT_LE(at.gap(), delta);
      EXPECT_LE(at.loss, best_constant_score(problem, delta).loss + 1e-12);
    }
  }
}

TEST(Certified, IsNeverAboveAPointOfItsTrajectoryThatIsWithinTheBounds) {
  for (const double step : {0.004, 0.5, 30.0}) {  // the last ones leave good weights again
    for (const double delta : {0.5, 0.02}) {
      const Data data(7, 120, 3, 3);
      const Problem problem = data.problem({6});
      Certified certified(problem, {.delta = delta, .step = step}, address);
      const TrainingResult found =
          train(problem, certified, start_of(problem), {.budget = 6'000, .trace_points = 60});
      const PartLosses at = FullData(problem, control).losses(problem.train, found.w);
      const auto losses = found.trace.of("loss_train");
      const auto gaps = found.trace.of("gap_train");
      for (std::size_t i = 0; i < gaps.size(); ++i) {
        if (gaps[i] <= delta) {
          EXPECT_LE(at.loss, losses[i]);
        }
      }
    }
  }
}

TEST(Certified, RefusesABudgetThatIsTooSmallForItsPasses) {
  const Data data(4, 100, 3, 2);
  const Problem problem = data.problem({});
  const CertifiedOptions options;
  EXPECT_NO_THROW(Certified::validate_for(problem, options, {.budget = 200}));
  EXPECT_THROW(Certified::validate_for(problem, options, {.budget = 199}), std::invalid_argument);
  EXPECT_THROW(Certified::validate_for(problem, options, {.budget = 0, .iterations = 10}),
               std::invalid_argument);
  EXPECT_THROW(Certified(problem, {.delta = 0}, address), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::training
