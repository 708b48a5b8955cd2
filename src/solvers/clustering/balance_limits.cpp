#include "solvers/clustering/balance_limits.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

/// By how much a table of sums with some number of parts can be filled: parts^2 * largest^2 steps.
constexpr std::int64_t most_steps_root = 4096;

std::int64_t largest_count(std::int64_t level, double balance, std::int64_t bound) {
  const auto quotient = [level](std::int64_t count) {
    return static_cast<double>(level) / static_cast<double>(count);
  };
  if (level == 0) return 0;
  if (quotient(bound) >= balance) return bound;
  auto count = static_cast<std::int64_t>(static_cast<double>(level) / balance);
  while (quotient(count + 1) >= balance) ++count;
  while (count > 0 && quotient(count) < balance) --count;
  return count;
}

}  // namespace

BalanceLimits::BalanceLimits(double balance, std::vector<std::int64_t> group_counts)
    : counts_{std::move(group_counts)} {
  const auto [rarest, commonest] = std::ranges::minmax(counts_);
  for (std::int64_t level = 0; level <= rarest; ++level) {
    most_.push_back(largest_count(level, balance, commonest));
  }
}

bool BalanceLimits::hold(std::span<const std::int64_t> levels) const noexcept {
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  for (const std::int64_t level : levels) {
    if (level < 1 || level > rarest()) return false;
    least += level;
    greatest += most(level);
  }
  return std::ranges::all_of(
      counts_, [&](std::int64_t count) { return least <= count && count <= greatest; });
}

std::optional<std::vector<std::int64_t>> BalanceLimits::some_levels(std::int64_t clusters) const {
  if (clusters > rarest()) return std::nullopt;
  // Of levels with one sum, those hold most whose greatest counts have the largest sum. A long
  // cluster loses least to rounding, so one takes what the small ones leave.
  const std::int64_t parts = clusters - 1;
  const std::int64_t largest = std::min(
      rarest(), std::max<std::int64_t>(1, most_steps_root / std::max<std::int64_t>(1, parts)));
  const std::int64_t sums = std::min(rarest(), parts * largest) + 1;
  constexpr std::int64_t none = -1;
  std::vector<std::int64_t> held(at(sums), none);
  std::vector<std::vector<std::int64_t>> last(at(parts), std::vector<std::int64_t>(at(sums), 0));
  held[0] = 0;
  for (std::int64_t part = 0; part < parts; ++part) {
    std::vector<std::int64_t> next(at(sums), none);
    for (std::int64_t sum = part; sum < std::min(sums, part * largest + 1); ++sum) {
      if (held[at(sum)] == none) continue;
      for (std::int64_t level = 1; level <= std::min(largest, sums - 1 - sum); ++level) {
        const std::int64_t value = held[at(sum)] + most(level);
        if (value <= next[at(sum + level)]) continue;
        next[at(sum + level)] = value;
        last[at(part)][at(sum + level)] = level;
      }
    }
    held = std::move(next);
  }
  const std::int64_t needed = std::ranges::max(counts_);
  for (std::int64_t sum = parts; sum < std::min(sums, rarest()); ++sum) {
    if (held[at(sum)] == none || held[at(sum)] + most(rarest() - sum) < needed) continue;
    std::vector<std::int64_t> levels(at(clusters), rarest() - sum);
    for (std::int64_t part = parts, left = sum; part-- > 0;) {
      levels[at(part)] = last[at(part)][at(left)];
      left -= levels[at(part)];
    }
    return levels;
  }
  return std::nullopt;
}

}  // namespace fairfront::clustering
