/// @file
/// [exact_training] of the experiment `training`, how far other methods on a linear score are from
/// it, and what is known of the gaps on rows that were not trained on.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "experiments/training.hpp"
#include "solvers/training/certified.hpp"
#include "solvers/training/exact.hpp"

namespace fairfront::experiments {

inline constexpr double training_confidence = 0.95;  ///< of intervals and bounds

[[nodiscard]] Method<TrainingProblem> exact_training_method();

/// The optima of one problem, each found once: many runs are compared with them. What comes back
/// does not depend on what was asked for before.
class TrainingOptima {
 public:
  struct Known {
    double loss = 0;
    double lower = 0;
    double least_bound = 0;  ///< as ExactOptimum has it
    bool converged = false;
  };
  [[nodiscard]] Known get(const training::Problem& problem, double delta,
                          const solvers::Control& control);

 private:
  std::map<double, Known> by_delta_;
};

/// Adds how far the loss is from the optimum at the same delta, where there is one and the problem
/// is small enough.
/// @return  the least bound on the worst group's loss that a linear score keeps; NaN: not known.
double add_distance_to_optimum(sweep::TaskResult& result, const TrainingProblem& problem,
                               double delta, const solvers::Control& control);
/// Of add_distance_to_optimum.
[[nodiscard]] sweep::Columns training_optimum_columns();

/// Adds upper bounds of all gaps from the rows of the validation and of the test part; of ratios
/// none are known.
/// @param delta  of the run, if it has one.
void add_gap_bounds(sweep::TaskResult& result, const TrainingProblem& problem,
                    std::span<const double> w, std::optional<double> delta,
                    const solvers::Control& control);
/// The same of what is bounded of every row of a part, as bounded_values().
void add_gap_bounds(sweep::TaskResult& result, const TrainingProblem& problem,
                    std::optional<double> delta,
                    const std::function<std::vector<double>(data::Part)>& values_of);
/// Of add_gap_bounds.
[[nodiscard]] sweep::Columns gap_bound_columns();

}  // namespace fairfront::experiments
