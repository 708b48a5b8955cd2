/// @file
/// How the methods of the experiment `ranking` get the lengths of their steps: by trial runs on one
/// split, once for every data set, fairness metric, method and model.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/method.hpp"
#include "experiments/ranking.hpp"

namespace fairfront::experiments {

/// The [tuning] section: Y. Yao, Q. Lin, T. Yang (2023), appendix E.3.
struct TuningOptions {
  std::vector<double> steps;    ///< that are tried; none: `step` of the methods stands
  std::int64_t widenings = 12;  ///< further values beyond each end of them, at most
  std::int64_t seed = 1;        ///< in the place of `seed` and `split.split_seed`
  double kappa = 0.2;
  double weight = 0.1;  ///< of [correlation_penalty]
  double level = 0.05;  ///< bound of the gap on the validation part
};
[[nodiscard]] base::OptionTable options_of(TuningOptions& options);

/// The score of a step; nothing while it is not known.
using StepScore = std::function<std::optional<double>(double step)>;

/// What is tried, ascending: the steps, and as long as an end is open (open_ends), one more beyond
/// it, `widenings` at most beyond each end: as far apart by their quotients as the two steps at
/// that end (3 for a single one), rounded to three digits, within 1e-100 and 1e100. Ends where a
/// score is not known yet.
[[nodiscard]] std::vector<double> tried_steps(const TuningOptions& options, const StepScore& score);

/// The method with its option `step` tuned.
[[nodiscard]] Method<RankingProblem> with_tuned_step(Method<RankingProblem> method);

/// The method, which takes no steps that could be tuned.
[[nodiscard]] Method<RankingProblem> without_tuning(Method<RankingProblem> method);

}  // namespace fairfront::experiments
