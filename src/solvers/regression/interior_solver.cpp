#include "solvers/regression/interior_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/elementary.hpp"
#include "optimise/ridged_cholesky.hpp"

namespace fairfront::regression {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Table = InteriorTable;

constexpr optimise::Ridges step_ridges{.least = 1e-16, .most = 1e-2};  ///< of the curvature
constexpr double closest_to_bounds = 0.9995;    ///< share of the way there that a step goes
constexpr double shortest_step = 1e-8;          ///< with which nothing is gained any more
constexpr double short_step = 0.1;              ///< behind which products are made equal first
constexpr double feasible = 1e-8;               ///< of gaps and sums of probabilities
constexpr double far_from_best = 1e3;           ///< where rounding has taken over
constexpr std::int64_t steps_without_gain = 4;  ///< after which it ends
constexpr double binding = 0.05;                ///< share of a bound that is left
constexpr int rounds_of_repair = 3;             ///< after which rounding is what is left
constexpr double kept_to_rounding = 1e-15;  ///< gap beyond its bound, of which no more is repaired
constexpr double ridge_of_repair = 1e-14;   ///< relative to each coordinate's curvature
constexpr double least_slack = 1e-13;       ///< of a bound, at the beginning
constexpr double vanishing = 1e-300;
constexpr double least_of_temperature = 0.1;  ///< reduced costs where an entropy comes in

std::span<const double> flat(const Table& table) {
  return {table.data(), static_cast<std::size_t>(table.size())};
}

}  // namespace

void InteriorSolver::keep_for(std::span<const double> betas) {
  for (const double beta : betas) kept_.push_back({1 / beta, nullptr});
}

void InteriorSolver::return_for(double beta) {
  for (const Kept& kept : kept_) {
    if (kept.temperature == 1 / beta && kept.state != nullptr) take_up(*kept.state, 1 / beta);
  }
}

bool InteriorSolver::fits(const RunAnswers& answers) const {
  const auto of_direction = [&](const SystemAnswer& one) {
    return one.v.size() == dual_.size() && one.c.size() == smooth_.size();
  };
  const auto of_step = [&](const StepAnswers& one) {
    const std::size_t count = one.directions.size();
    return (one.solvable ? count == 2 || count == 3 : count == 0) &&
           std::ranges::all_of(one.directions, of_direction);
  };
  const auto of_repair = [&](const Vector& one) { return one.size() == smooth_.size(); };
  return std::ranges::all_of(answers.steps, of_step) &&
         std::ranges::all_of(answers.repairs, of_repair);
}

InteriorPoint InteriorSolver::run(double beta, double tolerance, std::int64_t max_steps,
                                  RunAnswers& answers, const solvers::Control& control) {
  temperature_ = std::isinf(beta) ? 0.0 : 1 / beta;
  InteriorPoint result;  // of a point from which nothing could be computed: 0
  result.v = result.active = result.basic = result.gaps = Vector::Zero(dual_.size());
  double best = std::numeric_limits<double>::infinity();
  result.gap = best;
  std::int64_t at_best = 0;
  bool was_inside = false;
  Primal at_best_point;
  for (double length = 1;; ++result.steps) {
    look();
    keep_passed();
    const double outside = std::max(infeasibility(), 0.0);
    const double found = distance() + outside;
    // Without entropy, steps near the solution are differences of large numbers.
    const bool noisy = temperature_ == 0 && was_inside && outside > feasible;
    was_inside = was_inside || outside <= feasible;
    if (found < best) {
      best = found;
      at_best = result.steps;
      result.gap = distance();
      result.v = synchronised();
      result.active = multipliers();
      result.basic = bounded_ ? map_blocks(to_groups_, now_.c) : now_.v;
      if (bounded_) result.gaps = 0.5 * (now_.below - now_.above);
      if (temperature_ > 0) {
        at_best_point = {now_.pi, result.gaps,
                         bounded_ ? Vector(softness() / temperature_) : Vector()};
      }
    }
    const bool enough = distance() <= tolerance && outside <= feasible;
    if (enough || result.steps >= max_steps || length < shortest_step) break;
    const bool lost =
        noisy || found > far_from_best * best || result.steps - at_best >= steps_without_gain;
    if (lost) break;
    const auto moved = solvers::make_step(
        control, [&] { return solvers::packed_state(name_of_interior, answers); },
        [&] { return step(static_cast<std::size_t>(result.steps), answers); });
    if (!moved) break;
    length = *moved;
  }
  keep_last();
  if (temperature_ > 0 && !kept_.empty()) {
    result.pi = repaired(std::move(at_best_point), answers.repairs);
  }
  return result;
}

