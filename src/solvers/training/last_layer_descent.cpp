#include "solvers/training/last_layer_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/stop.hpp"
#include "solvers/training/cell_values.hpp"
#include "solvers/training/constant_score.hpp"

namespace fairfront::training {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double most_cap = 1e7;
constexpr double large_loss = 1;  // which that of scores 0 is at most
/// Of the loss. Hidden units have been trained on these very rows: what is left to gain by their
/// weights alone is mostly what is lost on other rows.
constexpr double little = 1e-2;

std::vector<double> moved(std::vector<double> v, const Eigen::VectorXd& s) {
  for (std::size_t j = 0; j < v.size(); ++j) v[j] += s[static_cast<Eigen::Index>(j)];
  return v;
}

}  // namespace

double promised_bound(const Problem& problem, double delta) {
  return has_decisions(problem) ? delta : (1 - 1e-9) * delta;
}

double excess_of(const Problem& problem, double gap, double delta) {
  return std::max(0.0, gap - promised_bound(problem, delta));
}

bool resizes_decisions(const Problem& problem) {
  return problem.constraints.has_one_side() && has_decisions(problem);
}

bool is_constant_score(std::span<const double> v) {
  return std::all_of(v.begin(), v.end() - 1, [](double weight) { return weight == 0; });
}

LastLayerResult constant_result(const LastLayer& layer, const LastLayerOptions& options,
                                EqualRates equal) {
  const Problem& problem = layer.problem();
  const ConstantScore known =
      best_constant_score(problem, promised_bound(problem, options.delta), layer.offset(), equal);
  LastLayerResult found{std::vector<double>(layer.size(), 0.0), known.loss, 0};
  found.v.back() = known.score;
  if (has_decisions(problem)) {
    const ConstantScore kept =
        best_constant_score(problem, promised_bound(problem, options.delta), layer.offset());
    if (excess_of(problem, kept.gap, options.delta) == 0) found.of_constant = kept.loss;
  }
  if (problem.constraints.rate() || problem.constraints.has_one_side()) {
    found.excess = excess_of(problem, known.gap, options.delta);
  }
  return found;
}

Descent::Descent(LastLayer& layer, const LastLayerOptions& options, LastLayerResult& best)
    : layer_{layer},
      options_{options},
      resizes_{resizes_decisions(layer.problem())},
      counts_{has_decisions(layer.problem())},
      is_smooth_linear_{layer.is_linear() && !counts_},
      best_{best},
      goal_{(1 - options.reserve) * options.delta},
      bound_{goal_},
      multipliers_(layer.constraints().cells().size(), 0.0) {}

LastLayerPoint Descent::run(std::span<const double> start, std::int64_t evaluations) {
  left_ = evaluations;
  bound_ = goal_;
  const std::int64_t before_all = best_.evaluations;
  LastLayerPoint at = begin_at(start);
  // Where the start was there for nothing, none need be left for more.
  if ((counts_ || layer_.is_rounded()) && best_.evaluations == before_all) {
    left_ = std::min(left_, options_.evaluations - before_all);
  }
  if (!std::isfinite(at.loss)) return at;
  while (left_ > 0) {
    base::stop_point();
    layer_.gradients(model_.gradient, model_.jacobian);
    layer_.curvature(multipliers_, curvature_);
    weight_ = layer_.is_linear() || is_within(at) || is_far_from_optimum(at) ? 1 : 0;
    of_loss_ = model_.gradient;
    model_.gradient *= weight_;
    if (counts_ && at.decided.empty()) layer_.begin_line();
    model_.cells = at.cells;
    const double before = total_excess(at.gaps, goal_);
    const std::int64_t left = left_;
    if (!improve(at) || ends_here(before, at, left - left_)) break;
    if (is_smooth_linear_ && !layer_.constraints().has_one_side()) {
      correct_aim(at);
      raise_price(before, total_excess(at.gaps, goal_));
    }
    if (resizes_ && at.loss > large_loss && left_ > 0) at = resized(at);
  }
  return at;
}

LastLayerPoint Descent::look_along(const LastLayerPoint& at, Eigen::VectorXd of_loss,
                                   std::vector<double> v) {
  of_loss_ = std::move(of_loss);
  layer_.begin_line();
  return best_on_line(at, evaluate(std::move(v)));
}

void Descent::resize() {
  ++best_.evaluations;
  (void)resized(layer_.at(best_.v));
}

void Descent::shift_thresholds(const std::vector<double>& v) {
  if (!std::isfinite(begin_at(v).loss)) return;
  std::vector<double> gaps(static_cast<std::size_t>(layer_.constraints().gaps()));
  const std::vector<double> shifts = layer_.shifts_within([&](const std::vector<double>& cells) {
    layer_.constraints().gaps_of(cells, gaps);
    return excess_of(layer_.problem(), layer_.constraints().largest_gap(cells, gaps),
                     options_.delta) == 0;
  });
  layer_.begin_line();
  layer_.end_line();
  constexpr double least = 1e-4;  // so that rounding decides nothing
  for (const double shift : shifts) {
    (void)layer_.on_line(0);
    keep_if_better(layer_.with_other_scores(shift, 1));
    keep_if_better(layer_.with_other_scores(0, std::max(layer_.best_size(), least)));
    pay_for_scores();
    pay_for_scores();
  }
  if (!shifts.empty()) (void)layer_.on_line(0);
}

