/// @file
/// Convex problems with m >= 2 objectives for which everything is known in closed form: minimisers
/// of all weighted sums, and the constants of the convergence theorems.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "optimise/box.hpp"
#include "solvers/alternating/analytic_front.hpp"
#include "solvers/alternating/efforts.hpp"
#include "solvers/alternating/problem.hpp"
#include "solvers/alternating/rates.hpp"

namespace fairfront::alternating {

/// Where a coordinate of a separable problem lies: objective i, variable j, m and n of them.
struct Place {
  std::int64_t objective = 0;
  std::int64_t variable = 0;
  std::int64_t objectives = 2;
  std::int64_t variables = 1;
};

inline double sign_of(double u) { return static_cast<double>((u > 0) - (u < 0)); }

/// h u^2 / 2 with h from 1 to 4, shifted by one variable from objective to objective: strongly
/// convex and smooth, c = 1, L = 4.
struct QuadraticTerm {
  static constexpr bool smooth = true;
  static constexpr double convexity = 1;
  static constexpr double gradient_change = 4;
  static double scale(const Place& at) {
    if (at.variables == 1) return 1 + 3 * static_cast<double>(at.objective % 2);
    const auto turn = static_cast<double>((at.objective + at.variable) % at.variables);
    return 1 + 3 * turn / static_cast<double>(at.variables - 1);
  }
  static double value(double scale, double u) { return 0.5 * scale * u * u; }
  static double slope(double scale, double u) { return scale * u; }
  static double curvature(double scale, double) { return scale; }
  static constexpr std::array<double, 0> breakpoints{};
};

/// u^2 / 2 + |u|: strongly convex and not smooth, c = 1.
struct ElasticTerm {
  static constexpr bool smooth = false;
  static constexpr double convexity = 1;
  static constexpr double gradient_change = 1;  ///< away from the kink
  static double scale(const Place&) { return 1; }
  static double value(double, double u) { return 0.5 * u * u + std::abs(u); }
  static double slope(double, double u) { return u + sign_of(u); }
  static double curvature(double, double) { return 1; }
  static constexpr std::array<double, 1> breakpoints{0.0};
};

/// |u|: convex, neither smooth nor strongly convex.
struct AbsoluteTerm {
  static constexpr bool smooth = false;
  static constexpr double convexity = 0;
  static constexpr double gradient_change = 0;
  static double scale(const Place&) { return 1; }
  static double value(double, double u) { return std::abs(u); }
  static double slope(double, double u) { return sign_of(u); }
  static double curvature(double, double) { return 0; }
  static constexpr std::array<double, 1> breakpoints{0.0};
};

/// The function of P. J. Huber (1964) with threshold 3/4: u^2 / 2 up to it, linear beyond. Smooth,
/// L = 1, and convex, but not strongly.
struct HuberTerm {
  static constexpr bool smooth = true;
  static constexpr double convexity = 0;
  static constexpr double gradient_change = 1;
  static constexpr double threshold = 0.75;
  static double scale(const Place&) { return 1; }
  static double value(double, double u) {
    const double size = std::abs(u);
    return size <= threshold ? 0.5 * u * u : threshold * (size - 0.5 * threshold);
  }
  static double slope(double, double u) { return std::clamp(u, -threshold, threshold); }
  static double curvature(double, double u) { return std::abs(u) < threshold ? 1 : 0; }
  static constexpr std::array<double, 2> breakpoints{-threshold, threshold};
};

/// f_i(x) = sum_j term(x_j - p_ij) on [-1, 1]^n, p_ij = 1/2 where j = i modulo m, else -1/2.
template <class Term>
class Separable {
 public:
  static constexpr double bound = 1;
  static constexpr double anchor = 0.5;

  /// @param variables, objectives  n >= 1, m >= 2.
  Separable(std::int64_t variables, std::int64_t objectives)
      : box_{variables, -bound, bound}, objectives_{objectives} {
    for (std::int64_t i = 0; i < objectives; ++i) {
      for (std::int64_t j = 0; j < variables; ++j) {
        anchors_.push_back(j % objectives == i ? anchor : -anchor);
        scales_.push_back(Term::scale({i, j, objectives, variables}));
      }
    }
  }

  [[nodiscard]] std::int64_t objectives() const { return objectives_; }
  [[nodiscard]] const optimise::Box& box() const { return box_; }
  [[nodiscard]] double convexity() const { return Term::convexity; }

  [[nodiscard]] double value(std::int64_t objective, std::span<const double> x) const {
    const std::size_t row = at(objective, 0);
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      sum += Term::value(scales_[row + j], x[j] - anchors_[row + j]);
    }
    return sum;
  }
  void gradient(std::int64_t objective, std::span<const double> x, std::span<double> out) const {
    const std::size_t row = at(objective, 0);
    for (std::size_t j = 0; j < x.size(); ++j) {
      out[j] = Term::slope(scales_[row + j], x[j] - anchors_[row + j]);
    }
  }

  /// The greatest value of the objective in the box: at the corner farthest from its anchors.
  [[nodiscard]] double greatest(std::int64_t objective) const {
    double sum = 0;
    for (std::size_t j = 0; j < box_.lower().size(); ++j) {
      sum += Term::value(scales_[at(objective, j)], bound + anchor);
    }
    return sum;
  }

