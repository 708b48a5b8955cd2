/// @file
/// What a row adds to the mean of its cell, which constraints bound.
#pragma once

#include <span>

#include "solvers/training/problem.hpp"

namespace fairfront::training {

/// Where problem.constraints bound losses, those of the rows. Where they bound rates, what a row
/// adds to the rate of its cell, see RateCells: of decisions 0 or 1, with decision 1 where the
/// score is at least 0, else that decision's probability. Where the worst group is bounded, what is
/// wrong of either.
/// @param labels  -1 or +1. @param out  not one of the others; all of shape (rows,).
void cell_values(const Problem& problem, std::span<const double> scores,
                 std::span<const double> labels, std::span<double> out);

/// What stands for their derivatives in the score. A decision has none: it is that of
/// sigmoid(score / width), so that constraints are what decisions make them, and the way to change
/// them what the sigmoid says (the proxies of Cotter, Jiang, Wang, Narayan, You, Sridharan, Gupta,
/// 2019). The mean of such slopes estimates the density of scores at 0, with that kernel.
void cell_slopes(const Problem& problem, std::span<const double> scores,
                 std::span<const double> labels, std::span<double> out);

/// The same of decisions smoothed: of sigmoid(score / width), and their derivatives.
/// @param width  in units of the score, > 0.
void smoothed_values(const Problem& problem, double width, std::span<const double> scores,
                     std::span<const double> labels, std::span<double> out);
void smoothed_slopes(const Problem& problem, double width, std::span<const double> scores,
                     std::span<const double> labels, std::span<double> out);

/// What decision 1 of a row adds to its cell_values(): 1, or -1 where it is no error.
[[nodiscard]] double decision_value(const Problem& problem, double label);

/// What decision 1 adds, by the label of the row.
struct DecisionValues {
  double of_positive = 0, of_negative = 0;
  [[nodiscard]] double of(double label) const { return label > 0 ? of_positive : of_negative; }
};
/// To cell_values().
[[nodiscard]] DecisionValues decision_values(const Problem& problem);
/// To the number of wrong decisions.
inline constexpr DecisionValues error_values{-1, 1};
[[nodiscard]] inline bool is_wrong(double score, double label) {
  return (score >= 0) != (label > 0);
}
[[nodiscard]] double count_wrong(std::span<const double> scores, std::span<const double> labels);

/// Whether a value is 0 or 1, so that it does not follow its slope in small steps.
[[nodiscard]] bool has_decisions(const Problem& problem);

}  // namespace fairfront::training
