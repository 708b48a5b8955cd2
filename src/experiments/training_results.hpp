/// @file
/// What the methods of the experiment `training` have in common: measures on all parts, how far
/// the result is from feasible and from a KKT point, the front of one point.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/method.hpp"
#include "experiments/training.hpp"
#include "metrics/measure.hpp"
#include "solvers/training/full_data.hpp"

namespace fairfront::experiments {

class AskedBound;

/// Whose methods and measures these are.
inline constexpr const char* training_paper = "Kliachkin, Lepsova, Bareilles, Marecek (2025)";

/// Of decisions and scores, in the order of the columns.
[[nodiscard]] const std::vector<metrics::Measure>& training_measures();

/// Measures of the weights on all parts that have rows, and the front: one point.
void add_measures(sweep::TaskResult& result, const TrainingProblem& problem,
                  std::span<const double> w, const solvers::Control& control);

/// The weights as what was found, and the model that they are.
void add_weights(sweep::TaskResult& result, const TrainingProblem& problem,
                 std::span<const double> w);

/// The text of the fitted model that is the score of the solution `weights`.
[[nodiscard]] std::string model_of(const TrainingProblem& problem);

/// Of a model whose decisions are drawn, what is expected of every row; shape (rows,).
struct ExpectedRows {
  std::vector<double> decisions;  ///< the probability that it is decided 1
  std::vector<double> losses;
  std::vector<double> bounded;  ///< as bounded_values()
};
/// What a model says of the rows of a part.
struct PartScores {
  training::PartLosses losses;
  std::vector<double> scores;              ///< unused where decisions are drawn
  std::optional<ExpectedRows> expected{};  ///< where they are
};
/// With the mean loss and the gaps of these.
[[nodiscard]] PartScores part_scores_of(const TrainingProblem& problem, data::Part which,
                                        ExpectedRows expected);
/// The loss of every row of a part.
[[nodiscard]] std::vector<double> row_losses(const TrainingProblem& problem, data::Part which,
                                             std::span<const double> scores);
using ScoresOf = std::function<PartScores(data::Part which)>;
/// The same of a network on all parts that have rows.
/// @param shared  the problem of `problem`, with the team that shares it; collective where it has
///                one.
[[nodiscard]] std::map<data::Part, PartScores> part_scores_at(const TrainingProblem& problem,
                                                              const training::Problem& shared,
                                                              std::span<const double> w,
                                                              const solvers::Control& control);
/// Measures of these on all parts that have rows, and the front: one point.
void add_measures(sweep::TaskResult& result, const TrainingProblem& problem,
                  const ScoresOf& scores_of);

/// The measures of a task with these findings: its weights.
[[nodiscard]] results::Measures measures_of(const TrainingProblem& problem,
                                            const results::Findings& findings);

/// Feasibility at the end and over the last fifth of the trajectory, and the KKT residual.
/// @param at_end  of asked.problem() at found.w.
void add_feasibility(sweep::TaskResult& result, const training::TrainingResult& found,
                     const AskedBound& asked, const training::Derivatives& at_end);

[[nodiscard]] std::vector<base::Quantity> training_objectives();
[[nodiscard]] sweep::Columns training_columns();     ///< of all methods
[[nodiscard]] sweep::UnitByOption training_units();  ///< of what is a loss, or a rate
[[nodiscard]] sweep::Columns feasibility_columns();  ///< of add_feasibility

/// What a run of so many evaluations takes, its trajectory included.
[[nodiscard]] sweep::Work training_work(const TrainingProblem& problem, double mean_cost);

}  // namespace fairfront::experiments
