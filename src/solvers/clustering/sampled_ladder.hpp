/// @file
/// The balance ladder of many points: on a sample first, then on all.
#pragma once

#include <cstdint>
#include <string>

#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/crew.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::clustering {

/// See balance_ladder(). Collective; the result is complete on rank 0 and empty elsewhere.
/// @param sample  of the problem, the same on every rank.
/// @throws base::CheckpointError, solvers::Interrupted, parallel::CollectiveError
[[nodiscard]] BalanceLadderResult sampled_ladder(const Crew& crew, const Problem& problem,
                                                 const Problem& sample,
                                                 const BalanceLadderOptions& options,
                                                 std::uint64_t seed, const std::string& task_key,
                                                 const solvers::Control& control);

}  // namespace fairfront::clustering
