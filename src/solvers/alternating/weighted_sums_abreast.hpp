/// @file
/// Several runs down weighted sums in two variables, step by step beside each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/alternating/states_abreast.hpp"
#include "solvers/alternating/weighted_sum.hpp"

namespace fairfront::alternating {
namespace detail {

/// weights[i][r]: of objective i in run r.
template <Objectives P>
[[nodiscard]] std::vector<EachRun<double>> weights_abreast(
    const StatesAbreast<WeightedSumState<P>>& states) {
  std::vector<EachRun<double>> weights(states[0].weights.size());
  for (std::size_t r = 0; r < runs_abreast; ++r) {
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i][r] = states[r].weights[i];
  }
  return weights;
}

/// The gradients of the weighted sums, with the bits of step_down().
template <Objectives P>
[[gnu::always_inline]] inline void draw_slopes(const P& problem,
                                               std::span<const EachRun<double>> weights,
                                               const Pairs& x, std::span<base::Stream> noise,
                                               Pairs& slopes) {
  Pairs gradients;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EachRun<std::int64_t> objectives;
    objectives.fill(static_cast<std::int64_t>(i));
    draw_gradients(problem, objectives, x, noise, gradients);
    for (std::size_t r = 0; r < runs_abreast; ++r) {
      const double first = weights[i][r] * gradients.first[r];
      const double second = weights[i][r] * gradients.second[r];
      slopes.first[r] = i == 0 ? first : slopes.first[r] + first;
      slopes.second[r] = i == 0 ? second : slopes.second[r] + second;
    }
  }
}

template <Objectives P>
[[nodiscard]] std::vector<RunResult> weighted_sums_in_one_loop(const P& problem,
                                                               std::span<const WeightedSumRun> runs,
                                                               const solvers::Control& control) {
  StatesAbreast<WeightedSumState<P>> states(problem, runs);
  const std::vector<EachRun<double>> weights = weights_abreast(states);
  const std::int64_t iterations = runs[0].options.run.iterations;
  iterate_all(iterations, control, [&](std::int64_t t, solvers::Heartbeat& heart) {
    const EachRun<double> alpha = states.begin(t);
    Pairs x = states.points();
    Pairs slopes;
    for (std::int64_t k = 0; k < runs[0].options.inner_steps; ++k) {
      heart.beat();
      draw_slopes(problem, weights, x, states.noise(), slopes);
      descend(alpha, slopes, x);
    }
    states.end(problem, t, x);
  });
  return std::move(states).finish(iterations);
}

}  // namespace detail

/// weighted_sum() of every run, with the same bits: `runs_abreast` of two variables, of equally
/// many steps and with no weight of 0 go together, any others one after another. Seconds in their
/// traces are those of all that went together. Local: never communicates.
///
/// @throws  as weighted_sum() of any of them.
template <Objectives P>
[[nodiscard]] std::vector<RunResult> weighted_sums_abreast(const P& problem,
                                                           std::span<const WeightedSumRun> runs,
                                                           const solvers::Control& control = {}) {
  const auto has_all = [](const WeightedSumRun& run) {
    return std::ranges::all_of(run.options.efforts, [](std::int64_t n) { return n > 0; });
  };
  const auto steps = [](const WeightedSumRun& run) { return run.options.inner_steps; };
  if (std::ranges::all_of(runs, has_all) && detail::are_alike(problem, runs, steps)) {
    return detail::weighted_sums_in_one_loop(problem, runs, control);
  }
  std::vector<RunResult> results;
  for (const WeightedSumRun& run : runs) {
    results.push_back(
        weighted_sum(problem, run.start, run.options, run.seed, run.task_key, control));
  }
  return results;
}

}  // namespace fairfront::alternating
