/// @file
/// Speed of AUC under AUC fairness on one core, on rows like those of a9a: 14 indicators of 123
/// columns, or as many dense numbers. Moments and eigendecomposition of the exact optimum, one
/// kappa of it, and steps of mirror descent with batches of 100. The stochastic answer is checked
/// against the exact one, and that one against its dual value.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "solvers/ranking/exact_auc.hpp"
#include "solvers/ranking/iqrc.hpp"
#include "solvers/ranking/level_set.hpp"
#include "solvers/ranking/support.hpp"

namespace {

using namespace fairfront;
using namespace fairfront::ranking;

constexpr int rows = 29'304;
const PairSets pairs = pair_sets(FairnessMetric::group);

/// 14 categories of 9 levels, or 123 dense columns.
LinearScores training_rows(bool lists) {
  return lists ? test::random_indicators(1, rows, 14, 9).scores()
               : test::random_rows(1, rows, 123).scores();
}

/// args: lists of ones, or dense.
void moments(benchmark::State& state) {
  const LinearScores training = training_rows(state.range(0) != 0);
  for (auto _ : state) benchmark::DoNotOptimize(QuadraticLosses(training, pairs, {}));
}
BENCHMARK(moments)->ArgName("lists")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void decomposition(benchmark::State& state) {
  const QuadraticLosses losses(training_rows(true), pairs, {});
  for (auto _ : state) benchmark::DoNotOptimize(ExactAuc(losses));
}
BENCHMARK(decomposition)->Unit(benchmark::kMillisecond);

void one_kappa(benchmark::State& state) {
  const ExactAuc exact(QuadraticLosses(training_rows(true), pairs, {}));
  ExactOptimum found;
  for (auto _ : state) benchmark::DoNotOptimize(found = exact.solve(0.1));
  if (!(std::abs(found.losses.objective - found.dual_value) <= 1e-12)) {
    state.SkipWithError("wrong answer");
  }
}
BENCHMARK(one_kappa)->Unit(benchmark::kMicrosecond);

/// args: lists of ones, or dense.
void mirror_descent(benchmark::State& state) {
  const LinearScores training = training_rows(state.range(0) != 0);
  const ExactAuc exact(QuadraticLosses(training, pairs, {}));
  double squares = 0;
  for (const double value : exact.unconstrained().w) squares += value * value;
  const double radius = 1.5 * std::sqrt(squares);
  const double interval = radius * exact.losses().mean_bound();
  const SurrogateProblem<LinearScores> problem{training, pairs, {}, 0.2, radius, interval};
  const LevelSetOptions options{.descent = {.step = state.range(0) != 0 ? 0.1 : 0.01}};
  LevelSetResult found;
  for (auto _ : state) found = level_set(problem, options, 1, "bench");
  state.counters["per_step"] = benchmark::Counter(
      static_cast<double>(found.steps),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  const double optimum = exact.solve(0.2).losses.objective;
  const Losses losses = exact.losses()(found.w);
  state.counters["gap"] = losses.objective - optimum;
  state.counters["excess"] = losses.excess(0.2);
  if (!(losses.excess(0.2) <= 1e-3 && losses.objective - optimum <= 0.05)) {
    state.SkipWithError("wrong answer");
  }
}
BENCHMARK(mirror_descent)->ArgName("lists")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// The same for a network of ten hidden units, whose answer is checked against its start. args:
/// lists of ones, or dense.
void network_descent(benchmark::State& state) {
  const LinearScores training = training_rows(state.range(0) != 0);
  const NetworkScores network(training, 10);
  const SurrogateProblem<NetworkScores> problem{network, pairs, {},
                                                0.2,     10,    network.score_bound(10)};
  base::Stream stream(base::StreamKey(1, "bench", "network"), 0);
  const std::vector<double> start = network.initial_weights(stream);
  IqrcResult found;
  for (auto _ : state) found = iqrc(problem, {.iterations = 2}, start, 1, "bench");
  state.counters["per_step"] = benchmark::Counter(
      static_cast<double>(found.steps),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  const Losses losses = losses_of(network.sums(found.w), pairs, {});
  state.counters["objective"] = losses.objective;
  state.counters["excess"] = losses.excess(0.2);
  if (!(losses.excess(0.2) <= 0.02 && losses.objective <= 0.5)) {
    state.SkipWithError("wrong answer");
  }
}
BENCHMARK(network_descent)->ArgName("lists")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
