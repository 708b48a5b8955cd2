/// @file
/// Internal: solutions of which equal ones are stored once, such as what a method moves, which is
/// the same for all its trade-offs. In memory every solution has its own numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/content.hpp"

namespace fairfront::archive {

/// Solution i is values[offsets[v]] .. values[offsets[v+1]-1] of v = vector[i].
struct SharedVectors {
  std::vector<std::int64_t> vector;   ///< shape (solutions,)
  std::vector<std::int64_t> offsets;  ///< different vectors + 1, which stand as they appear
  decltype(results::Solutions::values) values;
};

/// Equal is what has equal bits.
/// @param solutions  offsets that begin with 0 and ascend to the number of values.
/// @return nothing where that saves less than half of the bytes, or less than 4 KiB, or leaves less
///         than a part in 1,024.
[[nodiscard]] std::optional<SharedVectors> shared_vectors(const results::Solutions& solutions);

/// Gives every solution the numbers that it shares.
/// @param solutions  its offsets and values are those of the shared vectors, and then its own.
/// @param path       of the group, for messages.
/// @throws base::DamagedError  offsets that are none of the values, a vector that there is not,
/// that
///         nobody has or that comes before one of a smaller number, or too many values.
void unshare(results::Solutions& solutions, const std::vector<std::int64_t>& vector,
             const std::string& path);

}  // namespace fairfront::archive
