/// @file
/// How the public SAfairKM program cleans its list, for comparison with the strict rules.
#pragma once

#include <cstddef>
#include <vector>

#include "pareto/front.hpp"

namespace fairfront::clustering {

/// Positions that the public program's `clear` keeps. Not a dominance filter: up to 50 points
/// all stay; beyond, point i goes only if one point is no worse in the first objective and
/// better in the second AND one point (perhaps another) is better in the first and no worse in
/// the second. Duplicates stay. O(n log n).
/// @param points  two objectives, both minimised.
[[nodiscard]] std::vector<std::size_t> authors_clear(const pareto::Points& points);

/// Positions that the public program's removal of dense regions keeps: the union of what is kept
/// along each objective. Up to 50 points all stay. May drop nondominated points.
/// @param threshold  delta: gaps up to delta times the range are dense, > 0.
[[nodiscard]] std::vector<std::size_t> authors_thin(const pareto::Points& points, double threshold);

}  // namespace fairfront::clustering
