#include "solvers/ranking/iqrc.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "solvers/ranking/exact_auc.hpp"
#include "support.hpp"

namespace fairfront::ranking {
namespace {

const PairSets pairs = pair_sets(FairnessMetric::inter_group);

template <ScoreRows Scores>
SurrogateProblem<Scores> problem_of(const Scores& rows, double radius, double interval) {
  return {rows, pairs, {}, 0.2, radius, interval};
}

TEST(Iqrc, OfALinearScoreComesNearTheExactOptimum) {
  const LinearScores rows = test::random_rows(1, 800, 3).scores();
  const ExactAuc exact(QuadraticLosses(rows, pairs, {}));
  const ExactOptimum best = exact.solve(0.2);
  double squares = 0;
  for (const double value : best.w) squares += value * value;
  const double radius = 2 * std::sqrt(squares);
  const auto problem = problem_of(rows, radius, radius * exact.losses().mean_bound());
  const std::vector<double> zero(3, 0.0);
  const IqrcResult found =
      iqrc(problem, {.iterations = 4, .level = {.descent = {.steps = 3000}}}, zero, 1, "task");
  const Losses losses = exact.losses()(found.w);
  EXPECT_LE(losses.excess(0.2), 1e-3);
  EXPECT_LE(losses.objective, best.losses.objective + 0.03);
  EXPECT_GE(found.steps, 3000 * std::ssize(found.calls));
  EXPECT_GT(found.improved, 0);
}

/// So heavy a penalty that the least value is found by hand: nearly no way from the start.
TEST(Iqrc, TheQuadraticKeepsTheResultNearItsCentre) {
  const LinearScores rows = test::random_rows(2, 300, 2).scores();
  const ExactAuc exact(QuadraticLosses(rows, pairs, {}));
  const auto problem = problem_of(rows, 10, 10 * exact.losses().mean_bound());
  const std::vector<double> zero(2, 0.0);
  const auto norm_with = [&](double rho) {
    const IqrcResult found = iqrc(
        problem, {.rho = rho, .iterations = 1, .level = {.descent = {.step = 0.02, .steps = 4000}}},
        zero, 1, "task");
    return std::hypot(found.w[0], found.w[1]);
  };
  const double free = norm_with(0);
  EXPECT_GT(free, 0.05);
  // |grad f0(0)| is at most 2 c1 c2 |d0|, so the minimiser lies within 2 c1 c2 |d0| / rho.
  const double slope = exact.losses().objective_slope().norm();
  EXPECT_LT(norm_with(50), 1.5 * slope / 50);
  EXPECT_GT(norm_with(50), 0);
}

/// Label 1 where |x| is large: no linear score knows it.
test::RankingRows ring(int rows) {
  base::Stream stream(base::StreamKey(1, "test", "ring"), 0);
  test::RankingRows made{2, {}, {}};
  for (int i = 0; i < rows; ++i) {
    const bool positive = stream.uniform() < 0.5;
    made.cells.push_back(cell_of(positive, stream.uniform() < 0.4));
    const double sign = stream.uniform() < 0.5 ? -1 : 1;
    made.features.push_back(5 * (sign * (positive ? 1.5 : 0.3) + 0.2 * stream.normal()));
    made.features.push_back(stream.normal());
  }
  return made;
}

TEST(Iqrc, ANetworkEndsOnAScoreThatIsFeasibleAndNotConstantWhateverTheStep) {
  const LinearScores rows = ring(300).scores();
  const NetworkScores network(rows, 4);
  const auto problem = problem_of(network, 10, network.score_bound(10));
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    base::Stream stream(base::StreamKey(seed, "test", "start"), 0);
    const std::vector<double> start = network.initial_weights(stream);
    for (const double step : {0.01, 1.0, 3.0, 30.0}) {
      const IqrcResult found = iqrc(
          problem, {.level = {.descent = {.step = step, .steps = 100}, .evaluations = 100'000}},
          start, seed, "task");
      const Losses losses = losses_of(network.sums(found.w), pairs, {});
      EXPECT_GT(found.improved, 0) << step;
      EXPECT_LT(losses.objective, 0.5) << step;
      EXPECT_LE(losses.excess(0.2), 1e-14) << step;
      EXPECT_LE(std::sqrt(squared_norm(found.w)), 10 * (1 + 1e-14));
      EXPECT_LE(found.evaluations, 100'000);
      EXPECT_GT(found.evaluations, 100'000 - 1300);
    }
  }
}

TEST(Iqrc, ANetworkLearnsWhatIsNotLinearAndStaysFeasible) {
  const LinearScores rows = ring(1000).scores();
  const double linear = ExactAuc(QuadraticLosses(rows, pairs, {})).unconstrained().losses.objective;
  const NetworkScores network(rows, 10);
  SurrogateProblem<NetworkScores> problem{network, pairs, {}, 0.6, 10, network.score_bound(10)};
  base::Stream stream(base::StreamKey(1, "test", "start"), 0);
  const std::vector<double> start = network.initial_weights(stream);
  const IqrcResult found =
      iqrc(problem,
           {.iterations = 6, .level = {.descent = {.step = 0.3, .steps = 3000}, .most_calls = 8}},
           start, 1, "task");
  const Losses losses = losses_of(network.sums(found.w), pairs, {});
  EXPECT_GT(linear, 0.49);  // of 1/2 for a constant
  EXPECT_LT(losses.objective, 0.3);
  EXPECT_LE(losses.excess(0.6), 1e-14);
}

/// Interrupted at every `period`-th question and gone on with from what was kept.
TEST(Iqrc, GoingOnFromACheckpointGivesTheSameBits) {
  const LinearScores rows = test::random_indicators(3, 200, 3, 4).scores();
  const NetworkScores network(rows, 3);
  const auto problem = problem_of(network, 5, network.score_bound(5));
  base::Stream stream(base::StreamKey(1, "test", "start"), 0);
  const std::vector<double> start = network.initial_weights(stream);
  for (const RowOrder order :
       {RowOrder::balanced, RowOrder::drawn, RowOrder::shuffled, RowOrder::file}) {
    const IqrcOptions options{
        .iterations = 3,
        .level = {.descent = {.steps = 150, .batch = 7, .rows = order}, .most_calls = 3}};
    const IqrcResult whole = iqrc(problem, options, start, 1, "task");
    std::optional<std::string> state;
    IqrcResult found;
    int stops = 0;
    for (bool ended = false; !ended;) {
      solvers::Control control;
      control.resume = state;
      int questions = 0;
      control.request = [&] {
        return ++questions > 6 ? solvers::Request::stop : solvers::Request::go_on;
      };
      control.save = [&](const std::string& bytes) { state = bytes; };
      try {
        found = iqrc(problem, options, start, 1, "task", control);
        ended = true;
      } catch (const solvers::Interrupted&) {
        ++stops;
      }
    }
    EXPECT_GT(stops, 1);
    EXPECT_EQ(found.w, whole.w);
    EXPECT_EQ(found.steps, whole.steps);
    EXPECT_EQ(found.improved, whole.improved);
    ASSERT_EQ(found.calls.size(), whole.calls.size());
    for (std::size_t k = 0; k < whole.calls.size(); ++k) {
      EXPECT_EQ(found.calls[k].upper_bound, whole.calls[k].upper_bound);
    }
  }
}

TEST(Iqrc, AStateOfSomethingElseIsRefused) {
  const LinearScores rows = test::random_rows(4, 50, 2).scores();
  const auto problem = problem_of(rows, 1, 1);
  const std::vector<double> zero(2, 0.0);
  std::string state;
  solvers::Control keeping;
  keeping.request = [] { return solvers::Request::stop; };
  keeping.save = [&](const std::string& bytes) { state = bytes; };
  EXPECT_THROW((void)iqrc(problem, {}, zero, 1, "task", keeping), solvers::Interrupted);
  const LinearScores other_rows = test::random_rows(4, 50, 3).scores();
  const std::vector<double> other_zero(3, 0.0);
  solvers::Control going_on;
  going_on.resume = state;
  EXPECT_THROW((void)iqrc(problem_of(other_rows, 1, 1), {}, other_zero, 1, "task", going_on),
               base::CheckpointError);
  EXPECT_THROW((void)level_set(problem, {}, 1, "task", going_on), base::CheckpointError);
  EXPECT_THROW((void)iqrc(problem, {}, other_zero, 1, "task"), std::invalid_argument);
  EXPECT_THROW((void)iqrc(problem, {.iterations = 0}, zero, 1, "task"), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::ranking
