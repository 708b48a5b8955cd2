#include "solvers/clustering/balance_limits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/index.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

/// By how much a table of sums with some number of parts can be filled: parts^2 * largest^2 steps.
constexpr std::int64_t most_steps_root = 4096;

/// How far from a wanted level others are looked at, of all clusters together.
constexpr std::int64_t most_off = 256;

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

/// The levels with the largest sum of most(l) - weight (l - wanted)^2 of those whose own sum the
/// rarest group allows; none where all have a larger one.
std::vector<std::int64_t> BalanceLimits::most_valued(std::span<const double> wanted,
                                                     double weight) const {
  const auto clusters = std::ssize(wanted);
  const std::int64_t off = std::clamp<std::int64_t>(most_off / clusters, 1, 16);
  constexpr double none = -1e300;
  std::vector<std::int64_t> low;
  std::vector<std::int64_t> widths;
  std::int64_t left = rarest();
  std::int64_t width = 0;
  for (const double level : wanted) {
    const auto middle = std::clamp<std::int64_t>(std::llround(level), 1, rarest());
    low.push_back(std::max<std::int64_t>(1, middle - off));
    widths.push_back(std::min(rarest(), middle + off) - low.back());
    left -= low.back();
    width += widths.back();
  }
  if (left < 0) return {};
  const std::int64_t sums = std::min(left, width) + 1;  // beyond the lowest levels
  std::vector<double> values(at(sums), none);
  std::vector<std::vector<std::int64_t>> steps;
  values[0] = 0;
  for (std::int64_t k = 0; k < clusters; ++k) {
    std::vector<double> next(at(sums), none);
    auto& step = steps.emplace_back(at(sums), 0);
    for (std::int64_t more = 0; more <= std::min(widths[at(k)], sums - 1); ++more) {
      const auto level = low[at(k)] + more;
      const double miss = static_cast<double>(level) - wanted[at(k)];
      const double worth = static_cast<double>(most(level)) - weight * miss * miss;
      for (std::int64_t sum = more; sum < sums; ++sum) {
        const double value = values[at(sum - more)] + worth;
        if (values[at(sum - more)] == none || value <= next[at(sum)]) continue;
        next[at(sum)] = value;
        step[at(sum)] = more;
      }
    }
    values = std::move(next);
  }
  auto sum = std::ranges::max_element(values) - values.begin();
  std::vector<std::int64_t> levels(at(clusters));
  for (std::int64_t k = clusters; k-- > 0;) {
    const std::int64_t more = steps[at(k)][at(sum)];
    levels[at(k)] = low[at(k)] + more;
    sum -= more;
  }
  return levels;
}

std::optional<std::vector<std::int64_t>> BalanceLimits::levels_near(
    std::span<const double> wanted) const {
  if (std::ssize(wanted) > rarest()) return std::nullopt;
  const auto step = static_cast<double>(most(1));  // and a level more adds one row more at most
  for (double weight = 4 * step; weight > 1e-4 * step; weight /= 4) {
    std::vector<std::int64_t> levels = most_valued(wanted, weight);
    if (levels.empty()) break;
    if (hold(levels)) return levels;
  }
  std::optional<std::vector<std::int64_t>> levels = some_levels(std::ssize(wanted));
  if (!levels) return std::nullopt;
  std::ranges::sort(*levels);
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return wanted[k]; });
  std::vector<std::int64_t> near(wanted.size());
  for (std::size_t i = 0; i < order.size(); ++i) near[order[i]] = (*levels)[i];
  return near;
}

double greatest_balance(const std::vector<std::int64_t>& group_counts, std::int64_t clusters) {
  const auto [rarest, commonest] = std::ranges::minmax(group_counts);
  if (clusters > rarest) return 0;
  const auto holds = [&](double balance) {
    return BalanceLimits(balance, group_counts).some_levels(clusters).has_value();
  };
  double high = static_cast<double>(rarest) / static_cast<double>(commonest);
  if (holds(high)) return high;
  double low = 1 / static_cast<double>(commonest);  // one cluster has what others need not
  constexpr int halvings = 17;
  for (int i = 0; i < halvings; ++i) {
    const double middle = 0.5 * (low + high);
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace fairfront::clustering
