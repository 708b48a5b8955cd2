/// @file
/// Fewer rows that stand for many: where a search for the optimum begins.
#pragma once

#include <cstdint>

#include "solvers/regression/dual.hpp"

namespace fairfront::regression {

/// `count` rows, each the mean of neighbours: rows are sorted by eta into slabs and within a slab
/// by the first group's tilt, so that neighbours are near in both. The means of the tilts are those
/// of `rows`, so that the same bounds are feasible, and so is any linear relation between tilts.
/// O(N log N + N K). Deterministic: ties go by the number of the row.
/// @throws std::invalid_argument  count < 1 or > N.
[[nodiscard]] PredictedRows merged_rows(const PredictedRows& rows, std::int64_t count);

}  // namespace fairfront::regression
