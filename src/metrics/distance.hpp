/// @file
/// Distances between two empirical distributions on the line, exact, and the rows that use them.
#pragma once

#include <cstdint>
#include <span>

#include "metrics/measure.hpp"

namespace fairfront::metrics {

// Every list below is ascending, finite and not empty.

/// Integral of |F - G|, in the unit of the values. O(n + m).
[[nodiscard]] double wasserstein_1(std::span<const double> a, std::span<const double> b);

/// Squared 2-Wasserstein distance: integral of the squared difference of the quantiles, in the
/// unit's square. O(n + m).
[[nodiscard]] double wasserstein_2_squared(std::span<const double> a, std::span<const double> b);

/// The squared 2-Wasserstein distance as published by Kliachkin, Lepsova, Bareilles, Marecek
/// (2025): both as histograms over equal bins of the range of `reference` (right edges; the last
/// bin closed), what of `other` lies outside that range left out. A range of one value is widened
/// by one half on both sides. Undefined if nothing of `other` is inside.
[[nodiscard]] Value binned_wasserstein_2_squared(std::span<const double> reference,
                                                 std::span<const double> other,
                                                 std::int64_t bins = 50);

/// Kolmogorov-Smirnov distance: the largest |F - G|. O(n + m).
[[nodiscard]] double kolmogorov_smirnov(std::span<const double> a, std::span<const double> b);

/// The largest distance over all pairs of groups. Undefined if a group is empty or, but for
/// kolmogorov_smirnov, a score infinite.
[[nodiscard]] Value wasserstein_1(const Scored& scored);
[[nodiscard]] Value wasserstein_2_squared(const Scored& scored);
[[nodiscard]] Value kolmogorov_smirnov(const Scored& scored);

/// The group with the most rows (the first of several) is the reference; largest over the others.
[[nodiscard]] Value binned_wasserstein_2_squared(const Scored& scored);

/// Largest Kolmogorov-Smirnov distance between a group and all rows: the unfairness of Agarwal,
/// Dudik, Wu (2019) and of Chzhen, Hebiri, Taturyan (2024).
[[nodiscard]] Value kolmogorov_smirnov_to_all(const Scored& scored);

}  // namespace fairfront::metrics
