#include "solvers/regression/optimum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/text.hpp"
#include "solvers/regression/free_tilts.hpp"
#include "solvers/regression/l1_quadratic.hpp"
#include "solvers/regression/merged_rows.hpp"

namespace fairfront::regression {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double sufficient_decrease = 1e-4;
constexpr double least_step = 1e-3;      ///< before curvature is added instead
constexpr double least_damping = 1e-13;  ///< relative to a bound on all curvatures
constexpr double most_damping = 10;
/// Times the tolerance: what keeps scores near the last ones where the dual is flat. At steps of
/// length 1000 it leaves as much of the tolerance.
constexpr double nearness = 1e-3;
constexpr double damping_factor = 16;
constexpr std::int64_t merged_into_one = 8;     ///< rows, for a problem whose optimum is near
constexpr std::int64_t least_merged = 50;       ///< rows of such a problem
constexpr double easy_beta = 4;                 ///< from a start of 0 without stages before
constexpr double stage_factor = 4;              ///< of beta from stage to stage
constexpr double stage_tolerance = 1e-2;        ///< of those before the last
constexpr double limit_stage_tolerance = 1e-3;  ///< of those on the way to beta = infinity
constexpr double near_the_gap = 100;            ///< gaps, from where on optima are exact
constexpr double gradient_of_gap = 1e-3;        ///< tolerance of exact ones
constexpr double least_gap = 1e-12;             ///< of a loss, rounding
constexpr double rounding = 1e-15;              ///< of the objective's value
constexpr double kept_bound = 1e-10;         ///< a gap that exceeds its bound by no more keeps it
constexpr double infeasible_beyond = 1e-12;  ///< rounding of a mean of tilts

void require(bool holds, std::string_view what, double value) {
  if (!holds) throw std::invalid_argument(fmt::format("{}, not {}", what, value));
}

/// The point of a run with what is known there.
struct Point {
  Vector v;
  ParityDual::Evaluation at;
  double objective = 0;
  Vector subgradient;
  double norm = 0;
};

class ProximalNewton {
 public:
  /// In the coordinates of the dual, or in those of other blocks that it was mapped from.
  /// @param to_blocks  shape (blocks of the dual, those blocks); empty: none.
  /// @param to_others  its inverse or pseudoinverse, shape (those blocks, blocks of the dual).
  ProximalNewton(const ParityDual& dual, double beta, const OptimumOptions& options,
                 Matrix to_blocks = {}, const Matrix& to_others = {})
      : dual_{dual},
        beta_{beta},
        options_{options},
        to_blocks_{std::move(to_blocks)},
        curvature_{beta * dual.curvature_bound()} {
    const Matrix length = to_blocks_.size() > 0
                              ? Matrix(to_others.transpose() * to_others)
                              : Matrix::Identity(dual.free_blocks(), dual.free_blocks());
    nearness_ = dual.in_every_atom(nearness * options.tolerance * length);
  }

  Optimum run(const Vector& start, const solvers::Control& control) {
    solvers::Heartbeat heartbeat(control);
    Point now = point(start);
    std::int64_t iterations = 0;
    while (now.norm > options_.tolerance && iterations < options_.max_iterations) {
      heartbeat.beat();
      ++iterations;
      if (!step(now)) break;
    }
    return {beta_,      now.v,       now.objective, now.norm, now.norm <= options_.tolerance,
            iterations, evaluations_};
  }

  /// A point that was found by other means, in as many steps.
  Optimum at(const Vector& v, const Optimum& found) {
    const Point there = point(v);
    return {beta_,
            there.v,
            there.objective,
            there.norm,
            there.norm <= options_.tolerance,
            found.iterations,
            found.evaluations + evaluations_};
  }

 private:
  Point point(Vector v) {
    Point result;
    dual_.shorten(v);
    result.v = std::move(v);
    evaluate(result);
    return result;
  }

  void evaluate(Point& p) {
    dual_.evaluate(p.v, beta_, p.at);
    ++evaluations_;
    p.objective = p.at.value + dual_.weight().dot(p.v.cwiseAbs());
    p.subgradient = shortest_subgradient(p.v, p.at.gradient, dual_.weight());
    p.norm = to_blocks_.size() > 0 ? map_blocks(to_blocks_.transpose(), p.subgradient).norm()
                                   : p.subgradient.norm();
  }

