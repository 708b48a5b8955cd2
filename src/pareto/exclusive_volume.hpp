/// @file
/// What one point of three objectives dominates and others do not.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace fairfront::pareto {

/// A point of three objectives, and where it comes from.
struct Solid {
  std::array<double, 3> point;
  std::size_t position;
};

/// The volume below `reference` that `own` dominates and no other does: slices upwards from its
/// third value, each with the part of the rectangle between point and reference that no lower one
/// covers. O(n log n).
/// @param own        dominates the reference in all three.
/// @param others     ascending by the third objective; one with own's position is passed over.
/// @param reference  shape (3,).
[[nodiscard]] double exclusive_volume(const Solid& own, std::span<const Solid> others,
                                      std::span<const double> reference);

}  // namespace fairfront::pareto
