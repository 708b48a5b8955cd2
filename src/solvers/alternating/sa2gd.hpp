/// @file
/// SA2GD: the stochastic alternating (sub)gradient method.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "solvers/alternating/efforts.hpp"
#include "solvers/alternating/iterates.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::alternating {

enum class StepOrder { block, random };

struct Sa2gdOptions {
  Efforts efforts = {100, 100};        ///< (n_1, ..., n_m), one per objective
  StepOrder order = StepOrder::block;  ///< objective by objective, or shuffled anew every time
  RunOptions run = {};
};

/// @throws std::invalid_argument  a field out of range, or not one effort per objective.
inline void validate(const Sa2gdOptions& options, std::int64_t objectives) {
  validate(options.run);
  if (std::ssize(options.efforts) != objectives) {
    throw std::invalid_argument("Sa2gdOptions::efforts must have one number per objective");
  }
  std::int64_t total = 0;
  for (const std::int64_t steps : options.efforts) {
    if (steps < 0) throw std::invalid_argument("Sa2gdOptions::efforts must be >= 0");
    total += steps;
  }
  if (total < 1) throw std::invalid_argument("Sa2gdOptions::efforts must not all be 0");
}

/// What sa2gd() is called with.
struct Sa2gdRun {
  std::span<const double> start;
  Sa2gdOptions options;
  std::uint64_t seed = 0;
  std::string task_key;
};

namespace detail {

/// Which objective each inner step of one iteration works on, in block order.
inline std::vector<std::int64_t> schedule_of(std::span<const std::int64_t> efforts) {
  std::vector<std::int64_t> schedule;
  for (std::size_t i = 0; i < efforts.size(); ++i) {
    schedule.insert(schedule.end(), static_cast<std::size_t>(efforts[i]),
                    static_cast<std::int64_t>(i));
  }
  return schedule;
}

/// The inner steps of one iteration. Inlined where `Vector` is a small array, so that x and the
/// gradient stay in registers.
template <Objectives P, class Vector>
[[gnu::always_inline]] inline void take_steps(const P& problem,
                                              std::span<const std::int64_t> schedule, double alpha,
                                              base::Stream& noise, solvers::Heartbeat& heart,
                                              Vector& x, Vector& gradient) {
  for (const std::int64_t objective : schedule) {
    heart.beat();
    draw_gradient(problem, objective, x, noise, gradient);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] -= alpha * gradient[j];
  }
}

/// A run between two iterations. Not to be moved: its iterates refer to its weights.
template <Objectives P>
struct Sa2gdState {
  /// @throws  as sa2gd().
  Sa2gdState(const P& problem, const Sa2gdRun& run)
      : order{run.options.order},
        weights{checked_weights(problem, run)},
        schedule{schedule_of(run.options.efforts)},
        step_size{run.options.run.step, std::ssize(schedule)},
        noise{base::StreamKey(run.seed, run.task_key, "sa2gd/noise"), 0},
        shuffles{base::StreamKey(run.seed, run.task_key, "sa2gd/order"), 0},
        iterates{problem, weights, run.options.run},
        x{run.start.begin(), run.start.end()} {
    problem.box().project(x);
  }
  Sa2gdState(const Sa2gdState&) = delete;
  Sa2gdState& operator=(const Sa2gdState&) = delete;

  static std::vector<double> checked_weights(const P& problem, const Sa2gdRun& run) {
    validate(run.options, problem.objectives());
    if (std::ssize(run.start) != problem.box().variables()) {
      throw std::invalid_argument("sa2gd: start must have one value per variable");
    }
    return weights_of(run.options.efforts);
  }
  /// @return alpha_t.
  double begin(std::int64_t t) {
    if (order == StepOrder::random) shuffles.shuffle(std::span{schedule});
    return step_size(t);
  }
  void end(const P& problem, std::int64_t t) {
    problem.box().project(x);
    iterates.record(t + 1, x);
  }
  [[nodiscard]] RunResult finish(std::int64_t iterations) && {
    return std::move(iterates).finish(std::move(x), iterations * std::ssize(schedule));
  }

  StepOrder order;
  std::vector<double> weights;
  std::vector<std::int64_t> schedule;
  StepSizes step_size;
  base::Stream noise;
  base::Stream shuffles;
  Iterates<P> iterates;
  std::vector<double> x;
};

}  // namespace detail

/// One run: approximates a minimiser of S(x, n / sum n) by taking n_i steps on objective i in
/// turn, and projects once an iteration:
///
///     y = x_t;  for each of the sum n inner steps, on objective i:  y -= alpha_t g_i(y);
///     x_(t+1) = P(y)
///
/// S. Liu, L. N. Vicente, "Convergence rates of the stochastic alternating algorithm for
/// bi-objective optimization" (2022), Algorithm 1, with the random order and more than two
/// objectives of their closing remarks. A run ends near a minimiser of S, so that points inside a
/// concave part of a front are out of reach, as they are for weighted_sum: on ZDT2 or IM1 a sweep
/// over all weights finds the two ends. Inner steps allocate nothing. Local: never communicates.
///
/// @param start           x_0, shape (n,); projected first.
/// @param seed, task_key  address of the streams of noise and order.
/// @throws std::invalid_argument  options out of range, or start of another shape.
/// @throws std::domain_error  an iterate is not finite.
/// @throws solvers::Interrupted  `control` wants a stop.
template <Objectives P>
[[nodiscard]] RunResult sa2gd(const P& problem, std::span<const double> start,
                              const Sa2gdOptions& options, std::uint64_t seed,
                              const std::string& task_key, const solvers::Control& control = {}) {
  detail::Sa2gdState<P> state(problem, {start, options, seed, task_key});
  solvers::Heartbeat heart(control);
  solvers::Heartbeat inner(control);  // of steps, which may be many and dear
  std::vector<double>& x = state.x;
  std::vector<double> gradient(x.size());
  for (std::int64_t t = 0; t < options.run.iterations; ++t) {
    const double alpha = state.begin(t);
    const auto take_steps = [&](auto& at, auto& slopes) {
      detail::take_steps(problem, state.schedule, alpha, state.noise, inner, at, slopes);
    };
    if (x.size() == 2) {
      std::array<double, 2> pair{x[0], x[1]}, slopes{};
      take_steps(pair, slopes);
      std::ranges::copy(pair, x.begin());
    } else {
      take_steps(x, gradient);
    }
    state.end(problem, t);
    heart.beat([&] { return solvers::progress("iteration", t + 1, options.run.iterations); });
  }
  return std::move(state).finish(options.run.iterations);
}

}  // namespace fairfront::alternating
