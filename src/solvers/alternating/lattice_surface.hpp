/// @file
/// Internal: the surface through samples of a front of three objectives.
#pragma once

#include <span>

#include "pareto/front.hpp"

namespace fairfront::alternating {

/// Euclidean distance of `point` to the triangles between samples that are neighbours in a simplex
/// lattice: no nearest sample leaves a floor. From the triangles around the nearest sample it goes
/// to those around their corners, while that comes nearer. O(n).
///
/// @param samples  of three objectives, not empty, in the order of lattice_point(); where their
///                 number is that of no lattice, the distance is that to the nearest one.
[[nodiscard]] double distance_to_surface(std::span<const double> point,
                                         const pareto::Points& samples);

}  // namespace fairfront::alternating