std::vector<double> InteriorSolver::repaired(Primal point, std::vector<Vector>& moves) {
  Table& pi = point.pi;
  if (pi.size() == 0) return {};
  double least = std::numeric_limits<double>::infinity();
  std::vector<double> best;
  Table scores(count_, atoms_);
  for (int round = 0; round <= rounds_of_repair; ++round) {
    pi.colwise() /= pi.rowwise().sum().eval();
    Vector gaps = dual_.gaps(flat(pi));
    if (!bounded_) gaps = centred(std::move(gaps));  // those of all atoms add up to what they do
    const double error =
        bounded_ ? (gaps.cwiseAbs() - dual_.weight()).maxCoeff() : gaps.cwiseAbs().maxCoeff();
    if (!(error < least)) break;
    least = error;
    best.assign(pi.data(), pi.data() + pi.size());
    if ((bounded_ && error <= kept_to_rounding) || round == rounds_of_repair) break;
    if (static_cast<std::size_t>(round) == moves.size()) {
      std::optional<Vector> move = repair(point, gaps);
      if (!move) break;
      moves.push_back(*std::move(move));
    }
    change_of_scores(moves[static_cast<std::size_t>(round)], scores);
    pi *= (1 + (scores.colwise() - (pi * scores).rowwise().sum())).cwiseMax(0);
  }
  return best;
}

std::optional<Vector> InteriorSolver::repair(const Primal& point, const Vector& gaps) {
  if (bounded_) {
    if (!bounded_system_->factorise(flat(point.pi), point.softness)) return std::nullopt;
    const Table nothing = Table::Zero(count_, atoms_);
    return centred(bounded_system_->solve(point.gaps - gaps, flat(nothing)).c);
  }
  Matrix system = dual_.weighted_hessian(flat(point.pi));
  system.diagonal() *= 1 + ridge_of_repair;
  return optimise::PivotedCholesky(std::move(system)).solve(-gaps);
}

void InteriorSolver::keep_passed() {
  if (temperature_ > 0 || kept_.empty()) return;
  auto here = std::make_shared<InteriorState>(now_);
  here->reduced.resize(0, 0);  // follow from the others
  const double product = mean_product();
  for (Kept& kept : kept_) {
    if (kept.state == nullptr && product < kept.temperature) {
      kept.state = before_ != nullptr ? before_ : here;
    }
  }
  before_ = std::move(here);
}

void InteriorSolver::keep_last() {
  if (temperature_ > 0) return;
  for (Kept& kept : kept_) {
    if (kept.state == nullptr) kept.state = before_;
  }
  before_ = nullptr;
}

void InteriorSolver::take_up(const InteriorState& state, double temperature) {
  now_ = state;
  smooth_.score_rows(now_.c, {scores_.data(), static_cast<std::size_t>(scores_.size())});
  now_.reduced = (-scores_).colwise() + now_.row.array();
  now_.reduced += temperature * logarithms();
  const double least = least_of_temperature * temperature;
  now_.reduced = (now_.reduced < least).select(least, now_.reduced);
}

