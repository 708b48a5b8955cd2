/// @file
/// Methods of `alternating` that trace a whole front in one task.
#pragma once

#include "experiments/alternating.hpp"
#include "experiments/method.hpp"
#include "solvers/alternating/epsilon_constraint.hpp"
#include "solvers/alternating/front_surface.hpp"
#include "solvers/alternating/pf_smg.hpp"

namespace fairfront::experiments {

/// The [epsilon_constraint] section.
struct EpsilonConstraintSection {
  alternating::EpsilonConstraintOptions solver;
  double certified_excess =
      1e-8;  ///< of points on data, where the problem is convex; 0: not improved
};
[[nodiscard]] base::OptionTable options_of(EpsilonConstraintSection& options);

/// The [epsilon_constraint] section of three objectives.
struct FrontSurfaceSection {
  alternating::FrontSurfaceOptions solver;
};
[[nodiscard]] base::OptionTable options_of(FrontSurfaceSection& options);

/// The [pf_smg] section.
struct PfSmgSection {
  alternating::PfSmgOptions solver;
  double noise = 0;  ///< standard deviation of every gradient component
};
[[nodiscard]] base::OptionTable options_of(PfSmgSection& options);
/// @throws std::invalid_argument  options that do not go together.
void validate_for(const AlternatingProblem& problem, const PfSmgSection& options);

/// The share of a front within `radius` of a point found, objectives in units of the samples'
/// ranges, Euclidean: of a curve the share of its length, where neighbours farther apart than
/// `radius` have a hole between them; of a surface the share of its samples.
/// @param found, front  of as many objectives, not empty.
[[nodiscard]] double coverage(const pareto::Points& found, const pareto::Points& front,
                              double radius);

/// How many of a front's points are next to dominated: another one of it is better by more than .05
/// in one objective, and worse by .002 at most in each of the others, in units of the front's
/// ranges. Of a large front every k-th point is looked at, some thousand in all, and counts for k.
[[nodiscard]] std::size_t nearly_dominated(const pareto::Points& front);

/// Of a method of both experiments. Of three objectives it is one more since distances are those to
/// a surface, and not to its samples.
[[nodiscard]] constexpr std::int64_t revision_of(std::int64_t revision, std::int64_t objectives) {
  return objectives == 3 ? revision + 1 : revision;
}

/// One task is one front of a problem with two objectives.
[[nodiscard]] Method<AlternatingProblem> epsilon_constraint_method();
/// The same of a problem with three.
[[nodiscard]] Method<AlternatingProblem> front_surface_method();
/// One task is one list; two or three objectives.
[[nodiscard]] Method<AlternatingProblem> pf_smg_method(std::int64_t objectives);

}  // namespace fairfront::experiments
