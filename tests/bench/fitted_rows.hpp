/// @file
/// Of points that are fitted to the rows that decide, whether the rows that `choose` calls for
/// suffice.
#pragma once

#include <cstdint>

namespace fairfront::bench {

/// Prints a table, of so many draws that fail in each setting. @returns whether the mean power is
/// between .85 and .95.
bool simulate_fitted_rows(std::int64_t draws);

}  // namespace fairfront::bench
