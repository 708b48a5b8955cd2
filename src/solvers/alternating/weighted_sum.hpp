/// @file
/// Projected gradient descent on the weighted sum: what SA2GD is compared with.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "solvers/alternating/sa2gd.hpp"

namespace fairfront::alternating {

struct WeightedSumOptions {
  Efforts efforts = {1, 1};      ///< weights are efforts / their sum, as in SA2GD
  std::int64_t inner_steps = 1;  ///< steps between two projections, >= 1
  RunOptions run = {};
};

/// @throws std::invalid_argument  as for Sa2gdOptions, or inner_steps < 1.
inline void validate(const WeightedSumOptions& options, std::int64_t objectives) {
  validate(Sa2gdOptions{.efforts = options.efforts, .run = options.run}, objectives);
  if (options.inner_steps < 1) {
    throw std::invalid_argument("WeightedSumOptions::inner_steps must be >= 1");
  }
}

/// What weighted_sum() is called with.
struct WeightedSumRun {
  std::span<const double> start;
  WeightedSumOptions options;
  std::uint64_t seed = 0;
  std::string task_key;
};

namespace detail {

/// A run between two iterations. Not to be moved: its iterates refer to its weights.
template <Objectives P>
struct WeightedSumState {
  /// @throws  as weighted_sum().
  WeightedSumState(const P& problem, const WeightedSumRun& run)
      : weights{checked_weights(problem, run)},
        inner_steps{run.options.inner_steps},
        step_size{run.options.run.step, inner_steps},
        noise{base::StreamKey(run.seed, run.task_key, "weighted_sum/noise"), 0},
        iterates{problem, weights, run.options.run},
        x{run.start.begin(), run.start.end()} {
    problem.box().project(x);
  }
  WeightedSumState(const WeightedSumState&) = delete;
  WeightedSumState& operator=(const WeightedSumState&) = delete;

  static std::vector<double> checked_weights(const P& problem, const WeightedSumRun& run) {
    validate(run.options, problem.objectives());
    if (std::ssize(run.start) != problem.box().variables()) {
      throw std::invalid_argument("weighted_sum: start must have one value per variable");
    }
    return weights_of(run.options.efforts);
  }
  /// @return alpha_t.
  [[nodiscard]] double begin(std::int64_t t) const { return step_size(t); }
  void end(const P& problem, std::int64_t t) {
    problem.box().project(x);
    iterates.record(t + 1, x);
  }
  [[nodiscard]] RunResult finish(std::int64_t iterations) && {
    const auto used =
        std::count_if(weights.begin(), weights.end(), [](double w) { return w != 0; });
    return std::move(iterates).finish(std::move(x), iterations * inner_steps * used);
  }

  std::vector<double> weights;
  std::int64_t inner_steps;
  StepSizes step_size;
  base::Stream noise;
  Iterates<P> iterates;
  std::vector<double> x;
};

/// One step down the weighted sum. Inlined where `Vector` is a small array, so that x and the
/// gradients stay in registers.
template <Objectives P, class Vector>
[[gnu::always_inline]] inline void step_down(const P& problem, std::span<const double> weights,
                                             double alpha, base::Stream& noise, Vector& x,
                                             Vector& gradient, Vector& sum) {
  bool first = true;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    draw_gradient(problem, static_cast<std::int64_t>(i), x, noise, gradient);
    if (std::exchange(first, false)) {
      for (std::size_t j = 0; j < x.size(); ++j) sum[j] = weights[i] * gradient[j];
    } else {
      for (std::size_t j = 0; j < x.size(); ++j) sum[j] += weights[i] * gradient[j];
    }
  }
  for (std::size_t j = 0; j < x.size(); ++j) x[j] -= alpha * sum[j];
}

}  // namespace detail

/// One run of projected (stochastic, sub-) gradient descent on S(x, weights): `inner_steps` steps
/// y -= alpha_t sum_i weights_i g_i(y), then one projection, T times. With inner_steps = 1 it is
/// the companion of SA2GD in section 4 of Liu and Vicente (2022) to the letter; with inner_steps =
/// sum n it moves as far in an iteration as SA2GD does. Local: never communicates.
///
/// @param start           x_0, shape (n,); projected first.
/// @param seed, task_key  address of the noise's stream.
/// @throws std::invalid_argument  options out of range, or start of another shape.
/// @throws std::domain_error  an iterate is not finite.
/// @throws solvers::Interrupted  `control` wants a stop.
template <Objectives P>
[[nodiscard]] RunResult weighted_sum(const P& problem, std::span<const double> start,
                                     const WeightedSumOptions& options, std::uint64_t seed,
                                     const std::string& task_key,
                                     const solvers::Control& control = {}) {
  detail::WeightedSumState<P> state(problem, {start, options, seed, task_key});
  solvers::Heartbeat heart(control);
  solvers::Heartbeat inner(control);  // of steps, which may be many and dear
  std::vector<double>& x = state.x;
  std::vector<double> gradient(x.size());
  std::vector<double> sum(x.size());
  const auto steps = [&](double alpha, auto& at, auto& slopes, auto& total) {
    for (std::int64_t k = 0; k < options.inner_steps; ++k) {
      inner.beat();
      detail::step_down(problem, state.weights, alpha, state.noise, at, slopes, total);
    }
  };
  for (std::int64_t t = 0; t < options.run.iterations; ++t) {
    const double alpha = state.begin(t);
    if (x.size() == 2) {
      std::array<double, 2> pair{x[0], x[1]}, slopes{}, total{};
      steps(alpha, pair, slopes, total);
      std::ranges::copy(pair, x.begin());
    } else {
      steps(alpha, x, gradient, sum);
    }
    state.end(problem, t);
    heart.beat([&] { return solvers::progress("iteration", t + 1, options.run.iterations); });
  }
  return std::move(state).finish(options.run.iterations);
}

}  // namespace fairfront::alternating
