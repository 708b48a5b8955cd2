/// @file
/// How the methods of the experiment `ranking` get the lengths of their steps: by trial runs on one
/// split, once for every data set, fairness metric, method and model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/method.hpp"
#include "experiments/ranking.hpp"

namespace fairfront::experiments {

/// The [tuning] section: Y. Yao, Q. Lin, T. Yang (2023), appendix E.3.
struct TuningOptions {
  std::vector<double> steps;   ///< that are tried; none: `step` of the methods stands
  std::int64_t widenings = 4;  ///< further values beyond each end of them
  std::int64_t seed = 1;       ///< in the place of `seed` and `split.split_seed`
  double kappa = 0.2;
  double weight = 0.1;  ///< of [correlation_penalty]
  double level = 0.05;  ///< bound of the gap on the validation part
};
[[nodiscard]] base::OptionTable options_of(TuningOptions& options);

/// What is tried, ascending: the steps, and beyond the least and the largest of them `widenings`
/// values each, as far apart by their quotients as the two steps at that end (3 for a single one),
/// rounded to three digits. Within 1e-100 and 1e100.
[[nodiscard]] std::vector<double> tried_steps(const TuningOptions& options);

/// The method with its option `step` tuned.
[[nodiscard]] Method<RankingProblem> with_tuned_step(Method<RankingProblem> method);

/// Options that the section [tuning], or its absence, makes void.
[[nodiscard]] std::vector<sweep::IdleOption> idle_tuning_options(const sweep::Task& task);

}  // namespace fairfront::experiments
