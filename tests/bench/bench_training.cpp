/// @file
/// Steps a second of the training algorithms on one core: the network 9-64-32-1 with the batches of
/// Kliachkin, Lepsova, Bareilles, Marecek (2025) on rows as many as ACSIncome of Oklahoma has for
/// training. `flop` counts the operations of the matrix products alone, `of_peak` sets them beside
/// what the core can do at most. Each run must end with a smaller loss than that of the start, and
/// within its bounds where that is promised.
#include <benchmark/benchmark.h>

#include "bench/peak.hpp"
#include "solvers/training/certified.hpp"
#include "solvers/training/dual_ascent.hpp"
#include "solvers/training/exact.hpp"
#include "solvers/training/fairret.hpp"
#include "solvers/training/full_data.hpp"
#include "solvers/training/sgd.hpp"
#include "solvers/training/ssl_alm.hpp"
#include "solvers/training/stochastic_ghost.hpp"
#include "solvers/training/support.hpp"
#include "solvers/training/switching_subgradient.hpp"

namespace {

using namespace fairfront;
using namespace fairfront::training;

constexpr int rows = 14'333;
const training::test::Data data(1, rows, 9, 2);

std::vector<double> start_of(const Problem& problem) {
  return initial_weights(problem.model, models::Initialisation::fan_in, 1);
}

/// Floating-point operations of a row: forward, and backward beside it.
double operations(const models::Perceptron& model, bool backward) {
  double sum = 0;
  for (const models::Layer& layer : model.layers()) {
    const auto products = static_cast<double>(layer.inputs * layer.outputs);
    const bool first = layer.weights == 0;
    sum += 2 * products + (backward ? (first ? 2 : 4) * products : 0);
  }
  return sum;
}

/// @param work  operations of a run.
void count(benchmark::State& state, const Problem& problem, const TrainingResult& found,
           double work) {
  const auto runs = static_cast<double>(state.iterations());
  state.counters["steps"] =
      benchmark::Counter(runs * static_cast<double>(found.iterations), benchmark::Counter::kIsRate);
  state.counters["flop"] = benchmark::Counter(runs * work, benchmark::Counter::kIsRate);
  state.counters["of_peak"] =
      benchmark::Counter(1e-9 * runs * work / bench::peak(), benchmark::Counter::kIsRate);
  state.counters["peak"] = 1e9 * bench::peak();
  FullData full(problem, test::no_control);
  const PartLosses before = full.losses(problem.train, start_of(problem));
  const PartLosses after = full.losses(problem.train, found.w);
  state.counters["loss"] = after.loss;
  state.counters["gap"] = after.gap();
  if (!(after.loss < before.loss)) state.SkipWithError("the loss did not fall");
}

/// args: steps. @param values_alone, gradients  rows of a step.
template <class Method, class Options>
void steps(benchmark::State& state, double values_alone, double gradients) {
  const Problem problem = data.problem({64, 32});
  const RunOptions run{.budget = 0, .iterations = state.range(0), .trace_points = 0};
  TrainingResult found;
  for (auto _ : state) {
    Method method(problem, Options{}, {1, "bench"});
    found = train(problem, method, start_of(problem), run);
  }
  const double work =
      values_alone * operations(problem.model, false) + gradients * operations(problem.model, true);
  count(state, problem, found, static_cast<double>(found.iterations) * work);
}

/// args: budget; full passes count as steps.
void certified(benchmark::State& state) {
  const Problem problem = data.problem({64, 32});
  const RunOptions run{.budget = state.range(0), .trace_points = 0};
  const CertifiedOptions options{.delta = 0.01};
  TrainingResult found;
  for (auto _ : state) {
    Certified method(problem, options, {1, "bench"});
    found = train(problem, method, start_of(problem), run);
  }
  count(state, problem, found,
        static_cast<double>(found.evaluations) * operations(problem.model, true));
  FullData full(problem, test::no_control);
  if (!(full.losses(problem.train, found.w).gap() <= options.delta)) {
    state.SkipWithError("the gap is above delta");
  }
}
/// args: cells. The bound is raised, and stays below the loss.
void lower_bound(benchmark::State& state) {
  constexpr double delta = 0.005;
  const Problem problem = data.problem({});
  const double before = exact_training(problem, {.delta = delta, .cells = 0}).lower;
  ExactOptimum found;
  for (auto _ : state) {
    found = exact_training(problem, {.delta = delta, .starts = 0, .cells = state.range(0)});
  }
  state.counters["lacks"] = 1 - found.lower / found.loss;
  state.counters["cells"] = benchmark::Counter(
      static_cast<double>(state.iterations() * found.cells), benchmark::Counter::kIsRate);
  if (!(found.lower > before && found.lower <= found.loss)) {
    state.SkipWithError("the bound was not raised, or is above the loss");
  }
}
void sgd(benchmark::State& state) { steps<Sgd, SgdOptions>(state, 0, 8); }
void alm(benchmark::State& state) { steps<SslAlm, AlmOptions>(state, 16, 24); }
void ssl_alm(benchmark::State& state) { steps<SslAlm, SslAlmOptions>(state, 16, 24); }
/// If every second step is one on the constraints.
void switching(benchmark::State& state) {
  steps<SwitchingSubgradient, SwitchingOptions>(state, 32, 24);
}
void ghost(benchmark::State& state) { steps<StochasticGhost, GhostOptions>(state, 0, 151); }
void fairret(benchmark::State& state) { steps<Fairret, FairretOptions>(state, 0, 16); }
void clamped_alm(benchmark::State& state) { steps<ClampedAlm, ClampedAlmOptions>(state, 0, 24); }
void pi_duals(benchmark::State& state) { steps<PiDuals, PiDualsOptions>(state, 0, 24); }
BENCHMARK(sgd)->Arg(20'000)->Unit(benchmark::kMillisecond);
BENCHMARK(alm)->Arg(5'000)->Unit(benchmark::kMillisecond);
BENCHMARK(ssl_alm)->Arg(5'000)->Unit(benchmark::kMillisecond);
BENCHMARK(switching)->Arg(5'000)->Unit(benchmark::kMillisecond);
BENCHMARK(ghost)->Arg(1'000)->Unit(benchmark::kMillisecond);
BENCHMARK(fairret)->Arg(5'000)->Unit(benchmark::kMillisecond);
BENCHMARK(clamped_alm)->Arg(5'000)->Unit(benchmark::kMillisecond);
BENCHMARK(pi_duals)->Arg(5'000)->Unit(benchmark::kMillisecond);
BENCHMARK(certified)->Arg(400'000)->Unit(benchmark::kMillisecond);
BENCHMARK(lower_bound)->Arg(100)->Unit(benchmark::kMillisecond);

}  // namespace
