#include "solvers/training/bounded_losses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/elementary.hpp"
#include "optimise/decomposition.hpp"
#include "solvers/training/convex_bound.hpp"

namespace fairfront::training {
namespace {

using Eigen::Index;
using Matrix = CellLosses::Matrix;
using Vector = CellLosses::Vector;

/// Of t, which is the last variable, or with a fixed t of the mean loss.
class Barrier {
 public:
  Barrier(CellLosses& losses, std::span<const double> start, std::optional<double> bound)
      : losses_{losses},
        n_{static_cast<Index>(losses.parameters())},
        is_fixed_{bound.has_value()},
        at_(n_ + 1),
        units_(n_ + 1) {
    at_.head(n_) = Eigen::Map<const Vector>(start.data(), n_);
    units_.head(n_) = losses.second_moments().diagonal();
    for (double& unit : units_.head(n_)) unit = unit > 0 ? 1 / std::sqrt(unit) : 1.0;
    units_[n_] = 1;
    evaluate(at_);
    at_[n_] = bound ? *bound : of_cells_.maxCoeff() + 1;
  }

  void run() {
    constexpr double last = 1e-10, shrink = 0.1;
    const auto cells = static_cast<double>(of_cells_.size());
    for (mu_ = 1 / cells;; mu_ = std::max(shrink * mu_, last / cells)) {
      centre();
      if (mu_ <= last / cells) break;
    }
  }

  [[nodiscard]] std::vector<double> weights() const { return {at_.begin(), at_.end() - 1}; }
  [[nodiscard]] const Vector& of_cells() const { return of_cells_; }
  [[nodiscard]] double mu() const { return mu_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] std::int64_t passes() const { return passes_; }
  /// 1 / (t - L_k).
  [[nodiscard]] Vector prices() const { return (at_[n_] - of_cells_.array()).inverse(); }

 private:
  [[nodiscard]] static std::span<const double> view(const Vector& at) {
    return {at.data(), static_cast<std::size_t>(at.size()) - 1};
  }

  void evaluate(const Vector& at) {
    ++passes_;
    losses_.evaluate(view(at));
    of_cells_ = losses_.slot_losses().tail(losses_.slot_losses().size() - 1);
  }

  /// Infinite outside.
  [[nodiscard]] double value() const {
    const double t = at_[n_];
    if (!(t > of_cells_.maxCoeff())) return std::numeric_limits<double>::infinity();
    double sum = (is_fixed_ ? losses_.loss() : t) / mu_;
    for (const double loss : of_cells_) sum -= base::log(t - loss);
    return sum;
  }

  void centre() {
    constexpr int most_steps = 50;
    constexpr double little = 1e-12;
    double before = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most_steps; ++k) {
      const Vector slope = gradient();
      const Vector step = newton_step(slope);
      const double decrement = -slope.dot(step);
      // Near the centre it falls by far more than half, until rounding is what is left.
      if (!step.allFinite() || !(decrement > little) || decrement > 0.5 * before) return;
      if (!move(step, decrement)) return;
      before = decrement < near ? decrement : std::numeric_limits<double>::infinity();
    }
  }

  [[nodiscard]] Matrix cell_gradients() const {
    return losses_.slot_gradients().rightCols(of_cells_.size());
  }

  [[nodiscard]] Vector gradient() const {
    const Vector by = prices();
    Vector slope(n_ + 1);
    slope.head(n_) = cell_gradients() * by;
    slope[n_] = is_fixed_ ? 0 : 1 / mu_ - by.sum();
    if (!is_fixed_) return slope;
    const auto of_loss = losses_.gradient();
    for (Index j = 0; j < n_; ++j) slope[j] += of_loss[static_cast<std::size_t>(j)] / mu_;
    return slope;
  }

  /// What the slots' losses weigh in the gradient.
  [[nodiscard]] std::vector<double> slot_weights(const Vector& by) const {
    std::vector<double> weights(static_cast<std::size_t>(by.size()) + 1, 0.0);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (k > 0) weights[k] = by[static_cast<Index>(k) - 1];
      if (!is_fixed_) continue;
      const double share = static_cast<double>(losses_.count(k)) /
                           static_cast<double>(losses_.problem().train.size());
      weights[k] += share / mu_;
    }
    return weights;
  }

  [[nodiscard]] Vector newton_step(const Vector& slope) {
    ++steps_;
    const Vector by = prices();
    Matrix scaled(n_ + 1, by.size());  // gradients of t - L_k, times prices
    scaled.topRows(n_) = -cell_gradients() * by.asDiagonal();
    scaled.row(n_) = by.transpose();
    if (is_fixed_) scaled.row(n_).setZero();
    Matrix hessian = scaled * scaled.transpose();
    hessian.topLeftCorner(n_, n_) += weighted_sum(losses_.hessians(view(at_)), slot_weights(by));
    hessian = units_.asDiagonal() * hessian * units_.asDiagonal();
    if (is_fixed_) hessian(n_, n_) = 1;
    // Of columns that depend on each other, and of cells that a line separates.
    hessian.diagonal().array() += 1e-13 * hessian.diagonal().maxCoeff();
    const optimise::Cholesky factor(hessian);
    if (!factor.is_definite()) return Vector::Constant(n_ + 1, std::nan(""));
    return -units_.cwiseProduct(factor.solve(units_.cwiseProduct(slope)));
  }

