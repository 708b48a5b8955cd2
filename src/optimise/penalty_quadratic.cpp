#include "optimise/penalty_quadratic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "optimise/decomposition.hpp"

namespace fairfront::optimise {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// E with E E' = S, of a positive semidefinite S.
Matrix root_of(const Matrix& s) {
  const Spectrum found = spectrum(s);
  return found.vectors * found.values.cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

/// One side's multipliers in [0, cap], upper (side 1) or lower (side -1) bounds of the residuals.
struct Side {
  /// Multipliers, what they lack of the cap (kept beside them: the difference would cancel), and
  /// the multipliers of x >= 0 and x <= cap.
  ArrayXd x, room, at_zero, at_cap;
  ArrayXd residual, slope, target, dx, d_zero, d_cap;

  [[nodiscard]] double products() const { return (x * at_zero).sum() + (room * at_cap).sum(); }
  /// The longest step that leaves everything at least 0.
  [[nodiscard]] double reach() const {
    double longest = 1;
    for (Index i = 0; i < x.size(); ++i) {
      const auto keep = [&](double value, double change) {
        if (change < 0) longest = std::min(longest, -value / change);
      };
      keep(x[i], dx[i]);
      keep(room[i], -dx[i]);
      keep(at_zero[i], d_zero[i]);
      keep(at_cap[i], d_cap[i]);
    }
    return longest;
  }
  [[nodiscard]] double products_after(double step) const {
    return ((x + step * dx) * (at_zero + step * d_zero)).sum() +
           ((room - step * dx) * (at_cap + step * d_cap)).sum();
  }
  void move(double step) {
    x += step * dx;
    room -= step * dx;
    at_zero += step * d_zero;
    at_cap += step * d_cap;
  }
};

/// minimise |E'y|^2 / 2 - c'y + bound sum(u + l), y = u - l, 0 <= u, l <= cap.
class PenaltyDual {
 public:
  PenaltyDual(Matrix e, ArrayXd c, double bound, double cap)
      : e_{std::move(e)}, c_{std::move(c)}, bound_{bound} {
    const ArrayXd start = ArrayXd::Constant(c_.size(), 0.5 * std::min(cap, 1.0));
    const double slack = std::max(bound_, c_.abs().maxCoeff());
    for (Side* side : {&upper_, &lower_}) {
      side->x = start;
      side->room = cap - start;
      side->at_zero = side->at_cap = ArrayXd::Constant(c_.size(), slack);
      side->d_zero = side->d_cap = ArrayXd::Zero(c_.size());
      side->dx = ArrayXd::Zero(c_.size());
    }
  }

  Vector solve() {
    constexpr int most_steps = 60;
    // Of what a multiplier times the distance to its bound comes to: far below any tolerance, and
    // far above where the systems of many active bounds that depend on each other lose all digits.
    constexpr double precision = 1e-12;
    for (int k = 0; k < most_steps; ++k) {
      update_residuals();
      const double mu = (upper_.products() + lower_.products()) / pairs();
      if (!(mu > precision * bound_)) break;
      direction(0, false);
      const double affine = std::min(upper_.reach(), lower_.reach());
      const double after =
          (upper_.products_after(affine) + lower_.products_after(affine)) / pairs();
      const double share = after / mu;
      direction(share * share * share * mu, true);
      const double step = std::min(1.0, 0.995 * std::min(upper_.reach(), lower_.reach()));
      if (!(step > 1e-12)) break;
      upper_.move(step);
      lower_.move(step);
    }
    return (upper_.x - lower_.x).matrix();
  }

 private:
  [[nodiscard]] double pairs() const { return 4 * static_cast<double>(c_.size()); }

  void update_residuals() {
    const Vector y = (upper_.x - lower_.x).matrix();
    const ArrayXd slope = (e_ * (e_.transpose() * y)).array() - c_;
    upper_.residual = slope + bound_ - upper_.at_zero + upper_.at_cap;
    lower_.residual = -slope + bound_ - lower_.at_zero + lower_.at_cap;
  }

  /// Newton's direction to products of `mu`; with `corrected`, that of the last direction's
  /// second-order terms as well (Mehrotra).
  void direction(double mu, bool corrected) {
    for (Side* side : {&upper_, &lower_}) {
      ArrayXd zero = mu - side->x * side->at_zero;
      ArrayXd full = mu - side->room * side->at_cap;
      if (corrected) {
        zero -= side->dx * side->d_zero;
        full += side->dx * side->d_cap;
      }
      side->slope = side->at_zero / side->x + side->at_cap / side->room;
      side->target = -side->residual + zero / side->x - full / side->room;
      side->d_zero = zero / side->x;
      side->d_cap = full / side->room;
    }
    const ArrayXd spread = 1 / upper_.slope + 1 / lower_.slope;
    const Vector h = (upper_.target / upper_.slope - lower_.target / lower_.slope).matrix();
    Matrix system = e_.transpose() * spread.matrix().asDiagonal() * e_;
    system.diagonal().array() += 1;
    const ArrayXd pull = (e_ * Cholesky(system).solve(e_.transpose() * h)).array();  // Q dy
    upper_.dx = (upper_.target - pull) / upper_.slope;
    lower_.dx = (lower_.target + pull) / lower_.slope;
    for (Side* side : {&upper_, &lower_}) {
      side->d_zero -= side->at_zero / side->x * side->dx;
      side->d_cap += side->at_cap / side->room * side->dx;
    }
  }

  Matrix e_;
  ArrayXd c_;
  double bound_;
  Side upper_, lower_;
};

}  // namespace

PenaltyQuadraticResult minimise_penalty_quadratic(const PenaltyQuadratic& problem) {
  const Vector free = -problem.b.solve(problem.g);
  const Matrix inverse = problem.b.solve_columns(problem.gradients);  // B^-1 G
  Matrix s = problem.gradients.transpose() * inverse;
  s = 0.5 * (s + s.transpose()).eval();
  const ArrayXd c = (problem.d + problem.factors * (problem.gradients.transpose() * free)).array();
  PenaltyQuadraticResult found;
  found.multipliers = Vector::Zero(c.size());
  // Where the free step keeps the bounds there is nothing to solve.
  if (c.abs().maxCoeff() > problem.bound) {
    found.multipliers =
        PenaltyDual(problem.factors * root_of(s), c, problem.bound, problem.cap).solve();
  }
  found.p = free - inverse * (problem.factors.transpose() * found.multipliers);
  return found;
}

}  // namespace fairfront::optimise