  /// One accepted step. False if rounding lets none pass.
  bool step(Point& now) {
    const Matrix hessian = dual_.free_hessian(now.v, beta_, now.at);
    const auto shorten = [this](Vector& v) { dual_.shorten(v); };
    const double inner = std::min(0.1, now.norm) * now.norm + 0.1 * options_.tolerance;
    for (; damping_ <= most_damping; damping_ *= damping_factor) {
      const Matrix damped = hessian + nearness_ + damping_ * curvature_;
      const Vector target = minimise_l1_quadratic(dual_.expand(damped), now.at.gradient,
                                                  dual_.weight(), now.v, inner, shorten);
      const double length = search(now, target - now.v);
      if (length == 0) continue;
      if (length == 1) damping_ = std::max(damping_ / damping_factor, least_damping);
      return true;
    }
    damping_ = least_damping;
    return false;
  }

  /// The length of the step that was made, 0 if none from 1 to least_step lowers the objective.
  double search(Point& now, const Vector& direction) {
    const double promised = now.at.gradient.dot(direction) +
                            dual_.weight().dot((now.v + direction).cwiseAbs() - now.v.cwiseAbs());
    for (double length = 1; length >= least_step; length /= 4) {
      trial_.v = now.v + length * direction;
      dual_.shorten(trial_.v);
      evaluate(trial_);
      const double change = trial_.objective - now.objective;
      const double noise = rounding * (1 + std::abs(now.objective));
      // Where the value no longer tells, the gradient does.
      const bool accept = change <= sufficient_decrease * length * promised - noise ||
                          (change <= 4 * noise && trial_.norm < 0.9 * now.norm);
      if (!accept) continue;
      std::swap(now, trial_);
      return length;
    }
    return 0;
  }

  const ParityDual& dual_;
  double beta_;
  OptimumOptions options_;
  Matrix to_blocks_, curvature_, nearness_;
  std::int64_t evaluations_ = 0;
  double damping_ = least_damping;
  Point trial_;
};

/// Whether penalties are below what the tolerance of the subgradient sees.
bool costs_nothing(const ParityDual& dual, const OptimumOptions& options) {
  return dual.weight().norm() <= std::max(0.01 * options.tolerance, options.no_penalty);
}

/// From a start. Without penalties the problem is smooth, and solved in coordinates in which it is
/// well conditioned.
Optimum minimise_from(const ParityDual& dual, double beta, const OptimumOptions& options,
                      const Vector& start, const solvers::Control& control) {
  if (!costs_nothing(dual, options)) {
    return ProximalNewton(dual, beta, options).run(start, control);
  }
  const FreeTilts free = free_tilts(dual.rows(), dual.kept_groups());
  if (free.rank() == 0) return ProximalNewton(dual, beta, options).at(0 * start, {});
  const ParityDual smooth(free.rows, dual.grid(), dual.bound(),
                          std::vector<double>(static_cast<std::size_t>(free.rank()), 0.0));
  const OptimumOptions inner{0.5 * options.tolerance, options.max_iterations};
  const Optimum found = ProximalNewton(smooth, beta, inner, free.to_free, free.to_groups)
                            .run(map_blocks(free.to_free, start), control);
  return ProximalNewton(dual, beta, options).at(map_blocks(free.to_groups, found.v), found);
}

/// Optima for one beta after another. Each starts from the last, continued as linear in 1 / beta.
class Path {
 public:
  Path(const ParityDual& dual, Vector start) : dual_{dual}, start_{std::move(start)} {}

