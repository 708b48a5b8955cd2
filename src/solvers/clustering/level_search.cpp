#include "solvers/clustering/level_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/index.hpp"
#include "base/stop.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

/// Bounds are whole, as costs are; those beyond are of boxes that hold nothing of interest.
std::int64_t narrowed(WideInteger bound) {
  constexpr WideInteger largest = std::numeric_limits<std::int64_t>::max() / 2;
  return static_cast<std::int64_t>(std::clamp(bound, WideInteger{0}, largest));
}

/// Then transports apart say more than the linear program, and are not far from what they were.
bool is_narrow(const LevelBox& box) {
  constexpr std::int64_t few = 2;
  std::int64_t width = 0;
  for (std::size_t k = 0; k < box.low.size(); ++k) width += box.high[k] - box.low[k];
  return width <= few * std::ssize(box.low);
}

std::vector<std::int64_t> all_members(const AssignmentCosts& costs, std::int32_t group) {
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < costs.group.size(); ++i) {
    if (costs.group[i] == group) rows.push_back(static_cast<std::int64_t>(i));
  }
  return rows;
}

}  // namespace

LevelSearch::LevelSearch(const AssignmentCosts& costs, const BalanceLimits& limits,
                         const BalancedAssignmentOptions& options,
                         const std::vector<std::int64_t>& start)
    : costs_{costs},
      limits_{limits},
      options_{options},
      clusters_{costs.clusters},
      cost_{std::numeric_limits<std::int64_t>::max()},
      lower_{std::numeric_limits<std::int64_t>::max()} {
  for (std::int32_t j = 0; j < std::ssize(limits.group_counts()); ++j) {
    transports_.emplace_back(costs.costs, all_members(costs, j), clusters_);
  }
  try_levels(start);
}

LevelBox LevelSearch::whole_box() const {
  return {std::vector<std::int64_t>(at(clusters_), 1),
          std::vector<std::int64_t>(at(clusters_), limits_.rarest() - (clusters_ - 1))};
}

std::int64_t LevelSearch::cost_within(std::span<const std::int64_t> least,
                                      std::span<const std::int64_t> most) {
  std::int64_t sum = 0;
  for (Transport& transport : transports_) sum += transport.settle(least, most);
  return sum;
}

/// @return whether they are better than all before.
bool LevelSearch::try_levels(const std::vector<std::int64_t>& levels) {
  if (!limits_.hold(levels)) return false;
  std::vector<std::int64_t> most;
  for (const std::int64_t level : levels) most.push_back(limits_.most(level));
  const std::int64_t cost = cost_within(levels, most);
  if (cost >= cost_) return false;
  cost_ = cost;
  levels_ = levels;
  return true;
}

/// @param up, down  clusters; -1: none.
bool LevelSearch::try_moved(std::int64_t up, std::int64_t down, std::int64_t by) {
  std::vector<std::int64_t> levels = levels_;
  if (up >= 0) levels[at(up)] += by;
  if (down >= 0) levels[at(down)] -= by;
  return up != down && try_levels(levels);
}

/// Until no step up, down or from one cluster to another lowers the cost, or for some rounds.
void LevelSearch::improve() {
  constexpr int most_rounds = 5;
  bool improved = true;
  for (int round = 0; round < most_rounds && improved; ++round) {
    improved = false;
    for (std::int64_t up = -1; up < clusters_; ++up) {
      for (std::int64_t down = -1; down < clusters_; ++down) {
        while (try_moved(up, down, 1)) improved = true;
      }
    }
  }
}

