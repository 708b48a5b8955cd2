#include "solvers/training/train.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "solvers/training/certified.hpp"
#include "solvers/training/dual_ascent.hpp"
#include "solvers/training/fairret.hpp"
#include "solvers/training/full_data.hpp"
#include "solvers/training/sgd.hpp"
#include "solvers/training/ssl_alm.hpp"
#include "solvers/training/stochastic_ghost.hpp"
#include "solvers/training/support.hpp"
#include "solvers/training/switching_subgradient.hpp"

namespace fairfront::training::train_test {
namespace {

const Address address{7, "task"};

std::vector<double> start_of(const Problem& problem) {
  return initial_weights(problem.model, models::Initialisation::fan_in, 1);
}

void expect_same(const TrainingResult& a, const TrainingResult& b) {
  EXPECT_EQ(a.w, b.w);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.evaluations, b.evaluations);
  EXPECT_EQ(a.trace.steps, b.trace.steps);
  EXPECT_EQ(a.trace.values, b.trace.values);
}

TEST(Train, TheBudgetIsNeverExceededAndAllSpentThatMakesAStep) {
  const test::Data data(1, 200, 3, 2);
  const Problem problem = data.problem({5});
  Sgd sgd(problem, {.batch = 8}, address);
  const TrainingResult found =
      train(problem, sgd, start_of(problem), {.budget = 1003, .trace_points = 5});
  EXPECT_EQ(found.evaluations, 1000);
  EXPECT_EQ(found.iterations, 125);
  EXPECT_THAT(found.trace.names, testing::ElementsAre("loss_train", "gap_train"));
  EXPECT_EQ(found.trace.steps.front(), 0);
  EXPECT_EQ(found.trace.steps.back(), 1000);
  EXPECT_EQ(std::ssize(found.trace.steps), 5);
  FullData full(problem, test::no_control);
  EXPECT_EQ(found.trace.of("loss_train").back(), full.losses(problem.train, found.w).loss);
  EXPECT_EQ(found.trace.of("loss_train").front(),
            full.losses(problem.train, start_of(problem)).loss);
}

TEST(Train, IterationsBoundARunAsWell) {
  const test::Data data(1, 200, 3, 2);
  const Problem problem = data.problem({});
  Sgd sgd(problem, {.batch = 10}, address);
  const TrainingResult found =
      train(problem, sgd, start_of(problem), {.budget = 0, .iterations = 7, .trace_points = 0});
  EXPECT_EQ(found.evaluations, 70);
  EXPECT_TRUE(found.trace.steps.empty());
  EXPECT_THROW((void)train(problem, sgd, start_of(problem), {.budget = 0}), std::invalid_argument);
}

/// Every algorithm by its name.
using Make = std::function<std::unique_ptr<Algorithm>(const Problem&)>;
template <class Method, class Options>
std::pair<std::string, Make> entry(const std::string& name, const Options& options) {
  return {name, [options](const Problem& problem) {
            return std::make_unique<Method>(problem, options, address);
          }};
}
SslAlmOptions alm_of_the_authors() {
  SslAlmOptions options;
  options.rules = Rules::authors;
  return options;
}
const std::vector<std::pair<std::string, Make>> algorithms{
    entry<Certified>("certified_training", CertifiedOptions{.delta = 0.03}),
    entry<Certified>("certified_training_with_confidence",
                     CertifiedOptions{.delta = 0.03, .confidence = 0.9}),
    entry<Certified>("certified_training_by_validation",
                     CertifiedOptions{.delta = 0.03, .choose_by = ChooseBy::validation}),
    entry<Sgd>("sgd", SgdOptions{}),
    entry<SslAlm>("alm", AlmOptions{}),
    entry<SslAlm>("ssl_alm", SslAlmOptions{}),
    entry<SslAlm>("ssl_alm_of_the_authors", alm_of_the_authors()),
    entry<SwitchingSubgradient>("switching_subgradient", SwitchingOptions{.burn_in = 0.1}),
    entry<StochasticGhost>("stochastic_ghost", GhostOptions{}),
    entry<Fairret>("fairret", FairretOptions{}),
    entry<Fairret>("fairret_kl", FairretOptions{.regulariser = Regulariser::kl_projection,
                                                .sampling = Sampling::replacement,
                                                .rules = Rules::authors}),
    entry<ClampedAlm>("clamped_alm", ClampedAlmOptions{}),
    entry<PiDuals>("pi_duals", PiDualsOptions{})};

class EveryAlgorithm : public testing::TestWithParam<std::pair<std::string, Make>> {};

TEST_P(EveryAlgorithm, GoesOnFromACheckpointToTheSameBits) {
  const test::Data data(1, 90, 3, 3);
  Problem problem = data.problem({6, 4});
  problem.validation = problem.train;
  const RunOptions options{.budget = 60'000, .trace_points = 7};
  const auto fresh = [&](const solvers::Control& control) {
    const auto algorithm = GetParam().second(problem);
    return train(problem, *algorithm, start_of(problem), options, control);
  };
  const TrainingResult whole = fresh({});
  std::string state;
  int asked = 0;
  solvers::Control stopping;
  stopping.request = [&] {
    return ++asked == 6 ? solvers::Request::stop : solvers::Request::go_on;
  };
  stopping.save = [&](const std::string& bytes) { state = bytes; };
  EXPECT_THROW((void)fresh(stopping), solvers::Interrupted);
  ASSERT_FALSE(state.empty());
  solvers::Control going_on;
  going_on.resume = state;
  int saved = 0;
  going_on.request = [] { return solvers::Request::checkpoint; };
  going_on.save = [&](const std::string&) { ++saved; };
  expect_same(fresh(going_on), whole);
  EXPECT_GT(saved, 0);
}

TEST_P(EveryAlgorithm, RefusesADamagedCheckpoint) {
  const test::Data data(1, 90, 3, 2);
  const Problem problem = data.problem({});
  const RunOptions options{.budget = 20'000, .trace_points = 3};
  std::string state;
  solvers::Control control;
  control.request = [] { return solvers::Request::stop; };
  control.save = [&](const std::string& bytes) { state = bytes; };
  const auto fresh = [&] {
    const auto algorithm = GetParam().second(problem);
    return train(problem, *algorithm, start_of(problem), options, control);
  };
  EXPECT_THROW((void)fresh(), solvers::Interrupted);
  const std::string good = state;
  for (const std::string& bad :
       {good.substr(0, good.size() - 1), good + "x", std::string("x"), "X" + good.substr(1)}) {
    control.resume = bad;
    EXPECT_THROW((void)fresh(), base::CheckpointError);
  }
}

INSTANTIATE_TEST_SUITE_P(Training, EveryAlgorithm, testing::ValuesIn(algorithms),
                         [](const auto& entry) { return entry.param.first; });

/// Options with which the first step already leads far away. A logistic loss grows no faster than
/// the scores, so that all numbers stay finite for long.
SslAlmOptions far_alm(double step, Rules rules) {
  SslAlmOptions options;
  options.step = step;
  options.rules = rules;
  return options;
}
SwitchingOptions far_switching(double objective_step, double constraint_step, Output output) {
  return {.delta = objective_step > 1 ? 100.0 : 0.0,
          .objective_step = objective_step,
          .constraint_step = constraint_step,
          .output = output,
          .burn_in = 0};
}
template <class Options>
Options far_duals() {
  Options options;
  options.step = 1e15;
  return options;
}
ClampedAlmOptions far_penalty() {
  ClampedAlmOptions options;
  options.delta = 0;
  options.penalty = options.most_penalty = 1e20;
  return options;
}
const std::vector<std::pair<std::string, Make>> far_steps{
    entry<Sgd>("sgd", SgdOptions{.step = 1e15}),
    entry<SslAlm>("ssl_alm", far_alm(1e15, Rules::paper)),
    entry<SslAlm>("ssl_alm_of_the_authors", far_alm(1e15, Rules::authors)),
    entry<SwitchingSubgradient>("objective_of_switching", far_switching(1e15, 1, Output::last)),
    entry<SwitchingSubgradient>("random_iterate", far_switching(1e15, 1, Output::random)),
    entry<SwitchingSubgradient>("constraint_of_switching", far_switching(1, 1e15, Output::random)),
    entry<StochasticGhost>("stochastic_ghost", GhostOptions{.step = 1e15, .step_decay = 0}),
    entry<Fairret>("fairret", FairretOptions{.strength = 1e15}),
    entry<Fairret>("fairret_kl",
                   FairretOptions{.strength = 1e15, .regulariser = Regulariser::kl_projection}),
    entry<ClampedAlm>("clamped_alm", far_duals<ClampedAlmOptions>()),
    entry<ClampedAlm>("penalty_of_clamped_alm", far_penalty()),
    entry<PiDuals>("pi_duals", far_duals<PiDualsOptions>())};

class FarStep : public testing::TestWithParam<std::pair<std::string, Make>> {
 protected:
  /// What a run says when it fails; empty where it does not.
  [[nodiscard]] static std::string failure(models::LossKind loss, const RunOptions& options) {
    const test::Data data(1, 90, 3, 2);
    const Problem problem = data.problem({6, 4}, Fairness::loss_gap, loss);
    const auto algorithm = GetParam().second(problem);
    try {
      (void)train(problem, *algorithm, start_of(problem), options);
    } catch (const std::domain_error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_P(FarStep, FailsAndSaysInWhichIteration) {
  using models::LossKind;
  for (const LossKind loss : {LossKind::logistic, LossKind::square, LossKind::hinge}) {
    for (const std::int64_t trace_points : {0, 20}) {
      EXPECT_THAT(failure(loss, {.budget = 20'000, .trace_points = trace_points}),
                  testing::StartsWith("diverged after 1 iterations: "));
    }
  }
}

TEST_P(FarStep, FailsWhereItIsTheLastOne) {
  for (const std::int64_t trace_points : {0, 20}) {
    EXPECT_THAT(failure(models::LossKind::logistic,
                        {.budget = 0, .iterations = 1, .trace_points = trace_points}),
                testing::StartsWith("diverged after 1 iterations: "));
  }
}

INSTANTIATE_TEST_SUITE_P(Training, FarStep, testing::ValuesIn(far_steps),
                         [](const auto& entry) { return entry.param.first; });

TEST(Train, FeaturesThatAreNotScaledAreNamedAndNoIterationIsSaidToHaveBeenMade) {
  test::Data data(1, 90, 3, 2);
  for (std::size_t i = 0; i < data.features.size(); i += 3) data.features[i] *= 1e9;
  const Problem problem = data.problem({});
  for (const std::int64_t trace_points : {0, 20}) {
    Sgd algorithm(problem, {}, address);
    EXPECT_THAT(
        [&] {
          (void)train(problem, algorithm, start_of(problem),
                      {.budget = 20'000, .trace_points = trace_points});
        },
        testing::ThrowsMessage<std::domain_error>(testing::AllOf(
            testing::StartsWith("no iteration could be made from the first weights: the mean loss"),
            testing::HasSubstr(", with features up to "),
            testing::HasSubstr("preparation.scaling = zscore"))));
  }
}

/// A step that is made of the weights at the end alone.
class LastStep final : public Algorithm {
 public:
  bool step(std::span<double>, Allowance& allowance) override { return allowance.spend(10); }
  [[nodiscard]] double mean_cost() const override { return 10; }
  void finish(std::span<double> w) override { w.front() = 1e15; }
  void pack(solvers::Packer&) const override {}
  void unpack(solvers::Unpacker&) override {}
};

TEST(Train, WhatIsMadeOfTheLastIterateIsLookedAtToo) {
  const test::Data data(1, 200, 3, 2);
  const Problem problem = data.problem({});
  for (const std::int64_t trace_points : {0, 5}) {
    LastStep algorithm;
    EXPECT_THAT(
        [&] {
          (void)train(problem, algorithm, start_of(problem),
                      {.budget = 100, .trace_points = trace_points});
        },
        testing::ThrowsMessage<std::domain_error>(
            testing::StartsWith("diverged after 10 iterations: the mean loss of ")));
  }
}

TEST(Train, ACertifiedRunWithAFarStepBeginsAgainAndEndsWithinTheBounds) {
  const test::Data data(1, 90, 3, 2);
  const Problem problem = data.problem({6, 4});
  for (const double step : {1e15, 1e100}) {
    Certified algorithm(problem, {.delta = 0.03, .step = step}, address);
    const TrainingResult found =
        train(problem, algorithm, start_of(problem), {.budget = 20'000, .trace_points = 0});
    const PartLosses losses = FullData(problem, test::no_control).losses(problem.train, found.w);
    EXPECT_LE(losses.gap(), 0.03);
    EXPECT_LE(losses.loss, std::log(2) + 1e-12);
  }
}

TEST(Sgd, ReachesTheOptimumOfALinearScoreWithAllRows) {
  const test::Data data(3, 60, 2, 2);
  const Problem problem = data.problem({});
  Sgd sgd(problem, {.step = 0.5, .batch = 60}, address);
  const TrainingResult found =
      train(problem, sgd, start_of(problem), {.budget = 0, .iterations = 3000, .trace_points = 0});
  const Derivatives at = FullData(problem, test::no_control).derivatives(found.w);
  for (const double slope : at.gradient) EXPECT_NEAR(slope, 0, 1e-8);
}

TEST(Sgd, OneStepGoesAgainstTheGradient) {
  const test::Data data(3, 16, 2, 2);
  const Problem problem = data.problem({4});
  const std::vector<double> start = start_of(problem);
  Sgd sgd(problem, {.step = 0.1, .batch = 16}, address);
  const TrainingResult found =
      train(problem, sgd, start, {.budget = 0, .iterations = 1, .trace_points = 0});
  const Derivatives at = FullData(problem, test::no_control).derivatives(start);
  for (std::size_t j = 0; j < start.size(); ++j) {
    EXPECT_NEAR(found.w[j], start[j] - 0.1 * at.gradient[j], 1e-15);
  }
}

/// The weights (1, 0) of test::two_rows() after one step of the method.
template <class Method, class Options>
std::vector<double> after_one_step(const Options& options) {
  const test::Data data = test::two_rows();
  const Problem problem = data.problem({}, Fairness::loss_gap, models::LossKind::square);
  Method method(problem, options, address);
  return train(problem, method, {1, 0}, {.budget = 0, .iterations = 1, .trace_points = 0}).w;
}

void expect_weights(const std::vector<double>& found, double w, double b) {
  EXPECT_NEAR(found[0], w, 1e-14);
  EXPECT_NEAR(found[1], b, 1e-14);
}

TEST(OneStep, OfSgdIsWhatPencilAndPaperSay) {
  expect_weights(after_one_step<Sgd>(SgdOptions{.step = 0.1, .batch = 2}), 0.7, -0.15);
}

TEST(OneStep, OfTheAlmIsWhatPencilAndPaperSay) {
  // h = (-5, 4), y = 0.1 h, y + h = (-5.5, 4.4), gradient (3, 1.5) - 9.9 (-6, -3) = (62.4, 31.2).
  AlmOptions options;
  options.delta = 0.5;
  options.dual_step = 0.1;
  options.batch = 2;
  options.group_batch = 1;
  expect_weights(after_one_step<SslAlm>(options), 0.376, -0.312);
}

TEST(OneStep, OfTheSmoothedAlmKeepsSlacksAndDuals) {
  const test::Data data = test::two_rows();
  const Problem problem = data.problem({}, Fairness::loss_gap, models::LossKind::square);
  SslAlmOptions options;
  options.delta = 0.5;
  options.dual_step = 0.1;
  options.batch = 2;
  options.group_batch = 1;
  options.smoothing = 2;
  options.smoothing_step = 0.25;
  SslAlm method(problem, options, address);
  Allowance allowance({.budget = 1000});
  std::vector<double> w{1, 0};
  ASSERT_TRUE(method.step(w, allowance));
  expect_weights(w, 0.376, -0.312);  // z = x at first
  EXPECT_THAT(method.duals(), testing::ElementsAre(-0.5, 0.4));
  EXPECT_THAT(method.slacks(), testing::ElementsAre(testing::DoubleNear(0.055, 1e-15), 0));
  // The second step by the formulas: scores 0.064 and 0.44, losses 0.438048 and 1.0368.
  const double d = 0.5 * 0.936 * 0.936 - 0.5 * 1.44 * 1.44;
  const double dual_plus = -0.5 + 0.1 * (d - 0.5 + 0.055);
  const double dual_minus = 0.4 + 0.1 * (-d - 0.5);
  const double u = dual_plus + (d - 0.5 + 0.055) - dual_minus - (-d - 0.5);
  const double g[] = {0.5 * (-0.936 + 2 * 1.44), 0.5 * (-0.936 + 1.44)};
  const double jacobian[] = {-0.936 - 2 * 1.44, -0.936 - 1.44};
  const double before[] = {0.376, -0.312};
  ASSERT_TRUE(method.step(w, allowance));
  const double z[] = {1, 0};  // still: the first step moved it by beta (x - z) = 0
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(w[j], before[j] - 0.01 * (g[j] + u * jacobian[j] + 2 * (before[j] - z[j])), 1e-14);
  }
}

TEST(OneStep, DualsThatReachTheirBoundBecomeZero) {
  AlmOptions options;
  options.delta = 0.5;
  options.dual_step = 0.1;
  options.dual_bound = 0.6;  // |y| = 0.64
  options.batch = 2;
  options.group_batch = 1;
  // y = 0, h = (-5, 4): gradient (3, 1.5) - 9 (-6, -3) = (57, 28.5).
  expect_weights(after_one_step<SslAlm>(options), 0.43, -0.285);
}

TEST(OneStep, OfTheSwitchingMethodGoesForTheConstraintOrTheObjective) {
  SwitchingOptions options{.delta = 0.5, .batch = 2, .group_batch = 1, .output = Output::last};
  expect_weights(after_one_step<SwitchingSubgradient>(options), 0.7, -0.15);
  options.delta = 4.5;
  expect_weights(after_one_step<SwitchingSubgradient>(options), -0.5, -0.75);
}

TEST(OneStep, OfClampedDualsAndOfThePiControllerIsWhatPencilAndPaperSay) {
  ClampedAlmOptions clamped;  // u = (0, 0.2 + 4): gradient (3, 1.5) - 4.2 (-6, -3)
  clamped.delta = 0.5;
  clamped.batch = 2;
  clamped.group_batch = 1;
  expect_weights(after_one_step<ClampedAlm>(clamped), 1 - 0.282, -0.141);
  PiDualsOptions controller;  // xi = 0.1 c, u = (0, 0.05 * 4 + 0.5 * 0.4)
  controller.delta = 0.5;
  controller.batch = 2;
  controller.group_batch = 1;
  expect_weights(after_one_step<PiDuals>(controller), 1 - 0.054, -0.027);
}

TEST(SwitchingSubgradient, PutsOutAnIterateWithItsStepAsWeight) {
  // Objective steps alone: every iterate of the second half has the same probability.
  const test::Data data(1, 40, 2, 2);
  const Problem problem = data.problem({});
  constexpr int steps = 8;
  std::vector<int> times(steps, 0);
  constexpr int runs = 4000;
  for (int run = 0; run < runs; ++run) {
    SwitchingSubgradient method(problem, {.delta = 100, .batch = 40, .burn_in = 0.5},
                                {static_cast<std::uint64_t>(run), "task"});
    Allowance allowance({.budget = 0, .iterations = steps});
    std::vector<double> w = start_of(problem);
    std::vector<std::vector<double>> path;
    for (int k = 0; k < steps; ++k) {
      path.push_back(w);
      ASSERT_TRUE(method.step(w, allowance));
      allowance.count_step();
    }
    method.finish(w);
    const auto found = std::ranges::find(path, w);
    ASSERT_NE(found, path.end());
    ++times[static_cast<std::size_t>(found - path.begin())];
  }
  for (int k = 0; k < 4; ++k) EXPECT_EQ(times[static_cast<std::size_t>(k)], 0);
  for (int k = 4; k < 8; ++k) {  // 1000 each with deviation 27
    EXPECT_NEAR(times[static_cast<std::size_t>(k)], runs / 4, 5 * 27);
  }
}

}  // namespace
}  // namespace fairfront::training::train_test
