#include "solvers/training/penalty_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "optimise/hildreth.hpp"

namespace fairfront::training {
namespace {

using Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// The cells of a gap that count, with their factors.
struct Sparse {
  std::vector<std::pair<Index, double>> entries;
  double constant = 0;   ///< what the gap has beside them
  double curvature = 0;  ///< D_i W D_i'
};

std::vector<Sparse> sparse_gaps(const GapConstraints& constraints, const Matrix& w) {
  std::vector<Sparse> gaps(static_cast<std::size_t>(constraints.gaps()));
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    gaps[i].constant = constraints.constant();
    for (Index k = 0; k < std::ssize(constraints.cells()); ++k) {
      const double factor = constraints.factor(static_cast<std::int64_t>(i), k);
      if (factor != 0) gaps[i].entries.emplace_back(k, factor);
    }
    for (const auto& [k, of_k] : gaps[i].entries) {
      for (const auto& [l, of_l] : gaps[i].entries) gaps[i].curvature += of_k * of_l * w(k, l);
    }
  }
  return gaps;
}

/// The gaps where multipliers of them lead, for optimise::hildreth_sweep().
struct GapsOfCells {
  const std::vector<Sparse>& gaps;
  const Matrix& w;
  Vector cells;

  [[nodiscard]] double residual(std::size_t i) const {
    double sum = gaps[i].constant;
    for (const auto& [k, factor] : gaps[i].entries) sum += factor * cells[k];
    return sum;
  }
  [[nodiscard]] double curvature(std::size_t i) const { return gaps[i].curvature; }
  [[nodiscard]] double length(std::size_t i, double change) const {
    return std::abs(change) * gaps[i].curvature;
  }
  void change(std::size_t i, double by) {
    for (const auto& [k, factor] : gaps[i].entries) cells -= by * factor * w.col(k);
  }
};

/// Goes on in the direction in which the last sweeps have changed y: to the largest dual on the way
/// to where a multiplier changes its sign or meets the cap. Coordinates alone crawl where gaps can
/// hardly be closed.
void extrapolate(const std::vector<double>& before, double cap, double bound,
                 std::vector<double>& y, GapsOfCells& at) {
  const std::vector<Sparse>& gaps = at.gaps;
  Vector pulled = Vector::Zero(at.cells.size());  // D'd
  double slope = 0;
  double most = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const double d = y[i] - before[i];
    if (d == 0) continue;
    for (const auto& [k, factor] : gaps[i].entries) pulled[k] += factor * d;
    const double sign = y[i] > 0 ? 1 : y[i] < 0 ? -1 : 0;
    slope += d * (at.residual(i) - sign * bound);
    const double end = y[i] * d < 0 ? 0 : d > 0 ? cap : -cap;
    most = std::min(most, y[i] == 0 ? 0 : (end - y[i]) / d);
  }
  const Vector change = at.w * pulled;
  const double curvature = pulled.dot(change);
  if (!(slope > 0) || !(most > 0) || !std::isfinite(most)) return;
  const double t = curvature > 0 ? std::min(most, slope / curvature) : most;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    y[i] = std::clamp(y[i] + t * (y[i] - before[i]), -cap, cap);
  }
  at.cells -= t * change;
}

}  // namespace

double total_excess(std::span<const double> gaps, double bound) {
  double sum = 0;
  for (const double gap : gaps) sum += std::max(0.0, std::abs(gap) - bound);
  return sum;
}

PenaltyStep penalty_step(const GapConstraints& constraints, const PenaltyModel& model,
                         const optimise::Cholesky& factor, double cap, double bound,
                         std::vector<double>& y) {
  const Index cells = model.jacobian.rows();
  const Matrix solved = factor.solve_columns(model.jacobian.transpose());  // P^-1 C'
  const Vector free = factor.solve(model.gradient);                        // P^-1 g
  const Matrix w = model.jacobian * solved;
  const std::vector<Sparse> gaps = sparse_gaps(constraints, w);
  GapsOfCells at{gaps, w, Vector(cells)};
  for (Index k = 0; k < cells; ++k) at.cells[k] = model.cells[static_cast<std::size_t>(k)];
  at.cells -= model.jacobian * free;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    y[i] = std::clamp(y[i], -cap, cap);
    at.change(i, y[i]);
  }
  constexpr int most_sweeps = 1000;
  constexpr int sweeps_together = 5;
  std::vector<double> before = y;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    if (sweep % sweeps_together == sweeps_together - 1) {
      extrapolate(before, cap, bound, y, at);
      before = y;
    }
    if (optimise::hildreth_sweep(at, bound, cap, y) <= 1e-6 * bound) break;
  }
  PenaltyStep step{Vector(), std::vector<double>(static_cast<std::size_t>(cells)), 0};
  constraints.pull_back(y, step.multipliers);
  Vector pulled(cells);
  std::ranges::copy(step.multipliers, pulled.begin());
  step.s = -free - solved * pulled;
  // s'Ps = -s'(g + C'D'y)
  const double curved = -step.s.dot(model.gradient + model.jacobian.transpose() * pulled);
  std::vector<double> losses(static_cast<std::size_t>(cells)), linear(gaps.size());
  const Vector change = model.jacobian * step.s;
  for (std::size_t k = 0; k < losses.size(); ++k) {
    losses[k] = model.cells[k] + change[static_cast<Index>(k)];
  }
  constraints.gaps_of(losses, linear);
  step.value = model.gradient.dot(step.s) + 0.5 * curved + cap * total_excess(linear, bound);
  return step;
}

}  // namespace fairfront::training
