#include "solvers/regression/interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "solvers/regression/interior_solver.hpp"

namespace fairfront::regression {
namespace {

using Vector = Eigen::VectorXd;

constexpr double rounding_of_means = 1e-12;  ///< of tilts
constexpr double rounding_of_tilts = 1e-14;  ///< root mean square, of directions

/// Whether every group's gaps must be 0, and can be: then those of atoms are 0 as well.
bool without_bounds(const ParityDual& dual, double no_penalty) {
  if (dual.weight().norm() > no_penalty) return false;
  const std::vector<double> least = least_epsilon(dual.rows(), dual.grid());
  return std::ranges::max(least) <= rounding_of_means;
}

/// Directions of tilts that no bound tells from 0. Where all bounds are larger than these are,
/// their multipliers are no larger for them, and what they add to scores is more than rounding.
double negligible_for(const ParityDual& dual) {
  return dual.weight().minCoeff() > negligible_tilt ? rounding_of_tilts : negligible_tilt;
}

void check(const InteriorOptions& options) {
  if (!(options.beta > 0)) throw std::invalid_argument("InteriorOptions::beta must be > 0");
  if (!(options.tolerance > 0)) {
    throw std::invalid_argument("InteriorOptions::tolerance must be > 0");
  }
  if (options.max_steps < 1) throw std::invalid_argument("InteriorOptions::max_steps must be >= 1");
}

}  // namespace

/// Gaps of 0 of every atom are those of the distribution function, and of any tilts that span the
/// groups': without bounds the problem is solved in directions that are orthogonal.
struct InteriorPath::Problem {
  Problem(const ParityDual& dual, double no_penalty)
      : given{dual}, free{free_tilts(dual.rows(), dual.kept_groups(), negligible_for(dual))} {
    if (free.rank() == 0) return;
    parity = without_bounds(dual, no_penalty);
    smooth.emplace(free.rows, dual.grid(), parity ? ParityBound::atom : dual.bound(),
                   std::vector<double>(static_cast<std::size_t>(free.rank()), 0.0));
    if (parity) {
      solver.emplace(*smooth);
    } else {
      solver.emplace(dual, free, *smooth);
    }
  }

  /// @param answers  of the run's systems so far, and then of all.
  InteriorPoint solve(const InteriorOptions& options, RunAnswers& answers,
                      const solvers::Control& control) {
    check(options);
    const Vector nothing = Vector::Zero(given.size());
    if (!solver) return {nothing, nothing, nothing, nothing, {}, 0, 0};
    if (control.resume) {
      solvers::unpack_whole_state(name_of_interior, *control.resume, answers);
      if (!solver->fits(answers)) throw base::CheckpointError("a checkpoint is of another dual");
    }
    if (!std::isinf(options.beta)) solver->return_for(options.beta);
    InteriorPoint found =
        solver->run(options.beta, options.tolerance, options.max_steps, answers, control);
    if (parity) {
      found.v = found.active = found.basic = given.of_atoms(map_blocks(free.to_groups, found.v));
      found.gaps = Vector::Zero(given.size());
    }
    return found;
  }

  /// A stage whose answer is that of the systems: a process that goes on makes its steps again, as
  /// those of later runs begin from points that they pass.
  InteriorPoint next(const InteriorOptions& options, solvers::Stages& stages) {
    std::optional<InteriorPoint> found;
    RunAnswers answers = stages.next(
        [&](const solvers::Control& control) {
          RunAnswers of_run;
          found = solve(options, of_run, control);
          return of_run;
        },
        [this](const RunAnswers& kept) { return !solver || solver->fits(kept); });
    if (!found) found = solve(options, answers, {});
    return *std::move(found);
  }

  const ParityDual& given;
  FreeTilts free;
  bool parity = false;
  std::optional<ParityDual> smooth;
  std::optional<InteriorSolver> solver;
};

InteriorPath::InteriorPath(const ParityDual& dual, double no_penalty, std::span<const double> betas,
                           double tolerance, std::int64_t max_steps, solvers::Stages& stages)
    : problem_{std::make_unique<Problem>(dual, no_penalty)} {
  if (problem_->solver) problem_->solver->keep_for(betas);
  end_ = problem_->next({std::numeric_limits<double>::infinity(), tolerance, max_steps}, stages);
}
InteriorPath::~InteriorPath() = default;

InteriorPoint InteriorPath::softmax(double beta, double tolerance, std::int64_t max_steps,
                                    solvers::Stages& stages) {
  return problem_->next({beta, tolerance, max_steps}, stages);
}

InteriorPoint interior_point(const ParityDual& dual, const InteriorOptions& options,
                             solvers::Stages& stages) {
  check(options);
  return stages.next(
      [&](const solvers::Control& control) {
        RunAnswers answers;
        return InteriorPath::Problem(dual, options.no_penalty).solve(options, answers, control);
      },
      [&](const InteriorPoint& kept) {
        return kept.v.size() == dual.size() && kept.active.size() == dual.size() &&
               kept.basic.size() == dual.size() && kept.gaps.size() == dual.size();
      });
}

}  // namespace fairfront::regression
