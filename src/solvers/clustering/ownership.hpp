/// @file
/// Who holds which list entry, and the moves that even the load out.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fairfront::clustering {

/// One entry changes hands.
struct Handover {
  std::size_t position;
  int from;
  int to;
};

/// The moves after which no rank holds more than ceil(n / ranks) entries; none while the busiest
/// rank is within `tolerance` (a share, >= 0) of that. Every entry costs the same number of
/// steps, so counts are the load. Pure: every rank computes the same list. The busiest ranks give
/// their last entries to the least busy ones.
/// @param owner  rank of each list position, values 0 .. ranks-1.
[[nodiscard]] std::vector<Handover> rebalance(std::span<const int> owner, int ranks,
                                              double tolerance);

}  // namespace fairfront::clustering
