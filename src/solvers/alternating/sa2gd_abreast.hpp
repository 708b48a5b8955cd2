/// @file
/// Several runs of SA2GD in two variables, step by step beside each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "solvers/alternating/sa2gd.hpp"
#include "solvers/alternating/states_abreast.hpp"

namespace fairfront::alternating {
namespace detail {

/// The objective of each inner step of an iteration, of each run.
template <Objectives P>
[[nodiscard]] std::vector<EachRun<std::int64_t>> schedules_of(
    const StatesAbreast<Sa2gdState<P>>& states) {
  std::vector<EachRun<std::int64_t>> objectives(states[0].schedule.size());
  for (std::size_t r = 0; r < runs_abreast; ++r) {
    for (std::size_t k = 0; k < objectives.size(); ++k) objectives[k][r] = states[r].schedule[k];
  }
  return objectives;
}

template <Objectives P>
[[nodiscard]] std::vector<RunResult> sa2gd_in_one_loop(const P& problem,
                                                       std::span<const Sa2gdRun> runs,
                                                       const solvers::Control& control) {
  StatesAbreast<Sa2gdState<P>> states(problem, runs);
  const bool shuffled = std::ranges::any_of(
      runs, [](const Sa2gdRun& run) { return run.options.order == StepOrder::random; });
  const std::int64_t iterations = runs[0].options.run.iterations;
  std::vector<EachRun<std::int64_t>> schedules = schedules_of(states);
  iterate_all(iterations, control, [&](std::int64_t t, solvers::Heartbeat& heart) {
    const EachRun<double> alpha = states.begin(t);
    if (shuffled) schedules = schedules_of(states);
    Pairs x = states.points();
    Pairs gradients;
    for (const EachRun<std::int64_t>& objectives : schedules) {
      heart.beat();
      draw_gradients(problem, objectives, x, states.noise(), gradients);
      descend(alpha, gradients, x);
    }
    states.end(problem, t, x);
  });
  return std::move(states).finish(iterations);
}

}  // namespace detail

/// sa2gd() of every run, with the same bits: `runs_abreast` of two variables and of equally many
/// steps go together, any others one after another. Seconds in their traces are those of all that
/// went together. Local: never communicates.
///
/// @throws  as sa2gd() of any of them.
template <Objectives P>
[[nodiscard]] std::vector<RunResult> sa2gd_abreast(const P& problem, std::span<const Sa2gdRun> runs,
                                                   const solvers::Control& control = {}) {
  const auto steps = [](const Sa2gdRun& run) {
    const Efforts& efforts = run.options.efforts;
    return std::accumulate(efforts.begin(), efforts.end(), std::int64_t{0});
  };
  if (detail::are_alike(problem, runs, steps)) {
    return detail::sa2gd_in_one_loop(problem, runs, control);
  }
  std::vector<RunResult> results;
  for (const Sa2gdRun& run : runs) {
    results.push_back(sa2gd(problem, run.start, run.options, run.seed, run.task_key, control));
  }
  return results;
}

}  // namespace fairfront::alternating