std::vector<std::vector<double>> Descent::other_thresholds(const std::vector<double>& v,
                                                           std::size_t most) {
  constexpr int count = 512, a_loss = 32, apart = 20;
  (void)look(v);
  const double far = 1.5 * layer_.root_mean_square();
  layer_.line_of_thresholds(far);
  const auto gaps = layer_.gaps_on_line(1, count);
  std::vector<double> losses;  // at every 32nd point, and at the begin
  for (int k = 0; k <= count; k += a_loss) {
    losses.push_back(look_on_line(static_cast<double>(k) / count).loss);
  }
  std::vector<std::pair<double, int>> merits;
  for (int k = 1; k <= count; ++k) {
    const auto left = static_cast<std::size_t>(std::min(k, count - 1) / a_loss);
    const double t = static_cast<double>(k) / a_loss - static_cast<double>(left);
    const double loss = (1 - t) * losses[left] + t * losses[left + 1];
    merits.emplace_back(merit_of(loss, gaps[static_cast<std::size_t>(k - 1)]), k);
  }
  std::ranges::sort(merits);
  std::vector<int> taken{count / 2};
  std::vector<std::vector<double>> found;
  for (const auto& [merit, k] : merits) {
    const int here = k;
    if (found.size() == most || !std::isfinite(merit)) break;
    if (std::ranges::any_of(taken, [here](int other) { return std::abs(other - here) < apart; })) {
      continue;
    }
    taken.push_back(k);
    found.push_back(v);
    found.back().back() += far * (2.0 * k / count - 1);
  }
  return found;
}

double Descent::merit(const LastLayerPoint& point) const {
  if (!std::isfinite(point.loss)) return point.loss;
  return weight_ * point.led_loss + cap_ * total_excess(point.gaps, bound_);
}

LastLayerPoint Descent::evaluate(std::vector<double> v) {
  --left_;
  ++best_.evaluations;
  LastLayerPoint point = layer_.at(std::move(v));
  keep_if_better(point);
  return point;
}

LastLayerPoint Descent::begin_at(std::span<const double> start) {
  std::vector<double> v(start.begin(), start.end());
  const bool is_free = counts_ || layer_.is_rounded();
  if (!is_free || !layer_.is_at(v)) return evaluate(std::move(v));
  LastLayerPoint point = layer_.again();
  keep_if_better(point);
  return point;
}

void Descent::keep_if_better(const LastLayerPoint& point) {
  const double gap = point.decided_gap();
  if (!(gap >= 0) || !std::isfinite(point.loss) || !point.is_certain) return;
  if (counts_) keep_if_nearer(point);
  const bool is_of_ratios = layer_.constraints().bound_of() == BoundOf::ratio;
  if (is_of_ratios && excess_of(layer_.problem(), point.kept_gap, options_.delta) == 0 &&
      point.loss < best_.kept.loss) {
    best_.kept = {point.v, point.loss};
  }
  const double excess = excess_of(layer_.problem(), gap, options_.delta);
  if (excess > best_.excess || (excess == best_.excess && !(point.loss < best_.loss))) return;
  best_.v = point.v;
  best_.loss = point.loss;
  best_.excess = excess;
}

double Descent::merit_of(double loss, std::span<const double> gaps) const {
  constexpr double price = 3, of_no_use = 10;
  return loss + price * total_excess(gaps, promised_bound(layer_.problem(), options_.delta)) +
         of_no_use * std::max(0.0, loss - best_.of_constant);
}

void Descent::keep_if_nearer(const LastLayerPoint& point) {
  const double merit = merit_of(point.loss, point.decided.empty() ? point.gaps : point.decided);
  if (merit < best_.nearest.merit) best_.nearest = {point.v, merit, point.loss};
}

LastLayerPoint Descent::resized(const LastLayerPoint& at) {
  constexpr double least = 1e-4;  // so that rounding decides nothing
  const double size = std::max(layer_.best_size(), least);
  std::vector<double> v = at.v;
  for (double& weight : v) weight *= size;
  return evaluate(std::move(v));
}

bool Descent::improve(LastLayerPoint& at) {
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
    const bool counts = at.decided.empty() && counts_;
    if (counts) next = best_on_line(at, std::move(next));
    const double ratio = (merit(at) - merit(next)) / promised;
    if (ratio > 1e-3) {  // false for NaN
      if (ratio > 0.7) mu_ = std::max(0.2 * mu_, 1e-9);
      if (ratio < 0.25) mu_ *= 3;
      multipliers_ = step->multipliers;
      at = std::move(next);
      return true;
    }
    // Where not one decision has changed, none will by shorter steps.
    if (counts && !is_within(at) && next.cells == at.cells) return false;
    if (!shorten(ratio)) return false;
  }
  return false;
}

