/// @file
/// Whole levels near those of a linear program.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/clustering/assignment_bound.hpp"
#include "solvers/clustering/balance_limits.hpp"
#include "solvers/clustering/level_penalties.hpp"

namespace fairfront::clustering {

/// Each cluster's level with the least penalty, and then steps up and down, which cost least for
/// what they mend, until the levels hold all members. They need not come that far.
[[nodiscard]] std::vector<std::int64_t> rounded_levels(const BalanceLimits& limits,
                                                       const LevelBox& box,
                                                       const LevelPenalties& penalties);

}  // namespace fairfront::clustering