  /// @return false: no share of the step is better.
  bool move(const Vector& step, double decrement) {
    const Vector from = at_;
    const double before = value();
    for (double share = 1; share > 1e-10; share *= 0.5) {
      at_ = from + share * step;
      evaluate(at_);
      const double now = value();
      // Values are too large to tell such steps from rounding.
      if (decrement < near && std::isfinite(now)) return true;
      if (now <= before - 1e-2 * share * decrement) return true;
    }
    at_ = from;
    evaluate(at_);
    return false;
  }

  static constexpr double near = 1e-2;
  CellLosses& losses_;
  Index n_;
  bool is_fixed_;
  Vector at_;     ///< w, then t
  Vector units_;  ///< of them, so that those of features do not matter
  Vector of_cells_;
  double mu_ = 1;
  std::int64_t steps_ = 0, passes_ = 0;
};

/// Those of the active bounds, which the barrier has up to the rounding of next to nothing between
/// a loss and its bound, by least squares of the Lagrangian's gradient.
std::vector<double> fitted_multipliers(const CellLosses& losses, const Vector& of_barrier) {
  const double least = 1e-5 * of_barrier.maxCoeff();
  std::vector<Index> active;
  for (Index k = 0; k < of_barrier.size(); ++k) {
    if (of_barrier[k] > least) active.push_back(k);
  }
  Matrix columns(static_cast<Index>(losses.parameters()), std::ssize(active));
  const auto loss = losses.gradient();
  Vector rest = -Eigen::Map<const Vector>(loss.data(), std::ssize(loss));
  for (Index k = 0; k < of_barrier.size(); ++k) {
    rest -= of_barrier[k] * losses.slot_gradients().col(k + 1);
  }
  for (Index a = 0; a < columns.cols(); ++a) {
    columns.col(a) = losses.slot_gradients().col(active[static_cast<std::size_t>(a)] + 1);
  }
  const Vector change = optimise::CompleteOrthogonal(std::move(columns)).solve(rest);
  std::vector<double> fitted(of_barrier.begin(), of_barrier.end());
  for (Index a = 0; a < change.size(); ++a) {
    double& multiplier = fitted[static_cast<std::size_t>(active[static_cast<std::size_t>(a)])];
    multiplier = std::max(0.0, multiplier + change[a]);
  }
  return fitted;
}

/// Of the way from `inside`, whose losses are below the bound, to the start: as far as half of what
/// is free there is left.
/// @param passes  over the rows: those made are added.
Vector brought_inside(CellLosses& losses, std::span<const double> inside,
                      std::span<const double> start, double bound, std::int64_t& passes) {
  const Vector from = Eigen::Map<const Vector>(inside.data(), std::ssize(inside));
  const Vector way = Eigen::Map<const Vector>(start.data(), std::ssize(start)) - from;
  const auto largest = [&](const Vector& w) {
    ++passes;
    losses.evaluate({w.data(), static_cast<std::size_t>(w.size())});
    return losses.slot_losses().tail(losses.slot_losses().size() - 1).maxCoeff();
  };
  const double most = 0.5 * (largest(from) + bound);
  for (double share = 1; share > 1e-6; share *= 0.5) {
    Vector w = from + share * way;
    if (largest(w) <= most) return w;
  }
  return from;
}

}  // namespace

LeastWorstLoss least_worst_loss(CellLosses& losses, std::span<const double> start) {
  Barrier barrier(losses, start, std::nullopt);
  barrier.run();
  LeastWorstLoss found{.w = barrier.weights(),
                       .value = barrier.of_cells().maxCoeff(),
                       .steps = barrier.steps(),
                       .passes = barrier.passes()};
  const Vector prices = barrier.prices() / barrier.prices().sum();
  std::vector<double> weights{0};
  weights.insert(weights.end(), prices.begin(), prices.end());
  const double proven = std::max(0.0, convex_lower_bound(losses, weights, found.w));
  found.lower = std::min(proven, found.value);
  return found;
}

LocalOptimum minimise_within_losses(CellLosses& losses, std::span<const double> inside,
                                    std::span<const double> start, double bound, double tolerance) {
  LocalOptimum found;
  const Vector from = brought_inside(losses, inside, start, bound, found.passes);
  Barrier barrier(losses, {from.data(), static_cast<std::size_t>(from.size())}, bound);
  barrier.run();
  found.w = barrier.weights();
  found.loss = losses.loss();
  found.gaps.assign(losses.gaps().begin(), losses.gaps().end());
  found.multipliers = fitted_multipliers(losses, barrier.mu() * barrier.prices());
  std::vector<double> gradient(losses.gradient().begin(), losses.gradient().end());
  losses.add_pulled_back(found.multipliers, gradient);
  found.stationarity = largest_size(gradient);
  found.violation = std::max(largest_size(found.gaps) - bound, 0.0);  // NaN stays
  for (std::size_t k = 0; k < found.gaps.size(); ++k) {
    found.complementarity =
        std::max(found.complementarity, found.multipliers[k] * std::abs(bound - found.gaps[k]));
  }
  found.steps = barrier.steps();
  found.passes += barrier.passes();
  found.converged =
      found.violation == 0 && std::max(found.stationarity, found.complementarity) <= tolerance;
  return found;
}

}  // namespace fairfront::training
