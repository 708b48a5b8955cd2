/// @file
/// How many steps each objective gets: the grid that the sweep runs over.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairfront::alternating {

/// (n_1, ..., n_m): steps per iteration and objective, all >= 0, sum >= 1.
using Efforts = std::vector<std::int64_t>;

/// n_i / sum n: the weights of the scalarised function that the efforts stand for.
[[nodiscard]] std::vector<double> weights_of(std::span<const std::int64_t> efforts);

/// Number of ways to split `total` steps among `objectives`: (total + m - 1 choose m - 1).
/// @throws std::invalid_argument  total < 1, objectives < 1, or more than 10^9 ways.
[[nodiscard]] std::int64_t lattice_size(std::int64_t total, std::int64_t objectives);

/// The `index`-th point of the simplex lattice, 0 <= index < lattice_size. For two objectives it
/// is (index, total - index); in general n_1 ascends, then n_2 within equal n_1, and so on.
/// @throws std::invalid_argument  index out of range, or as lattice_size.
[[nodiscard]] Efforts lattice_point(std::int64_t index, std::int64_t total,
                                    std::int64_t objectives);

/// "(10,5,5)". @throws std::invalid_argument  the rule that the text breaks.
[[nodiscard]] Efforts parse_efforts(std::string_view text);

/// As parse_efforts reads it.
[[nodiscard]] std::string format_efforts(std::span<const std::int64_t> efforts);

}  // namespace fairfront::alternating