  /// Exact up to rounding; the smallest one in every coordinate where there are many.
  [[nodiscard]] std::vector<double> minimiser(std::span<const double> weights) const {
    std::vector<double> x(box_.lower().size());
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = minimise_coordinate(weights, j);
    return x;
  }

  /// Minimisers of weighted sums: they are unique, so that they are all efficient points. For |u|
  /// they are not, but with two objectives the front is f_1 + f_2 = n; with more it has no points
  /// here, which means that it is not known.
  [[nodiscard]] pareto::Points analytic_front(std::int64_t count) const {
    if constexpr (std::is_same_v<Term, AbsoluteTerm>) {
      if (objectives_ != 2) return pareto::Points(static_cast<std::size_t>(objectives_));
      const auto n = static_cast<double>(box_.variables());
      return sample_curve(count, [n](double s) { return std::array{n * s, n - n * s}; });
    } else {
      return front_of_minimisers(count);
    }
  }

  /// Nothing where the steps are too long: noiseless inner steps must not lead out of the box, for
  /// which alpha_0 L <= 1 and, at a kink, alpha_0 <= 1/2 (its distance to the boundary) suffice.
  [[nodiscard]] std::optional<RateConstants> rate_constants(const RunReach& reach) const {
    constexpr bool slopes_are_bounded = Term::convexity == 0;
    if (!slopes_are_bounded && reach.first_step * Term::gradient_change > 1) return {};
    if (!slopes_are_bounded && !Term::smooth && reach.first_step > bound - anchor) return {};
    const double farthest = bound + anchor + (slopes_are_bounded ? 0.0 : reach.excursion());
    double slopes = 0;  // greatest sum_j slope^2 of an objective; L2 norms add up, so this is fair
    for (std::int64_t i = 0; i < objectives_; ++i) slopes = std::max(slopes, squares(i, farthest));
    const auto n = static_cast<double>(box_.variables());
    return RateConstants{.smooth = Term::smooth,
                         .convexity = Term::convexity,
                         .gradient_change = Term::gradient_change,
                         .value_change = std::sqrt(slopes),
                         .second_moment = slopes + n * reach.noise * reach.noise,
                         .diameter = box_.diameter()};
  }

 private:
  [[nodiscard]] pareto::Points front_of_minimisers(std::int64_t count) const {
    std::int64_t total = 1;  // the finest simplex lattice with at most `count` weights
    while (lattice_size(total + 1, objectives_) <= count) ++total;
    pareto::Points points(static_cast<std::size_t>(objectives_));
    const std::int64_t size = lattice_size(total, objectives_);
    for (std::int64_t k = 0; k < size; ++k) {
      const auto weights = weights_of(lattice_point(k, total, objectives_));
      points.add(values_at(*this, minimiser(weights)), static_cast<std::uint64_t>(k));
    }
    return points;
  }

  /// Place of (i, j) in the arrays of shape (m, n).
  [[nodiscard]] std::size_t at(std::int64_t objective, std::size_t variable) const {
    return static_cast<std::size_t>(objective) * box_.lower().size() + variable;
  }
  [[nodiscard]] double squares(std::int64_t objective, double u) const {
    double sum = 0;
    for (std::size_t j = 0; j < box_.lower().size(); ++j) {
      const double slope = Term::slope(scales_[at(objective, j)], u);
      sum += slope * slope;
    }
    return sum;
  }

  /// The derivative in one coordinate is affine between breakpoints and ascends: the minimiser
  /// lies in the first piece at whose end it is not negative.
  [[nodiscard]] double minimise_coordinate(std::span<const double> weights, std::size_t j) const {
    std::vector<double> ends = breakpoints(j);
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
      const double middle = 0.5 * (ends[k] + ends[k + 1]);
      double slope = 0;
      double curvature = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const std::size_t place = at(static_cast<std::int64_t>(i), j);
        const double u = middle - anchors_[place];
        slope += weights[i] * Term::slope(scales_[place], u);
        curvature += weights[i] * Term::curvature(scales_[place], u);
      }
      if (slope + curvature * (ends[k + 1] - middle) < 0) continue;
      if (curvature == 0) return ends[k];
      return std::clamp(middle - slope / curvature, ends[k], ends[k + 1]);
    }
    return bound;
  }

  [[nodiscard]] std::vector<double> breakpoints(std::size_t j) const {
    std::vector<double> ends = {-bound, bound};
    for (std::int64_t i = 0; i < objectives_; ++i) {
      for (const double shift : Term::breakpoints) {
        ends.push_back(std::clamp(anchors_[at(i, j)] + shift, -bound, bound));
      }
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    return ends;
  }

  optimise::Box box_;
  std::int64_t objectives_;
  std::vector<double> anchors_;  ///< p, shape (m, n)
  std::vector<double> scales_;   ///< shape (m, n)
};

using Quadratic = Separable<QuadraticTerm>;
using Elastic = Separable<ElasticTerm>;
using Absolute = Separable<AbsoluteTerm>;
using Huber = Separable<HuberTerm>;

}  // namespace fairfront::alternating
