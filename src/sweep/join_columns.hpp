/// @file
/// The columns of an archive, made by all ranks.
#pragma once

#include "parallel/comm.hpp"
#include "results/content.hpp"
#include "sweep/columns_of_tasks.hpp"

namespace fairfront::sweep {

/// What content_of() makes of the outcomes of all ranks together, on rank 0. Each rank makes the
/// columns of its own tasks and gets those of its share of the plan, which it puts into order; rank
/// 0 puts these one behind another. Collective.
/// @param mine  every task of the plan is on exactly one rank.
/// @return  nothing on other ranks.
/// @throws parallel::CollectiveError  on every rank.
[[nodiscard]] results::Content join_columns(const parallel::Comm& world, const Plan& plan,
                                            const ResultSchema& schema, TaskOutcomes mine);

}  // namespace fairfront::sweep
