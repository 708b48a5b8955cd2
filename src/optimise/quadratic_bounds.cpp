#include "optimise/quadratic_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/stop.hpp"
#include "optimise/decomposition.hpp"

namespace fairfront::optimise {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Constraints h <= 0 with h = (z^T M z +- 2 b^T z) / bound - 1, so that their size does not depend
/// on the bound; numbers 2 j and 2 j + 1 are those of bound j.
class InteriorPoint {
 public:
  InteriorPoint(const VectorXd& b0, std::span<const QuadraticBound> bounds, double bound)
      : b0_{b0},
        bounds_{bounds},
        bound_{bound},
        z_{VectorXd::Zero(b0.size())},
        h_{values(z_)},
        multiplier_{ArrayXd::Constant(h_.size(), b0.squaredNorm() / double(h_.size()))} {}

  BoundedOptimum run() {
    constexpr int most_steps = 200;
    for (int step = 0; step < most_steps && gap() > tolerance() && advance(); ++step) {
      base::stop_point();
    }
    return result();
  }

 private:
  /// What the duality gap is at a feasible point where the Lagrangian has no slope.
  [[nodiscard]] double gap() const { return -(h_ * multiplier_).sum(); }
  /// Of the gap: below, the h of active constraints are but rounding.
  [[nodiscard]] double tolerance() const { return 1e-14 * b0_.squaredNorm(); }

  [[nodiscard]] ArrayXd values(const VectorXd& z) const {
    ArrayXd h(2 * std::ssize(bounds_));
    for (Index j = 0; j < std::ssize(bounds_); ++j) {
      const auto& [matrix, slope] = bounds_[static_cast<std::size_t>(j)];
      const double spread = z.dot(matrix * z) - bound_;
      const double difference = 2 * slope.dot(z);
      h[2 * j] = (spread + difference) / bound_;
      h[2 * j + 1] = (spread - difference) / bound_;
    }
    return h;
  }

  /// Gradients of h, one a column.
  [[nodiscard]] MatrixXd slopes(const VectorXd& z) const {
    MatrixXd all(z.size(), 2 * std::ssize(bounds_));
    for (Index j = 0; j < std::ssize(bounds_); ++j) {
      const auto& [matrix, slope] = bounds_[static_cast<std::size_t>(j)];
      const VectorXd of_spread = matrix * z;
      all.col(2 * j) = 2 / bound_ * (of_spread + slope);
      all.col(2 * j + 1) = 2 / bound_ * (of_spread - slope);
    }
    return all;
  }

  /// Of the Lagrangian.
  [[nodiscard]] MatrixXd curvature(const ArrayXd& multiplier) const {
    MatrixXd matrix = 2 * MatrixXd::Identity(z_.size(), z_.size());
    for (Index j = 0; j < std::ssize(bounds_); ++j) {
      const double sum = multiplier[2 * j] + multiplier[2 * j + 1];
      matrix += 2 * sum / bound_ * bounds_[static_cast<std::size_t>(j)].matrix;
    }
    return matrix;
  }

  /// Norm of what an optimum of the barrier problem has as 0.
  [[nodiscard]] double residual(const VectorXd& z, const ArrayXd& h, const ArrayXd& multiplier,
                                double barrier) const {
    const VectorXd dual = 2 * (z - b0_) + slopes(z) * multiplier.matrix();
    return std::sqrt(dual.squaredNorm() + (-multiplier * h - barrier).square().sum());
  }

  /// @return false where rounding lets no step improve anything
  bool advance() {
    const double barrier = gap() / (10 * double(h_.size()));
    const MatrixXd gradients = slopes(z_);
    const ArrayXd weight = multiplier_ / -h_;
    MatrixXd matrix = curvature(multiplier_);
    matrix += gradients * weight.matrix().asDiagonal() * gradients.transpose();
    const VectorXd right = -2 * (z_ - b0_) - gradients * (barrier / -h_).matrix();
    const VectorXd step = Cholesky(std::move(matrix)).solve(right);
    const ArrayXd of_step = (gradients.transpose() * step).array();
    const ArrayXd multiplier_step = weight * of_step - multiplier_ + barrier / -h_;
    double length = 1;
    for (Index i = 0; i < h_.size(); ++i) {
      if (multiplier_step[i] >= 0) continue;
      length = std::min(length, -0.99 * multiplier_[i] / multiplier_step[i]);
    }
    const double before = residual(z_, h_, multiplier_, barrier);
    for (; length > 1e-10; length /= 2) {
      const VectorXd z = z_ + length * step;
      const ArrayXd h = values(z);
      if (!(h.maxCoeff() < 0)) continue;
      const ArrayXd multiplier = multiplier_ + length * multiplier_step;
      if (!(residual(z, h, multiplier, barrier) <= (1 - 0.01 * length) * before)) continue;
      z_ = z;
      h_ = h;
      multiplier_ = multiplier;
      return true;
    }
    return false;
  }

  [[nodiscard]] BoundedOptimum result() const {
    BoundedOptimum found{z_, {}, 0, 0};
    VectorXd slope = b0_;
    for (Index j = 0; j < std::ssize(bounds_); ++j) {
      const double upper = multiplier_[2 * j] / bound_;
      const double lower = multiplier_[2 * j + 1] / bound_;
      found.multipliers.push_back({upper + lower, upper - lower});
      found.price += bound_ * (upper + lower);
      slope -= (upper - lower) * bounds_[static_cast<std::size_t>(j)].slope;
    }
    MatrixXd matrix = curvature(multiplier_) / 2;
    found.least = slope.dot(Cholesky(std::move(matrix)).solve(slope));
    return found;
  }

  const VectorXd& b0_;
  std::span<const QuadraticBound> bounds_;
  double bound_;
  VectorXd z_;
  ArrayXd h_;  ///< < 0
  ArrayXd multiplier_;
};

}  // namespace

BoundedOptimum minimise_bounded(const VectorXd& b0, std::span<const QuadraticBound> bounds,
                                double bound) {
  return InteriorPoint(b0, bounds, bound).run();
}

}  // namespace fairfront::optimise
