/// @file
/// How near a set of objective vectors is to a reference set, such as a sampled analytic front.
/// Every objective is minimised; neither set needs to be nondominated.
///
/// E. Zitzler, L. Thiele, M. Laumanns, C. M. Fonseca, V. Grunert da Fonseca, "Performance
/// assessment of multiobjective optimizers: an analysis and review", IEEE Trans. Evolutionary
/// Computation 7(2), 2003; D. A. Van Veldhuizen, thesis (1999), for the generational distance.
#pragma once

#include <array>
#include <span>

#include "pareto/front.hpp"

namespace fairfront::pareto {

/// Euclidean distance of `point` to the nearest member. O(n m).
/// @throws std::invalid_argument  `set` is empty, or has another number of objectives.
[[nodiscard]] double distance_to(std::span<const double> point, const Points& set);

/// The same to the line through the members of a curve of two objectives, sampled in order: no
/// nearest sample leaves a floor. Steps longer than `longest_step` of the curve's larger range are
/// holes, not lines. O(n).
/// @throws std::invalid_argument  as distance_to, or not two objectives.
[[nodiscard]] double distance_to_curve(std::span<const double> point, const Points& curve,
                                       double longest_step = 0.02);

/// Generational distance: mean over `found` of the distance to `reference`. Small when all points
/// found are near the front. O(n r m).
/// @throws std::invalid_argument  a set is empty, or they differ in their number of objectives.
[[nodiscard]] double generational_distance(const Points& found, const Points& reference);

/// Inverted generational distance: mean over `reference` of the distance to `found`. Small when
/// the points found are near the front and cover it. Throws as generational_distance.
[[nodiscard]] double inverted_generational_distance(const Points& found, const Points& reference);

/// The least e such that every reference point is weakly dominated by a found point after taking
/// e from each of its objectives; <= 0 when `found` already weakly dominates the reference. Throws
/// as generational_distance.
[[nodiscard]] double additive_epsilon(const Points& found, const Points& reference);

/// hypervolume(found) / hypervolume(reference) below `corner`: 1 for the whole front.
/// @throws std::invalid_argument  not two objectives, or the reference dominates no area.
[[nodiscard]] double hypervolume_ratio(const Points& found, const Points& reference,
                                       std::array<double, 2> corner);

}  // namespace fairfront::pareto
