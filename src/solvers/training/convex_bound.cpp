#include "solvers/training/convex_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/elementary.hpp"
#include "base/stop.hpp"
#include "models/loss.hpp"
#include "optimise/decomposition.hpp"

namespace fairfront::training {
namespace {

using Array = Eigen::ArrayXd;
using Eigen::Index;
using Matrix = CellLosses::Matrix;
using Vector = CellLosses::Vector;

/// A symmetric matrix' inverse times a vector, without the directions in which it is 0.
Vector solve_semidefinite(const Matrix& matrix, const Vector& right) {
  constexpr double nothing = 1e-13;  // what rounding leaves of columns that depend on others
  // Columns of very different size are brought to one.
  Vector scale = matrix.diagonal().cwiseSqrt();
  for (double& value : scale) value = value > 0 ? 1 / value : 0;
  const optimise::Spectrum found =
      optimise::spectrum(scale.asDiagonal() * matrix * scale.asDiagonal());
  Vector along = found.vectors.transpose() * scale.cwiseProduct(right);
  const double least = nothing * found.values.maxCoeff();
  for (Index j = 0; j < along.size(); ++j) {
    along[j] = found.values[j] > least ? along[j] / found.values[j] : 0;
  }
  return scale.cwiseProduct(found.vectors * along);
}

/// p log p, 0 at 0.
double entropy_term(double p) { return p > 0 ? p * base::log(p) : 0; }

/// How large a sum left'w may be for weights w of whose scores the squares have a known weighted
/// sum.
class LargestProduct {
 public:
  explicit LargestProduct(Index columns) : triangle_{Matrix::Zero(columns, columns)} {}

  /// @param rows  a column a row, times the root of its weight: shape (n, rows).
  void add(const Matrix& rows) {
    Matrix stacked(triangle_.rows() + rows.cols(), triangle_.cols());
    stacked << triangle_, rows.transpose();
    triangle_ = optimise::Qr(std::move(stacked)).r(triangle_.rows());
  }

  /// When all rows are there. Columns that depend on others but for rounding add nothing: `left` is
  /// a sum of rows, too.
  void finish() {
    constexpr double rounding = 1e-14;
    scale_ = triangle_.colwise().norm().transpose();
    for (double& value : scale_) value = value > 0 ? 1 / value : 0;
    optimise::PivotedQr factors(triangle_ * scale_.asDiagonal());
    const Index rank = factors.rank(rounding);
    triangle_ = factors.r(rank).leftCols(rank);
    order_ = factors.permutation().indices().cast<Index>();
  }

  /// max |left'w| over w with sum_i c_i (x_i'w)^2 = 1: the norm of R^-T P'left.
  [[nodiscard]] double operator()(const Vector& left) const {
    Vector y(triangle_.cols());
    for (Index j = 0; j < y.size(); ++j) {
      const double products = triangle_.col(j).head(j).dot(y.head(j));
      y[j] = (left[order_[j]] * scale_[order_[j]] - products) / triangle_(j, j);
    }
    return y.norm();
  }

 private:
  Matrix triangle_;  ///< R of the design, with its independent columns first when it is finished
  Vector scale_;     ///< that gives every column the norm 1
  Eigen::Array<Index, Eigen::Dynamic, 1> order_;
};

class ConvexBound {
 public:
  ConvexBound(const CellLosses& losses, std::span<const double> weights, std::span<const double> w)
      : losses_{losses},
        is_square_{losses.problem().loss == models::LossKind::square},
        w_{Eigen::Map<const Vector>(w.data(), std::ssize(w))},
        largest_product_{w_.size()} {
    // What a slot of next to no weight adds is left out, as it is at least 0.
    constexpr double nothing = 1e-9;
    const double least = nothing * *std::ranges::max_element(weights);
    for (const CellLosses::Block& block : losses_.blocks()) {
      if (!(weights[block.slot] > least)) continue;
      blocks_.push_back(&block);
      of_block_.push_back(weights[block.slot] / static_cast<double>(losses_.count(block.slot)));
      slopes_.push_back(slopes_at(losses_.problem().loss, block, w_));
      curvatures_.push_back(curvatures(losses_.problem().loss, slopes_.back()));
    }
    weigh_scores();
  }

  double operator()() {
    constexpr int most_steps = 10;
    double best = -std::numeric_limits<double>::infinity();
    for (int step = 0; step < most_steps; ++step) {
      sum_slopes();
      best = std::max(best, value());
      if (most_of(left_) <= little) break;
      move_slopes(solve_semidefinite(hessian(), left_));
    }
    return best;
  }

