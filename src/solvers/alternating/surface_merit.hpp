/// @file
/// What the search of a surface minimises at one cell.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "optimise/projected_lbfgs.hpp"
#include "solvers/alternating/level_merit.hpp"

namespace fairfront::alternating {

/// sum_i weights_i u_i + (penalty / 2) sum c_i^2 over the objectives that are held, with c_i what
/// u_i - z_i exceeds its mean by and u_i = (f_i - lowest_i) / range_i: an augmented Lagrangian.
class SurfaceMerit final : public optimise::BoxFunction {
 public:
  using Values = std::array<double, 3>;

  /// Of a place that was looked at: its values, and the gradients there.
  using Observer = std::function<void(std::span<const double> x, const Values& values,
                                      const std::array<std::vector<double>, 3>& gradients)>;

  explicit SurfaceMerit(Oracle<3>& oracle) : oracle_{oracle} {
    gradients_.fill(std::vector<double>(oracle.box().lower().size()));
  }

  double value(std::span<const double> x) override {
    at_ = oracle_.values(x);
    const Values u = normalised(at_);
    const Values c = excess(u);
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += weights[i] * u[i] + 0.5 * penalty * c[i] * c[i];
    return sum;
  }
  void gradient(std::span<const double> x, std::span<double> out) override {
    const Values factors = weights_now();
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t i = 0; i < 3; ++i) {
      oracle_.gradient(i, x, gradients_[i]);
      for (std::size_t j = 0; j < out.size(); ++j) {
        out[j] += factors[i] / range[i] * gradients_[i][j];
      }
    }
    if (observer) observer(x, at_, gradients_);
  }
  bool may_go_on() override { return oracle_.may_go_on(); }

  [[nodiscard]] const Values& values() const { return at_; }
  [[nodiscard]] Values normalised(const Values& values) const {
    Values u{};
    for (std::size_t i = 0; i < 3; ++i) u[i] = (values[i] - lowest[i]) / range[i];
    return u;
  }
  [[nodiscard]] Values excess(const Values& u) const {
    Values c{};
    double mean = 0;
    double count = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!held[i]) continue;
      mean += u[i] - target[i];
      count += 1;
    }
    for (std::size_t i = 0; i < 3 && count > 0; ++i) {
      if (held[i]) c[i] = u[i] - target[i] - mean / count;
    }
    return c;
  }
  /// What the weights become by an update of the multipliers where the value was last asked.
  [[nodiscard]] Values weights_now() const {
    const Values c = excess(normalised(at_));
    Values now = weights;
    for (std::size_t i = 0; i < 3; ++i) now[i] += penalty * c[i];
    return now;
  }

  static constexpr double penalty = 10;  ///< in units of the normalised objectives

  Values weights{};
  std::array<bool, 3> held{};
  Values target{};
  Values lowest{};
  Values range{1, 1, 1};
  Observer observer;  ///< of what gradients are drawn for; empty: none

 private:
  Oracle<3>& oracle_;
  Values at_{};
  std::array<std::vector<double>, 3> gradients_;
};

}  // namespace fairfront::alternating
