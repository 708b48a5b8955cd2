/// @file
/// Hypervolume of two-objective fronts and thinning that states what it loses.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "pareto/front.hpp"

namespace fairfront::pareto {

/// The area that the front dominates below `reference` (Zitzler and Thiele, 1998). Points that
/// do not dominate the reference contribute nothing. Summed in the order of the front.
/// @throws std::invalid_argument  the front does not have two objectives.
[[nodiscard]] double hypervolume(const Front& front, std::array<double, 2> reference);

/// What is left of a front after thinning.
struct Thinned {
  std::vector<std::size_t> kept;  ///< ascending positions in the front
  double hypervolume_lost = 0;    ///< before minus after, >= 0
};

/// Removes the member with the least hypervolume contribution, again and again, until `budget`
/// are left. Both extremes stay: the first and the last member are never removed. Of equal
/// contributions the later position goes first. O(n log n).
/// @param budget  >= 2.
/// @throws std::invalid_argument  budget < 2, or not two objectives.
[[nodiscard]] Thinned thin(const Front& front, std::size_t budget);

}  // namespace fairfront::pareto
