#include "solvers/training/box_ball.hpp"

#include <algorithm>
#include <limits>

namespace fairfront::training {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

class Dual {
 public:
  Dual(const BoxBall& set, const Vector& g, const Matrix& h)
      : set_{set},
        g_{g},
        h_{h},
        boxed_{set.half.size()},
        sphere_{set.sphere},
        squares_(boxed_ + 1) {
    squares_.head(boxed_) = set.half.array().square();
    squares_[boxed_] = boxed_ < g.size() ? set.radius * set.radius : 0;
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
  /// The best of some multipliers that make the matrix positive definite: none, those of the box
  /// or the ball alone, and of a sphere or a ball what it would be without the box.
  bool start() {
    const double least =
        Eigen::SelfAdjointEigenSolver<Matrix>(h_, Eigen::EigenvaluesOnly).eigenvalues()[0];
    const double enough = 1.5 * std::max(0.0, -least) + 1e-3;
    Vector best;
    double value = -std::numeric_limits<double>::infinity();
    const auto consider = [&](double of_box, double of_ball) {
      Vector multipliers = Vector::Constant(boxed_ + 1, of_box);
      multipliers[boxed_] = boxed_ < g_.size() ? of_ball : 0;
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
    }
    return best.size() > 0 && evaluate(best);
  }

  /// Keeps the multipliers where the matrix is well positive definite.
  bool evaluate(const Vector& multipliers) {
    Matrix matrix = h_;
    for (Index j = 0; j < g_.size(); ++j) matrix(j, j) += multipliers[std::min(j, boxed_)];
    const Eigen::LLT<Matrix> factor(matrix);
    if (factor.info() != Eigen::Success) return false;
    const auto pivots = factor.matrixLLT().diagonal().array();
    if (!(pivots.minCoeff() > 3.2e-4 * pivots.maxCoeff())) return false;  // squared: 1e-7
    at_ = -factor.solve(g_);
    value_ = 0.5 * g_.dot(at_) - 0.5 * multipliers.dot(squares_);
    multipliers_ = multipliers;
    factor_ = factor;
    return true;
  }

  /// d_j of the box's coordinates one by one, and then the rest: shape (n, k + 1).
  [[nodiscard]] Matrix parts() const {
    Matrix found = Matrix::Zero(g_.size(), boxed_ + 1);
    for (Index j = 0; j < g_.size(); ++j) found(j, std::min(j, boxed_)) = at_[j];
    return found;
  }

  /// A Newton step within the bounds of the multipliers. @return what the value gained.
  double step() {
    const Matrix of = parts();
    const Vector gradient = 0.5 * (of.colwise().squaredNorm().transpose() - squares_);
    Matrix curvature = of.transpose() * factor_.solve(of);
    for (Index i = 0; i <= boxed_; ++i) {
      const bool free = i == boxed_ && sphere_;
      const bool held = !free && multipliers_[i] <= 0 && gradient[i] <= 0;
      if (held || squares_[i] <= 0) {
        curvature.row(i).setZero();
        curvature.col(i).setZero();
        curvature(i, i) = 1;
      } else {
        curvature(i, i) += 1e-9 + 1e-9 * curvature(i, i);
      }
    }
    Vector direction = curvature.ldlt().solve(gradient);
    for (Index i = 0; i <= boxed_; ++i) {
      const bool free = i == boxed_ && sphere_;
      if (squares_[i] <= 0 || (!free && multipliers_[i] <= 0 && gradient[i] <= 0)) direction[i] = 0;
    }
    const double longest = 10 * (1 + multipliers_.norm());
    if (direction.norm() > longest) direction *= longest / direction.norm();
    const Vector from = multipliers_, at = at_;
    const Eigen::LLT<Matrix> factor = factor_;
    const double before = value_;
    double length = 1;
    for (int k = 0; k < 20; ++k, length *= 0.4) {
      Vector next = from + length * direction;
      for (Index i = 0; i < boxed_ + (sphere_ ? 0 : 1); ++i) next[i] = std::max(0.0, next[i]);
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
  Vector squares_;  ///< of the bounds
  Vector multipliers_, at_;
  Eigen::LLT<Matrix> factor_;
  double value_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

double least_over(const BoxBall& set, const Vector& g, const Matrix& h) {
  return Dual(set, g, h).maximise();
}

}  // namespace fairfront::training
