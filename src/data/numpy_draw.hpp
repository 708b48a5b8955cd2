/// @file
/// The row numbers that numpy's legacy generator draws, because the papers' samples come from it.
#pragma once

#include <cstdint>
#include <vector>

namespace fairfront::data {

/// What numpy.random.RandomState(seed).choice(rows, count, replace=False) returns: the first
/// `count` numbers of a shuffle of 0 .. rows-1 by the Mersenne twister of Matsumoto and Nishimura
/// (1998). numpy froze this stream (NEP 19), so it is the same in every version.
///
/// @throws std::invalid_argument  unless 0 <= count <= rows < 2^32.
[[nodiscard]] std::vector<std::int64_t> numpy_choice(std::int64_t rows, std::int64_t count,
                                                     std::uint32_t seed);

}  // namespace fairfront::data
