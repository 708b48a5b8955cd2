/// @file
/// Speed on one core of the exact optimum of the regression dual (800 rows, L = 28: at most 5 ms
/// per epsilon with warm starts), of its linear program, and of [adw] (800 rows: at most 0.1 s; the
/// public program takes 16 to 32 s); memory and time of a stream. Answers are checked by code that
/// the solvers do not use.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/elementary.hpp"
#include "base/random.hpp"
#include "solvers/regression/adw.hpp"
#include "solvers/regression/optimum.hpp"
#include "solvers/regression/stream.hpp"
#include "solvers/regression/support.hpp"

namespace {

using namespace fairfront::regression;

/// All epsilons that bind, from loose to tight.
std::vector<double> epsilons(ParityBound bound) {
  std::vector<double> result;
  const int first = bound == ParityBound::atom ? 7 : 3;
  for (int i = first; i <= 12; ++i) result.push_back(std::ldexp(1.0, -i));
  return result;
}

/// Whether multipliers are optimal, by the gradient of the whole problem.
bool is_optimal(const PredictedRows& rows, const Grid& grid, double beta, double epsilon,
                const std::vector<double>& d) {
  const auto groups = static_cast<std::size_t>(rows.groups);
  const DualProblem whole(rows, grid, beta, std::vector<double>(groups, epsilon));
  std::vector<double> w(2 * d.size(), 0.0), gradient(w.size());
  for (std::size_t i = 0; i < d.size(); ++i) {
    w[i] = std::max(d[i], 0.0);
    w[d.size() + i] = std::max(-d[i], 0.0);
  }
  whole.value_and_gradient(w, gradient);
  return gradient_map_norm(w, gradient, 1) <= 1e-8;
}

/// args: rows, L, groups, whether bounds are cumulative, whether starts are warm.
void exact(benchmark::State& state) {
  const PredictedRows rows = random_rows(state.range(0), state.range(2), 1);
  const Grid grid{state.range(1), 1};
  const auto bound = state.range(3) == 0 ? ParityBound::atom : ParityBound::cumulative;
  const auto count = static_cast<double>(state.range(0));
  const double beta = 0.5 * std::sqrt(count) * fairfront::base::log2(count);
  const std::vector<double> bounds = epsilons(bound);
  std::vector<Optimum> found(bounds.size());
  std::int64_t iterations = 0;
  for (auto _ : state) {
    Eigen::VectorXd start;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      const ParityDual dual(
          rows, grid, bound,
          std::vector<double>(static_cast<std::size_t>(state.range(2)), bounds[i]));
      found[i] = minimise_dual(dual, beta, {}, start);
      if (state.range(4) != 0) start = found[i].v;
      iterations += found[i].iterations;
    }
  }
  const auto solved = static_cast<double>(bounds.size()) * static_cast<double>(state.iterations());
  state.counters["per_epsilon"] =
      benchmark::Counter(solved, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["newton_steps"] = static_cast<double>(iterations) / solved;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const ParityDual dual(rows, grid, bound,
                          std::vector<double>(static_cast<std::size_t>(state.range(2)), bounds[i]));
    const bool right = found[i].gradient_norm <= 1e-9 && found[i].v.cwiseAbs().maxCoeff() > 0 &&
                       (bound == ParityBound::cumulative ||
                        is_optimal(rows, grid, beta, bounds[i], dual.scores(found[i].v)));
    if (!right) return state.SkipWithError("not the optimum");
  }
}
BENCHMARK(exact)
    ->ArgNames({"rows", "L", "groups", "cumulative", "warm"})
    ->Args({200, 14, 2, 0, 1})
    ->Args({800, 28, 2, 0, 1})
    ->Args({800, 28, 2, 0, 0})
    ->Args({800, 28, 2, 1, 1})
    ->Args({800, 28, 4, 0, 1})
    ->Unit(benchmark::kMillisecond);

/// args: rows, L, whether bounds are cumulative.
void linear_program(benchmark::State& state) {
  const PredictedRows rows = random_rows(state.range(0), 2, 1);
  const auto bound = state.range(2) == 0 ? ParityBound::atom : ParityBound::cumulative;
  const ParityDual dual(rows, {state.range(1), 1}, bound, {0.01, 0.01});
  Limit found;
  for (auto _ : state) found = minimise_limit(dual);
  const Certificate& certificate = found.certificate;
  state.counters["gap"] = certificate.gap();
  if (!found.converged || certificate.gap() < 0) state.SkipWithError("no certificate");
}
BENCHMARK(linear_program)
    ->ArgNames({"rows", "L", "cumulative"})
    ->Args({800, 28, 0})
    ->Args({800, 28, 1})
    ->Unit(benchmark::kMillisecond);

