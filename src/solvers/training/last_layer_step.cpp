#include "solvers/training/last_layer_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/stop.hpp"
#include "solvers/training/cell_values.hpp"

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

double value_of(const Sparse& gap, const Vector& cells) {
  double sum = gap.constant;
  for (const auto& [k, factor] : gap.entries) sum += factor * cells[k];
  return sum;
}

void change_cells(const Sparse& gap, double change, const Matrix& w, Vector& cells) {
  for (const auto& [k, factor] : gap.entries) cells -= change * factor * w.col(k);
}

/// Goes on in the direction in which the last sweeps have changed y: to the largest dual on the way
/// to where a multiplier changes its sign or meets the cap. Coordinates alone crawl where gaps can
/// hardly be closed.
void extrapolate(const std::vector<Sparse>& gaps, const std::vector<double>& before,
                 const Matrix& w, double cap, double bound, std::vector<double>& y, Vector& at) {
  Vector pulled = Vector::Zero(at.size());  // D'd
  double slope = 0;
  double most = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const double d = y[i] - before[i];
    if (d == 0) continue;
    for (const auto& [k, factor] : gaps[i].entries) pulled[k] += factor * d;
    const double sign = y[i] > 0 ? 1 : y[i] < 0 ? -1 : 0;
    slope += d * (value_of(gaps[i], at) - sign * bound);
    const double end = y[i] * d < 0 ? 0 : d > 0 ? cap : -cap;
    most = std::min(most, y[i] == 0 ? 0 : (end - y[i]) / d);
  }
  const Vector change = w * pulled;
  const double curvature = pulled.dot(change);
  if (!(slope > 0) || !(most > 0) || !std::isfinite(most)) return;
  const double t = curvature > 0 ? std::min(most, slope / curvature) : most;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    y[i] = std::clamp(y[i] + t * (y[i] - before[i]), -cap, cap);
  }
  at -= t * change;
}

/// Gaps are summed in another order elsewhere: what is promised leaves room for that.
constexpr double room = 1 - 1e-9;

double excess_of(double gap, double delta) { return std::max(0.0, gap - room * delta); }

/// Whether the size of scores is that of least loss: of decisions the bounds say nothing of it, and
/// where errors are far beyond them a high price would let it grow without end.
bool resizes_decisions(const Problem& problem) {
  return problem.constraints.has_one_side() && has_decisions(problem);
}

/// The descent of one start.
class Descent {
 public:
  Descent(LastLayer& layer, bool is_linear, const LastLayerOptions& options, LastLayerResult& best)
      : layer_{layer},
        is_linear_{is_linear},
        options_{options},
        bound_{(1 - options.margin) * options.delta},
        resizes_{resizes_decisions(layer.problem())},
        best_{best},
        y_(static_cast<std::size_t>(layer.constraints().gaps()), 0.0),
        multipliers_(layer.constraints().cells().size(), 0.0) {}

  /// Another bound that steps aim at, whatever is within delta. How long they may be stays known.
  /// @param cap  what being beyond it costs at first, beside the loss.
  void aim_at(double bound, double cap = 1) {
    bound_ = bound;
    cap_ = cap;
  }

  /// @return where it ended, which need not be the best point.
  LastLayerPoint run(std::span<const double> start, std::int64_t evaluations) {
    left_ = evaluations;
    LastLayerPoint at = evaluate({start.begin(), start.end()});
    if (!std::isfinite(at.loss)) return at;
    while (left_ > 0) {
      base::stop_point();
      layer_.gradients(model_.gradient, model_.jacobian);
      layer_.curvature(multipliers_, curvature_);
      weight_ = is_linear_ || is_within(at) || is_far_from_optimum(at) ? 1 : 0;
      model_.gradient *= weight_;
      model_.cells = at.cells;
      if (!improve(at)) break;
      if (resizes_ && at.loss > large && left_ > 0) at = resized(at);
    }
    return at;
  }

