/// @file
/// What a run keeps of its iterates x_1 .. x_T: the last, the best, an average, a trace.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "solvers/alternating/problem.hpp"
#include "solvers/alternating/step_sizes.hpp"
#include "solvers/common/recorder.hpp"

namespace fairfront::alternating {

/// What all methods share.
struct RunOptions {
  std::int64_t iterations = 300;  ///< T >= 1
  StepOptions step = {};
  bool track_best = false;        ///< evaluates S after every iteration
  std::int64_t trace_points = 0;  ///< iterations at which S is recorded, evenly spaced in log t
};

/// @throws std::invalid_argument  a field out of range.
inline void validate(const RunOptions& options) {
  const auto require = [](bool holds, const char* rule) {
    if (!holds) throw std::invalid_argument(rule);
  };
  require(options.iterations >= 1, "RunOptions::iterations must be >= 1");
  require(options.trace_points >= 0, "RunOptions::trace_points must be >= 0");
  require(options.step.step > 0, "StepOptions::step must be > 0");
  require(options.step.convexity > 0, "StepOptions::convexity must be > 0");
}

struct RunResult {
  std::vector<double> last;     ///< x_T, shape (n,)
  std::vector<double> average;  ///< strongly_convex: sum t x_t / sum t; else sum x_t / T
  std::vector<double> best;     ///< smallest S among x_1 .. x_T; empty unless tracked
  std::int64_t best_iteration = 0;
  solvers::Trace trace;        ///< S(x_t) as "scalarised", S of the average so far as "average"
  std::int64_t gradients = 0;  ///< (stochastic) gradients of single objectives drawn
};

/// Collects the iterates of one run. Allocates in the constructor only.
template <Objectives P>
class Iterates {
 public:
  /// @param weights  of the scalarised function, shape (m,).
  Iterates(const P& problem, std::span<const double> weights, const RunOptions& options)
      : problem_{problem},
        weights_{weights},
        options_{options},
        recorder_{{"scalarised", "average"},
                  solvers::log_spaced(options.iterations, options.trace_points)} {
    const auto n = static_cast<std::size_t>(problem.box().variables());
    result_.average.assign(n, 0.0);
    if (options.track_best) result_.best.assign(n, 0.0);
  }

  /// Takes x_t, t = 1, 2, ... @throws std::domain_error  x_t is not finite.
  void record(std::int64_t t, std::span<const double> x) {
    average_in(t, x);
    if (options_.track_best) keep_best(t, x);
    if (!recorder_.due(t)) return;
    recorder_.record(
        t, {scalarised(problem_, weights_, x), scalarised(problem_, weights_, result_.average)});
  }

  [[nodiscard]] RunResult finish(std::vector<double> last, std::int64_t gradients) && {
    result_.last = std::move(last);
    result_.gradients = gradients;
    result_.trace = std::move(recorder_).take();
    return std::move(result_);
  }

 private:
  void average_in(std::int64_t t, std::span<const double> x) {
    // Share of the newest iterate: t / (1 + .. + t), or 1 / t.
    const auto time = static_cast<double>(t);
    const double share =
        options_.step.rule == StepRule::strongly_convex ? 2 / (time + 1) : 1 / time;
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      result_.average[j] += share * (x[j] - result_.average[j]);
      sum += x[j];
    }
    if (!std::isfinite(sum)) {
      throw std::domain_error("iteration " + std::to_string(t) +
                              ": the iterate is not finite: shorten the steps, see `step_rule`");
    }
  }

  void keep_best(std::int64_t t, std::span<const double> x) {
    const double value = scalarised(problem_, weights_, x);
    if (!(value < best_value_)) return;
    best_value_ = value;
    result_.best_iteration = t;
    std::copy(x.begin(), x.end(), result_.best.begin());
  }

  const P& problem_;
  std::span<const double> weights_;
  RunOptions options_;
  solvers::Recorder recorder_;
  double best_value_ = std::numeric_limits<double>::infinity();
  RunResult result_;
};

}  // namespace fairfront::alternating