std::int64_t peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/// One pass over rows that are drawn as they arrive. args: rows, L.
void stream(benchmark::State& state) {
  const Grid grid{state.range(1), 1};
  const double beta = 100;
  std::vector<double> tau(2), w;
  // p as of half a million rows of the same population, rounded.
  const std::vector<double> p{0.5, 0.5};
  const std::int64_t before = peak_kilobytes();
  for (auto _ : state) {
    StreamedDual streamed(grid, p, beta, {0.002, 0.002});
    fairfront::base::Stream arrivals = stream_of(1, "arrivals");
    for (std::int64_t row = 0; row < state.range(0); ++row) {
      const double eta = 1.6 * arrivals.uniform() - 0.8;
      tau[1] = fairfront::base::sigmoid(2 * eta + 2 * arrivals.uniform() - 1);
      tau[0] = 1 - tau[1];
      streamed.add(eta, tau);
    }
    w = streamed.multipliers();
  }
  state.counters["per_row"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["more_memory_kB"] = static_cast<double>(peak_kilobytes() - before);
  // Against the optimum on 20,000 rows of the population.
  Sample sample;
  fairfront::base::Stream others = stream_of(2, "others");
  for (int row = 0; row < 20'000; ++row) {
    const double eta = 1.6 * others.uniform() - 0.8;
    const double second = fairfront::base::sigmoid(2 * eta + 2 * others.uniform() - 1);
    sample.eta.push_back(eta);
    sample.tau.insert(sample.tau.end(), {1 - second, second});
  }
  const PredictedRows rows = predicted_rows(sample.eta, sample.tau, p);
  const DualProblem whole(rows, grid, beta, {0.002, 0.002});
  const Optimum best =
      minimise_dual(ParityDual(rows, grid, ParityBound::atom, {0.002, 0.002}), beta);
  const double start = whole.value(std::vector<double>(w.size(), 0.0)) - best.value;
  state.counters["gap"] = whole.value(w) - best.value;
  state.counters["gap_of_0"] = start;
  if (!(whole.value(w) - best.value < 0.1 * start)) state.SkipWithError("far from the optimum");
}
BENCHMARK(stream)
    ->ArgNames({"rows", "L"})
    ->Args({10'000, 14})
    ->Args({1'000'000, 14})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

/// args: rows, columns, i of epsilon = 2^-i.
void adw_training(benchmark::State& state) {
  const std::int64_t rows = state.range(0), columns = state.range(1);
  fairfront::base::Stream stream = stream_of(1, "adw");
  std::vector<double> features, targets;
  std::vector<std::int32_t> groups;
  for (std::int64_t i = 0; i < rows; ++i) {
    groups.push_back(stream.below(10) < 3 ? 0 : 1);
    double score = 0.35 + 0.15 * groups.back();
    for (std::int64_t j = 0; j < columns; ++j) {
      features.push_back(j == 0 ? 1 : stream.normal() + (j < 4 ? groups.back() : 0));
      if (j > 0 && j < 8) score += 0.05 * features.back();
    }
    targets.push_back(std::clamp(score + 0.1 * stream.normal(), 0.0, 1.0));
  }
  const AdwOptions options{.epsilon = std::ldexp(1.0, -static_cast<int>(state.range(2)))};
  AdwResult found;
  for (auto _ : state) {
    const ThresholdGame game({fairfront::models::Rows(features, columns), targets, groups, 2}, {});
    found = adw(game, options);
  }
  state.counters["rounds"] = static_cast<double>(found.rounds);
  state.counters["fits"] = static_cast<double>(found.responses);
  // The largest gap from the model's predictions, row by row.
  const auto atoms = static_cast<std::size_t>(found.model.thresholds.count);
  std::vector<double> pi(atoms), all(atoms, 0.0), one(atoms, 0.0);
  double members = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    found.model.probabilities({features.data() + i * columns, static_cast<std::size_t>(columns)},
                              pi);
    const bool first = groups[static_cast<std::size_t>(i)] == 0;
    members += first ? 1 : 0;
    for (std::size_t k = 0; k < atoms; ++k) {
      all[k] += pi[k] / static_cast<double>(rows);
      if (first) one[k] += pi[k];
    }
  }
  double above_all = 0, above_one = 0, above_other = 0, largest = 0;
  const auto count = static_cast<double>(rows);
  for (std::size_t k = atoms; k-- > 1;) {
    above_all += all[k];
    above_one += one[k] / members;
    above_other += (all[k] * count - one[k]) / (count - members);
    largest =
        std::max({largest, std::abs(above_one - above_all), std::abs(above_other - above_all)});
  }
  // Theta_0 = 0, where all scores below 0 count as atom 0 in predictions, is left out here.
  if (largest > found.largest_gap + 1e-9) state.SkipWithError("another gap than that of the game");
}
BENCHMARK(adw_training)
    ->ArgNames({"rows", "columns", "i"})
    ->ArgsProduct({{800}, {9, 118}, {2, 4, 8, 16}})
    ->Args({1600, 118, 8})
    ->Unit(benchmark::kMillisecond);

}  // namespace
