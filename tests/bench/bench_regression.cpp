/// @file
/// Speed of regression under demographic parity on one core: one training of the stochastic
/// optimisers at T = 15,000 and L = 14 (the public program takes 0.8 to 1.6 s for AC-SA), and one
/// full gradient of the dual. Each answer is checked against the printed algorithm, run plainly.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "solvers/regression/dual.hpp"
#include "solvers/regression/plain_stochastic.hpp"
#include "solvers/regression/stochastic.hpp"
#include "solvers/regression/support.hpp"

namespace {

using namespace fairfront::regression;

constexpr std::int64_t steps = 15'000;
const std::string key = "bench";

/// args: optimiser, groups.
void train(benchmark::State& state) {
  const auto optimiser = static_cast<Optimiser>(state.range(0));
  const PredictedRows rows = random_rows(200, state.range(1), 1);
  const DualProblem problem(rows, {.half = 14, .bound = 1}, 54,
                            std::vector<double>(std::size_t(state.range(1)), 0x1p-6));
  const StochasticOptions options{.optimiser = optimiser, .steps = steps};
  StochasticResult result;
  for (auto _ : state) {
    result = stochastic_dual(problem, options, 1, key);
    benchmark::DoNotOptimize(result.w.data());
  }
  state.counters["per_step"] = benchmark::Counter(
      static_cast<double>(result.gradients),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  const auto expected = plain::run(problem, optimiser, false, steps, 1, key);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // rounding errors of 15,000 steps, each of which the next ones damp
    if (!(std::abs(expected[i] - result.w[i]) <= 1e-9)) return state.SkipWithError("wrong answer");
  }
}
BENCHMARK(train)
    ->ArgNames({"optimiser", "groups"})
    ->ArgsProduct({{0, 1, 2, 3, 4, 5}, {2, 4}})
    ->Unit(benchmark::kMillisecond);

/// args: rows, L.
void full_gradient(benchmark::State& state) {
  const PredictedRows rows = random_rows(state.range(0), 2, 1);
  const DualProblem problem(rows, {.half = state.range(1), .bound = 1}, 136, {0x1p-6, 0x1p-6});
  const std::vector<double> w = random_multipliers(problem.size(), 0.1, 1);
  std::vector<double> gradient(w.size());
  double value = 0;
  for (auto _ : state) {
    value = problem.value_and_gradient(w, gradient);
    benchmark::DoNotOptimize(value);
  }
  std::vector<double> mean(w.size(), 0.0), one(w.size());
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    problem.stochastic_gradient(w, row, one);
    for (std::size_t i = 0; i < w.size(); ++i) mean[i] += one[i] / double(rows.rows());
  }
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (!(std::abs(mean[i] - gradient[i]) <= 1e-12)) return state.SkipWithError("wrong answer");
  }
}
BENCHMARK(full_gradient)
    ->ArgNames({"rows", "L"})
    ->Args({200, 14})
    ->Args({800, 28})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