Table InteriorSolver::logarithms() const {
  Table result = (now_.pi < vanishing).select(vanishing, now_.pi);
  const std::span<double> all{result.data(), static_cast<std::size_t>(result.size())};
  base::log(all, all);
  return result;
}

void InteriorSolver::begin() {
  now_.pi = Table::Constant(count_, atoms_, 1 / static_cast<double>(atoms_));
  now_.v = Vector::Zero(dual_.size());
  now_.c = Vector::Zero(smooth_.size());
  smooth_.score_rows(now_.c, {scores_.data(), static_cast<std::size_t>(scores_.size())});
  losses_ = scores_;
  const double spread = scores_.maxCoeff() - scores_.minCoeff();
  now_.row = scores_.rowwise().maxCoeff().matrix().array() + 0.1 * spread + 0.05;
  now_.reduced = (-scores_).colwise() + now_.row.array();
  if (!bounded_) return;
  const Vector weight = dual_.weight();
  now_.below = now_.above = weight.cwiseMax(least_slack);
  const double target = mean_product() / static_cast<double>(count_);
  now_.of_below = target / now_.below.array();
  now_.of_above = target / now_.above.array();
}

void InteriorSolver::look() {
  smooth_.score_rows(now_.c, {scores_.data(), static_cast<std::size_t>(scores_.size())});
  costs_ = (-scores_).colwise() + now_.row.array();
  if (temperature_ > 0) costs_ += temperature_ * logarithms();
  costs_ -= now_.reduced;
  sums_ = 1 - now_.pi.rowwise().sum();
  gaps_ = dual_.gaps(flat(now_.pi));
  if (!bounded_) return;
  to_above_ = dual_.weight() - gaps_ - now_.above;
  to_below_ = dual_.weight() + gaps_ - now_.below;
}

double InteriorSolver::products() const {
  double sum = (now_.pi * now_.reduced).sum() / static_cast<double>(count_);
  if (bounded_) sum += now_.below.dot(now_.of_below) + now_.above.dot(now_.of_above);
  return sum;
}

double InteriorSolver::infeasibility() const {
  double most = sums_.abs().maxCoeff();
  if (!bounded_) return std::max(most, gaps_.cwiseAbs().maxCoeff());
  return std::max(most, (gaps_.cwiseAbs() - dual_.weight()).maxCoeff());
}

double InteriorSolver::distance() const {
  return products() + (now_.pi * costs_.abs()).sum() / static_cast<double>(count_);
}

InteriorState InteriorSolver::direction(const Products& wanted, SystemAnswer& answer,
                                        bool is_known) const {
  InteriorState to;
  const Table constant = wanted.of_pi / (now_.reduced + temperature_) - stiffness_ * costs_;
  const Eigen::ArrayXd base = (constant.rowwise().sum() - sums_) / of_row_;
  Vector constant_v;
  if (bounded_) {
    constant_v =
        ((wanted.of_below - now_.of_below.cwiseProduct(to_below_)).array() / now_.below.array()) -
        ((wanted.of_above - now_.of_above.cwiseProduct(to_above_)).array() / now_.above.array());
  }
  if (!is_known) answer = solve(constant - stiffness_.colwise() * base, constant_v);
  to.v = answer.v;
  to.c = bounded_ ? centred(answer.c) : answer.c;
  Table scores(count_, atoms_);
  change_of_scores(to.c, scores);
  to.row = (base + (stiffness_ * scores).rowwise().sum() / of_row_).matrix();
  const Table drift = (costs_ - scores).colwise() + to.row.array();
  to.pi = wanted.of_pi / (now_.reduced + temperature_) - stiffness_ * drift;
  to.reduced = (wanted.of_pi - now_.reduced * to.pi) / now_.pi;
  if (bounded_) {
    // From v, so that v = of_below - of_above holds whatever the system's rounding.
    const Vector gaps = (constant_v - to.v).cwiseQuotient(softness_);
    to.above = to_above_ - gaps;
    to.below = to_below_ + gaps;
    to.of_above =
        (wanted.of_above - now_.of_above.cwiseProduct(to.above)).cwiseQuotient(now_.above);
    to.of_below =
        (wanted.of_below - now_.of_below.cwiseProduct(to.below)).cwiseQuotient(now_.below);
  }
  return to;
}

