/// @file
/// Sorting many doubles quickly, for everything that goes by rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// Sorts ascending; -0 becomes +0, so that equal values have equal bits. Values are not NaN.
/// O(n) for long lists (radix sort) and for sorted ones.
void sort_ascending(std::vector<double>& values);

/// order = the places of `values` by ascending value, equal ones by place; -0 equals 0. O(n) for
/// long lists.
void order_ascending(std::span<const double> values, std::vector<std::int64_t>& order);
void order_ascending(std::span<const double> values, std::vector<std::uint32_t>& order);

struct SharesBelow {
  std::vector<double> of_first, of_second;
};
/// For each number of either list how many of the other list lie below it, a tie as one half, as a
/// share of them. Both ascending, not NaN and not empty. O(n), in the memory's order.
[[nodiscard]] SharesBelow shares_below(std::span<const double> first,
                                       std::span<const double> second);

/// The scores of every group, each ascending. @throws base::InputError  a score is NaN
[[nodiscard]] std::vector<std::vector<double>> sorted_by_group(const Scored& scored);

}  // namespace fairfront::metrics