  /// Gives the best scores the size of least loss: prices of decisions know none.
  void resize() {
    ++best_.evaluations;
    (void)resized(layer_.at(best_.v));
  }

  /// Looks at the same scores with other intercepts: enough decides all rows alike.
  void shift(std::span<const double> start, std::int64_t evaluations) {
    left_ = evaluations;
    double by = 0.05;
    for (double sign = 1; left_ > 0; sign = -sign) {
      std::vector<double> v(start.begin(), start.end());
      v.back() += sign * by;
      (void)evaluate(std::move(v));
      if (sign < 0) by *= 1.4;
    }
  }

 private:
  [[nodiscard]] double merit(const LastLayerPoint& point) const {
    if (!std::isfinite(point.loss)) return point.loss;
    return weight_ * point.loss + cap_ * total_excess(point.gaps, bound_);
  }

  [[nodiscard]] bool is_within(const LastLayerPoint& point) const {
    return point.gap() <= options_.delta;
  }

  LastLayerPoint evaluate(std::vector<double> v) {
    --left_;
    ++best_.evaluations;
    LastLayerPoint point = layer_.at(std::move(v));
    keep_if_better(point);
    return point;
  }

  void keep_if_better(const LastLayerPoint& point) {
    const double gap = point.decided_gap();
    if (!(gap >= 0) || !std::isfinite(point.loss) || !point.is_certain) return;
    const double excess = excess_of(gap, options_.delta);
    if (excess > best_.excess || (excess == best_.excess && !(point.loss < best_.loss))) return;
    best_.v = point.v;
    best_.loss = point.loss;
    best_.excess = excess;
  }

  /// @param at  the point of the layer's last at().
  LastLayerPoint resized(const LastLayerPoint& at) {
    const double size = layer_.best_size();
    std::vector<double> v = at.v;
    for (double& weight : v) weight *= size;
    return evaluate(std::move(v));
  }

  /// Tries steps from `at` until one is taken. @return false: there is none.
  bool improve(LastLayerPoint& at) {
    while (left_ > 0) {
      const auto step = next_step();
      if (!step) {
        if (!grow(6)) return false;
        continue;
      }
      const double promised = cap_ * total_excess(at.gaps, bound_) - step->value;
      const bool has_cap = !is_within(at) && cap_ < most_cap;
      if (!(promised > least_promise(is_within(at), has_cap) * (1 + std::abs(at.loss)))) {
        if (!has_cap) return false;
        cap_ *= 5;
        continue;
      }
      LastLayerPoint next = evaluate(moved(at.v, step->s));
      const double ratio = (merit(at) - merit(next)) / promised;
      if (ratio > 1e-3) {  // false for NaN
        if (ratio > 0.7) mu_ = std::max(0.2 * mu_, 1e-9);
        if (ratio < 0.25) mu_ *= 3;
        multipliers_ = step->multipliers;
        at = std::move(next);
        return true;
      }
      // Where not one decision has changed, none will by shorter steps.
      const bool counts = at.decided.empty() && has_decisions(layer_.problem());
      if (counts && !is_within(at) && next.cells == at.cells) return false;
      if (!grow(6)) return false;
    }
    return false;
  }

  /// Whether a step without bounds promises more than a little.
  [[nodiscard]] bool is_far_from_optimum(const LastLayerPoint& point) const {
    const models::Cholesky factor(damped());
    if (!factor.is_definite()) return true;
    const double promised = 0.5 * model_.gradient.dot(factor.solve(model_.gradient));
    return promised > little * (1 + std::abs(point.loss));
  }

  /// Of the loss, that a step must promise to be tried.
  [[nodiscard]] double least_promise(bool is_within, bool has_cap) const {
    // Outside the bounds, evaluations are too few to wait for the last of what a cap can give.
    if (has_cap) return 1e-4;
    return is_within && !is_linear_ ? little : 1e-6;
  }

  bool grow(double factor) {
    mu_ *= factor;
    return mu_ < 1e12;
  }

