#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/beside.hpp"
#include "base/stop.hpp"
#include "optimise/decomposition.hpp"
#include "optimise/eigen.hpp"
#include "solvers/training/ghost_direction.hpp"

namespace fairfront::training {
namespace {

double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Of every row with every row. Many gaps of a wide network take a minute: it can be left.
Eigen::MatrixXd products_of(RowMatrix rows) {
  constexpr double few = 1e8;
  const double products = static_cast<double>(rows.size()) * static_cast<double>(rows.rows());
  auto multiply = [rows = std::move(rows)] { return Eigen::MatrixXd(rows * rows.transpose()); };
  return products < few ? multiply() : base::beside(std::move(multiply));
}

/// min t over t >= 0 and |x|_inf <= 1 with |gap_i + K_i x| <= delta + t, where K = radius J.
///
/// By the dual of the same with e (|x|^2 + t^2) / 2 beside t, one multiplier a gap, for ever
/// smaller e: concave, piecewise quadratic, so that Newton's method within an orthant of the
/// multipliers ends after a few steps. Every point proves two bounds of the least t, with and
/// without e: x is feasible for some t, and m is a multiplier of the linear program. Their distance
/// ends the search.
class LeastViolation {
 public:
  LeastViolation(const Linearised& at, double delta, double radius)
      : q_{std::ssize(at.gaps)}, delta_{delta} {
    const auto n = std::ssize(at.gradient);
    gaps_ = Eigen::Map<const Eigen::VectorXd>(at.gaps.data(), q_);
    rows_ = radius * Eigen::Map<const RowMatrix>(at.jacobian.data(), q_, n);
    m_ = Eigen::VectorXd::Zero(q_);
    high_ = std::max(0.0, gaps_.cwiseAbs().maxCoeff() - delta);
  }

  double solve() {
    constexpr int rounds = 40;
    for (int round = 0; round < rounds && !is_done(); ++round, e_ *= 0.2) climb();
    return high_;
  }

 private:
  static constexpr double precision = 1e-10;
  struct Point {
    Eigen::VectorXd x, residual;  ///< gap + K x
    double t = 0;
    double value = 0;  ///< of the dual
  };

  [[nodiscard]] bool is_done() const { return high_ - low_ <= precision; }

  /// Also improves the bounds.
  Point at(const Eigen::VectorXd& m) {
    base::stop_point();  // a point leads to products of every gap with every other one
    Point found;
    const Eigen::VectorXd pulled = rows_.transpose() * m;
    const double size = m.lpNorm<1>();
    found.x = (-pulled / e_).cwiseMax(-1.0).cwiseMin(1.0);
    found.residual = gaps_ + rows_ * found.x;
    found.t = std::max(0.0, (size - 1) / e_);
    found.value = m.dot(found.residual) - delta_ * size + 0.5 * e_ * found.x.squaredNorm() +
                  found.t * (0.5 * e_ * found.t + 1 - size);
    high_ = std::min(high_, std::max(0.0, found.residual.cwiseAbs().maxCoeff() - delta_));
    if (size > 0) {
      low_ = std::max(low_, (m.dot(gaps_) - pulled.lpNorm<1>()) / size - delta_);
    }
    return found;
  }

  /// The slope of the dual along each multiplier, in the direction where it rises.
  [[nodiscard]] Eigen::VectorXd slopes(const Point& here) const {
    Eigen::VectorXd slopes(q_);
    const double bound = delta_ + here.t;
    for (Eigen::Index i = 0; i < q_; ++i) {
      const double r = here.residual[i];
      slopes[i] =
          m_[i] != 0 ? r - sign_of(m_[i]) * bound : sign_of(r) * std::max(0.0, std::abs(r) - bound);
    }
    return slopes;
  }

  /// Newton's direction of the multipliers that are not 0 or leave it, `curvature` its largest one.
  [[nodiscard]] Eigen::VectorXd newton(const Point& here, const Eigen::VectorXd& slopes,
                                       const Eigen::VectorXd& signs, double& curvature) const {
    RowMatrix free = rows_;
    for (Eigen::Index j = 0; j < free.cols(); ++j) {
      if (std::abs(here.x[j]) >= 1) free.col(j).setZero();
    }
    Eigen::MatrixXd hessian = products_of(std::move(free));
    if (m_.lpNorm<1>() >= 1) hessian += signs * signs.transpose();
    hessian /= e_;
    curvature = hessian.trace();
    const double ridge = 1e-10 * (1 + curvature / static_cast<double>(q_));
    for (Eigen::Index i = 0; i < q_; ++i) {
      if (signs[i] != 0) {
        hessian(i, i) += ridge;
        continue;
      }
      hessian.row(i).setZero();
      hessian.col(i).setZero();
      hessian(i, i) = 1;
    }
    return optimise::PivotedCholesky(std::move(hessian)).solve(slopes);
  }

  /// Goes along `direction` as far as the dual rises, within the orthant of `signs`.
  bool move(Point& here, const Eigen::VectorXd& direction, const Eigen::VectorXd& slopes,
            const Eigen::VectorXd& signs, double step) {
    for (int halving = 0; halving < 40; ++halving, step *= 0.5) {
      Eigen::VectorXd next = m_ + step * direction;
      for (Eigen::Index i = 0; i < q_; ++i) {
        if (sign_of(next[i]) != signs[i]) next[i] = 0;
      }
      Point there = at(next);
      if (!(there.value > here.value + 1e-4 * std::max(0.0, slopes.dot(next - m_)))) continue;
      m_ = std::move(next);
      here = std::move(there);
      return true;
    }
    return false;
  }

  void climb() {
    constexpr int most_steps = 100;
    Point here = at(m_);
    for (int step = 0; step < most_steps && !is_done(); ++step) {
      const Eigen::VectorXd rise = slopes(here);
      if (rise.cwiseAbs().maxCoeff() < 1e-13) return;
      Eigen::VectorXd signs(q_);
      for (Eigen::Index i = 0; i < q_; ++i) signs[i] = sign_of(m_[i] != 0 ? m_[i] : rise[i]);
      double curvature = 0;
      const Eigen::VectorXd direction = newton(here, rise, signs, curvature);
      if (!move(here, direction, rise, signs, 1) &&
          !move(here, rise, rise, signs, curvature > 0 ? 1 / curvature : 1)) {
        return;
      }
    }
  }

  Eigen::Index q_;
  double delta_;
  Eigen::VectorXd gaps_, m_;  ///< multipliers: of a gap's upper bound less that of its lower one
  RowMatrix rows_;
  double e_ = 1;
  double low_ = 0, high_ = std::numeric_limits<double>::infinity();
};

}  // namespace

double least_violation(const Linearised& at, double delta, double radius) {
  if (at.gaps.size() > 1) return LeastViolation(at, delta, radius).solve();
  double reach = 0;
  for (const double slope : at.jacobian) reach += radius * std::abs(slope);
  return std::max(0.0, std::abs(at.gaps.front()) - delta - reach);
}

}  // namespace fairfront::training
