/// @file
/// The methods that Yao, Lin, Yang (2023) compare theirs with, in the experiment `ranking`.
#pragma once

#include "experiments/method.hpp"
#include "experiments/ranking.hpp"

namespace fairfront::experiments {

[[nodiscard]] Method<RankingProblem> proxy_lagrangian_method();
[[nodiscard]] Method<RankingProblem> correlation_penalty_method();
[[nodiscard]] Method<RankingProblem> score_postprocessing_method();

}  // namespace fairfront::experiments
