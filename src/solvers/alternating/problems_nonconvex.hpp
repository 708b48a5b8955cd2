/// @file
/// Problems with objectives that are not convex: FF1 (Fonseca and Fleming), DEB41, IM1, DTLZ2.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>

#include "base/elementary.hpp"
#include "optimise/box.hpp"
#include "solvers/alternating/abreast.hpp"
#include "solvers/alternating/analytic_front.hpp"
#include "solvers/alternating/efforts.hpp"

namespace fairfront::alternating {

/// FF1 of C. M. Fonseca, P. J. Fleming, IEEE Trans. SMC A 28(1), 1998, on [-4, 4]^2:
/// f_i = 1 - exp(-|x -+ (1, -1)|^2). Efficient: the segment between the two centres; the front
/// sqrt(-log(1 - f_1)) + sqrt(-log(1 - f_2)) = sqrt(8) is concave.
class Ff1 {
 public:
  [[nodiscard]] std::int64_t objectives() const { return 2; }
  [[nodiscard]] const optimise::Box& box() const { return box_; }

  [[nodiscard]] double value(std::int64_t objective, std::span<const double> x) const {
    return 1 - base::exp(-square_distance(objective, x));
  }
  void gradient(std::int64_t objective, std::span<const double> x, std::span<double> out) const {
    const double side = side_of(objective);
    const double scale = 2 * base::exp(-square_distance(objective, x));
    out[0] = scale * (x[0] - side);
    out[1] = scale * (x[1] + side);
  }
  void gradients_abreast(const EachRun<std::int64_t>& objectives, const Pairs& x,
                         Pairs& out) const {
    EachRun<double> powers;
    for (std::size_t r = 0; r < runs_abreast; ++r) {
      out.first[r] = x.first[r] - side_of(objectives[r]);
      out.second[r] = x.second[r] + side_of(objectives[r]);
      powers[r] = -(out.first[r] * out.first[r] + out.second[r] * out.second[r]);
    }
    base::exp(powers, powers);
    for (std::size_t r = 0; r < runs_abreast; ++r) {
      out.first[r] *= 2 * powers[r];
      out.second[r] *= 2 * powers[r];
    }
  }
  [[nodiscard]] pareto::Points analytic_front(std::int64_t count) const {
    return sample_curve(count, [](double share) {
      const double rest = 1 - share;
      return std::array{1 - base::exp(-8 * share * share), 1 - base::exp(-8 * rest * rest)};
    });
  }

 private:
  static double side_of(std::int64_t objective) { return objective == 0 ? 1.0 : -1.0; }
  static double square_distance(std::int64_t objective, std::span<const double> x) {
    const double first = x[0] - side_of(objective);
    const double second = x[1] + side_of(objective);
    return first * first + second * second;
  }
  optimise::Box box_{2, -4.0, 4.0};
};

/// Example 4.1 of K. Deb, "Multi-objective genetic algorithms: problem difficulties and
/// construction of test problems", Evolutionary Computation 7(3), 1999, on [0.1, 1] x [0, 1]:
/// f_1 = x_1, f_2 = g(x_2) / x_1, g = 2 - exp(-((x_2-0.2)/0.004)^2) - 0.8 exp(-((x_2-0.6)/0.4)^2).
/// The front is f_1 f_2 = min g, in a well around 0.2 that is 0.02 wide; nearly all starts end in
/// the wide one around 0.6, on the local front f_1 f_2 = 1.2. Gradients are taken at x_1 cut to
/// its interval, because inner steps may reach x_1 <= 0.
class Deb41 {
 public:
  [[nodiscard]] std::int64_t objectives() const { return 2; }
  [[nodiscard]] const optimise::Box& box() const { return box_; }

  [[nodiscard]] double value(std::int64_t objective, std::span<const double> x) const {
    return objective == 0 ? x[0] : g_at(wells_at(x[1])) / x[0];
  }
  void gradient(std::int64_t objective, std::span<const double> x, std::span<double> out) const {
    if (objective == 0) {
      out[0] = 1;
      out[1] = 0;
      return;
    }
    const double first = std::clamp(x[0], 0.1, 1.0);
    const Wells wells = wells_at(x[1]);
    out[0] = -g_at(wells) / (first * first);
    out[1] = g_slope(x[1], wells) / first;
  }
  void gradients_abreast(const EachRun<std::int64_t>& objectives, const Pairs& x,
                         Pairs& out) const {
    out.first.fill(1);
    out.second.fill(0);
    if (std::ranges::all_of(objectives, [](std::int64_t i) { return i == 0; })) return;
    EachRun<double> narrow, wide;
    for (std::size_t r = 0; r < runs_abreast; ++r) {
      narrow[r] = narrow_power(x.second[r]);
      wide[r] = wide_power(x.second[r]);
    }
    base::exp(narrow, narrow);
    base::exp(wide, wide);
    for (std::size_t r = 0; r < runs_abreast; ++r) {
      const double first = std::clamp(x.first[r], 0.1, 1.0);
      const Wells wells{narrow[r], wide[r]};
      const bool is_first = objectives[r] == 0;
      out.first[r] = is_first ? 1 : -g_at(wells) / (first * first);
      out.second[r] = is_first ? 0 : g_slope(x.second[r], wells) / first;
    }
  }
  [[nodiscard]] pareto::Points analytic_front(std::int64_t count) const {
    const double least = g_at(wells_at(best_second()));
    return sample_curve(count, [least](double share) {
      const double first = 0.1 + 0.9 * share;
      return std::array{first, least / first};
    });
  }

  /// The minimiser of g, beside 0.2: bisection of g', which changes sign once in the bracket.
  [[nodiscard]] static double best_second() {
    double low = 0.2;
    double high = 0.202;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      (g_slope(middle, wells_at(middle)) < 0 ? low : high) = middle;
    }
    return low;
  }