  [[nodiscard]] static std::vector<double> moved(std::vector<double> v, const Vector& s) {
    for (std::size_t j = 0; j < v.size(); ++j) v[j] += s[static_cast<Index>(j)];
    return v;
  }

  /// P of the next step.
  [[nodiscard]] Matrix damped() const {
    Matrix p = curvature_;
    // Hidden units that few rows wake have next to no curvature: without a share of the others'
    // they would take all of a step. Columns of a linear score may be of any size instead.
    const double mean = is_linear_ ? 0 : p.trace() / static_cast<double>(p.rows());
    constexpr double least = 1e-12;  // of an input that is always 0
    for (Index j = 0; j < p.rows(); ++j) p(j, j) += mu_ * (p(j, j) + mean + least);
    return p;
  }

  /// None where P is not positive definite in floating point.
  std::optional<PenaltyStep> next_step() {
    const models::Cholesky factor(damped());
    if (!factor.is_definite()) return std::nullopt;
    PenaltyStep step = penalty_step(layer_.constraints(), model_, factor, cap_, bound_, y_);
    if (!step.s.allFinite()) return std::nullopt;
    return step;
  }

  static constexpr double most_cap = 1e7;
  static constexpr double large = 1;  ///< loss, which that of scores 0 is at most
  /// Of the loss. Hidden units have been trained on these very rows: what is left to gain by their
  /// weights alone is mostly what is lost on other rows.
  static constexpr double little = 1e-2;
  LastLayer& layer_;
  bool is_linear_;
  LastLayerOptions options_;
  double bound_;
  bool resizes_;
  LastLayerResult& best_;
  std::vector<double> y_, multipliers_;
  PenaltyModel model_;
  Matrix curvature_;
  double weight_ = 1;  ///< of the loss in what a step minimises
  double cap_ = 1;
  double mu_ = 1e-2;
  std::int64_t left_ = 0;
};

/// Descents on smoothed decisions, whose rates do what their slopes promise, until decisions are
/// within the bounds. As rates of decisions go by jumps beside those, each aims farther within.
void lead_smoothed(LastLayer& layer, bool is_linear, const LastLayerOptions& options,
                   std::span<const double> start, LastLayerResult& best) {
  constexpr std::array<double, 3> widths{0.15, 0.1, 0.07};
  constexpr std::array<double, 3> shares{1, 0.5, 0.2};  // of the bound
  constexpr double cap = 10;  // evaluations are too few to find out that 1 does not lead within
  const std::vector<double> known = best.v;
  const std::int64_t spent = best.evaluations, left = options.evaluations - spent;
  const std::int64_t most = left * 85 / 100, each = most / std::ssize(shares);
  std::vector<double> v(start.begin(), start.end());
  for (std::size_t k = 0; k < shares.size() && (best.v == known || best.excess > 0); ++k) {
    if (each < 2 || best.evaluations + each - spent > most) break;
    layer.smooth_decisions(v, widths[k]);
    ++best.evaluations;
    Descent descent(layer, is_linear, options, best);
    descent.aim_at(shares[k] * options.delta, cap);
    v = descent.run(v, each - 1).v;
  }
  layer.count_decisions();
}

/// Where no bounds on the worst group are reached, what is beyond them is a sum over groups: aims
/// at bounds between them and the largest gap, so that only those of the largest ones count.
void lower_largest_gap(LastLayer& layer, bool is_linear, const LastLayerOptions& options,
                       LastLayerResult& best) {
  const bool resizes = resizes_decisions(layer.problem());
  constexpr double least_share = 1e-5;
  constexpr std::int64_t of_try = 6;
  Descent descent(layer, is_linear, options, best);
  for (double share = 0.1; share > least_share && best.evaluations < options.evaluations;) {
    const double before = best.excess;
    if (!(before > 0)) return;
    const double aim = options.delta + (1 - share) * before;
    const std::int64_t left = options.evaluations - best.evaluations;
    descent.aim_at(aim);
    (void)descent.run(best.v, std::min(of_try, left));
    if (resizes) descent.resize();
    if (best.excess > before - 0.5 * share * before) share *= 0.25;
  }
}

}  // namespace

