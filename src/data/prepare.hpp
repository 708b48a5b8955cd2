/// @file
/// Scaling and drawing of rows, on a data set in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "data/dataset.hpp"

namespace fairfront::data {

/// Gives every column mean 0 and population standard deviation 1. A constant column becomes 0.
/// Plain sequential sums and a two-pass variance, so the bits depend on the values alone.
/// @throws base::InputError  a column whose sums overflow, named.
void standardise_columns(Dataset& set);

/// Divides every row by its Euclidean norm, the squared norm floored at 1e-14: rows land on the
/// unit sphere, and a row of zeros stays.
/// @throws base::InputError  a row whose squared norm overflows.
void normalise_rows(Dataset& set);

/// Keeps `rows`, in that order, of features, groups, attributes, labels and split.
void keep_rows(Dataset& set, std::span<const std::int64_t> rows);

/// SHA-256 over shape, features, groups and their names, labels, split and its names, and,
/// when there are several, over the sensitive attributes.
[[nodiscard]] std::string digest_of(const Dataset& set);

}  // namespace fairfront::data