LastLayerPoint Descent::best_on_line(const LastLayerPoint& at, LastLayerPoint next) {
  if (!std::isfinite(next.loss)) return next;
  layer_.end_line();
  constexpr double last = 2;
  constexpr int count = 64;
  const auto gaps = layer_.gaps_on_line(last, count);
  double slope = 0;
  for (std::size_t j = 0; j < at.v.size(); ++j) {
    slope += of_loss_[static_cast<Eigen::Index>(j)] * (next.v[j] - at.v[j]);
  }
  const double curved = next.loss - at.loss - slope;
  double best = 1, least_merit = merit(next);
  double within = 0, least_loss = best_.excess > 0 ? infinite : best_.loss;
  for (int k = 0; k < count; ++k) {
    const double t = last * (k + 1) / count;
    const double loss = at.loss + t * (slope + t * curved);
    const auto& of_point = gaps[static_cast<std::size_t>(k)];
    const double merit = weight_ * loss + cap_ * total_excess(of_point, bound_);
    if (merit < least_merit) {
      best = t;
      least_merit = merit;
    }
    if (excess_of(layer_.problem(), largest_size(of_point), options_.delta) == 0 &&
        loss < least_loss) {
      within = t;
      least_loss = loss;
    }
  }
  if (within == 0 && best == 1) return next;
  if (within != 0 && within != best) (void)look_on_line(within);
  return look_on_line(best);
}

LastLayerPoint Descent::look_on_line(double t) {
  pay_for_scores();
  LastLayerPoint point = layer_.on_line(t);
  keep_if_better(point);
  return point;
}

void Descent::pay_for_scores() {
  constexpr double multiplications = 2;  // a row
  on_lines_ += multiplications / static_cast<double>(layer_.size());
  for (; on_lines_ >= 1 && best_.evaluations < options_.evaluations; --on_lines_) {
    --left_;
    ++best_.evaluations;
  }
}

void Descent::correct_aim(const LastLayerPoint& point) {
  const double beyond = std::max(0.0, point.gap() - bound_);
  bound_ = std::max(goal_ - beyond, 0.5 * goal_);
}

void Descent::raise_price(double before, double after) {
  constexpr double too_little = 0.7;  // of an excess is left by a step
  if (before > 0 && after > too_little * before && cap_ < most_cap) cap_ *= 5;
}

bool Descent::ends_here(double before, const LastLayerPoint& after, std::int64_t spent) {
  constexpr double left_by_one = 0.7;  // evaluation, of what is beyond the bounds
  constexpr double enough = 20;        // a price
  constexpr double near = 0.02, next_to = 0.05;
  if (!ends_where_slow_) return false;
  const double gap = after.gap() - goal_;
  double expected = before;
  for (std::int64_t k = 0; k < spent; ++k) expected *= left_by_one;
  if (!(total_excess(after.gaps, goal_) > expected)) return false;
  if (cap_ >= enough || gap <= near) return gap < next_to;
  cap_ *= 5;
  return false;
}

bool Descent::is_far_from_optimum(const LastLayerPoint& point) const {
  const optimise::Cholesky factor(damped());
  if (!factor.is_definite()) return true;
  const double promised = 0.5 * model_.gradient.dot(factor.solve(model_.gradient));
  return promised > little * (1 + std::abs(point.loss));
}

double Descent::least_promise(bool is_within, bool has_cap) const {
  // Outside the bounds, evaluations are too few to wait for the last of what a cap can give.
  if (has_cap) return 1e-4;
  return is_within && !layer_.is_linear() ? little : 1e-6;
}

bool Descent::grow(double factor) {
  mu_ *= factor;
  return mu_ < 1e12;
}

bool Descent::shorten(double ratio) {
  // What the model did not know of grows by the square of a step, what it promises with the step:
  // half of the promise is kept by a step that is 2 (1 - ratio) times shorter. Counted decisions go
  // by jumps instead, and a network has evaluations to spare.
  if (is_smooth_linear_ && std::isfinite(ratio)) {
    constexpr double worst = -50;
    const double times = 2 * (1 - std::max(ratio, worst));
    mu_ = std::max(mu_, ((1 + mu_) * times - 1) / 6);
  }
  return grow(6);
}

Eigen::MatrixXd Descent::damped() const {
  Eigen::MatrixXd p = curvature_;
  // Hidden units that few rows wake have next to no curvature: without a share of the others'
  // they would take all of a step. Columns of a linear score may be of any size instead.
  const double mean = layer_.is_linear() ? 0 : p.trace() / static_cast<double>(p.rows());
  constexpr double least = 1e-12;  // of an input that is always 0
  for (Eigen::Index j = 0; j < p.rows(); ++j) p(j, j) += mu_ * (p(j, j) + mean + least);
  return p;
}

std::optional<PenaltyStep> Descent::next_step() {
  const optimise::Cholesky factor(damped());
  if (!factor.is_definite()) return std::nullopt;
  PenaltyStep step = penalty_step(layer_.constraints(), model_, factor, cap_, bound_);
  if (!step.s.allFinite()) return std::nullopt;
  return step;
}

}  // namespace fairfront::training
