/// @file
/// Rows and digest of a data set in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "data/dataset.hpp"

namespace fairfront::data {

/// Keeps `rows`, in that order, of features, groups, attributes, labels and split.
void keep_rows(Dataset& set, std::span<const std::int64_t> rows);

/// SHA-256 over shape, features, groups and their names, labels, split and its names, and,
/// when there are several, over the sensitive attributes.
[[nodiscard]] std::string digest_of(const Dataset& set);

}  // namespace fairfront::data
