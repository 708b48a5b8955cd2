/// @file
/// The methods of the experiment `ranking`.
#pragma once

#include <vector>

#include "experiments/method.hpp"
#include "experiments/ranking.hpp"

namespace fairfront::experiments {

[[nodiscard]] std::vector<Method<RankingProblem>> ranking_methods();

}  // namespace fairfront::experiments
