#include "solvers/regression/optimum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "solvers/common/stages.hpp"
#include "solvers/regression/balanced_path.hpp"
#include "solvers/regression/free_tilts.hpp"
#include "solvers/regression/interior_point.hpp"
#include "solvers/regression/merged_rows.hpp"
#include "solvers/regression/optimum_state.hpp"
#include "solvers/regression/proximal_newton.hpp"

namespace fairfront::regression {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr std::int64_t merged_into_one = 8;     ///< rows, for a problem whose optimum is near
constexpr std::int64_t least_merged = 50;       ///< rows of such a problem
constexpr double easy_beta = 4;                 ///< from a start of 0 without stages before
constexpr double stage_factor = 4;              ///< of beta from stage to stage
constexpr double stage_tolerance = 1e-2;        ///< of those before the last
constexpr double limit_stage_tolerance = 1e-3;  ///< of those on the way to beta = infinity
constexpr double near_the_gap = 100;            ///< gaps, from where on optima are exact
constexpr double gradient_of_gap = 1e-3;        ///< tolerance of exact ones
constexpr double least_gap = 1e-12;             ///< of a loss, rounding
constexpr double largest_gap = 1e-3;  ///< that is aimed at: beyond it no step would be worth making
constexpr std::int64_t most_interior = 1 << 23;  ///< probabilities, for interior points
constexpr std::int64_t many_blocks = 4;          ///< of which interior points need fewer steps
constexpr std::int64_t newton_alone = 20;        ///< steps, before an interior point is looked for
constexpr std::int64_t newton_after = 15;        ///< steps, from an interior point
constexpr std::int64_t before_loosening = 24;    ///< steps
constexpr double never_a_penalty = 1e-4;         ///< norm of epsilons, relative to the gap
constexpr std::int64_t probed = 6;               ///< steps that show the size of multipliers
constexpr double share_of_gap = 0.1;             ///< that the linear program's solution takes
constexpr double first_of_path = 64;             ///< beta
constexpr double factor_of_path = 4;
constexpr double interior_tolerance = 1e-10;
constexpr double most_loosened = 1e-8;  ///< epsilon, of whose bounds 1e-10 is a part
constexpr double loosening = 0.9 * kept_bound;
constexpr double share_of_tilts = 0.02;  ///< of the tolerance, that directions left out may take
constexpr double share_of_gaps = 0.1;    ///< of the tolerance, to which the gaps of these are met
constexpr double share_of_bounds = 0.7;  ///< of the tolerance, that looser bounds may take

void require(bool holds, std::string_view what, double value) {
  if (!holds) throw std::invalid_argument(fmt::format("{}, not {}", what, value));
}

/// Whether penalties are below what the tolerance of the subgradient sees.
bool costs_nothing(const ParityDual& dual, const OptimumOptions& options) {
  return dual.weight().norm() <= std::max(0.01 * options.tolerance, options.no_penalty);
}

/// Evaluations of single rows in so many passes over all of them.
std::int64_t of_passes(const ParityDual& dual, std::int64_t passes) {
  return passes * dual.rows().rows();
}

FreeTilts free_tilts_of(const ParityDual& dual, std::span<const std::int64_t> groups,
                        const OptimumOptions& options) {
  return free_tilts(dual.rows(), groups,
                    std::min(negligible_tilt, share_of_tilts * options.tolerance));
}

/// From a start. Without penalties the problem is smooth, and solved in coordinates in which it is
/// well conditioned.
Optimum minimise_from(const ParityDual& dual, double beta, const OptimumOptions& options,
                      const Vector& start, const solvers::Control& control) {
  if (!costs_nothing(dual, options)) {
    return ProximalNewton(dual, beta, options).run(start, control);
  }
  const FreeTilts free = free_tilts_of(dual, dual.kept_groups(), options);
  if (free.rank() == 0) return ProximalNewton(dual, beta, options).at(0 * start, {});
  const ParityDual smooth(free.rows, dual.grid(), dual.bound(),
                          std::vector<double>(static_cast<std::size_t>(free.rank()), 0.0));
  const OptimumOptions inner{0.5 * options.tolerance, options.max_iterations};
  const Optimum found = ProximalNewton(smooth, beta, inner, free.to_free, free.to_groups)
                            .run(map_blocks(free.to_free, start), control);
  return ProximalNewton(dual, beta, options).at(map_blocks(free.to_groups, found.v), found);
}

/// Whether what was kept is an optimum of so many unknowns.
auto of_unknowns(std::int64_t size) {
  return [size](const Optimum& kept) { return kept.v.size() == size; };
}

/// As a stage of a run.
Optimum minimise_from(const ParityDual& dual, double beta, const OptimumOptions& options,
                      const Vector& start, solvers::Stages& stages) {
  return stages.next(
      [&](const solvers::Control& control) {
        return minimise_from(dual, beta, options, start, control);
      },
      of_unknowns(dual.size()));
}

/// Optima for one beta after another. Each starts from the last, continued as linear in 1 / beta.
class Path {
 public:
  Path(const ParityDual& dual, Vector start) : dual_{dual}, start_{std::move(start)} {}
  /// With the iterations and evaluations of all stages so far. The first stage starts from nothing
  /// as minimise_dual() does, if no start was given.
  const Optimum& advance(double beta, const OptimumOptions& options, solvers::Stages& stages) {
    Vector from = stages_ > 0 ? optimum_.v : start_;
    if (stages_ > 1) {
      const double share = (1 / beta - 1 / optimum_.beta) / (1 / optimum_.beta - 1 / before_.beta);
      from += share * (optimum_.v - before_.v);
    }
    before_ = std::move(optimum_);
    optimum_ = minimise_from(dual_, beta, options, from, stages);
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

/// A lower end above the upper one by more than the gap asked for is no certificate either:
/// rounding has lost one of them.
bool close_enough(double upper, double lower, const LimitOptions& options) {
  const double gap = std::abs(upper - lower);
  return gap <= options.gap && gap <= std::max(options.relative_gap * upper, least_gap);
}

void check_feasible(const ParityDual& dual) {
  if (const auto found = infeasibility(dual)) {
    throw std::domain_error(
        describe(*found, dual.epsilon()[static_cast<std::size_t>(found->group)]));
  }
}

/// Whether an interior point's tables fit into memory.
bool few_probabilities(const ParityDual& dual, std::int64_t most = most_interior) {
  return dual.rows().rows() * dual.grid().atoms() <= most;
}

InteriorPoint inside_point(const ParityDual& dual, double beta, const OptimumOptions& options,
                           solvers::Stages& stages) {
  return interior_point(dual,
                        {beta, interior_tolerance, options.max_iterations,
                         std::max(0.01 * options.tolerance, options.no_penalty)},
                        stages);
}

/// The proximal Newton steps that make an interior point for a finite beta an optimum.
Optimum newton_from(const InteriorPoint& inside, const ParityDual& dual, double beta,
                    const OptimumOptions& options, solvers::Stages& stages) {
  OptimumOptions rest = options;
  rest.max_iterations =
      std::clamp<std::int64_t>(options.max_iterations - inside.steps, 1, newton_after);
  Optimum found = minimise_from(dual, beta, rest, inside.active, stages);
  if (!found.converged) {
    Optimum as_it_is = ProximalNewton(dual, beta, options).at(inside.v, found);
    found.evaluations = as_it_is.evaluations;
    if (as_it_is.gradient_norm < found.gradient_norm) found = std::move(as_it_is);
  }
  found.iterations += inside.steps;
  found.evaluations += of_passes(dual, inside.steps);
  return found;
}

/// With the steps of both.
Optimum better_of(Optimum found, Optimum other) {
  const std::int64_t iterations = found.iterations + other.iterations;
  const std::int64_t evaluations = found.evaluations + other.evaluations;
  if (other.gradient_norm < found.gradient_norm) found = std::move(other);
  found.iterations = iterations;
  found.evaluations = evaluations;
  return found;
}

/// The same blocks with bounds that are looser by so much; nothing where other groups' bounds would
/// then follow from the rest.
std::optional<ParityDual> loosened(const ParityDual& dual, double by) {
  std::vector<double> epsilon(dual.epsilon().begin(), dual.epsilon().end());
  double sum = 0;
  for (const std::int64_t group : dual.kept_groups()) {
    const auto s = static_cast<std::size_t>(group);
    epsilon[s] += by;
    sum += epsilon[s] * dual.rows().shares[s];
  }
  // The group that is left out must stay that whose bound follows from the others.
  for (std::size_t s = 0; s < epsilon.size(); ++s) {
    if (std::ranges::find(dual.kept_groups(), static_cast<std::int64_t>(s)) !=
        dual.kept_groups().end()) {
      continue;
    }
    epsilon[s] = std::max(epsilon[s], 2 * sum / dual.rows().shares[s]);
  }
  std::optional<ParityDual> result(std::in_place, dual.rows(), dual.grid(), dual.bound(),
                                   std::move(epsilon));
  if (!std::ranges::equal(result->kept_groups(), dual.kept_groups())) result.reset();
  return result;
}

/// The free tilts of all groups but the one that a dual has a block of although its tilts follow
/// from the others', which has multipliers of 0.
FreeTilts fewest_tilts(const ParityDual& dual, const OptimumOptions& options) {
  const std::vector<double>& p = dual.rows().shares;
  const std::int64_t largest = std::ranges::max_element(p) - p.begin();
  std::vector<std::int64_t> groups(dual.kept_groups().begin(), dual.kept_groups().end());
  if (dual.free_blocks() == dual.blocks()) return free_tilts_of(dual, groups, options);
  const auto at = std::ranges::find(groups, largest) - groups.begin();
  groups.erase(groups.begin() + at);
  FreeTilts result = free_tilts_of(dual, groups, options);
  const Index rank = result.rank();
  Matrix to_free(rank, dual.blocks()), to_groups = Matrix::Zero(dual.blocks(), rank);
  if (rank == 0) return {std::move(result.rows), std::move(to_free), std::move(to_groups)};
  to_free.col(at).setZero();
  for (Index k = 0; k < std::ssize(groups); ++k) {
    const Index block = k < at ? k : k + 1;
    const auto group = static_cast<std::size_t>(groups[static_cast<std::size_t>(k)]);
    to_free.col(block) = result.to_free.col(k);
    to_free.col(at) -= p[group] / p[static_cast<std::size_t>(largest)] * result.to_free.col(k);
    to_groups.row(block) = result.to_groups.row(k);
  }
  result.to_free = std::move(to_free);
  result.to_groups = std::move(to_groups);
  return result;
}

/// Where tilts nearly depend on each other the multipliers that keep gaps of 0 may be so large that
/// rounding leaves more than the tolerance. Those of bounds that are looser by what the tolerance
/// does not see are smaller by orders of magnitude: an interior point says which gaps these bounds
/// leave, and Newton steps in coordinates that are well conditioned find the multipliers of them.
Optimum minimise_loosened(const ParityDual& dual, const ParityDual& looser, double beta,
                          const OptimumOptions& options, solvers::Stages& stages) {
  const InteriorPoint inside = inside_point(looser, beta, options, stages);
  const FreeTilts free = fewest_tilts(dual, options);
  ProximalNewton asked(dual, beta, options);
  if (free.rank() == 0) return asked.at(inside.basic, {});
  const ParityDual smooth(free.rows, dual.grid(), dual.bound(),
                          std::vector<double>(static_cast<std::size_t>(free.rank()), 0.0));
  const OptimumOptions inner{share_of_gaps * options.tolerance, newton_after};
  ProximalNewton newton(smooth, beta, inner, free.to_free, free.to_groups);
  newton.aim_at(map_blocks(free.to_groups.transpose(), inside.gaps));
  const Optimum found = stages.next(
      [&](const solvers::Control& control) {
        return newton.run(map_blocks(free.to_free, inside.basic), control);
      },
      of_unknowns(smooth.size()));
  Optimum best = asked.at(map_blocks(free.to_groups, found.v), found);
  const Optimum as_it_is = asked.at(inside.basic, best);
  best.evaluations = as_it_is.evaluations;
  if (as_it_is.gradient_norm < best.gradient_norm) best = as_it_is;
  best.iterations += inside.steps;
  best.evaluations += of_passes(dual, inside.steps);
  if (best.converged) return best;
  // Those of which some are 0 may be smaller.
  OptimumOptions rest{(1 - share_of_bounds) * options.tolerance, newton_after};
  const Optimum other = minimise_from(looser, beta, rest, inside.active, stages);
  return better_of(std::move(best), asked.at(other.v, other));
}

Optimum minimise_from_inside(const ParityDual& dual, double beta, const OptimumOptions& options,
                             solvers::Stages& stages) {
  const double size = std::sqrt(static_cast<double>(dual.size()));
  const auto looser = dual.weight().norm() <= options.tolerance
                          ? loosened(dual, share_of_bounds * options.tolerance / size)
                          : std::optional<ParityDual>{};
  OptimumOptions rest = options;
  if (looser) {
    rest.max_iterations = std::min(options.max_iterations, before_loosening);
  }
  Optimum found = newton_from(inside_point(dual, beta, rest, stages), dual, beta, rest, stages);
  const auto wants_more = [&] {
    rest.max_iterations = options.max_iterations - found.iterations;
    return !found.converged && rest.max_iterations > 0;
  };
  if (wants_more() && looser) {
    found = better_of(std::move(found), minimise_loosened(dual, *looser, beta, rest, stages));
  }
  if (wants_more() && !looser) {
    rest.max_iterations = std::min(rest.max_iterations, newton_after);
    Optimum careful = stages.next(
        [&](const solvers::Control& control) {
          return ProximalNewton(dual, beta, rest).run_carefully(found.v, control);
        },
        of_unknowns(dual.size()));
    found = better_of(std::move(found), std::move(careful));
  }
  return found;
}

Optimum minimise_patiently(const ParityDual& dual, double beta, const OptimumOptions& options,
                           const Vector& start, const solvers::Control& control);

/// By proximal Newton steps alone.
Optimum by_newton(const ParityDual& dual, double beta, const OptimumOptions& options,
                  const Vector& start, solvers::Stages& stages) {
  if (start.size() > 0) return minimise_from(dual, beta, options, start, stages);
  if (dual.rows().rows() >= merged_into_one * least_merged) {
    const OptimumOptions rough{std::max(stage_tolerance, options.tolerance), options.max_iterations,
                               options.no_penalty};
    const Optimum found = stages.next(
        [&](const solvers::Control& control) {
          const PredictedRows fewer =
              merged_rows(dual.rows(), dual.rows().rows() / merged_into_one);
          const ParityDual near(fewer, dual.grid(), dual.bound(),
                                {dual.epsilon().begin(), dual.epsilon().end()});
          return minimise_patiently(near, beta, rough, {}, control);
        },
        of_unknowns(dual.size()));
    Optimum of_all = minimise_from(dual, beta, options, found.v, stages);
    of_all.evaluations += found.evaluations;
    return of_all;
  }
  // Large betas are hard from afar: their Newton steps are right in a neighbourhood of size 1/beta.
  double first = beta;
  while (first > easy_beta) first /= stage_factor;
  Path path(dual, Vector::Zero(dual.size()));
  OptimumOptions rough{std::max(stage_tolerance, options.tolerance), options.max_iterations,
                       options.no_penalty};
  OptimumOptions last = options;
  for (double stage = first; stage < beta; stage *= stage_factor) {
    const std::int64_t left =
        options.max_iterations - path.advance(stage, rough, stages).iterations;
    rough.max_iterations = last.max_iterations = std::max<std::int64_t>(left, 1);
  }
  return path.advance(beta, last, stages);
}

/// What is sure to come to an end, if any method is: by proximal Newton steps or, where these are
/// not enough or there are many groups, from an interior point.
Optimum minimise_patiently(const ParityDual& dual, double beta, const OptimumOptions& options,
                           const Vector& start, const solvers::Control& control) {
  const bool small = few_probabilities(dual);
  solvers::Stages stages(control, "parity optimum 5\n");
  Optimum found;
  if (!small || start.size() > 0 || dual.free_blocks() < many_blocks) {
    OptimumOptions brief = options;
    if (small) brief.max_iterations = std::min(options.max_iterations, newton_alone);
    found = by_newton(dual, beta, brief, start, stages);
    if (found.converged || found.iterations >= options.max_iterations) return found;
  }
  OptimumOptions rest = options;
  rest.max_iterations = std::max<std::int64_t>(options.max_iterations - found.iterations, 1);
  Optimum polished = minimise_from_inside(dual, beta, rest, stages);
  polished.iterations += found.iterations;
  polished.evaluations += found.evaluations;
  return polished;
}

/// first_beta, factor times that, and so on, up to last_beta.
std::vector<double> betas_of(const LimitOptions& options) {
  std::vector<double> betas{options.first_beta};
  while (betas.back() < options.last_beta) {
    betas.push_back(std::min(betas.back() * options.factor, options.last_beta));
  }
  return betas;
}

/// The linear program's own dual by an interior point, which bounds from below; and the softmax of
/// the least of a few betas that is near enough to it.
class LimitFromInside {
 public:
  /// @param asked  of the same blocks, whose bounds the prediction is to keep: the dual itself, or
  ///               where that has looser ones, which bound the least risk from below all the more.
  LimitFromInside(const ParityDual& dual, const ParityDual& asked, const LimitOptions& options,
                  solvers::Stages& stages)
      : dual_{dual}, asked_{asked}, options_{options}, stages_{stages}, betas_{betas_of(options)} {}

  /// Up to the first beta whose softmax exceeds the bounds. Not even to that where bounds that a
  /// looser problem would not see turn out to cost something.
  Limit run_briefly() {
    is_brief_ = true;
    return run();
  }
  Limit run() {
    result_.certificate.upper = std::numeric_limits<double>::infinity();
    const std::size_t tried = solve_linear_program() ? betas_.size() : 0;
    for (std::size_t k = 0; k < tried; ++k) {
      const InteriorPoint inside = path_->softmax(betas_[k], interior_tolerance, left(), stages_);
      count(inside);
      ++result_.stages;
      double share = consider(inside.v, betas_[k], inside.pi);
      // Of the same scores the multipliers with the least rounding.
      if (!result_.converged && share > 0) {
        share = std::min(share, consider(inside.basic, betas_[k], inside.pi));
      }
      if (is_brief_ && !result_.converged && share > 0) break;
      // Newton's method helps where the bounds are not kept, not where beta is too small.
      const bool last = k + 1 == tried;
      if (last && !result_.converged && share > 0) {
        const Optimum polished =
            minimise_from(dual_, betas_[k], newton_options(), inside.active, stages_);
        steps_ += polished.iterations;
        evaluations_ += polished.evaluations;
        consider(polished, inside.pi);
      }
      if (result_.converged || steps_ >= options_.max_iterations) break;
    }
    result_.optimum.iterations = steps_;
    result_.optimum.evaluations = evaluations_;
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::int64_t left() const {
    return std::max<std::int64_t>(options_.max_iterations - steps_, 1);
  }
  void count(const InteriorPoint& inside) {
    steps_ += inside.steps;
    evaluations_ += of_passes(dual_, inside.steps);
  }
  [[nodiscard]] OptimumOptions newton_options() const {
    return {gradient_of_gap * options_.gap, std::min(left(), newton_after), no_penalty_};
  }

  /// Epsilons that cost nothing are taken for 0, whose problem is smooth; what they cost is known
  /// when that is solved, and nearly so after a few steps. Whether to go on from there.
  bool solve_linear_program() {
    no_penalty_ = 0.3 * options_.gap;
    const double size = dual_.weight().norm();
    if (size <= no_penalty_ && size > never_a_penalty * options_.gap) {
      const InteriorPoint near = interior_point(
          dual_, {std::numeric_limits<double>::infinity(), options_.gap, probed, no_penalty_},
          stages_);
      count(near);
      if (penalty(near.v) > options_.gap) no_penalty_ = 0;
    }
    search();
    if (size > no_penalty_ || penalty(path_->end().v) <= 0.1 * options_.gap) return true;
    if (is_brief_ && dual_.weight().maxCoeff() <= loosening) return false;
    no_penalty_ = 0;
    search();
    return true;
  }
  [[nodiscard]] double penalty(const Vector& v) const { return dual_.weight().dot(v.cwiseAbs()); }
  void search() {
    path_.emplace(dual_, no_penalty_, betas_, share_of_gap * options_.gap, left(), stages_);
    const InteriorPoint& end = path_->end();
    count(end);
    lower_ = std::max({lower_, lower_bound(dual_, end.v), lower_bound(dual_, end.active)});
  }

  /// The best softmax so far; returns the certificate's share.
  double consider(const Vector& v, double beta, std::span<const double> pi) {
    const Optimum found = ProximalNewton(dual_, beta, newton_options()).at(v, {});
    evaluations_ += found.evaluations;
    return consider(found, pi);
  }
  double consider(const Optimum& found, std::span<const double> pi) {
    const Certificate certificate =
        stages_.next([&] { return certify(asked_, found.v, found.beta, Excess::moved, pi); },
                     solvers::any_answer);
    lower_ = std::max(lower_, lower_bound(dual_, found.v));
    if (!(certificate.upper >= result_.certificate.upper)) {
      result_.optimum = found;
      result_.certificate = certificate;
    }
    result_.certificate.lower = lower_;
    result_.converged = close_enough(result_.certificate.upper, lower_, options_);
    return certificate.share;
  }

  const ParityDual& dual_;
  const ParityDual& asked_;
  const LimitOptions& options_;
  solvers::Stages& stages_;
  std::vector<double> betas_;
  bool is_brief_ = false;
  std::optional<InteriorPath> path_;
  double no_penalty_ = 0;
  double lower_ = -std::numeric_limits<double>::infinity();
  std::int64_t steps_ = 0, evaluations_ = 0;
  Limit result_;
};

/// Where multipliers are so large that rounding leaves nothing of a certificate: those of bounds
/// that are looser by a part of what counts as kept are smaller by orders of magnitude.
Limit limit_from_betas(const ParityDual& dual, const LimitOptions& options,
                       solvers::Stages& stages) {
  const auto looser = dual.weight().maxCoeff() <= most_loosened ? loosened(dual, loosening)
                                                                : std::optional<ParityDual>{};
  if (!looser) return LimitFromInside(dual, dual, options, stages).run();
  Limit found;
  found.certificate.upper = std::numeric_limits<double>::infinity();
  std::int64_t steps = 0, evaluations = 0;
  const auto consider = [&](Limit other) {
    steps += other.optimum.iterations;
    evaluations += other.optimum.evaluations;
    if (other.converged || std::abs(other.certificate.gap()) < std::abs(found.certificate.gap())) {
      found = std::move(other);
    }
  };
  // Bounds that are a small part of that, and not 0, are dear to keep by themselves.
  const bool small = dual.weight().maxCoeff() <= loosening && dual.weight().maxCoeff() > 0;
  const bool tiny = small && dual.weight().norm() > never_a_penalty * options.gap;
  if (!tiny) consider(LimitFromInside(dual, dual, options, stages).run_briefly());
  if (!found.converged) consider(LimitFromInside(*looser, dual, options, stages).run());
  if (!found.converged && small) consider(LimitFromInside(dual, dual, options, stages).run());
  const Optimum as_asked =
      ProximalNewton(dual, found.optimum.beta, {}).at(found.optimum.v, found.optimum);
  found.optimum.value = as_asked.value;
  found.optimum.gradient_norm = as_asked.gradient_norm;
  found.optimum.iterations = steps;
  found.optimum.evaluations = evaluations;
  return found;
}

/// Where rows and atoms are few, a group of equal rows may lie between two atoms: then no softmax
/// of a large beta keeps the bounds, and the way to the optimum leads by small ones.
Limit limit_from_inside(const ParityDual& dual, const LimitOptions& options,
                        solvers::Stages& stages) {
  constexpr double small_beta = 1024;
  Limit found = limit_from_betas(dual, options, stages);
  LimitOptions rest = options;
  rest.first_beta = std::min(options.first_beta, small_beta);
  rest.max_iterations = options.max_iterations - found.optimum.iterations;
  if (found.converged || rest.first_beta == options.first_beta || rest.max_iterations < 1) {
    return found;
  }
  Limit other = limit_from_betas(dual, rest, stages);
  const std::int64_t iterations = found.optimum.iterations + other.optimum.iterations;
  const std::int64_t evaluations = found.optimum.evaluations + other.optimum.evaluations;
  if (other.converged || std::abs(other.certificate.gap()) < std::abs(found.certificate.gap())) {
    found = std::move(other);
  }
  found.optimum.iterations = iterations;
  found.optimum.evaluations = evaluations;
  return found;
}

/// For more rows than interior points have memory for: each optimum starts from those before,
/// continued as linear in 1 / beta.
Limit limit_along_path(const ParityDual& dual, const LimitOptions& options, const Vector& start,
                       solvers::Stages& stages) {
  Limit result;
  Path path(dual, start.size() > 0 ? start : Vector::Zero(dual.size()));
  double lower = -std::numeric_limits<double>::infinity();
  // On the way it is enough to stay near the optima. A certificate asks for a gradient far below
  // its gap.
  OptimumOptions inner{limit_stage_tolerance, options.max_iterations, 0.3 * options.gap};
  for (double beta = std::min(first_of_path, options.last_beta);;
       beta = std::min(beta * factor_of_path, options.last_beta)) {
    const bool last = beta >= options.last_beta;
    if (last) inner.tolerance = gradient_of_gap * options.gap;
    result.optimum = path.advance(beta, inner, stages);
    result.certificate =
        stages.next([&] { return certify(dual, result.optimum.v, beta); }, solvers::any_answer);
    const double at_infinity =
        stages.next([&] { return lower_bound(dual, path.at_infinity()); }, solvers::any_answer);
    lower = std::max({lower, result.certificate.lower, at_infinity});
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

}  // namespace

Optimum minimise_dual(const ParityDual& dual, double beta, const OptimumOptions& options,
                      const Vector& start, const solvers::Control& control) {
  require(std::isfinite(beta) && beta > 0, "minimise_dual: beta must be > 0", beta);
  require(options.tolerance > 0, "OptimumOptions::tolerance must be > 0", options.tolerance);
  require(options.max_iterations >= 1, "OptimumOptions::max_iterations must be >= 1",
          static_cast<double>(options.max_iterations));
  require(start.size() == 0 || start.size() == dual.size(), "minimise_dual: size of the start",
          static_cast<double>(start.size()));
  check_feasible(dual);
  solvers::Stages stages(control, "parity optimum 4\n");
  Optimum tried;
  if (start.size() == 0 && has_balanced_path(dual)) {
    tried = stages.next(
        [&](const solvers::Control& within) { return balanced_path(dual, beta, options, within); },
        of_unknowns(dual.size()));
    if (tried.converged) return tried;
  }
  Optimum found = stages.next(
      [&](const solvers::Control& within) {
        return minimise_patiently(dual, beta, options, start, within);
      },
      of_unknowns(dual.size()));
  found.iterations += tried.iterations;
  found.evaluations += tried.evaluations;
  return found;
}

Limit minimise_limit(const ParityDual& dual, const LimitOptions& wanted, const Vector& start,
                     const solvers::Control& control) {
  LimitOptions options = wanted;  // the relative gap has to be kept as well
  options.gap = std::min(options.gap, largest_gap);
  require(options.gap > 0, "LimitOptions::gap must be > 0", options.gap);
  require(options.relative_gap > 0, "LimitOptions::relative_gap must be > 0", options.relative_gap);
  require(options.first_beta > 0, "LimitOptions::first_beta must be > 0", options.first_beta);
  require(options.factor > 1, "LimitOptions::factor must be > 1", options.factor);
  require(options.max_iterations >= 1, "LimitOptions::max_iterations must be >= 1",
          static_cast<double>(options.max_iterations));
  require(options.last_beta >= options.first_beta, "LimitOptions::last_beta must be >= first_beta",
          options.last_beta);
  check_feasible(dual);
  solvers::Stages stages(control, "parity limit 3\n");
  return few_probabilities(dual, options.most_inside)
             ? limit_from_inside(dual, options, stages)
             : limit_along_path(dual, options, start, stages);
}

}  // namespace fairfront::regression