Vector InteriorSolver::centred(Vector c) const {
  if (dual_.bound() != ParityBound::atom) return c;
  auto blocks = c.reshaped(atoms_, free_blocks());
  blocks.rowwise() -= blocks.colwise().mean().eval();
  return c;
}

void InteriorSolver::change_of_scores(const Vector& c, Table& scores) const {
  const std::span<double> to{scores.data(), static_cast<std::size_t>(scores.size())};
  smooth_.score_rows(c, to);
  scores -= losses_;
}

SystemAnswer InteriorSolver::solve(const Table& moved, const Vector& constant_v) const {
  if (bounded_) {
    auto [v, c] = bounded_system_->solve(constant_v.cwiseQuotient(softness_), flat(moved));
    return {std::move(v), std::move(c)};
  }
  const Vector v = solve(-gaps_ - dual_.gaps(flat(moved)));
  return {v, v};
}

Vector InteriorSolver::solve(Vector right) const {
  for (Index j = held_; has_kernel() && j < right.size(); j += atoms_) right[j] = 0;
  Vector x = factors_.solve(right);
  x += factors_.solve(right - system_ * x);
  return x;
}

Vector InteriorSolver::softness() const {
  return now_.of_below.cwiseQuotient(now_.below) + now_.of_above.cwiseQuotient(now_.above);
}

std::optional<double> InteriorSolver::step(std::size_t number, RunAnswers& answers) {
  stiffness_ = now_.pi / (now_.reduced + temperature_);
  of_row_ = stiffness_.rowwise().sum();
  if (bounded_) softness_ = softness();
  if (number < answers.steps.size()) {
    StepAnswers known = answers.steps[number];
    return known.solvable ? std::optional{step(known, true)} : std::nullopt;
  }
  StepAnswers found{.solvable = factorise(), .directions = {}};
  std::optional<double> length;
  if (found.solvable) length = step(found, false);
  answers.steps.push_back(std::move(found));
  return length;
}

bool InteriorSolver::factorise() {
  if (bounded_) return bounded_system_->factorise(flat(stiffness_), softness_);
  system_ = dual_.expand(dual_.weighted_hessian(flat(stiffness_)));
  // Without bounds the sum of v over the atoms is of no meaning: 0 where most of the weight is.
  if (has_kernel()) hold_heaviest_atom();
  const Vector size = system_.diagonal().cwiseMax(vanishing);
  auto found = optimise::ridged_cholesky(system_, step_ridges, [&](double ridge) -> Vector {
    return system_.diagonal() + ridge * size;
  });
  if (found) factors_ = *std::move(found);
  return found.has_value();
}

void InteriorSolver::hold_heaviest_atom() {
  Index atom = 0;
  stiffness_.colwise().sum().maxCoeff(&atom);
  for (Index j = atom; j < system_.rows(); j += atoms_) {
    const double size = system_(j, j);
    system_.row(j).setZero();
    system_.col(j).setZero();
    system_(j, j) = std::max(size, vanishing);
  }
  held_ = atom;
}