double total_excess(std::span<const double> gaps, double bound) {
  double sum = 0;
  for (const double gap : gaps) sum += std::max(0.0, std::abs(gap) - bound);
  return sum;
}

PenaltyStep penalty_step(const GapConstraints& constraints, const PenaltyModel& model,
                         const models::Cholesky& factor, double cap, double bound,
                         std::vector<double>& y) {
  const Index cells = model.jacobian.rows();
  const Matrix solved = factor.solve_columns(model.jacobian.transpose());  // P^-1 C'
  const Vector free = factor.solve(model.gradient);                        // P^-1 g
  const Matrix w = model.jacobian * solved;
  const std::vector<Sparse> gaps = sparse_gaps(constraints, w);
  Vector at(cells);
  for (Index k = 0; k < cells; ++k) at[k] = model.cells[static_cast<std::size_t>(k)];
  at -= model.jacobian * free;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    y[i] = std::clamp(y[i], -cap, cap);
    change_cells(gaps[i], y[i], w, at);
  }
  constexpr int most_sweeps = 1000;
  constexpr int sweeps_together = 5;
  std::vector<double> before = y;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    if (sweep % sweeps_together == sweeps_together - 1) {
      extrapolate(gaps, before, w, cap, bound, y, at);
      before = y;
    }
    double moved = 0;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      const double curvature = gaps[i].curvature;
      if (!(curvature > 0)) continue;
      const double without = value_of(gaps[i], at) + y[i] * curvature;
      const double excess = without - std::clamp(without, -bound, bound);
      const double wanted = std::clamp(excess / curvature, -cap, cap);
      const double change = wanted - y[i];
      if (change == 0) continue;
      y[i] = wanted;
      change_cells(gaps[i], change, w, at);
      moved = std::max(moved, std::abs(change) * curvature);
    }
    if (moved <= 1e-6 * bound) break;
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

LastLayerResult last_layer_step(const Problem& problem, LastLayer& layer,
                                std::span<const double> start, const LastLayerOptions& options) {
  std::vector<double> constant(layer.size(), 0.0);
  const ConstantScore known = best_constant_score(problem, room * options.delta, layer.offset());
  constant.back() = known.score;
  LastLayerResult best{constant, known.loss, 0};
  if (problem.constraints.rate() || problem.constraints.has_one_side()) {
    best.excess = excess_of(known.gap, options.delta);
  }
  const bool is_linear = problem.model.layers().size() == 1;
  const std::int64_t first = std::max<std::int64_t>(1, options.evaluations * 6 / 10);
  (void)Descent(layer, is_linear, options, best).run(start, first);
  const bool has_one_side = problem.constraints.has_one_side();
  const bool resizes = resizes_decisions(problem);
  if (resizes) Descent(layer, is_linear, options, best).resize();
  // Slopes do not always lead decisions within their bounds.
  if (best.v == constant && has_decisions(problem)) {
    lead_smoothed(layer, is_linear, options, start, best);
  }
  if (best.v == constant && has_decisions(problem)) {
    constexpr std::int64_t most = 24;  // to an intercept of 2
    const std::int64_t left = options.evaluations - best.evaluations;
    Descent(layer, is_linear, options, best).shift(start, std::min(most, left * 2 / 3));
  }
  // What a trained network has learnt is in the first start; a linear score has but this layer.
  if (options.evaluations > best.evaluations && (is_linear || best.v == constant)) {
    const std::vector<double> from = has_decisions(problem) ? best.v : constant;
    std::int64_t left = options.evaluations - best.evaluations;
    if (has_one_side) left = (left + 1) / 2;
    (void)Descent(layer, is_linear, options, best).run(from, left);
    if (resizes) Descent(layer, is_linear, options, best).resize();
  }
  if (has_one_side) lower_largest_gap(layer, is_linear, options, best);
  return best;
}

}  // namespace fairfront::training
