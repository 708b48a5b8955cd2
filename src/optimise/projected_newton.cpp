#include "optimise/projected_newton.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/index.hpp"
#include "optimise/decomposition.hpp"
#include "optimise/projected_arc.hpp"

namespace fairfront::optimise {
namespace {

using base::at;

constexpr std::int64_t most_steps_in_box = 200;
constexpr int most_halvings = 40;

std::vector<Eigen::Index> free_of(const Box& box, std::span<const double> x,
                                  std::span<const double> gradient) {
  std::vector<Eigen::Index> free;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (!is_held(box, x, gradient, j)) free.push_back(static_cast<Eigen::Index>(j));
  }
  return free;
}

/// Newton's step in the free coordinates, 0 in the others.
std::vector<double> step_of_free(const Eigen::MatrixXd& hessian, std::span<const double> gradient,
                                 const std::vector<Eigen::Index>& free) {
  const auto n = static_cast<Eigen::Index>(free.size());
  Eigen::MatrixXd part(n, n);
  Eigen::VectorXd slope(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    slope(k) = gradient[at(free[at(k)])];
    for (Eigen::Index l = 0; l <= k; ++l) part(k, l) = hessian(free[at(k)], free[at(l)]);
  }
  // Columns that depend on each other leave flat directions where there is no regularisation.
  const double scale = n > 0 ? part.diagonal().maxCoeff() : 0.0;
  part.diagonal().array() += 1e-14 * scale + std::numeric_limits<double>::min();
  const Eigen::VectorXd solved = PivotedCholesky(std::move(part)).solve(slope);
  std::vector<double> step(gradient.size(), 0.0);
  for (Eigen::Index k = 0; k < n; ++k) step[at(free[at(k)])] = -solved(k);
  return step;
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

BoxMinimum minimise_in_box(ConvexFunction& function, double convexity, const Box& box,
                           std::span<const double> start, double gap) {
  BoxMinimum found{{start.begin(), start.end()}};
  std::vector<double>& x = found.x;
  box.project(x);
  std::vector<double> gradient(x.size()), trial(x.size());
  double value = function.value(x);
  const auto value_at = [&](std::span<const double> point) { return function.value(point); };
  const auto half = [](double length, double) { return 0.5 * length; };
  // Where rounding hides that a value is lower, Newton's step may still halve the certified gap.
  const auto sharpen = [&](std::span<const double> step) {
    for (std::size_t j = 0; j < x.size(); ++j) trial[j] = x[j] + step[j];
    box.project(trial);
    function.gradient(trial, gradient);
    if (!(certified_gap(box, trial, gradient, convexity) < 0.5 * found.certified_gap)) return false;
    x = trial;
    return true;
  };
  for (std::int64_t k = 0;; ++k) {
    function.gradient(x, gradient);
    found.certified_gap = certified_gap(box, x, gradient, convexity);
    if (found.certified_gap <= gap || k == most_steps_in_box) break;
    const std::vector<Eigen::Index> free = free_of(box, x, gradient);
    if (free.empty()) break;
    const std::vector<double> step = step_of_free(function.hessian(x), gradient, free);
    if (search_projected_arc(box, gradient, step, most_halvings, value_at, half, x, value, trial)) {
      continue;
    }
    if (!sharpen(step)) break;
    value = function.value(x);
  }
  return found;
}

}  // namespace fairfront::optimise
