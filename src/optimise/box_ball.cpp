#include "optimise/box_ball.hpp"
#include "optimise/decomposition.hpp"

#include <algorithm>
#include <limits>

namespace fairfront::optimise {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

class BoxBallDual {
 public:
  BoxBallDual(const BoxBall& set, const Vector& g, const Matrix& h)
      : set_{set}, g_{g}, h_{h}, boxed_{set.half.size()}, sphere_{set.sphere}, bounds_(boxed_ + 2) {
    bounds_.head(boxed_) = 0.5 * set.half.array().square();
    bounds_[boxed_] = boxed_ < g.size() ? 0.5 * set.radius * set.radius : 0;
    bounds_[boxed_ + 1] = set.within.most;
  }

  double maximise() {
    if (!start()) return -std::numeric_limits<double>::infinity();
    constexpr int most_steps = 40;
    constexpr double enough = 1e-8;  // a step's gain that is not worth another
    for (int k = 0; k < most_steps && step() > enough; ++k) {
    }
    return value_;
  }

 private:
  /// The best of some multipliers that make the matrix positive definite: none, those of the box,
  /// the ball or the ellipsoid alone, and of a sphere or a ball what it would be without the box.
  bool start() {
    const double least = eigenvalues(h_)[0];
    const double enough = 1.5 * std::max(0.0, -least) + 1e-3;
    Vector best;
    double value = -std::numeric_limits<double>::infinity();
    const auto consider = [&](double of_box, double of_ball, double of_ellipsoid = 0) {
      Vector multipliers = Vector::Constant(boxed_ + 2, of_box);
      multipliers[boxed_] = boxed_ < g_.size() ? of_ball : 0;
      multipliers[boxed_ + 1] = of_ellipsoid;
      if (!evaluate(multipliers) || !(value_ > value)) return;
      value = value_;
      best = multipliers;
    };
    for (const double of_box : {0.0, enough}) {
      consider(of_box, 0);
      consider(of_box, enough);
      if (set_.radius > 0) consider(of_box, g_.norm() / set_.radius + enough);
      if (sphere_ && least > 0) consider(of_box, -0.99 * least);
      if (sphere_ && least > 0) consider(of_box, -0.9 * least);
      if (has_ellipsoid()) consider(of_box, 0, enough);
    }
    return best.size() > 0 && evaluate(best);
  }

  [[nodiscard]] bool has_ellipsoid() const { return set_.within.g.size() > 0; }

  /// Keeps the multipliers where the matrix is well positive definite.
  bool evaluate(const Vector& multipliers) {
    Matrix matrix = h_;
    Vector gradient = g_;
    for (Index j = 0; j < g_.size(); ++j) matrix(j, j) += multipliers[std::min(j, boxed_)];
    if (has_ellipsoid()) {
      matrix += multipliers[boxed_ + 1] * set_.within.h;
      gradient += multipliers[boxed_ + 1] * set_.within.g;
    }
    const Cholesky factor(std::move(matrix));
    if (!factor.is_definite()) return false;
    const Eigen::ArrayXd pivots = factor.diagonal();
    if (!(pivots.minCoeff() > 3.2e-4 * pivots.maxCoeff())) return false;  // squared: 1e-7
    at_ = -factor.solve(gradient);
    value_ = 0.5 * gradient.dot(at_) - multipliers.dot(bounds_);
    multipliers_ = multipliers;
    factor_ = factor;
    return true;
  }

  /// Gradients of what the multipliers are of: d_j of the box's coordinates one by one, then the
  /// rest, and that of the ellipsoid's form: shape (n, k + 2).
  [[nodiscard]] Matrix parts() const {
    Matrix found = Matrix::Zero(g_.size(), boxed_ + 2);
    for (Index j = 0; j < g_.size(); ++j) found(j, std::min(j, boxed_)) = at_[j];
    if (has_ellipsoid()) found.col(boxed_ + 1) = set_.within.g + set_.within.h * at_;
    return found;
  }
  /// Those values, beyond their bounds.
  [[nodiscard]] Vector excess(const Matrix& parts) const {
    Vector found = 0.5 * parts.colwise().squaredNorm().transpose() - bounds_;
    const Ellipsoid& within = set_.within;
    found[boxed_ + 1] =
        has_ellipsoid() ? at_.dot(within.g + 0.5 * (within.h * at_)) - within.most : 0.0;
    return found;
  }
  [[nodiscard]] bool is_free(Index i) const { return i == boxed_ && sphere_; }
  [[nodiscard]] bool exists(Index i) const { return i > boxed_ ? has_ellipsoid() : bounds_[i] > 0; }

  /// A Newton step within the bounds of the multipliers. @return what the value gained.
  double step() {
    const Matrix of = parts();
    const Vector gradient = excess(of);
    Matrix curvature = of.transpose() * factor_.solve_columns(of);
    const auto held = [&](Index i) {
      return !exists(i) || (!is_free(i) && multipliers_[i] <= 0 && gradient[i] <= 0);
    };
    for (Index i = 0; i < bounds_.size(); ++i) {
      if (held(i)) {
        curvature.row(i).setZero();
        curvature.col(i).setZero();
        curvature(i, i) = 1;
      } else {
        curvature(i, i) += 1e-9 + 1e-9 * curvature(i, i);
      }
    }
    Vector direction = PivotedCholesky(curvature).solve(gradient);
    for (Index i = 0; i < bounds_.size(); ++i) {
      if (held(i)) direction[i] = 0;
    }
    const double longest = 10 * (1 + multipliers_.norm());
    if (direction.norm() > longest) direction *= longest / direction.norm();
    const Vector from = multipliers_, at = at_;
    const Cholesky factor = factor_;
    const double before = value_;
    double length = 1;
    for (int k = 0; k < 20; ++k, length *= 0.4) {
      Vector next = from + length * direction;
      for (Index i = 0; i < next.size(); ++i) {
        if (!is_free(i)) next[i] = std::max(0.0, next[i]);
      }
      if (evaluate(next) && value_ > before) return value_ - before;
    }
    multipliers_ = from;
    at_ = at;
    factor_ = factor;
    value_ = before;
    return 0;
  }

  const BoxBall& set_;
  const Vector& g_;
  const Matrix& h_;
  Index boxed_;
  bool sphere_;
  Vector bounds_;  ///< of half the squares, and of the ellipsoid's form
  Vector multipliers_, at_;
  Cholesky factor_;
  double value_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

double least_over(const BoxBall& set, const Vector& g, const Matrix& h) {
  return BoxBallDual(set, g, h).maximise();
}

}  // namespace fairfront::optimise
