/// @file
/// Whether the rows that `choose` calls for at a truth have a power of .85 to .95 there.
#pragma once

#include <cstdint>

namespace fairfront::bench {

/// Gaps of 2 and 8 groups that are 0, half the bound and .8 of it, and single rates; each number
/// is called for by a draw that has failed. Prints a line for each setting.
/// @returns whether the mean power of every line is between .85 and .95, up to three standard
///          errors.
bool simulate_known_truths(std::int64_t draws);

}  // namespace fairfront::bench
