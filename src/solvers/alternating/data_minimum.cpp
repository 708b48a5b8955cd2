#include "solvers/alternating/data_minimum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/index.hpp"
#include "models/decomposition.hpp"
#include "models/eigen.hpp"
#include "pareto/front.hpp"

namespace fairfront::alternating {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using base::at;

constexpr std::int64_t most_newton_steps = 200;
constexpr int most_halvings = 40;
constexpr double newton_decrease = 1e-4;  // of the slope's promise

/// S(w, weights) and what Newton's method asks of it.
class WeightedSum {
 public:
  WeightedSum(const DataProblem& problem, std::span<const double> weights)
      : problem_{problem}, weights_{weights}, one_(problem.box().lower().size()) {}

  [[nodiscard]] double value(std::span<const double> w) const {
    return scalarised(problem_, weights_, w);
  }
  void gradient(std::span<const double> w, std::span<double> out) {
    std::ranges::fill(out, 0.0);
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (weights_[i] == 0) continue;
      ++gradients_;
      problem_.gradient(static_cast<std::int64_t>(i), w, one_);
      for (std::size_t j = 0; j < out.size(); ++j) out[j] += weights_[i] * one_[j];
    }
  }
  [[nodiscard]] double gap(std::span<const double> w, std::span<const double> gradient) const {
    return certified_gap(problem_.box(), w, gradient, problem_.convexity(weights_));
  }
  [[nodiscard]] Matrix hessian(std::span<const double> w) const {
    const auto n = static_cast<Eigen::Index>(w.size());
    Matrix matrix(n, n);
    problem_.hessian(weights_, w, {matrix.data(), w.size() * w.size()});
    return matrix;
  }
  [[nodiscard]] const Box& box() const { return problem_.box(); }
  [[nodiscard]] std::int64_t gradients() const { return gradients_; }

 private:
  const DataProblem& problem_;
  std::span<const double> weights_;
  std::vector<double> one_;
  std::int64_t gradients_ = 0;
};

/// The coordinates that a bound does not hold against the gradient.
std::vector<Eigen::Index> free_of(const Box& box, std::span<const double> w,
                                  std::span<const double> gradient) {
  std::vector<Eigen::Index> free;
  for (std::size_t j = 0; j < w.size(); ++j) {
    const bool held = (w[j] <= box.lower()[j] && gradient[j] >= 0) ||
                      (w[j] >= box.upper()[j] && gradient[j] <= 0);
    if (!held) free.push_back(static_cast<Eigen::Index>(j));
  }
  return free;
}

/// Newton's step in the free coordinates, 0 in the others.
std::vector<double> newton_step(const Matrix& hessian, std::span<const double> gradient,
                                const std::vector<Eigen::Index>& free) {
  const auto n = static_cast<Eigen::Index>(free.size());
  Matrix part(n, n);
  Vector slope(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    slope(k) = gradient[at(free[at(k)])];
    for (Eigen::Index l = 0; l <= k; ++l) part(k, l) = hessian(free[at(k)], free[at(l)]);
  }
  // Columns that depend on each other leave flat directions where there is no regularisation.
  const double scale = n > 0 ? part.diagonal().maxCoeff() : 0.0;
  part.diagonal().array() += 1e-14 * scale + std::numeric_limits<double>::min();
  const Vector solved = models::PivotedCholesky(std::move(part)).solve(slope);
  std::vector<double> step(gradient.size(), 0.0);
  for (Eigen::Index k = 0; k < n; ++k) step[at(free[at(k)])] = -solved(k);
  return step;
}

/// Moves w along the projected arc to a lower value. @return  whether there was one.
bool descend(const WeightedSum& sum, std::span<const double> gradient, std::span<const double> step,
             std::vector<double>& w, double& value) {
  std::vector<double> trial(w.size());
  double length = 1;
  for (int k = 0; k < most_halvings; ++k, length *= 0.5) {
    double promise = 0;
    for (std::size_t j = 0; j < w.size(); ++j) {
      trial[j] = std::clamp(w[j] + length * step[j], sum.box().lower()[j], sum.box().upper()[j]);
      promise += gradient[j] * (trial[j] - w[j]);
    }
    const double lower = sum.value(trial);
    if (!(lower < value && lower <= value + newton_decrease * promise)) continue;
    value = lower;
    w = trial;
    return true;
  }
  return false;
}

/// Beside its minimum no point is better in one objective by more than the gap and no worse in the
/// other.
TracedPoint minimum_at(const DataProblem& problem, std::array<double, 2> weights,
                       std::span<const double> start, double gap, std::int64_t& gradients) {
  // In units of the objective with the smaller weight, which a sum hides near an end of the front.
  const double precision = gap * std::ranges::min(weights);
  SumMinimum best = minimise_sum(problem, weights, start, precision);
  gradients += best.gradients;
  const std::array values{problem.value(0, best.w), problem.value(1, best.w)};
  return {std::move(best.w), values, weights};
}

