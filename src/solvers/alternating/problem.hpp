/// @file
/// What the alternating methods ask of a problem.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "optimise/box.hpp"
#include "pareto/front.hpp"

namespace fairfront::alternating {

/// min over x in a box of (f_0(x), ..., f_(m-1)(x)).
///
/// `gradient` writes a gradient or a subgradient, shape (n,). The inner steps of the methods leave
/// the box (the projection comes once an iteration), so it must accept points a little outside and
/// return something finite there; where a gradient does not exist on the boundary, the problem
/// evaluates it at a point clipped to the interior and says so.
template <class P>
concept Objectives = requires(const P& problem, std::int64_t objective, std::span<const double> x,
                              std::span<double> gradient) {
  { problem.objectives() } -> std::convertible_to<std::int64_t>;
  { problem.box() } -> std::convertible_to<const optimise::Box&>;
  { problem.value(objective, x) } -> std::convertible_to<double>;
  problem.gradient(objective, x, gradient);
};

/// Has unbiased estimates of the (sub)gradients too; every call draws anew.
template <class P>
concept StochasticProblem = Objectives<P> &&
    requires(const P& problem, std::int64_t objective, std::span<const double> x,
             base::Stream& stream, std::span<double> gradient) {
  problem.stochastic_gradient(objective, x, stream, gradient);
};

/// Knows its Pareto front: objective vectors that no point of the box dominates, `count` of them
/// or a few less, close enough to measure distances to the front by the nearest one.
template <class P>
concept HasAnalyticFront = Objectives<P> && requires(const P& problem, std::int64_t count) {
  { problem.analytic_front(count) } -> std::convertible_to<pareto::Points>;
};

/// Knows a minimiser over the box of S(x, weights) = sum_i weights_i f_i(x).
template <class P>
concept HasMinimiser = Objectives<P> &&
    requires(const P& problem, std::span<const double> weights) {
  { problem.minimiser(weights) } -> std::convertible_to<std::vector<double>>;
};

/// Knows c >= 0 with which every objective is c-strongly convex: f_i - c |x|^2 / 2 is convex on the
/// box.
template <class P>
concept KnowsConvexity = Objectives<P> && requires(const P& problem) {
  { problem.convexity() } -> std::convertible_to<double>;
};

/// All objectives at x, shape (m,).
template <Objectives P>
[[nodiscard]] std::vector<double> values_at(const P& problem, std::span<const double> x) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < problem.objectives(); ++i) values.push_back(problem.value(i, x));
  return values;
}

/// S(x, weights) = sum_i weights_i f_i(x); objectives of weight 0 are not evaluated.
template <Objectives P>
[[nodiscard]] double scalarised(const P& problem, std::span<const double> weights,
                                std::span<const double> x) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] != 0) sum += weights[i] * problem.value(static_cast<std::int64_t>(i), x);
  }
  return sum;
}

/// One draw of an objective's (sub)gradient: the exact one where the problem is deterministic.
template <Objectives P>
void draw_gradient(const P& problem, std::int64_t objective, std::span<const double> x,
                   base::Stream& stream, std::span<double> gradient) {
  if constexpr (StochasticProblem<P>) {
    problem.stochastic_gradient(objective, x, stream, gradient);
  } else {
    problem.gradient(objective, x, gradient);
  }
}

}  // namespace fairfront::alternating
