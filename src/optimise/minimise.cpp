#include "optimise/minimise.hpp"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/stop.hpp"
#include "optimise/decomposition.hpp"

namespace fairfront::optimise {
namespace {

using Vector = Eigen::VectorXd;

std::span<const double> view(const Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
std::span<double> view(Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

void validate(const MinimiseOptions& options) {
  if (!(options.tolerance > 0)) {
    throw std::invalid_argument(
        fmt::format("MinimiseOptions::tolerance = {}, must be > 0", options.tolerance));
  }
  if (options.max_iterations < 1) {
    throw std::invalid_argument(
        fmt::format("MinimiseOptions::max_iterations = {}, must be >= 1", options.max_iterations));
  }
}

struct Point {
  Vector w;
  double value = 0;
  Vector gradient;

  void evaluate(const ValueAndGradient& function) {
    gradient.resize(w.size());
    value = function(view(std::as_const(w)), view(gradient));
  }
};

/// Moves `point` along `direction` to where the weak Wolfe conditions hold, by doubling and
/// bisection (Lewis, Overton, 2013). Once the value changes by no more than its rounding errors,
/// slopes decide alone (the approximate conditions of Hager, Zhang, 2005).
/// @return false, and no move, if there is no such step.
bool search(const ValueAndGradient& function, const Vector& direction, Point& point) {
  constexpr double least_decrease = 1e-4, most_slope = 0.9, rounding = 1e-12;
  const double slope = point.gradient.dot(direction);
  if (!(slope < 0)) return false;
  double below = 0, above = std::numeric_limits<double>::infinity(), step = 1;
  Point trial;
  for (int k = 0; k < 60; ++k) {
    base::stop_point();
    trial.w = point.w + step * direction;
    trial.evaluate(function);
    const double new_slope = trial.gradient.dot(direction);
    const bool less = trial.value <= point.value + least_decrease * step * slope;
    const bool level = trial.value <= point.value + rounding * std::abs(point.value) &&
                       new_slope <= (2 * least_decrease - 1) * slope;
    if (!(less || level) || !std::isfinite(new_slope)) {
      above = step;
    } else if (new_slope < most_slope * slope) {
      below = step;
    } else {
      std::swap(point, trial);
      return true;
    }
    step = std::isfinite(above) ? 0.5 * (below + above) : 2 * step;
  }
  return false;
}

/// Steps until the gradient is small: direction(point) is asked for the next way, moved(from, to)
/// told of a step, forget() asked whether there is another way where a search failed.
template <class Direction, class Moved, class Forget>
MinimiseResult descend(const ValueAndGradient& function, std::span<const double> start,
                       const MinimiseOptions& options, Direction direction, Moved moved,
                       Forget forget) {
  validate(options);
  MinimiseResult result;
  const ValueAndGradient counted = [&](std::span<const double> w, std::span<double> gradient) {
    ++result.evaluations;
    return function(w, gradient);
  };
  Point point;
  point.w = Eigen::Map<const Vector>(start.data(), std::ssize(start));
  point.evaluate(counted);
  const auto small = [&] { return point.gradient.lpNorm<Eigen::Infinity>() <= options.tolerance; };
  while (!small() && result.iterations < options.max_iterations) {
    const Point from = point;
    if (!search(counted, direction(point), point)) {
      if (forget()) continue;
      break;
    }
    ++result.iterations;
    moved(from, point);
  }
  result.stop = small()                                       ? Stop::converged
                : result.iterations == options.max_iterations ? Stop::iteration_limit
                                                              : Stop::stalled;
  result.weights.assign(point.w.begin(), point.w.end());
  result.value = point.value;
  result.gradient_norm = point.gradient.lpNorm<Eigen::Infinity>();
  return result;
}

/// A step s with the change y of the gradient over it.
struct Pair {
  Vector s, y;
  double product = 0;  ///< s^T y > 0
};

/// -H g with H of the pairs' updates of a diagonal matrix (Nocedal, Wright, algorithm 7.4).
Vector lbfgs_direction(const std::deque<Pair>& pairs, const Vector& inverse,
                       const Vector& gradient) {
  Vector q = -gradient;
  std::vector<double> shares(pairs.size());
  for (std::size_t k = pairs.size(); k-- > 0;) {
    shares[k] = pairs[k].s.dot(q) / pairs[k].product;
    q -= shares[k] * pairs[k].y;
  }
  q = q.cwiseProduct(inverse).eval();
  if (!pairs.empty()) {
    const Pair& last = pairs.back();
    q *= last.product / last.y.cwiseProduct(inverse).dot(last.y);
  }
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    q += (shares[k] - pairs[k].y.dot(q) / pairs[k].product) * pairs[k].s;
  }
  return q;
}

}  // namespace

MinimiseResult minimise_newton(const ValueAndGradient& function, const Hessian& hessian,
                               std::span<const double> start, const MinimiseOptions& options) {
  constexpr double shift = 1e-10;
  const auto n = static_cast<Eigen::Index>(start.size());
  Eigen::MatrixXd matrix(n, n);
  Vector scale(n);
  const auto direction = [&](const Point& point) -> Vector {
    hessian(view(point.w), {matrix.data(), static_cast<std::size_t>(matrix.size())});
    for (Eigen::Index j = 0; j < n; ++j) {
      scale[j] = matrix(j, j) > 0 ? 1 / std::sqrt(matrix(j, j)) : 1.0;
    }
    for (Eigen::Index j = 0; j < n; ++j) {
      for (Eigen::Index i = j; i < n; ++i) matrix(i, j) *= scale[i] * scale[j];
      matrix(j, j) += shift;
    }
    const Cholesky factor(matrix);
    const Vector scaled = -point.gradient.cwiseProduct(scale);
    return factor.solve(scaled).cwiseProduct(scale);
  };
  return descend(
      function, start, options, direction, [](const Point&, const Point&) {}, [] { return false; });
}

MinimiseResult minimise_lbfgs(const ValueAndGradient& function, std::span<const double> curvatures,
                              std::span<const double> start, const MinimiseOptions& options) {
  constexpr std::size_t most_pairs = 10;
  Vector inverse(std::ssize(curvatures));
  for (Eigen::Index j = 0; j < inverse.size(); ++j) {
    inverse[j] = 1 / curvatures[static_cast<std::size_t>(j)];
  }
  std::deque<Pair> pairs;
  const auto remember = [&](const Point& from, const Point& to) {
    Pair pair{to.w - from.w, to.gradient - from.gradient, 0};
    pair.product = pair.s.dot(pair.y);
    if (!(pair.product > 0)) return;
    pairs.push_back(std::move(pair));
    if (pairs.size() > most_pairs) pairs.pop_front();
  };
  const auto forget = [&] {
    const bool had_any = !pairs.empty();
    pairs.clear();
    return had_any;
  };
  return descend(
      function, start, options,
      [&](const Point& point) { return lbfgs_direction(pairs, inverse, point.gradient); }, remember,
      forget);
}

}  // namespace fairfront::optimise
