/// @file
/// What is measured of a model of `training` whose score has drawn thresholds.
#pragma once

#include <span>
#include <vector>

#include "experiments/randomised_thresholds.hpp"
#include "experiments/training.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::experiments {

/// A model whose score has drawn thresholds.
struct Postprocessed {
  const TrainingProblem& problem;
  std::vector<double> w;
  std::vector<DrawnThreshold> draw;
  training::RateLimit limit;
  const solvers::Control& control;
};

/// Of the weights, of every row of a part.
[[nodiscard]] std::vector<double> scores_of(const TrainingProblem& problem, data::Part which,
                                            std::span<const double> w,
                                            const solvers::Control& control);

/// Of one draw of every row's decision, so that rows stay independent, and intervals are those of
/// any decisions; errors, rates and gaps of rates are expected ones.
void add_measures_of(sweep::TaskResult& result, const Postprocessed& model);

}  // namespace fairfront::experiments
