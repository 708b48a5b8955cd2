#include "solvers/clustering/level_line.hpp"

#include <algorithm>
#include <limits>

namespace fairfront::clustering {
namespace {

/// Wider boxes have a line through the origin: rounding is small beside their levels.
constexpr std::int64_t narrow = 64;

}  // namespace

LevelLine line_above(const BalanceLimits& limits, std::int64_t low, std::int64_t high) {
  const auto most = [&](std::int64_t level) { return static_cast<double>(limits.most(level)); };
  LevelLine line;
  if (high - low > narrow) {
    // most(l) <= l / balance: the steepest ray that any level asks for.
    for (std::int64_t level = low; level <= high; ++level) {
      line.slope = std::max(line.slope, most(level) / static_cast<double>(level));
    }
    return line;
  }
  if (high > low) line.slope = (most(high) - most(low)) / static_cast<double>(high - low);
  line.offset = -std::numeric_limits<double>::infinity();
  for (std::int64_t level = low; level <= high; ++level) {
    line.offset = std::max(line.offset, most(level) - line.slope * static_cast<double>(level));
  }
  return line;
}

}  // namespace fairfront::clustering
