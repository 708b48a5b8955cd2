/// @file
/// Points of several runs beside each other, whose steps are taken in one loop.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/random.hpp"
#include "solvers/alternating/problem.hpp"

namespace fairfront::alternating {

/// A step waits for the one before it: most of its time is the latency of a root, a quotient or an
/// exponential. So many runs at once fill that time, and a vector register of any processor.
inline constexpr std::size_t runs_abreast = 8;

/// One value of each run.
template <class T>
using EachRun = std::array<T, runs_abreast>;

/// Points with two variables, or gradients at them.
struct Pairs {
  EachRun<double> first{};
  EachRun<double> second{};
};

/// Has the gradients of several points, run r's of objective `objectives[r]`, with the bits of
/// `gradient` for each: where vectors of elementary functions pay.
template <class P>
concept HasGradientsAbreast = Objectives<P> &&
    requires(const P& problem, const EachRun<std::int64_t>& objectives, const Pairs& x,
             Pairs& gradients) {
  problem.gradients_abreast(objectives, x, gradients);
};

/// Has draw_gradients() itself.
template <class P>
concept DrawsAbreast = Objectives<P> &&
    requires(const P& problem, const EachRun<std::int64_t>& objectives, const Pairs& x,
             std::span<base::Stream> noise, Pairs& gradients) {
  problem.draw_abreast(objectives, x, noise, gradients);
};

/// draw_gradient() of each run. @param noise  a stream for each.
template <Objectives P>
[[gnu::always_inline]] inline void draw_gradients(const P& problem,
                                                  const EachRun<std::int64_t>& objectives,
                                                  const Pairs& x, std::span<base::Stream> noise,
                                                  Pairs& gradients) {
  if constexpr (DrawsAbreast<P>) {
    problem.draw_abreast(objectives, x, noise, gradients);
  } else if constexpr (HasGradientsAbreast<P>) {
    problem.gradients_abreast(objectives, x, gradients);
  } else {
    for (std::size_t r = 0; r < runs_abreast; ++r) {
      const std::array<double, 2> at{x.first[r], x.second[r]};
      std::array<double, 2> gradient{};
      draw_gradient(problem, objectives[r], at, noise[r], gradient);
      gradients.first[r] = gradient[0];
      gradients.second[r] = gradient[1];
    }
  }
}

}  // namespace fairfront::alternating
