/// @file
/// Hypervolume of fronts, and thinning of two-objective ones that states what it loses.
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

/// hypervolume() is there for so many objectives: 2 and 3.
[[nodiscard]] constexpr bool has_hypervolume(std::size_t objectives) noexcept {
  return objectives == 2 || objectives == 3;
}

/// The area or volume that the front dominates below `reference`. Three objectives: slices between
/// consecutive values of the third one, whose areas are kept up to date on the staircase of the
/// other two (Fonseca, Paquete, Lopez-Ibanez, 2006, dimension sweep); O(n log n).
/// @param reference  shape (m,).
/// @throws std::invalid_argument  not has_hypervolume(m), or a reference of another length.
[[nodiscard]] double hypervolume(const Front& front, std::span<const double> reference);

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
