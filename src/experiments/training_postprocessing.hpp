/// @file
/// [postprocessing] of the experiment `training`: what the best model without a bound reaches when
/// only its decisions are made fair.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "experiments/training.hpp"

namespace fairfront::experiments {

/// Post-processing of the unconstrained model: M. Hardt, E. Price, N. Srebro (2016), "Equality of
/// opportunity in supervised learning", with slack as A. Cruz, M. Hardt (2024), "Unprocessing seven
/// years of algorithmic fairness". Each group's decisions come from a draw among thresholds of the
/// model's score, which a linear program finds: no other draw within the bound has a smaller error
/// on the training part.
[[nodiscard]] Method<TrainingProblem> postprocessing_method();

/// The unconstrained models of one problem, each trained once: the points along a bound share it.
/// What comes back does not depend on what was asked for before.
struct UnconstrainedModels {
  struct Model {
    std::vector<double> w;
    std::int64_t iterations = 0;
    std::int64_t evaluations = 0;
    std::string remark{};  ///< where it is not what it should be
  };
  using Address = std::tuple<std::uint64_t, std::string, double>;  ///< seed, key, l2
  std::map<Address, Model> known;
};

/// The measures of a task of [postprocessing] with these findings.
[[nodiscard]] results::Measures measures_of_postprocessing(const TrainingProblem& problem,
                                                           const sweep::Task& task,
                                                           const results::Findings& findings);

}  // namespace fairfront::experiments