 private:
  /// exp(-((x_2-0.2)/0.004)^2) and exp(-((x_2-0.6)/0.4)^2).
  struct Wells {
    double narrow;
    double wide;
  };
  static double narrow_power(double x) { return -(x - 0.2) * (x - 0.2) / (0.004 * 0.004); }
  static double wide_power(double x) { return -(x - 0.6) * (x - 0.6) / (0.4 * 0.4); }
  static Wells wells_at(double x) { return {base::exp(narrow_power(x)), base::exp(wide_power(x))}; }
  static double g_at(const Wells& wells) { return 2 - wells.narrow - 0.8 * wells.wide; }
  static double g_slope(double x, const Wells& wells) {
    return 2 * (x - 0.2) / (0.004 * 0.004) * wells.narrow +
           1.6 * (x - 0.6) / (0.4 * 0.4) * wells.wide;
  }
  optimise::Box box_{{0.1, 0.0}, {1.0, 1.0}};
};

/// IM1 of H. Ishibuchi, T. Murata, IEEE Trans. SMC C 28(3), 1998, on [1, 4] x [1, 2]:
/// f_1 = 2 sqrt(x_1), f_2 = x_1 (1 - x_2) + 5. Efficient: x_2 = 2; the front f_2 = 5 - f_1^2 / 4 is
/// concave, so that weighted sums find its two ends only. Gradients are taken at x_1 cut to its
/// interval.
class Im1 {
 public:
  [[nodiscard]] std::int64_t objectives() const { return 2; }
  [[nodiscard]] const optimise::Box& box() const { return box_; }

  [[nodiscard]] double value(std::int64_t objective, std::span<const double> x) const {
    return objective == 0 ? 2 * std::sqrt(x[0]) : x[0] * (1 - x[1]) + 5;
  }
  void gradient(std::int64_t objective, std::span<const double> x, std::span<double> out) const {
    const double first = std::clamp(x[0], 1.0, 4.0);
    out[0] = objective == 0 ? 1 / std::sqrt(first) : 1 - x[1];
    out[1] = objective == 0 ? 0.0 : -first;
  }
  [[nodiscard]] pareto::Points analytic_front(std::int64_t count) const {
    return sample_curve(count, [](double share) {
      const double first = 2 + 2 * share;
      return std::array{first, 5 - first * first / 4};
    });
  }

 private:
  optimise::Box box_{{1.0, 1.0}, {4.0, 2.0}};
};

/// DTLZ2 of K. Deb, L. Thiele, M. Laumanns, E. Zitzler, "Scalable test problems for evolutionary
/// multiobjective optimization" (2005), with three objectives on [0, 1]^n: with a = x_1 pi/2,
/// b = x_2 pi/2 and g = sum_(j>2) (x_j - 1/2)^2,
///
///     f_1 = (1 + g) cos a cos b,   f_2 = (1 + g) cos a sin b,   f_3 = (1 + g) sin a.
///
/// The front is the part of the unit sphere with no negative coordinate: concave, so that weighted
/// sums find its three corners only.
class Dtlz2 {
 public:
  /// @param variables  n >= 3.
  explicit Dtlz2(std::int64_t variables) : box_{variables, 0.0, 1.0} {}

  [[nodiscard]] std::int64_t objectives() const { return 3; }
  [[nodiscard]] const optimise::Box& box() const { return box_; }

  [[nodiscard]] double value(std::int64_t objective, std::span<const double> x) const {
    const base::SineCosine a = base::sin_cos(half_pi * x[0]);
    const base::SineCosine b = base::sin_cos(half_pi * x[1]);
    return (1 + g_at(x)) * direction(objective, a, b);
  }
  void gradient(std::int64_t objective, std::span<const double> x, std::span<double> out) const {
    const base::SineCosine a = base::sin_cos(half_pi * x[0]);
    const base::SineCosine b = base::sin_cos(half_pi * x[1]);
    const double scale = half_pi * (1 + g_at(x));
    const double along = direction(objective, a, b);
    for (std::size_t j = 2; j < x.size(); ++j) out[j] = 2 * (x[j] - 0.5) * along;
    if (objective == 2) {
      out[0] = scale * a.cosine;
      out[1] = 0;
    } else {
      out[0] = -scale * a.sine * (objective == 0 ? b.cosine : b.sine);
      out[1] = scale * a.cosine * (objective == 0 ? -b.sine : b.cosine);
    }
  }
  /// The directions of a simplex lattice, of length 1.
  [[nodiscard]] pareto::Points analytic_front(std::int64_t count) const {
    std::int64_t total = 1;
    while (lattice_size(total + 1, 3) <= count) ++total;
    pareto::Points points(3);
    for (std::int64_t k = 0; k < lattice_size(total, 3); ++k) {
      const auto w = weights_of(lattice_point(k, total, 3));
      const double length = std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
      const std::array point{w[0] / length, w[1] / length, w[2] / length};
      points.add(point, static_cast<std::uint64_t>(k));
    }
    return points;
  }

 private:
  static constexpr double half_pi = std::numbers::pi / 2;
  static double direction(std::int64_t objective, const base::SineCosine& a,
                          const base::SineCosine& b) {
    if (objective == 2) return a.sine;
    return a.cosine * (objective == 0 ? b.cosine : b.sine);
  }
  static double g_at(std::span<const double> x) {
    double sum = 0;
    for (std::size_t j = 2; j < x.size(); ++j) sum += (x[j] - 0.5) * (x[j] - 0.5);
    return sum;
  }
  optimise::Box box_;
};

}  // namespace fairfront::alternating
