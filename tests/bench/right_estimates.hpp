/// @file
/// Of small tables whose estimates are the truth, whether the rows that `choose` calls for suffice:
/// no draws, but exact sums over the binomial distributions of two groups.
#pragma once

namespace fairfront::bench {

/// Prints a line for each table. @returns whether every number called for has a power of .85.
bool simulate_right_estimates();

}  // namespace fairfront::bench
