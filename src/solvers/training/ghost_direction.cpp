#include "solvers/training/ghost_direction.hpp"

#include <algorithm>
#include <cmath>

#include "base/stop.hpp"
#include "models/kernels.hpp"
#include "solvers/training/stop_within.hpp"

namespace fairfront::training {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  models::dots(models::Rows(a, std::ssize(a)), b.data(), 0, {&sum, 1});
  return sum;
}

/// min g'd + tau/2 |d|^2 with |gap_i + J_i d| <= bound, |d|_inf <= box, by its dual.
class BandQp {
 public:
  BandQp(const Linearised& at, double tau, double box, double bound)
      : at_{at}, tau_{tau}, box_{box}, bound_{bound}, m_(at.gaps.size(), 0.0) {
    rest_.assign(at.gradient.begin(), at.gradient.end());
    for (std::size_t i = 0; i < m_.size(); ++i) squares_.push_back(dot(row(i), row(i)));
  }

  /// @return whether the constraints hold: else there is no feasible d.
  bool solve() {
    if (m_.size() > 1 && solve_without_box()) return true;
    const int sweeps = m_.size() == 1 ? 1 : most_sweeps;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      double moved = 0;
      for (std::size_t i = 0; i < m_.size(); ++i) {
        base::stop_point();
        moved = std::max(moved, std::abs(maximise(i)) * std::sqrt(squares_[i]));
      }
      if (moved <= 1e-14) break;
    }
    for (std::size_t i = 0; i < m_.size(); ++i) {
      if (std::abs(value(i, 0).residual) > bound_ + 1e-10) return false;
    }
    return true;
  }

  void direction(std::span<double> d) const {
    for (std::size_t j = 0; j < d.size(); ++j) d[j] = clipped(-rest_[j] / tau_);
  }

 private:
  static constexpr int most_sweeps = 1000;
  struct Value {
    double residual;  ///< gap_i + J_i d
    double slope;     ///< in the multiplier, <= 0
  };

  /// The same ascent with products of rows instead of rows. @return whether the box is not active
  /// there and the constraints hold; else the multipliers are those to go on from.
  bool solve_without_box() {
    const std::size_t q = m_.size();
    std::vector<double> products(q * q);
    std::vector<double> residual(at_.gaps.begin(), at_.gaps.end());
    for (std::size_t i = 0; i < q; ++i) {
      base::stop_point();
      for (std::size_t k = 0; k < q; ++k) products[i * q + k] = dot(row(i), row(k)) / tau_;
      residual[i] -= dot(row(i), rest_) / tau_;
    }
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      double moved = 0;
      base::stop_point();
      for (std::size_t i = 0; i < q; ++i) {
        const double curvature = products[i * q + i];
        if (curvature == 0) continue;
        const double back = residual[i] + curvature * m_[i];  // with m_i = 0
        const double total = (back - std::clamp(back, -bound_, bound_)) / curvature;
        const double step = total - m_[i];
        m_[i] = total;
        for (std::size_t k = 0; k < q; ++k) residual[k] -= products[k * q + i] * step;
        moved = std::max(moved, std::abs(step) * std::sqrt(squares_[i]));
      }
      if (moved <= 1e-14) break;
    }
    for (std::size_t i = 0; i < q; ++i) {
      const auto J = row(i);
      for (std::size_t j = 0; j < rest_.size(); ++j) rest_[j] += m_[i] * J[j];
    }
    const auto inside = [&](double rest) { return std::abs(rest) <= box_ * tau_; };
    const auto holds = [&](double value) { return std::abs(value) <= bound_ + 1e-10; };
    return std::ranges::all_of(rest_, inside) && std::ranges::all_of(residual, holds);
  }

  /// For one pass over it: a stop point for long ones.
  [[nodiscard]] std::span<const double> row(std::size_t i) const {
    stop_within(rest_.size());
    return at_.jacobian.subspan(i * rest_.size(), rest_.size());
  }
  [[nodiscard]] double clipped(double x) const { return std::clamp(x, -box_, box_); }

  /// With m_i + step.
  [[nodiscard]] Value value(std::size_t i, double step) const {
    const auto J = row(i);
    Value found{at_.gaps[i], 0};
    for (std::size_t j = 0; j < J.size(); ++j) {
      const double free = -(rest_[j] + step * J[j]) / tau_;
      const double d = clipped(free);
      found.residual += J[j] * d;
      if (d == free) found.slope -= J[j] * J[j] / tau_;
    }
    return found;
  }

  /// The step to where the residual is `wanted`, of which it is on the other side at 0 and at `end`
  /// or beyond: Newton's method, kept within the bracket.
  [[nodiscard]] double root(std::size_t i, double wanted, double end) const {
    double low = 0;
    double high = end;
    double at = end;
    for (int k = 0; k < 200; ++k) {
      const Value here = value(i, at);
      const double left = here.residual - wanted;
      if (std::abs(left) <= 1e-12 * (1 + std::abs(wanted))) break;  // rounding of the sums
      // The residual falls with the step, so this is the side of the bracket that `at` replaces.
      ((left > 0) == (end > 0) ? low : high) = at;
      const double newton = here.slope < 0 ? at - left / here.slope : low;
      const bool inside = std::min(low, high) < newton && newton < std::max(low, high);
      const double next = inside ? newton : 0.5 * (low + high);
      if (next == at) break;
      at = next;
    }
    return at;
  }

  /// Puts m_i where the dual is largest along it. @return by how much it moved.
  double maximise(std::size_t i) {
    if (squares_[i] == 0) return 0;
    const double back = value(i, -m_[i]).residual;  // with m_i = 0
    double step = -m_[i];
    if (std::abs(back) > bound_) {
      const double wanted = back > 0 ? bound_ : -bound_;
      double end = (back - wanted) * tau_ / squares_[i];  // right where the box is not active
      const auto short_of = [&](double total) {
        const double residual = value(i, total - m_[i]).residual;
        return back > 0 ? residual > wanted : residual < wanted;
      };
      for (int k = 0; k < 60 && short_of(end); ++k) end *= 2;
      step = root_from_zero(i, wanted, end) - m_[i];
    }
    m_[i] += step;
    if (step != 0) {
      const auto J = row(i);
      for (std::size_t j = 0; j < rest_.size(); ++j) rest_[j] += step * J[j];
    }
    return step;
  }

  /// The total m_i rather than a step.
  [[nodiscard]] double root_from_zero(std::size_t i, double wanted, double end) {
    const double old = m_[i];
    const auto J = row(i);
    if (old != 0) {
      for (std::size_t j = 0; j < rest_.size(); ++j) rest_[j] -= old * J[j];
    }
    const double found = root(i, wanted, end);
    if (old != 0) {
      for (std::size_t j = 0; j < rest_.size(); ++j) rest_[j] += old * J[j];
    }
    return found;
  }

  const Linearised& at_;
  double tau_, box_, bound_;
  std::vector<double> m_;
  std::vector<double> rest_;  ///< g + J'm
  std::vector<double> squares_;
};

double largest_excess(const Linearised& at, double delta) {
  double largest = 0;
  for (const double gap : at.gaps) largest = std::max(largest, std::abs(gap) - delta);
  return largest;
}

}  // namespace

double relaxation(const Linearised& at, const GhostSubproblem& options) {
  return (1 - options.lambda) * largest_excess(at, options.delta) +
         options.lambda * least_violation(at, options.delta, options.radius);
}

void ghost_direction(const Linearised& at, const GhostSubproblem& options, std::span<double> d) {
  BandQp qp(at, options.tau, options.box, options.delta + relaxation(at, options));
  (void)qp.solve();  // kappa makes the constraints feasible
  qp.direction(d);
}

}  // namespace fairfront::training
