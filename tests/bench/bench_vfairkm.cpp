// Time of one inner iteration of VfairKM at the paper's size, and of one weight mu.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "bench/unit_norm_dataset.hpp"
#include "solvers/clustering/naive_vfairkm.hpp"
#include "solvers/clustering/soft_assignment.hpp"
#include "solvers/clustering/starts.hpp"
#include "solvers/clustering/step.hpp"
#include "solvers/clustering/vfairkm.hpp"

namespace fairfront::clustering {
namespace {

constexpr double lipschitz = 2;

/// Means of k-means++ labels.
Centres centres_of(const Problem& problem) {
  Solution<std::uint8_t> solution(problem);
  base::Stream stream(base::StreamKey(1, "bench", "start"), 0);
  solution.partition.assign(problem, kmeans_plus_plus_labels<std::uint8_t>(problem, stream));
  solution.set_exact_centres(problem);
  return solution.centres;
}

/// The memberships after some updates are those of the literal implementation.
bool answers_are_right(const Problem& problem, const Centres& centres, double mu) {
  SoftAssignment soft(problem, lipschitz);
  NaiveSoftAssignment<> naive(problem, lipschitz);
  soft.start(centres);
  naive.start(centres);
  bool right = true;
  for (int i = 0; i < 20; ++i) {
    const double energy = soft.update(mu);
    const double expected = naive.update(mu);
    right = right && std::abs(energy - expected) <= 1e-10 * std::abs(expected);
  }
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    for (std::int64_t k = 0; k < problem.clusters(); ++k) {
      right = right && std::abs(soft.membership(p, k) - naive.membership(p, k)) < 1e-10;
    }
  }
  return right;
}

/// Arguments: N, K, mu.
void inner_iteration(benchmark::State& state) {
  const Problem problem(bench::unit_norm_dataset(state.range(0), 0.7), state.range(1));
  const Centres centres = centres_of(problem);
  const auto mu = static_cast<double>(state.range(2));
  SoftAssignment soft(problem, lipschitz);
  soft.start(centres);
  for (auto _ : state) benchmark::DoNotOptimize(soft.update(mu));
  if (!answers_are_right(problem, centres, mu)) state.SkipWithError("wrong answer");
}
BENCHMARK(inner_iteration)
    ->ArgNames({"N", "K", "mu"})
    ->ArgsProduct({{5'000}, {5, 10}, {100, 500}})
    ->Args({50'000, 10, 5'000})
    ->Unit(benchmark::kMicrosecond);

/// The same by the literal implementation.
void naive_inner_iteration(benchmark::State& state) {
  const Problem problem(bench::unit_norm_dataset(state.range(0), 0.7), state.range(1));
  NaiveSoftAssignment<> naive(problem, lipschitz);
  naive.start(centres_of(problem));
  for (auto _ : state) benchmark::DoNotOptimize(naive.update(static_cast<double>(state.range(2))));
}
BENCHMARK(naive_inner_iteration)
    ->ArgNames({"N", "K", "mu"})
    ->Args({5'000, 10, 500})
    ->Unit(benchmark::kMicrosecond);

/// One weight from the seeds to the end.
void one_weight(benchmark::State& state) {
  const Problem problem(bench::unit_norm_dataset(5'000, 0.7), 10);
  const VfairOptions options{.mu_min = static_cast<double>(state.range(0)), .mu_count = 1};
  VfairResult result;
  for (auto _ : state) result = vfairkm(problem, options, 1, "bench");
  const VfairWeight& weight = result.weights.front();
  if (!(weight.balance <= problem.balance_bound() && weight.cost < problem.total_variance())) {
    state.SkipWithError("wrong answer");
  }
  state.counters["outer"] = static_cast<double>(weight.outer_iterations);
  state.counters["inner"] = static_cast<double>(weight.inner_iterations);
}
BENCHMARK(one_weight)
    ->ArgName("mu")
    ->Arg(100)
    ->Arg(1'000)
    ->Arg(3'260)
    ->Unit(benchmark::kMillisecond);

/// Normal points in R^4, every so many of them of the second group.
data::Dataset normal_dataset(std::int64_t points, std::int64_t every) {
  base::Stream stream(base::StreamKey(1, "bench", "normal"), 0);
  data::Dataset dataset = empty_dataset(4, 2);
  dataset.rows = points;
  for (std::int64_t p = 0; p < points; ++p) {
    for (int column = 0; column < 4; ++column) dataset.features.push_back(stream.normal());
    dataset.group.push_back(p % every == 0 ? 1 : 0);
  }
  return dataset;
}

/// Least objective of memberships of perfect balance: mu K times the entropy of the groups' shares.
double entropy_term(const Problem& problem, double mu) {
  double entropy = 0;
  for (std::int64_t j = 0; j < problem.groups(); ++j) {
    const double share = static_cast<double>(problem.group_begin(j + 1) - problem.group_begin(j)) /
                         static_cast<double>(problem.points());
    entropy -= share * std::log(share);
  }
  return mu * static_cast<double>(problem.clusters()) * entropy;
}

/// A weight of N, where masses want an L far beyond 2: N points, every so many of a rare group, K
/// clusters. All inner loops settle, at an objective below that of equal memberships.
void weight_with_steep_penalty(benchmark::State& state) {
  const Problem problem(normal_dataset(state.range(0), state.range(1)), state.range(2));
  const auto mu = static_cast<double>(problem.points());
  const VfairOptions options{.mu_min = mu, .mu_count = 1};
  VfairResult result;
  for (auto _ : state) result = vfairkm(problem, options, 1, "bench");
  const VfairWeight& weight = result.weights.front();
  const double least = entropy_term(problem, mu);
  const double equal = least + mu * problem.total_variance();
  if (!(weight.objective > least && weight.objective < equal) ||
      weight.inner_iterations >= weight.outer_iterations * options.inner_iterations) {
    state.SkipWithError("wrong answer");
  }
  state.counters["outer"] = static_cast<double>(weight.outer_iterations);
  state.counters["inner"] = static_cast<double>(weight.inner_iterations);
  state.counters["above_least"] = weight.objective - least;
}
BENCHMARK(weight_with_steep_penalty)
    ->ArgNames({"N", "every", "K"})
    ->Args({4'000, 100, 30})
    ->Args({4'000, 3, 256})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fairfront::clustering
