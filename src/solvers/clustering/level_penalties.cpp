#include "solvers/clustering/level_penalties.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "solvers/clustering/level_line.hpp"

namespace fairfront::clustering {

using base::at;

LevelPenalties::LevelPenalties(const BalanceLimits& limits, const AssignmentBound& bound)
    : limits_{limits}, bound_{bound} {
  constexpr double part = 0.1;
  double sum = 0;
  for (const std::int64_t price : bound.prices) sum += std::abs(static_cast<double>(price));
  unit_ = 1 + part * sum / static_cast<double>(bound.prices.size());
}

double LevelPenalties::off(std::int64_t k, double least, double most) const {
  double sum = 0;
  for (std::size_t m = at(k); m < bound_.counts.size(); m += bound_.levels.size()) {
    const double count = bound_.counts[m];
    const double rows = std::max({0.0, least - count, count - most});
    sum += rows * (unit_ + std::abs(static_cast<double>(bound_.prices[m])));
  }
  return sum;
}

double LevelPenalties::operator()(std::int64_t k, std::int64_t level) const {
  return off(k, static_cast<double>(level), static_cast<double>(limits_.most(level)));
}

double LevelPenalties::within(std::int64_t k, std::int64_t low, std::int64_t high) const {
  const double level =
      std::clamp(bound_.levels[at(k)], static_cast<double>(low), static_cast<double>(high));
  return off(k, level, line_above(limits_, low, high)(level));
}

std::int64_t LevelPenalties::floor(std::int64_t k, std::int64_t low, std::int64_t high) const {
  return static_cast<std::int64_t>(std::floor(
      std::clamp(bound_.levels[at(k)], static_cast<double>(low), static_cast<double>(high))));
}

std::int64_t LevelPenalties::best(std::int64_t k, std::int64_t low, std::int64_t high) const {
  constexpr std::int64_t around = 3;
  const std::int64_t middle = floor(k, low, high);
  std::int64_t best = middle;
  for (std::int64_t level = std::max(low, middle - around);
       level <= std::min(high, middle + around + 1); ++level) {
    if ((*this)(k, level) < (*this)(k, best)) best = level;
  }
  return best;
}

}  // namespace fairfront::clustering