  /// With the iterations and evaluations of all stages so far. The first stage starts from nothing
  /// as minimise_dual() does, if no start was given.
  const Optimum& advance(double beta, const OptimumOptions& options,
                         const solvers::Control& control) {
    Vector from = stages_ > 0 ? optimum_.v : start_;
    if (stages_ > 1) {
      const double share = (1 / beta - 1 / optimum_.beta) / (1 / optimum_.beta - 1 / before_.beta);
      from += share * (optimum_.v - before_.v);
    }
    before_ = std::move(optimum_);
    optimum_ = from.size() > 0 ? minimise_from(dual_, beta, options, from, control)
                               : minimise_dual(dual_, beta, options, {}, control);
    optimum_.iterations += before_.iterations;
    optimum_.evaluations += before_.evaluations;
    ++stages_;
    return optimum_;
  }
  /// The last two optima, continued as linear in 1 / beta to where that is 0.
  [[nodiscard]] Vector at_infinity() const {
    if (stages_ < 2) return optimum_.v;
    return optimum_.v + (optimum_.v - before_.v) / (optimum_.beta / before_.beta - 1);
  }
  [[nodiscard]] std::int64_t stages() const { return stages_; }

 private:
  const ParityDual& dual_;
  Vector start_;
  Optimum optimum_, before_;
  std::int64_t stages_ = 0;
};

/// The dual of the linear program (3) at v: no prediction within the bounds has a smaller risk.
double lower_bound(const ParityDual& dual, const Vector& v) {
  return -(dual.limit(v) + dual.weight().dot(v.cwiseAbs()));
}

bool close_enough(double upper, double lower, const LimitOptions& options) {
  const double gap = upper - lower;
  return gap <= options.gap && gap <= std::max(options.relative_gap * upper, least_gap);
}

void check_feasible(const ParityDual& dual) {
  if (const auto found = infeasibility(dual)) {
    throw std::domain_error(
        describe(*found, dual.epsilon()[static_cast<std::size_t>(found->group)]));
  }
}

/// Of a prediction within the bounds: what its gaps use of them, and its risk.
struct Inside {
  std::vector<double> used;  ///< shape (K,): the same for all atoms
  double risk = 0;
};

Inside prediction_inside(const ParityDual& dual) {
  const PredictedRows& rows = dual.rows();
  const std::vector<double> atoms = dual.grid().values();
  Inside result{least_epsilon(rows, dual.grid()), 0};
  std::vector<double> risks(atoms.size(), 0.0);
  for (const double eta : rows.eta) {
    for (std::size_t l = 0; l < atoms.size(); ++l) {
      risks[l] += (eta - atoms[l]) * (eta - atoms[l]) / static_cast<double>(rows.rows());
    }
  }
  if (dual.bound() == ParityBound::cumulative) {
    const auto best = std::ranges::min_element(risks);
    result.risk = *best;
    // A constant's gaps are 0 below it and E t_s from there on.
    const double all = best == risks.end() - 1 ? 0 : static_cast<double>(atoms.size());
    for (double& used : result.used) used *= all;
    return result;
  }
  for (const double risk : risks) result.risk += risk / static_cast<double>(atoms.size());
  return result;
}

}  // namespace

std::optional<Infeasibility> infeasibility(const ParityDual& dual) {
  if (dual.bound() == ParityBound::cumulative) return std::nullopt;
  const std::vector<double> least = least_epsilon(dual.rows(), dual.grid());
  for (std::size_t s = 0; s < least.size(); ++s) {
    if (dual.epsilon()[s] < least[s] - infeasible_beyond) {
      return Infeasibility{static_cast<std::int64_t>(s), least[s]};
    }
  }
  return std::nullopt;
}

std::string describe(const Infeasibility& what, double epsilon) {
  return fmt::format(
      "group {}: epsilon = {} is infeasible, no prediction is below {} on these rows: the dual "
      "falls without end where all multipliers of the group grow together",
      what.group, base::format_double(epsilon), base::format_double(what.least_epsilon));
}