double InteriorSolver::step(StepAnswers& answers, bool are_known) {
  if (!are_known) answers.directions.resize(2);
  Products wanted = towards(0);
  const InteriorState predictor = direction(wanted, answers.directions[0], are_known);
  if (!are_known) answers.centre = centre_behind(predictor);
  const double centre = answers.centre;
  wanted.of_pi += centre * static_cast<double>(count_) - predictor.pi * predictor.reduced;
  if (bounded_) {
    wanted.of_below.array() += centre - predictor.below.array() * predictor.of_below.array();
    wanted.of_above.array() += centre - predictor.above.array() * predictor.of_above.array();
  }
  InteriorState to = direction(wanted, answers.directions[1], are_known);
  if (!are_known) std::tie(answers.primal, answers.dual) = lengths(to, closest_to_bounds);
  if (are_known ? answers.directions.size() > 2
                : bounded_ && std::max(answers.primal, answers.dual) < short_step) {
    if (!are_known) answers.directions.emplace_back();
    to = direction(towards(products() / static_cast<double>(pairs())), answers.directions[2],
                   are_known);
    if (!are_known) std::tie(answers.primal, answers.dual) = lengths(to, closest_to_bounds);
  }
  move(to, answers.primal, answers.dual);
  return std::max(answers.primal, answers.dual);
}

InteriorSolver::Products InteriorSolver::towards(double centre) const {
  Products wanted{centre * static_cast<double>(count_) - now_.pi * now_.reduced, {}, {}};
  if (bounded_) {
    wanted.of_below = centre - now_.below.array() * now_.of_below.array();
    wanted.of_above = centre - now_.above.array() * now_.of_above.array();
  }
  return wanted;
}

double InteriorSolver::centre_behind(const InteriorState& predictor) const {
  const double before = products();
  const auto [far, far_dual] = lengths(predictor, 1);
  const double share = products_after(predictor, far, far_dual) / before;
  return share * share * share * before / static_cast<double>(pairs());
}

std::pair<double, double> InteriorSolver::lengths(const InteriorState& to, double share) const {
  const auto furthest = [](const auto& at, const auto& by) {
    double length = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < at.size(); ++i) {
      if (by.data()[i] < 0) length = std::min(length, -at.data()[i] / by.data()[i]);
    }
    return length;
  };
  double primal = furthest(now_.pi, to.pi), dual = furthest(now_.reduced, to.reduced);
  if (bounded_) {
    primal = std::min({primal, furthest(now_.below, to.below), furthest(now_.above, to.above)});
    dual = std::min(
        {dual, furthest(now_.of_below, to.of_below), furthest(now_.of_above, to.of_above)});
  }
  if (temperature_ > 0) primal = dual = std::min(primal, dual);
  return {std::min(1.0, share * primal), std::min(1.0, share * dual)};
}

double InteriorSolver::products_after(const InteriorState& to, double primal, double dual) const {
  double sum = ((now_.pi + primal * to.pi) * (now_.reduced + dual * to.reduced)).sum() /
               static_cast<double>(count_);
  if (bounded_) {
    sum += (now_.below + primal * to.below).dot(now_.of_below + dual * to.of_below) +
           (now_.above + primal * to.above).dot(now_.of_above + dual * to.of_above);
  }
  return sum;
}

void InteriorSolver::move(const InteriorState& to, double primal, double dual) {
  now_.pi += primal * to.pi;
  now_.row += dual * to.row;
  now_.reduced += dual * to.reduced;
  now_.v += dual * to.v;
  now_.c += dual * to.c;
  if (!bounded_) return;
  now_.below += primal * to.below;
  now_.above += primal * to.above;
  now_.of_below += dual * to.of_below;
  now_.of_above += dual * to.of_above;
  now_.v = now_.of_below - now_.of_above;
}

Vector InteriorSolver::synchronised() const {
  if (!bounded_) return now_.v;
  return now_.v + map_blocks(to_groups_, now_.c - centred(map_blocks(to_free_, now_.v)));
}

Vector InteriorSolver::multipliers() const {
  if (!bounded_) return now_.v;
  Vector v = now_.v;
  for (Index j = 0; j < v.size(); ++j) {
    if (std::min(now_.below[j], now_.above[j]) > binding * dual_.weight()[j]) v[j] = 0;
  }
  return v;
}

}  // namespace fairfront::regression
