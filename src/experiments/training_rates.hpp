/// @file
/// Rates of decisions that methods of the experiment `training` bound and measure: of single
/// classifiers and of randomised ones, whose decisions are expected ones.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/training.hpp"
#include "solvers/training/reductions.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// The rows of a part as rates are taken of them; a view of the problem.
[[nodiscard]] training::RateProblem rate_problem(const TrainingProblem& problem, data::Part which);

/// @param option  such as "reductions.rate".
/// @throws std::invalid_argument  a group of the training part lacks rows that the rate is taken
/// of.
void require_rows_of_rate(const TrainingProblem& problem, training::RateKind rate,
                          std::string_view option);

/// Fills the probability of a decision 1 of every row of a part.
using DecisionsOf = std::function<void(data::Part which, std::span<double> decisions)>;

/// What is bounded of a classifier's rates, on every part that has rows: measure `rate_gap`, and
/// `rate_ratio` or `rate_worst_error` where the bound is of these.
void add_rate_gaps(sweep::TaskResult& result, const TrainingProblem& problem,
                   const training::RateLimit& limit, const DecisionsOf& decisions);
/// Of a randomised classifier also what a single one's other measures tell of it: all of them with
/// the prefix `randomised_`.
void add_randomised_rates(sweep::TaskResult& result, const TrainingProblem& problem,
                          const training::RateLimit& limit, const DecisionsOf& decisions);
/// Weights of scores that decide 1 from 0 on, of which each decides with its share.
struct Draw {
  std::vector<std::vector<double>> members;
  std::vector<double> shares;
};
[[nodiscard]] DecisionsOf decisions_of(const TrainingProblem& problem, Draw draw);
/// Solutions `members` and `shares`, without members that have none, which the model names.
/// @return what was added.
Draw add_draw(sweep::TaskResult& result, const Draw& found);
[[nodiscard]] Draw draw_of(const results::Findings& findings);
/// Those solutions.
[[nodiscard]] sweep::Columns draw_columns();
/// The bounded one of them on the training part; NaN where it has none.
/// @param form  "" of single decisions, "randomised_" of expected ones.
[[nodiscard]] double bounded_on_train(const sweep::TaskResult& result,
                                      const training::RateLimit& limit, std::string_view form);
/// Metric `least_bound`, of bounds on the worst group's error.
[[nodiscard]] base::Quantity least_bound_column();
/// The measures of randomised classifiers alone.
[[nodiscard]] sweep::Columns randomised_rate_columns();
/// The measures of both.
[[nodiscard]] sweep::Columns rate_columns();

}  // namespace fairfront::experiments