/// A point of the front between two neighbours: that where its slope is the chord's.
TracedPoint between(const DataProblem& problem, const TracedPoint& left, const TracedPoint& right,
                    double gap, std::int64_t& gradients) {
  const double fall = left.values[1] - right.values[1];
  const double run = right.values[0] - left.values[0];
  std::vector<double> middle(left.x.size());
  for (std::size_t j = 0; j < middle.size(); ++j) middle[j] = 0.5 * (left.x[j] + right.x[j]);
  return minimum_at(problem, {fall / (fall + run), run / (fall + run)}, middle, gap, gradients);
}

/// Puts points between neighbours that are too far apart, the farthest first. A gap that would not
/// become less by a hundredth stays.
void close_gaps(const DataProblem& problem, EpsilonConstraintResult& traced,
                const FrontPrecision& wanted) {
  std::vector<TracedPoint>& front = traced.front;
  std::set<std::pair<double, double>> tried;
  const auto range = [&](std::size_t i) {
    const double width = std::abs(front.back().values[i] - front.front().values[i]);
    return width > 0 ? width : 1.0;
  };
  const auto distance = [&](const TracedPoint& a, const TracedPoint& b) {
    const double first = (a.values[0] - b.values[0]) / range(0);
    const double second = (a.values[1] - b.values[1]) / range(1);
    return std::sqrt(first * first + second * second);
  };
  for (;;) {
    std::size_t widest = 0;
    double size = wanted.largest_gap;
    for (std::size_t k = 1; k < front.size(); ++k) {
      const double apart = distance(front[k - 1], front[k]);
      if (apart <= size || tried.contains({front[k - 1].values[0], front[k].values[0]})) continue;
      size = apart;
      widest = k;
    }
    if (widest == 0) return;
    const TracedPoint& left = front[widest - 1];
    const TracedPoint& right = front[widest];
    TracedPoint point = between(problem, left, right, wanted.gap, traced.gradients);
    const bool inside = point.values[0] > left.values[0] && point.values[1] > right.values[1] &&
                        std::max(distance(point, left), distance(point, right)) < 0.99 * size;
    if (inside) {
      front.insert(front.begin() + static_cast<std::ptrdiff_t>(widest), std::move(point));
    } else {
      tried.insert({left.values[0], right.values[0]});
    }
  }
}

}  // namespace

double certified_gap(const Box& box, std::span<const double> w, std::span<const double> gradient,
                     double convexity) {
  double gap = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    const double lower = box.lower()[j] - w[j];
    const double upper = box.upper()[j] - w[j];
    double move = 0;
    if (convexity > 0) {
      move = std::clamp(-gradient[j] / convexity, lower, upper);
    } else if (gradient[j] != 0) {
      move = gradient[j] > 0 ? lower : upper;
    }
    gap -= gradient[j] * move + 0.5 * convexity * move * move;
  }
  return gap;
}

std::optional<double> certified_gap(const DataProblem& problem, std::span<const double> weights,
                                    std::span<const double> w) {
  if (!problem.convex()) return std::nullopt;
  WeightedSum sum(problem, weights);
  std::vector<double> gradient(w.size());
  sum.gradient(w, gradient);
  return sum.gap(w, gradient);
}

SumMinimum minimise_sum(const DataProblem& problem, std::span<const double> weights,
                        std::span<const double> start, double gap) {
  if (!problem.convex()) {
    throw std::invalid_argument("the minimum is found of convex problems: fairness = covariance");
  }
  if (std::ssize(start) > most_weights_of_minimum) {
    throw std::invalid_argument(
        fmt::format("the minimum of a sum of {} weights is not computed, of {} at most",
                    start.size(), most_weights_of_minimum));
  }
  WeightedSum sum(problem, weights);
  SumMinimum found{{start.begin(), start.end()}};
  problem.box().project(found.w);
  std::vector<double> gradient(found.w.size());
  double value = sum.value(found.w);
  for (std::int64_t k = 0;; ++k) {
    sum.gradient(found.w, gradient);
    found.certified_gap = sum.gap(found.w, gradient);
    if (found.certified_gap <= gap || k == most_newton_steps) break;
    const auto free = free_of(problem.box(), found.w, gradient);
    if (free.empty()) break;
    const auto step = newton_step(sum.hessian(found.w), gradient, free);
    if (!descend(sum, gradient, step, found.w, value)) break;
  }
  found.gradients = sum.gradients();
  return found;
}

void improve_front(const DataProblem& problem, EpsilonConstraintResult& traced,
                   const FrontPrecision& wanted) {
  // A multiplier without the sign of a front's slope belongs to a point past the front's end.
  std::erase_if(traced.front,
                [](const TracedPoint& point) { return std::ranges::min(point.weights) == 0; });
  pareto::Points values(2);
  for (TracedPoint& point : traced.front) {
    point = minimum_at(problem, point.weights, point.x, wanted.gap, traced.gradients);
    values.add(point.values, values.size());
  }
  const pareto::Front kept(values);
  std::vector<TracedPoint> front;
  for (const std::uint64_t place : kept.points().origins()) {
    front.push_back(std::move(traced.front[place]));
  }
  traced.front = std::move(front);
  close_gaps(problem, traced, wanted);
  traced.open_gap = widest_gap(traced.front);
  traced.exhausted = false;
}

}  // namespace fairfront::alternating