 private:
  static constexpr double little = 1e-10;

  /// What slopes that do not balance may add at weights of which no row's score is beyond 1,000, or
  /// beyond the largest at w. A score is what counts: columns that are nearly the same may have
  /// weights of any size that cancel each other.
  [[nodiscard]] double most_of(const Vector& left) const {
    return most_score_ * std::sqrt(total_) * largest_product_(left);
  }

  void weigh_scores() {
    constexpr Index chunk = 4096;  // rows, so that the design is never there once more
    for (std::size_t b = 0; b < of_block_.size(); ++b) {
      const Matrix& x = blocks_[b]->x;
      total_ += of_block_[b] * static_cast<double>(x.cols());
      for (Index first = 0; first < x.cols(); first += chunk) {
        base::stop_point();
        const auto rows = x.middleCols(first, std::min(chunk, x.cols() - first));
        most_score_ = std::max(most_score_, (rows.transpose() * w_).cwiseAbs().maxCoeff());
        largest_product_.add(std::sqrt(of_block_[b]) * rows);
      }
    }
    largest_product_.finish();
  }

  /// sum_i c_i u_i x_i, which is to be 0.
  void sum_slopes() {
    left_ = Vector::Zero(w_.size());
    for (std::size_t b = 0; b < of_block_.size(); ++b) {
      base::stop_point();
      left_ += of_block_[b] * (blocks_[b]->x * slopes_[b].matrix());
    }
  }

  [[nodiscard]] Matrix hessian() const {
    Matrix sum = Matrix::Zero(w_.size(), w_.size());
    for (std::size_t b = 0; b < of_block_.size(); ++b) {
      base::stop_point();
      const Matrix scaled =
          blocks_[b]->x * (of_block_[b] * curvatures_[b]).sqrt().matrix().asDiagonal();
      sum.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
    }
    const Matrix lower = sum;
    sum = lower.selfadjointView<Eigen::Lower>();
    return sum;
  }

  /// Of rows whose slope is cut off no other is tried.
  void move_slopes(const Vector& step) {
    for (std::size_t b = 0; b < of_block_.size(); ++b) {
      const CellLosses::Block& block = *blocks_[b];
      const Array along = (block.x.transpose() * step).array();
      for (Index i = 0; i < along.size(); ++i) {
        double& slope = slopes_[b][i];
        slope -= curvatures_[b][i] * along[i];
        if (is_square_) continue;
        const double other = -block.label[i] * slope;  // the probability of the other label
        if (other > 0 && other < 1) continue;
        slope = other > 0 ? -block.label[i] : 0.0;
        curvatures_[b][i] = 0;
      }
    }
  }

  [[nodiscard]] double value() const {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    double sum = 0, size = 0, rows = 0;
    for (std::size_t b = 0; b < of_block_.size(); ++b) {
      const Array terms = minus_conjugates(*blocks_[b], slopes_[b]);
      sum += of_block_[b] * terms.sum();
      size += of_block_[b] * terms.abs().sum();
      rows += static_cast<double>(terms.size());
    }
    return sum - epsilon * rows * size - most_of(left_);
  }

  [[nodiscard]] Array minus_conjugates(const CellLosses::Block& block, const Array& slopes) const {
    if (is_square_) return -(0.5 * slopes + block.label) * slopes;
    Array terms(slopes.size());
    for (Index i = 0; i < slopes.size(); ++i) {
      const double p = std::abs(slopes[i]);
      terms[i] = -entropy_term(p) - entropy_term(1 - p);
    }
    return terms;
  }

  const CellLosses& losses_;
  bool is_square_;
  Vector w_;
  std::vector<const CellLosses::Block*> blocks_;  ///< of slots that weigh something
  std::vector<double> of_block_;                  ///< what each of its rows weighs
  std::vector<Array> slopes_, curvatures_;
  Vector left_;  ///< shape (n,)
  LargestProduct largest_product_;
  double total_ = 0;         ///< sum_i c_i
  double most_score_ = 1e3;  ///< of the weights that the bound is for
};

}  // namespace

double convex_lower_bound(const CellLosses& losses, std::span<const double> weights,
                          std::span<const double> w) {
  return ConvexBound(losses, weights, w)();
}

}  // namespace fairfront::training
