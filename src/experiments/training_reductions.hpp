/// @file
/// [reductions] of the experiment `training`.
#pragma once

#include <vector>

#include "experiments/training.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

[[nodiscard]] Method<TrainingProblem> reductions_method();

/// The measures of rates of a task of it: of the single classifier and of the randomised one.
[[nodiscard]] results::Measures rates_of_reductions(const TrainingProblem& problem,
                                                    const sweep::Task& task,
                                                    const results::Findings& findings);

/// What a task with search = grid claims.
[[nodiscard]] std::vector<sweep::Claim> claims_of_reductions(const TrainingProblem& problem,
                                                             const sweep::Task& task,
                                                             const results::Findings& findings);

}  // namespace fairfront::experiments
