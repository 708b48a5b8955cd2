/// @file
/// The methods of Yao, Lin, Yang (2023) in the experiment `ranking`.
#pragma once

#include "experiments/method.hpp"
#include "experiments/ranking.hpp"

namespace fairfront::experiments {

[[nodiscard]] Method<RankingProblem> level_set_method();  ///< [sfls]
[[nodiscard]] Method<RankingProblem> iqrc_method();       ///< [iqrc]

}  // namespace fairfront::experiments
