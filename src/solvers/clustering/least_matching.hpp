/// @file
/// The cheapest way to give each of n rows a column of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fairfront::clustering {

struct LeastMatching {
  std::vector<std::int32_t> columns;  ///< of every row, shape (n,)
  std::int64_t looks = 0;             ///< at entries of the matrix
};

/// Shortest augmenting paths with potentials (Kuhn, 1955; Jonker and Volgenant, 1987): a row after
/// the other. O(n^3), O(n) memory. Of equal columns the first is looked at first.
/// @param costs  row-major, shape (n, n), finite.
[[nodiscard]] LeastMatching least_matching(std::span<const double> costs, std::int64_t n);

}  // namespace fairfront::clustering
