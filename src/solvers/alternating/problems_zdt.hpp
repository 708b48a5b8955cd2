/// @file
/// The problems built as f_1 = x_1, f_2 = f_2(x_1, g), g = 1 + 9/(n-1) sum_(j>1) x_j on [0, 1]^n:
/// ZDT1, ZDT2, ZDT3 and JOS2. Their fronts are the nondominated points with g = 1.
///
/// E. Zitzler, K. Deb, L. Thiele, "Comparison of multiobjective evolutionary algorithms: empirical
/// results", Evolutionary Computation 8(2), 2000. Y. Jin, M. Olhofer, B. Sendhoff, "Dynamic
/// weighted aggregation for evolutionary multi-objective optimization", GECCO 2001.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <numbers>
#include <span>

#include "base/elementary.hpp"
#include "optimise/box.hpp"
#include "solvers/alternating/abreast.hpp"
#include "solvers/alternating/analytic_front.hpp"

namespace fairfront::alternating {

/// Partial derivatives of f_2 in x_1 and g.
struct ZdtSlopes {
  double first = 0;
  double g = 0;
};

/// f_2 = g - sqrt(x_1 g): a convex front, sqrt(f_1) + f_2 = 1.
struct Zdt1Shape {
  static constexpr double margin = 1e-4;
  static constexpr int power = 2;  ///< x_1 = s^power makes the front smooth in s
  static double value(double x, double g) { return g - std::sqrt(x * g); }
  static ZdtSlopes slopes(double x, double g) {
    const double root = std::sqrt(x / g);
    return {-0.5 / root, 1 - 0.5 * root};
  }
};

/// f_2 = g - x_1^2 / g: a concave front, f_1^2 + f_2 = 1.
struct Zdt2Shape {
  static constexpr double margin = 0;
  static constexpr int power = 1;  ///< x_1 = s^power makes the front smooth in s
  static double value(double x, double g) { return g - x * x / g; }
  static ZdtSlopes slopes(double x, double g) {
    const double ratio = x / g;
    return {-2 * ratio, 1 + ratio * ratio};
  }
};

/// f_2 = g - sqrt(x_1 g) - x_1 sin(10 pi x_1): a front of five convex pieces.
struct Zdt3Shape {
  static constexpr double margin = 1e-4;
  static constexpr int power = 2;  ///< x_1 = s^power makes the front smooth in s
  static double value(double x, double g) {
    return g - std::sqrt(x * g) - x * base::sin(10 * std::numbers::pi * x);
  }
  static ZdtSlopes slopes(double x, double g) { return slopes(x, g, base::sin_cos(angle(x))); }
  /// @param wave  of angle(x).
  static ZdtSlopes slopes(double x, double g, const base::SineCosine& wave) {
    const double root = std::sqrt(x / g);
    return {-0.5 / root - wave.sine - angle(x) * wave.cosine, 1 - 0.5 * root};
  }
  static double angle(double x) { return 10 * std::numbers::pi * x; }
};

/// f_2 = g (1 - (x_1/g)^(1/4) - (x_1/g)^4): a front that is convex, then concave.
struct Jos2Shape {
  static constexpr double margin = 1e-4;
  static constexpr int power = 4;  ///< x_1 = s^power makes the front smooth in s
  static double value(double x, double g) {
    const double ratio = x / g;
    return g * (1 - std::sqrt(std::sqrt(ratio)) - ratio * ratio * ratio * ratio);
  }
  static ZdtSlopes slopes(double x, double g) {
    const double ratio = x / g;
    const double root = std::sqrt(std::sqrt(ratio));
    const double cube = ratio * ratio * ratio;
    return {-0.25 / (root * root * root) - 4 * cube, 1 - 0.75 * root + 3 * cube * ratio};
  }
};

/// Gradients are those at (max(x_1, margin), g) with x_1 cut to at most 1 and g to at least 1, its
/// least value in the box: the square roots have no slope at x_1 = 0, and inner steps leave the
/// box. Where the box ends at x_1 = 0 without such a root the margin is 0. Values are exact.
template <class Shape>
class Zdt {
 public:
  /// @param variables  n >= 2.
  explicit Zdt(std::int64_t variables)
      : box_{variables, 0.0, 1.0}, scale_{9.0 / static_cast<double>(variables - 1)} {}

  [[nodiscard]] std::int64_t objectives() const { return 2; }
  [[nodiscard]] const optimise::Box& box() const { return box_; }

  [[nodiscard]] double value(std::int64_t objective, std::span<const double> x) const {
    return objective == 0 ? x[0] : Shape::value(x[0], g_at(x));
  }

  void gradient(std::int64_t objective, std::span<const double> x, std::span<double> out) const {
    if (objective == 0) {
      std::fill(out.begin(), out.end(), 0.0);
      out[0] = 1;
      return;
    }
    const ZdtSlopes slopes =
        Shape::slopes(std::clamp(x[0], Shape::margin, 1.0), std::max(g_at(x), 1.0));
    std::fill(out.begin(), out.end(), slopes.g * scale_);
    out[0] = slopes.first;
  }

  void gradients_abreast(const EachRun<std::int64_t>& objectives, const Pairs& x,
                         Pairs& out) const requires std::same_as<Shape, Zdt3Shape> {
    out.first.fill(1);
    out.second.fill(0);
    if (std::ranges::all_of(objectives, [](std::int64_t i) { return i == 0; })) return;
    EachRun<double> first, angles, sines, cosines;
    for (std::size_t r = 0; r < runs_abreast; ++r) {
      first[r] = std::clamp(x.first[r], Shape::margin, 1.0);
      angles[r] = Shape::angle(first[r]);
    }
    base::sin_cos(angles, sines, cosines);
    for (std::size_t r = 0; r < runs_abreast; ++r) {
      const double g = std::max(g_at(std::array{x.first[r], x.second[r]}), 1.0);
      const ZdtSlopes slopes = Shape::slopes(first[r], g, {sines[r], cosines[r]});
      const bool is_first = objectives[r] == 0;
      out.first[r] = is_first ? 1 : slopes.first;
      out.second[r] = is_first ? 0 : slopes.g * scale_;
    }
  }

  [[nodiscard]] pareto::Points analytic_front(std::int64_t count) const {
    const auto curve = [](double share) {
      double x = share;  // with even steps of x_1 itself the first samples are far apart in f_2
      for (int k = 1; k < Shape::power; ++k) x *= share;
      return std::array{x, Shape::value(x, 1.0)};
    };
    if constexpr (std::is_same_v<Shape, Zdt3Shape>) {
      // About two thirds of the curve are dominated.
      return pareto::Front(sample_curve(4 * count, curve)).points();
    } else {
      return sample_curve(count, curve);
    }
  }

 private:
  /// Four running sums: the same bits everywhere, and no chain of n dependent additions.
  [[nodiscard]] double g_at(std::span<const double> x) const {
    std::array<double, 4> sums{};
    std::size_t j = 1;
    for (; j + 4 <= x.size(); j += 4) {
      for (std::size_t k = 0; k < 4; ++k) sums[k] += x[j + k];
    }
    for (; j < x.size(); ++j) sums[0] += x[j];
    return 1 + scale_ * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
  }

  optimise::Box box_;
  double scale_;
};

using Zdt1 = Zdt<Zdt1Shape>;
using Zdt2 = Zdt<Zdt2Shape>;
using Zdt3 = Zdt<Zdt3Shape>;
using Jos2 = Zdt<Jos2Shape>;

}  // namespace fairfront::alternating