std::vector<std::int64_t> LevelSearch::rounded(const LevelBox& box,
                                               const std::vector<double>& levels) const {
  std::vector<std::int64_t> whole;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    whole.push_back(std::clamp(
        static_cast<std::int64_t>(std::llround(std::clamp(
            levels[k], static_cast<double>(box.low[k]), static_cast<double>(box.high[k])))),
        box.low[k], box.high[k]));
  }
  // Sums that rounding has moved past a limit come back where it costs least of the rounding.
  for (std::int64_t tries = 0; tries < 2 * clusters_ && !limits_.hold(whole); ++tries) {
    std::int64_t sum = 0;
    for (const std::int64_t level : whole) sum += level;
    const std::int64_t step = sum > std::ranges::min(limits_.group_counts()) ? -1 : 1;
    std::int64_t best = -1;
    double most = -std::numeric_limits<double>::infinity();
    for (std::int64_t k = 0; k < clusters_; ++k) {
      const std::int64_t next = whole[at(k)] + step;
      if (next < box.low[at(k)] || next > box.high[at(k)]) continue;
      const double off =
          static_cast<double>(step) * (levels[at(k)] - static_cast<double>(whole[at(k)]));
      if (off <= most) continue;
      most = off;
      best = k;
    }
    if (best < 0) break;
    whole[at(best)] += step;
  }
  return whole;
}

/// Most counts of a box's clusters; nothing if it holds no assignment.
std::optional<std::vector<std::int64_t>> LevelSearch::most_within(const LevelBox& box) const {
  std::vector<std::int64_t> most;
  std::int64_t least_sum = 0;
  std::int64_t most_sum = 0;
  for (std::size_t k = 0; k < box.low.size(); ++k) {
    most.push_back(limits_.most(box.high[k]));
    least_sum += box.low[k];
    most_sum += most.back();
  }
  for (const std::int64_t count : limits_.group_counts()) {
    if (least_sum > count || most_sum < count) return std::nullopt;
  }
  return most;
}

/// Groups apart may have counts that suit each other.
void LevelSearch::take_transports_if_balanced() {
  std::vector<std::int64_t> levels;
  std::int64_t cost = 0;
  for (const Transport& transport : transports_) cost += transport.cost();
  for (std::size_t k = 0; k < at(clusters_); ++k) {
    std::int64_t least = limits_.rarest();
    std::int64_t most = 0;
    for (const Transport& transport : transports_) {
      least = std::min(least, transport.counts()[k]);
      most = std::max(most, transport.counts()[k]);
    }
    if (least < 1 || most > limits_.most(least)) return;
    levels.push_back(least);
  }
  if (cost >= cost_) return;
  cost_ = cost;
  levels_ = std::move(levels);
}

bool LevelSearch::is_close(std::int64_t bound) const noexcept {
  return bound >= cost_ ||
         static_cast<double>(cost_ - bound) <= options_.tolerance * static_cast<double>(cost_);
}

/// Leaves out clusters of rows with which no assignment is cheaper than the one that is known: the
/// bound of the root's prices with the row there says so.
void LevelSearch::open_rows() {
  open_ = {};
  cost_when_opened_ = cost_;
  open_.settled.assign(limits_.group_counts().size() * at(clusters_), 0);
  open_.first.push_back(0);
  const auto room = static_cast<std::int64_t>(cost_ - root_.value);
  for (std::int64_t row = 0; row < std::ssize(costs_.group); ++row) {
    const std::int64_t offset = costs_.group[at(row)] * clusters_;
    const auto reduced = [&](std::int64_t k) {
      return costs_.cost(row, k) - root_.prices[at(offset + k)];
    };
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t k = 0; k < clusters_; ++k) least = std::min(least, reduced(k));
    const auto before = std::ssize(open_.clusters);
    for (std::int64_t k = 0; k < clusters_; ++k) {
      if (reduced(k) - least < room) open_.clusters.push_back(static_cast<std::int32_t>(k));
    }
    if (std::ssize(open_.clusters) == before + 1) {
      const std::int64_t k = open_.clusters.back();
      open_.clusters.pop_back();
      ++open_.settled[at(offset + k)];
      open_.settled_cost += costs_.cost(row, k);
    } else {
      open_.rows.push_back(row);
      open_.first.push_back(std::ssize(open_.clusters));
    }
  }
}

