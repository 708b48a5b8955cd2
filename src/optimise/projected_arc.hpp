/// @file
/// What minimisers in a box share: which variables are free to move, and the line search.
#pragma once

#include <algorithm>
#include <span>

#include "optimise/box.hpp"

namespace fairfront::optimise {

/// Whether x_j is at a bound of the box that the gradient pushes it against.
[[nodiscard]] inline bool is_held(const Box& box, std::span<const double> x,
                                  std::span<const double> gradient, std::size_t j) {
  return (x[j] <= box.lower()[j] && gradient[j] >= 0) ||
         (x[j] >= box.upper()[j] && gradient[j] <= 0);
}

/// Moves x along the arc of the projections of x + length direction to a lower value, with the
/// sufficient decrease of J. Nocedal, S. J. Wright, "Numerical Optimization" (2006), (3.4), for
/// what the gradient promises along the arc (D. P. Bertsekas, SIAM J. Control Optim. 20(2), 1982).
///
/// @param value_at  of the function, at a point.
/// @param shorter   the length to try after one and the value there, which was not low enough.
/// @param trial     of the size of x, to work with.
/// @return  whether one of `most_trials` lengths, the first of them 1, was taken; else x and
///          `value` are as before.
template <class ValueAt, class Shorter>
bool search_projected_arc(const Box& box, std::span<const double> gradient,
                          std::span<const double> direction, int most_trials,
                          const ValueAt& value_at, const Shorter& shorter, std::span<double> x,
                          double& value, std::span<double> trial) {
  constexpr double sufficient_decrease = 1e-4;  // of the promise
  double length = 1;
  for (int k = 0; k < most_trials; ++k) {
    double promise = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      trial[j] = std::clamp(x[j] + length * direction[j], box.lower()[j], box.upper()[j]);
      promise += gradient[j] * (trial[j] - x[j]);
    }
    const double there = value_at(trial);
    if (there < value && there <= value + sufficient_decrease * promise) {
      value = there;
      std::ranges::copy(trial, x.begin());
      return true;
    }
    length = shorter(length, there);
  }
  return false;
}

}  // namespace fairfront::optimise