Optimum minimise_dual(const ParityDual& dual, double beta, const OptimumOptions& options,
                      const Vector& start, const solvers::Control& control) {
  require(std::isfinite(beta) && beta > 0, "minimise_dual: beta must be > 0", beta);
  require(options.tolerance > 0, "OptimumOptions::tolerance must be > 0", options.tolerance);
  require(options.max_iterations >= 1, "OptimumOptions::max_iterations must be >= 1",
          static_cast<double>(options.max_iterations));
  require(start.size() == 0 || start.size() == dual.size(), "minimise_dual: size of the start",
          static_cast<double>(start.size()));
  check_feasible(dual);
  if (start.size() > 0) return minimise_from(dual, beta, options, start, control);
  if (dual.rows().rows() >= merged_into_one * least_merged) {
    const PredictedRows fewer = merged_rows(dual.rows(), dual.rows().rows() / merged_into_one);
    const ParityDual near(fewer, dual.grid(), dual.bound(),
                          {dual.epsilon().begin(), dual.epsilon().end()});
    const OptimumOptions rough{std::max(stage_tolerance, options.tolerance), options.max_iterations,
                               options.no_penalty};
    const Optimum found = minimise_dual(near, beta, rough, {}, control);
    return minimise_from(dual, beta, options, found.v, control);
  }
  // Large betas are hard from afar: their Newton steps are right in a neighbourhood of size 1/beta.
  double first = beta;
  while (first > easy_beta) first /= stage_factor;
  Path path(dual, Vector::Zero(dual.size()));
  for (double stage = first; stage < beta; stage *= stage_factor) {
    path.advance(
        stage,
        {std::max(stage_tolerance, options.tolerance), options.max_iterations, options.no_penalty},
        control);
  }
  return path.advance(beta, options, control);
}

Certificate certify(const ParityDual& dual, const Vector& v, double beta) {
  ParityDual::Evaluation at;
  dual.evaluate(v, beta, at);
  Certificate result;
  result.lower = lower_bound(dual, v);
  result.risk = at.risk;
  const Inside inside = prediction_inside(dual);
  const Index of_block = dual.size() / dual.blocks();
  for (Index j = 0; j < dual.size(); ++j) {
    const double excess = std::abs(at.gradient[j]) - dual.weight()[j];
    result.excess = std::max(result.excess, excess);
    if (excess <= kept_bound) continue;
    const auto group = static_cast<std::size_t>(dual.group_of_block(j / of_block));
    const double room = std::max(dual.weight()[j] - inside.used[group], 0.0);
    result.share = std::max(result.share, excess / (excess + room));
  }
  result.upper = (1 - result.share) * at.risk + result.share * inside.risk;
  return result;
}

Limit minimise_limit(const ParityDual& dual, const LimitOptions& options, const Vector& start,
                     const solvers::Control& control) {
  require(options.gap > 0, "LimitOptions::gap must be > 0", options.gap);
  require(options.relative_gap > 0, "LimitOptions::relative_gap must be > 0", options.relative_gap);
  require(options.first_beta > 0, "LimitOptions::first_beta must be > 0", options.first_beta);
  require(options.factor > 1, "LimitOptions::factor must be > 1", options.factor);
  require(options.max_iterations >= 1, "LimitOptions::max_iterations must be >= 1",
          static_cast<double>(options.max_iterations));
  require(options.last_beta >= options.first_beta, "LimitOptions::last_beta must be >= first_beta",
          options.last_beta);
  check_feasible(dual);
  Limit result;
  Path path(dual, start);
  double lower = -std::numeric_limits<double>::infinity();
  // On the way it is enough to stay near the optima. A certificate asks for a gradient far below
  // its gap.
  OptimumOptions inner{limit_stage_tolerance, options.max_iterations, 0.3 * options.gap};
  for (double beta = options.first_beta;;
       beta = std::min(beta * options.factor, options.last_beta)) {
    const bool last = beta >= options.last_beta;
    if (last) inner.tolerance = gradient_of_gap * options.gap;
    result.optimum = path.advance(beta, inner, control);
    result.certificate = certify(dual, result.optimum.v, beta);
    lower = std::max({lower, result.certificate.lower, lower_bound(dual, path.at_infinity())});
    result.certificate.lower = lower;
    result.converged = close_enough(result.certificate.upper, lower, options);
    if (result.converged || last || result.optimum.iterations >= options.max_iterations) break;
    if (result.certificate.risk - lower <= near_the_gap * options.gap) {
      inner.tolerance = gradient_of_gap * options.gap;
    }
    inner.max_iterations = options.max_iterations - result.optimum.iterations;
  }
  result.stages = path.stages();
  return result;
}

}  // namespace fairfront::regression
