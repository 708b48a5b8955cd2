/// @file
/// Hypervolume of four and five objectives.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace fairfront::pareto {

template <std::size_t m>
using Vector = std::array<double, m>;

/// The volume that points dominate below `reference`: slices between consecutive values of the last
/// objective. A slice is as thick as the step to the next value and as large as what all points up
/// to there dominate in the other objectives, which grows by what each point alone adds: with three
/// others by exclusive_volume, with four by its box less the part that those before it dominate of
/// it (While, Bradstreet, Barone, IEEE Trans. Evolutionary Computation 16(1), 2012).
/// @param points  in any order, dominated ones and equal ones too; each dominates the reference in
///                all objectives.
[[nodiscard]] double sliced_volume(std::vector<Vector<4>> points, const Vector<4>& reference);
[[nodiscard]] double sliced_volume(std::vector<Vector<5>> points, const Vector<5>& reference);

}  // namespace fairfront::pareto
