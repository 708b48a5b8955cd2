/// @file
/// The forecast of a plan by all ranks, before its first task.
#pragma once

#include <functional>
#include <vector>

#include "parallel/comm.hpp"
#include "sweep/forecast.hpp"

namespace fairfront::sweep {

/// forecast_problems(), with the problems dealt out to the ranks, as preparing thousands of splits
/// takes longer than running their tasks. Collective.
/// @param stop_wanted  asked on every rank.
/// @return  every problem in plan order on rank 0; nothing elsewhere.
/// @throws  on every rank: as forecast_problems; of several problems that are not sound the first
///          in plan order, on any number of ranks. base::Interrupted is a CollectiveError with the
///          same exit code.
[[nodiscard]] std::vector<PlannedProblem> forecast_problems_together(
    const parallel::Comm& world, const Experiment& experiment, const Plan& plan,
    const RunContext& context, const std::function<bool()>& stop_wanted);

}  // namespace fairfront::sweep