void LevelSearch::leave(std::int64_t bound) noexcept { lower_ = std::min(lower_, bound); }

/// Cuts the box where the linear program is furthest from whole numbers.
void LevelSearch::branch(Node node, const AssignmentBound& bound) {
  std::int64_t widest = -1;
  double most = -1;
  for (std::int64_t k = 0; k < clusters_; ++k) {
    const std::int64_t low = node.box.low[at(k)];
    const std::int64_t high = node.box.high[at(k)];
    if (low == high) continue;
    double price = 0;
    for (std::size_t m = at(k); m < bound.prices.size(); m += at(clusters_)) {
      price += std::abs(static_cast<double>(bound.prices[m]));
    }
    const double level = bound.levels[at(k)];
    const double off = std::abs(level - std::round(level));
    constexpr double least_off = 0.05;  // most() is no line, either
    const double score = (1 + price) * std::max(off, least_off);
    if (score <= most) continue;
    most = score;
    widest = k;
  }
  if (widest < 0) return;  // one vector of levels, which was tried
  const std::size_t k = at(widest);
  const auto cut = static_cast<std::int64_t>(
      std::floor(std::clamp(bound.levels[k], static_cast<double>(node.box.low[k]),
                            static_cast<double>(node.box.high[k] - 1))));
  Node below = node;
  below.box.high[k] = cut;
  below.number = ++numbered_;
  Node above = std::move(node);
  above.box.low[k] = cut + 1;
  above.number = ++numbered_;
  queue_.push(std::move(below));
  queue_.push(std::move(above));
}

void LevelSearch::visit(Node node) {
  ++nodes_;
  const auto most = most_within(node.box);
  if (!most) return;
  if (is_narrow(node.box)) {
    node.bound = std::max(node.bound, cost_within(node.box.low, *most));
    take_transports_if_balanced();
    if (is_close(node.bound)) return leave(node.bound);
  }
  if (cost_ < cost_when_opened_) open_rows();
  const AssignmentBound bound = assignment_bound(costs_, open_, limits_, node.box);
  work_ += std::ssize(open_.clusters);
  node.bound = std::max(node.bound, narrowed(bound.value));
  if (try_levels(rounded(node.box, bound.levels))) improve();
  if (is_close(node.bound)) return leave(node.bound);
  branch(std::move(node), bound);
}

void LevelSearch::run() {
  const LevelBox box = whole_box();
  // As if nothing could be left out.
  root_.prices.assign(limits_.group_counts().size() * at(clusters_), 0);
  root_.value = -(WideInteger{1} << 61);
  open_rows();
  root_ = assignment_bound(costs_, open_, limits_, box);
  if (try_levels(rounded(box, root_.levels))) improve();
  nodes_ = 1;
  const std::int64_t bound = narrowed(root_.value);
  if (is_close(bound)) return leave(bound);
  open_rows();
  branch({box, bound, 0}, root_);
  while (!queue_.empty()) {
    base::stop_point();
    Node node = queue_.top();
    if (is_close(node.bound) || nodes_ >= options_.max_nodes || work_ >= options_.max_work) {
      return leave(node.bound);  // the others' are no smaller
    }
    queue_.pop();
    visit(std::move(node));
  }
  leave(cost_);
}

std::vector<std::int32_t> LevelSearch::labels() {
  std::vector<std::int64_t> most;
  for (const std::int64_t level : levels_) most.push_back(limits_.most(level));
  cost_within(levels_, most);
  std::vector<std::int32_t> labels(costs_.group.size());
  for (const Transport& transport : transports_) {
    for (std::size_t i = 0; i < transport.rows().size(); ++i) {
      labels[at(transport.rows()[i])] = transport.labels()[i];
    }
  }
  return labels;
}

}  // namespace fairfront::clustering
