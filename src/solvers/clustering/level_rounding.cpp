#include "solvers/clustering/level_rounding.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "base/index.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

constexpr std::int64_t nowhere = -1;

/// One cluster's level rises by 1, another one's falls: either may be `nowhere`.
struct LevelStep {
  std::int64_t up = nowhere;
  std::int64_t down = nowhere;
  void walk(std::vector<std::int64_t>& levels) const {
    if (up != nowhere) ++levels[at(up)];
    if (down != nowhere) --levels[at(down)];
  }
  void walk_back(std::vector<std::int64_t>& levels) const { LevelStep{down, up}.walk(levels); }
  [[nodiscard]] bool stays(const std::vector<std::int64_t>& levels, const LevelBox& box) const {
    return up != down && (up == nowhere || levels[at(up)] < box.high[at(up)]) &&
           (down == nowhere || levels[at(down)] > box.low[at(down)]);
  }
  [[nodiscard]] double worse(const std::vector<std::int64_t>& levels,
                             const LevelPenalties& penalties) const {
    const auto by = [&](std::int64_t k, std::int64_t step) {
      return k == nowhere ? 0 : penalties(k, levels[at(k)] + step) - penalties(k, levels[at(k)]);
    };
    return by(up, 1) + by(down, -1);
  }
};

/// By how many rows the sums of counts are off what all members ask for.
std::int64_t rows_off(const BalanceLimits& limits, std::span<const std::int64_t> levels) {
  const auto [rarest, commonest] = std::ranges::minmax(limits.group_counts());
  std::int64_t least = 0;
  std::int64_t most = 0;
  for (const std::int64_t level : levels) {
    least += level;
    most += limits.most(level);
  }
  return std::max<std::int64_t>(least - rarest, 0) + std::max<std::int64_t>(commonest - most, 0);
}

/// The step that costs least for each row that it mends; none if none mends any.
LevelStep best_step(const BalanceLimits& limits, const LevelBox& box,
                    const LevelPenalties& penalties, std::vector<std::int64_t>& levels) {
  const std::int64_t off = rows_off(limits, levels);
  LevelStep best;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t up = nowhere; up < std::ssize(levels); ++up) {
    for (std::int64_t down = nowhere; down < std::ssize(levels); ++down) {
      const LevelStep step{up, down};
      if (!step.stays(levels, box)) continue;
      step.walk(levels);
      const std::int64_t mended = off - rows_off(limits, levels);
      step.walk_back(levels);
      if (mended <= 0) continue;
      const double price = step.worse(levels, penalties) / static_cast<double>(mended);
      if (price >= least) continue;
      least = price;
      best = step;
    }
  }
  return best;
}

}  // namespace

std::vector<std::int64_t> rounded_levels(const BalanceLimits& limits, const LevelBox& box,
                                         const LevelPenalties& penalties) {
  constexpr std::int64_t most_steps_each = 4;
  const std::int64_t clusters = std::ssize(box.low);
  std::vector<std::int64_t> levels;
  for (std::int64_t k = 0; k < clusters; ++k) {
    levels.push_back(penalties.best(k, box.low[at(k)], box.high[at(k)]));
  }
  for (std::int64_t steps = 0; steps < most_steps_each * clusters; ++steps) {
    if (rows_off(limits, levels) == 0) break;
    const LevelStep step = best_step(limits, box, penalties, levels);
    if (step.up == step.down) break;
    step.walk(levels);
  }
  return levels;
}

}  // namespace fairfront::clustering
