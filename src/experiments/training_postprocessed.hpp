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

/// Nothing is drawn: measures of decisions are those of expected counts, which the probabilities of
/// a decision 1 make; of a score these probabilities are the score; losses are the expected ones of
/// the score less the threshold that is drawn.
void add_measures_of(sweep::TaskResult& result, const Postprocessed& model);

}  // namespace fairfront::experiments
