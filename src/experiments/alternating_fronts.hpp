/// @file
/// Methods of `alternating` that trace a whole front in one task.
#pragma once

#include "experiments/alternating.hpp"
#include "experiments/method.hpp"
#include "solvers/alternating/epsilon_constraint.hpp"

namespace fairfront::experiments {

/// The [epsilon_constraint] section.
struct EpsilonConstraintSection {
  alternating::EpsilonConstraintOptions solver;
  double certified_gap = 1e-8;  ///< of points on data, where the problem is convex; 0: not improved
};
[[nodiscard]] base::OptionTable options_of(EpsilonConstraintSection& options);
/// Options of other sections that the method has no use for.
[[nodiscard]] std::vector<sweep::IdleOption> idle_options(const EpsilonConstraintSection& options);

/// The share of a front's samples within `radius` of a point found, both objectives in units of the
/// samples' ranges, Euclidean.
/// @param found, front  of two objectives, not empty.
[[nodiscard]] double coverage(const pareto::Points& found, const pareto::Points& front,
                              double radius);

/// One task is one front of a problem with two objectives.
[[nodiscard]] Method<AlternatingProblem> epsilon_constraint_method();

}  // namespace fairfront::experiments
