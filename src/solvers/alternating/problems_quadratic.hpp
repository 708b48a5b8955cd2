/// @file
/// The small convex quadratic problems of the literature: MOP1 (Schaffer), JOS1, SP1.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "optimise/box.hpp"
#include "solvers/alternating/analytic_front.hpp"

namespace fairfront::alternating {

/// f_1 = mean x_j^2, f_2 = mean (x_j - 2)^2 on [lower, upper]^n. The efficient points lie on the
/// diagonal, 0 <= t <= min(2, upper): the front is f_2 = (sqrt(f_1) - 2)^2, convex.
///
/// JOS1: [0, 1]^n as in the collection of Custodio et al. (2011), where it is Jin1; Y. Jin,
/// M. Olhofer, B. Sendhoff (2001). MOP1: n = 1 on [-10^5, 10^5]; J. D. Schaffer (1985), box of
/// Huband et al. (2006).
class MeanSquares {
 public:
  MeanSquares(std::int64_t variables, double lower, double upper)
      : box_{variables, lower, upper}, scale_{1.0 / static_cast<double>(variables)} {}

  [[nodiscard]] std::int64_t objectives() const { return 2; }
  [[nodiscard]] const optimise::Box& box() const { return box_; }

  [[nodiscard]] double value(std::int64_t objective, std::span<const double> x) const {
    double sum = 0;
    for (const double component : x) sum += square(component - centre(objective));
    return sum * scale_;
  }
  void gradient(std::int64_t objective, std::span<const double> x, std::span<double> out) const {
    for (std::size_t j = 0; j < x.size(); ++j) {
      out[j] = 2 * scale_ * (x[j] - centre(objective));
    }
  }
  /// x_j = 2 (1 - weight of f_1), cut to the box.
  [[nodiscard]] std::vector<double> minimiser(std::span<const double> weights) const {
    std::vector<double> x(box_.lower().size(), 2 * weights[1] / (weights[0] + weights[1]));
    box_.project(x);
    return x;
  }
  [[nodiscard]] pareto::Points analytic_front(std::int64_t count) const {
    const double last = std::min(2.0, box_.upper()[0]);
    return sample_curve(count, [last](double share) {
      const double t = share * last;
      return std::array{t * t, square(t - 2)};
    });
  }

 private:
  static double square(double value) { return value * value; }
  static double centre(std::int64_t objective) { return objective == 0 ? 0.0 : 2.0; }
  optimise::Box box_;
  double scale_;
};

/// SP1 of M. Sefrioui, J. Periaux (2000), box of Custodio et al. (2011): on [-1, 5]^2,
/// f_1 = (x_1 - 1)^2 + (x_1 - x_2)^2, f_2 = (x_2 - 3)^2 + (x_1 - x_2)^2. Convex front, traced by
/// the minimisers of the weighted sums.
class Sp1 {
 public:
  [[nodiscard]] std::int64_t objectives() const { return 2; }
  [[nodiscard]] const optimise::Box& box() const { return box_; }

  [[nodiscard]] double value(std::int64_t objective, std::span<const double> x) const {
    const double own = objective == 0 ? x[0] - 1 : x[1] - 3;
    return own * own + (x[0] - x[1]) * (x[0] - x[1]);
  }
  void gradient(std::int64_t objective, std::span<const double> x, std::span<double> out) const {
    const double difference = 2 * (x[0] - x[1]);
    out[0] = difference + (objective == 0 ? 2 * (x[0] - 1) : 0.0);
    out[1] = -difference + (objective == 1 ? 2 * (x[1] - 3) : 0.0);
  }
  /// With weight w on f_1 and v = 1 - w: x_1 = 1 + 2v/(1+wv), x_2 = 3 - 2w/(1+wv).
  [[nodiscard]] std::vector<double> minimiser(std::span<const double> weights) const {
    const double w = weights[0] / (weights[0] + weights[1]);
    const double scale = 2 / (1 + w * (1 - w));
    return {1 + scale * (1 - w), 3 - scale * w};
  }
  [[nodiscard]] pareto::Points analytic_front(std::int64_t count) const {
    return sample_curve(count, [this](double share) {
      const std::vector<double> x = minimiser(std::array{1 - share, share});
      return std::array{value(0, x), value(1, x)};
    });
  }

 private:
  optimise::Box box_{2, -1.0, 5.0};
};

}  // namespace fairfront::alternating
