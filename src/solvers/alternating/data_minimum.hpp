/// @file
/// How far weights are at most from the minimum of a convex problem on data, and that minimum.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solvers/alternating/data_problem.hpp"
#include "solvers/alternating/epsilon_constraint.hpp"

namespace fairfront::alternating {

/// What S(w, weights) of a problem on data, all rows, exceeds its minimum over the box by at most,
/// see optimise::certified_gap(); nothing where it is not convex.
/// @param weights  of both objectives, >= 0.
[[nodiscard]] std::optional<double> certified_gap(const DataProblem& problem,
                                                  std::span<const double> weights,
                                                  std::span<const double> w);

/// Weights beyond which minimise_sum() does not go: its matrices have their square.
inline constexpr std::int64_t most_weights_of_minimum = 2000;

struct SumMinimum {
  std::vector<double> w;         ///< shape (n,), in the box
  double certified_gap = 0;      ///< there
  std::int64_t gradients = 0;    ///< of single objectives, all rows
  std::int64_t evaluations = 0;  ///< of single rows, those of values among them
};

/// The minimiser over the box of S(w, weights), by optimise::minimise_in_box().
///
/// @param start  shape (n,); projected first.
/// @throws std::invalid_argument  the problem is not convex, or has too many weights.
/// @throws base::Interrupted  at a stop point.
[[nodiscard]] SumMinimum minimise_sum(const DataProblem& problem, std::span<const double> weights,
                                      std::span<const double> start, double gap);

struct FrontPrecision {
  /// Certified, >= 0: no point of the box is better in one objective by more and no worse in the
  /// other.
  double gap = 1e-8;
  double largest_gap = 0.03;  ///< between neighbours, a share of the front's ranges, > 0
};

/// How far the points of a front are proven.
struct FrontProof {
  std::int64_t unproven = 0;     ///< points whose bound is above FrontPrecision::gap
  double largest = 0;            ///< bound of the points: what one may be better by
  std::int64_t evaluations = 0;  ///< of single rows, that the points took
};

/// Moves every point of a traced front of a convex problem to the minimum of the weighted sum that
/// it nearly minimises, TracedPoint::weights. The ends are computed, wherever the traced ones are:
/// the minimum of f_1, which fixes the scores and with them f_2, and that of f_2 with the least
/// f_1, for a weight of f_1 of 1e-6 in units of the ranges. Then minimises, between neighbours that
/// are too far apart, the weighted sum with the slope of their chord (Y. P. Aneja, K. P. K. Nair,
/// Management Science 25(1), 1979), until the whole front is there. Updates the front's order,
/// largest gap and gradients; it is not exhausted then.
/// @param traced  its front is not empty.
/// @throws  as minimise_sum().
FrontProof improve_front(const DataProblem& problem, EpsilonConstraintResult& traced,
                         const FrontPrecision& wanted);

}  // namespace fairfront::alternating
