/// @file
/// Hypervolume of fronts, and thinning that states what it loses.
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

/// hypervolume() is there for so many objectives: 2 to 5.
[[nodiscard]] constexpr bool has_hypervolume(std::size_t objectives) noexcept {
  return objectives >= 2 && objectives <= 5;
}

/// thin() is there for so many objectives: 2 and 3.
[[nodiscard]] constexpr bool has_thinning(std::size_t objectives) noexcept {
  return objectives == 2 || objectives == 3;
}

/// The area or volume that the front dominates below `reference`. Three objectives: slices between
/// consecutive values of the third one, whose areas are kept up to date on the staircase of the
/// other two (Fonseca, Paquete, Lopez-Ibanez, 2006, dimension sweep); O(n log n). Four and five:
/// slices of the last one, whose volumes grow by what each point alone adds to those before it
/// (sliced_volume.hpp); O(n^2 log n) and O(n^3 log n) at worst.
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

/// The same for two or three objectives. Two need no reference, and it is not looked at. With
/// three, contributions are measured below `reference`, so that members beyond it go first; of
/// every objective the first member with its least value stays. O(n log n) for each contribution:
/// all of them once, and for each removal those that had been the least.
/// @param budget     >= m.
/// @param reference  shape (m,).
/// @throws std::invalid_argument  not has_thinning(m), budget < m, or a reference of another
///         length.
[[nodiscard]] Thinned thin(const Front& front, std::size_t budget,
                           std::span<const double> reference);

}  // namespace fairfront::pareto
