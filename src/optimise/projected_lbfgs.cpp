#include "optimise/projected_lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "optimise/projected_arc.hpp"

namespace fairfront::optimise {
namespace {

constexpr int most_trials = 20;

}  // namespace

ProjectedLbfgs::ProjectedLbfgs(Box box, std::vector<double> widths,
                               const ProjectedLbfgsOptions& options)
    : box_{std::move(box)},
      widths_{std::move(widths)},
      options_{options},
      gradient_(widths_.size()),
      direction_(widths_.size()),
      old_x_(widths_.size()),
      old_gradient_(widths_.size()),
      trial_(widths_.size()),
      free_(widths_.size()) {}

bool ProjectedLbfgs::minimise(BoxFunction& function, std::span<double> x) {
  value_ = function.value(x);
  for (std::int64_t k = 0; k < options_.iterations; ++k) {
    if (!function.may_go_on()) return false;
    std::swap(gradient_, old_gradient_);
    function.gradient(x, gradient_);
    if (k > 0) remember(x);
    find_free(x);
    quasi_newton_direction();
    double slope = bounded_slope();
    if (!(slope < 0) && !pairs_.empty()) {
      pairs_.clear();
      steepest_direction();
      slope = bounded_slope();
    }
    if (!(-slope > options_.tolerance)) return true;
    std::copy(x.begin(), x.end(), old_x_.begin());
    if (search(function, x, slope)) continue;
    if (pairs_.empty()) return true;
    pairs_.clear();
    steepest_direction();
    slope = bounded_slope();
    if (!(-slope > options_.tolerance) || !search(function, x, slope)) return true;
  }
  return false;
}

void ProjectedLbfgs::find_free(std::span<const double> x) {
  for (std::size_t j = 0; j < x.size(); ++j) {
    free_[j] = static_cast<char>(!is_held(box_, x, gradient_, j));
  }
}

double ProjectedLbfgs::free_dot(std::span<const double> a, std::span<const double> b) const {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (free_[j] != 0) sum += a[j] * b[j];
  }
  return sum;
}

double ProjectedLbfgs::slope_left() const {
  double largest = 0;
  for (std::size_t j = 0; j < widths_.size(); ++j) {
    if (free_[j] != 0) largest = std::max(largest, std::abs(gradient_[j]) * widths_[j]);
  }
  return largest;
}

void ProjectedLbfgs::steepest_direction() {
  double scale = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < direction_.size(); ++j) {
    direction_[j] = free_[j] != 0 ? -gradient_[j] : 0.0;
    if (direction_[j] != 0) {
      scale = std::min(scale, options_.longest_step * widths_[j] / std::abs(direction_[j]));
    }
  }
  if (!std::isfinite(scale)) return;
  for (double& component : direction_) component *= scale;
}

void ProjectedLbfgs::quasi_newton_direction() {
  std::vector<std::pair<double, double>> shares;  // (curvature, first loop's share), newest first
  for (std::size_t j = 0; j < direction_.size(); ++j) {
    direction_[j] = free_[j] != 0 ? -gradient_[j] : 0.0;
  }
  double scale = 0;
  for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) {
    const double curvature = free_dot(pair->step, pair->change);
    const double square = free_dot(pair->change, pair->change);
    const bool useful = curvature > 1e-10 * square && curvature > 0;
    if (!useful) {
      shares.emplace_back(0.0, 0.0);
      continue;
    }
    if (scale == 0) scale = curvature / square;
    const double share = free_dot(pair->step, direction_) / curvature;
    for (std::size_t j = 0; j < direction_.size(); ++j) {
      if (free_[j] != 0) direction_[j] -= share * pair->change[j];
    }
    shares.emplace_back(curvature, share);
  }
  if (scale == 0) return steepest_direction();
  for (double& component : direction_) component *= scale;
  auto share = shares.rbegin();
  for (const Pair& pair : pairs_) {
    const auto [curvature, first] = *share++;
    if (curvature == 0) continue;
    const double second = free_dot(pair.change, direction_) / curvature;
    for (std::size_t j = 0; j < direction_.size(); ++j) {
      if (free_[j] != 0) direction_[j] += (first - second) * pair.step[j];
    }
  }
}

double ProjectedLbfgs::bounded_slope() {
  double longest = 0;
  for (std::size_t j = 0; j < direction_.size(); ++j) {
    if (widths_[j] > 0) longest = std::max(longest, std::abs(direction_[j]) / widths_[j]);
  }
  const double scale = longest > options_.longest_step ? options_.longest_step / longest : 1.0;
  double slope = 0;
  for (std::size_t j = 0; j < direction_.size(); ++j) {
    direction_[j] *= scale;
    slope += direction_[j] * gradient_[j];
  }
  return slope;
}

bool ProjectedLbfgs::search(BoxFunction& function, std::span<double> x, double slope) {
  // The minimiser of the parabola through both values with the slope at 0, within limits.
  const auto shorter = [&](double length, double value) {
    const double bend = value - value_ - length * slope;
    const double best = bend > 0 ? -slope * length * length / (2 * bend) : 0.0;
    return std::clamp(best, 0.1 * length, 0.5 * length);
  };
  const auto value_at = [&](std::span<const double> point) { return function.value(point); };
  return search_projected_arc(box_, gradient_, direction_, most_trials, value_at, shorter, x,
                              value_, trial_);
}

void ProjectedLbfgs::remember(std::span<const double> x) {
  Pair pair{std::vector<double>(x.size()), std::vector<double>(x.size())};
  double curvature = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    pair.step[j] = x[j] - old_x_[j];
    pair.change[j] = gradient_[j] - old_gradient_[j];
    curvature += pair.step[j] * pair.change[j];
  }
  if (!(curvature > 0)) return;
  pairs_.push_back(std::move(pair));
  if (std::ssize(pairs_) > options_.memory) pairs_.pop_front();
}

}  // namespace fairfront::optimise
