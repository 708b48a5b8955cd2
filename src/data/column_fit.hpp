/// @file
/// What is learnt from the training rows of one column: its mean, its scale, its levels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/supervised.hpp"

namespace fairfront::data {

/// Mean of the values that are not NaN, in their range in any order; nothing when there is none.
[[nodiscard]] std::optional<double> mean_of(std::span<const double> values,
                                            std::span<const std::int64_t> rows);

/// Fits on `rows` alone. A column that is constant there gets the divisor 0.
/// @param kind  none, zscore or minmax.
/// @param name  of the column, for messages.
/// @throws base::InputError  sums that overflow.
[[nodiscard]] Affine fit_scaling(std::span<const double> values, std::span<const std::int64_t> rows,
                                 FittedScaling kind, const std::string& name);

/// Whether sums of squares of numbers of which this is the largest size are neither infinite nor 0;
/// so they are where all are 0.
[[nodiscard]] bool has_squares(double largest) noexcept;

/// Whoever adds up squares of these numbers gets neither 0 nor infinity for all of them.
/// @throws base::InputError  the square of the largest number overflows or vanishes.
void check_squares(std::span<const double> values, const std::string& name);

/// Greatest minus least value.
[[nodiscard]] double range_of(std::span<const double> values, std::span<const std::int64_t> rows);

/// How often each level occurs in `rows`.
[[nodiscard]] std::vector<std::int64_t> count_levels(const Category& category,
                                                     std::span<const std::int64_t> rows);

}  // namespace fairfront::data
