#include "solvers/clustering/level_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/index.hpp"
#include "base/stop.hpp"
#include "solvers/clustering/level_penalties.hpp"
#include "solvers/clustering/level_rounding.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

/// Bounds are whole, as costs are; those beyond are of boxes that hold nothing of interest.
std::int64_t narrowed(WideInteger bound) {
  constexpr WideInteger largest = std::numeric_limits<std::int64_t>::max() / 2;
  return static_cast<std::int64_t>(std::clamp(bound, WideInteger{0}, largest));
}

/// As many steps of prices of rows are counted as the work of a linear program, or less.
constexpr std::int64_t steps_as_a_bound = 40;

/// With which part of a search the prices of rows begin. To find them takes some 80 / K times as
/// long as a linear program: a search that is over soon goes without.
std::int64_t first_row_prices(std::int64_t clusters) { return 2 + 160 / clusters; }

std::int64_t width_of(const LevelBox& box) {
  std::int64_t width = 0;
  for (std::size_t k = 0; k < box.low.size(); ++k) width += box.high[k] - box.low[k];
  return width;
}

/// Then transports apart say more than the linear program, and are not far from what they were.
bool is_narrow(const LevelBox& box) {
  constexpr std::int64_t few = 2;
  return width_of(box) <= few * std::ssize(box.low);
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
                         const std::vector<std::int64_t>& start, Watch watch)
    : costs_{costs},
      limits_{limits},
      options_{options},
      watch_{std::move(watch)},
      clusters_{costs.clusters},
      cost_{std::numeric_limits<std::int64_t>::max()},
      lower_{std::numeric_limits<std::int64_t>::max()},
      next_row_prices_{first_row_prices(clusters_)},
      gains_below_(at(clusters_)),
      gains_above_(at(clusters_)) {
  for (std::int32_t j = 0; j < std::ssize(limits.group_counts()); ++j) {
    transports_.emplace_back(costs.costs, all_members(costs, j), clusters_);
  }
  try_levels(start);
  open_ = all_open(costs, std::ssize(limits.group_counts()));
  open_box_ = whole_box();
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
  const std::int64_t cost = cost_within(levels, most_of(levels));
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

void LevelSearch::try_rounded(const LevelBox& box, const AssignmentBound& bound) {
  if (try_levels(rounded_levels(limits_, box, LevelPenalties(limits_, bound)))) improve();
}

/// Of one bound.
void LevelSearch::count_work() noexcept {
  const std::int64_t groups = std::ssize(limits_.group_counts());
  work_ += std::ssize(open_.clusters) + clusters_ * clusters_ * (groups + 1);
}

/// Settles the levels of which the linear program leaves least open, half of them.
/// @return whether any was.
bool LevelSearch::settle_half(LevelBox& box, const LevelPenalties& penalties) const {
  std::vector<std::pair<double, std::int64_t>> open;
  for (std::int64_t k = 0; k < clusters_; ++k) {
    if (box.low[at(k)] == box.high[at(k)]) continue;
    open.emplace_back(penalties(k, penalties.best(k, box.low[at(k)], box.high[at(k)])), k);
  }
  std::ranges::sort(open);
  open.resize((open.size() + 1) / 2);
  bool any = false;
  for (const auto& [penalty, k] : open) {
    LevelBox settled = box;
    settled.low[at(k)] = settled.high[at(k)] = penalties.best(k, box.low[at(k)], box.high[at(k)]);
    if (!tighten(settled)) continue;
    box = std::move(settled);
    any = true;
  }
  return any;
}

/// To whole levels of the box, by way of linear programs in which more and more are settled.
/// @param bound  of the box.
void LevelSearch::dive(LevelBox box, AssignmentBound bound) {
  while (true) {
    try_rounded(box, bound);
    if (!settle_half(box, LevelPenalties(limits_, bound))) return;
    bound = assignment_bound(costs_, open_, limits_, box, cost_);
    count_work();
    if (bound.value >= cost_) return;
  }
}

/// Most counts of clusters with these levels.
std::vector<std::int64_t> LevelSearch::most_of(std::span<const std::int64_t> levels) const {
  std::vector<std::int64_t> most;
  for (const std::int64_t level : levels) most.push_back(limits_.most(level));
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

/// Leaves out what cannot be in an assignment that is cheaper than the one that is known.
void LevelSearch::narrow_rows() {
  cost_when_narrowed_ = cost_;
  open_ = narrowed_rows(costs_, open_, root_.prices, cost_ - root_.value);
  open_box_ = levels_of_rows(costs_, open_, limits_);
}

void LevelSearch::leave(std::int64_t bound) noexcept { lower_ = std::min(lower_, bound); }

/// What is left is no cheaper.
void LevelSearch::leave_all() noexcept {
  queue_ = {};
  leave(cost_);
}

/// Cuts the box where the counts of the linear program are furthest from both halves.
void LevelSearch::branch(Node node, const AssignmentBound& bound) {
  const Cut cut = best_cut(node.box, bound);
  if (cut.cluster < 0) {
    try_levels(node.box.low);  // the only ones
    return;
  }
  const std::size_t k = at(cut.cluster);
  Node below = node;
  below.box.high[k] = cut.level;
  below.number = ++numbered_;
  below.cut_cluster = k;
  below.is_above = false;
  below.expected = cut.below;
  Node above = std::move(node);
  above.box.low[k] = cut.level + 1;
  above.number = ++numbered_;
  above.cut_cluster = k;
  above.is_above = true;
  above.expected = cut.above;
  queue_.push(std::move(below));
  queue_.push(std::move(above));
}

/// Of the levels around the linear program's, that with which both halves cost most, if penalties
/// are worth what they were at cuts of the same cluster before.
LevelSearch::Cut LevelSearch::best_cut(const LevelBox& box, const AssignmentBound& bound) const {
  const LevelPenalties penalties(limits_, bound);
  const double little = 1e-6 * penalties.unit();
  Cut best;
  double most = -1;
  for (std::int64_t k = 0; k < clusters_; ++k) {
    const std::int64_t low = box.low[at(k)];
    const std::int64_t high = box.high[at(k)];
    if (low == high) continue;
    const std::int64_t middle = penalties.floor(k, low, high);
    for (const std::int64_t off : {0, -1, 1, -2, 2, -4, 4, -8, 8, -16, 16}) {
      const std::int64_t level = std::clamp(middle + off, low, high - 1);
      const double below = penalties.within(k, low, level);
      const double above = penalties.within(k, level + 1, high);
      const double score = std::max(below * gains_below_[at(k)].ratio(), little) *
                           std::max(above * gains_above_[at(k)].ratio(), little);
      if (score <= most) continue;
      most = score;
      best = {k, level, below, above};
    }
  }
  return best;
}

/// Leaves out levels that the open rows or the others' sums do not allow.
/// @return whether any are left.
bool LevelSearch::tighten(LevelBox& box) const {
  for (std::size_t k = 0; k < box.low.size(); ++k) {
    box.low[k] = std::max(box.low[k], open_box_.low[k]);
    box.high[k] = std::min(box.high[k], open_box_.high[k]);
    if (box.low[k] > box.high[k]) return false;
  }
  const auto [rarest, commonest] = std::ranges::minmax(limits_.group_counts());
  for (bool changed = true; changed;) {
    changed = false;
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (std::size_t k = 0; k < box.low.size(); ++k) {
      least += box.low[k];
      most += limits_.most(box.high[k]);
    }
    for (std::size_t k = 0; k < box.low.size(); ++k) {
      const std::int64_t largest = rarest - (least - box.low[k]);
      const std::int64_t needed = commonest - (most - limits_.most(box.high[k]));
      if (largest < box.low[k] || limits_.most(box.high[k]) < needed) return false;
      if (largest < box.high[k]) {
        most -= limits_.most(box.high[k]) - limits_.most(largest);
        box.high[k] = largest;
        changed = true;
      }
      while (box.low[k] < box.high[k] && limits_.most(box.low[k]) < needed) {
        ++box.low[k];
        ++least;
        changed = true;
      }
    }
  }
  return true;
}

/// What a cut has raised the bound by, beside what was expected of it.
void LevelSearch::learn(const Node& node, std::int64_t bound) {
  if (node.expected <= 0) return;
  const auto gain = static_cast<double>(std::min(bound, cost_) - node.bound);
  Gain& of_cut = (node.is_above ? gains_above_ : gains_below_)[node.cut_cluster];
  constexpr double greatest = 10;
  of_cut.ratios += std::clamp(gain / node.expected, 0.0, greatest);
  ++of_cut.seen;
}

/// Leaves out more, by the prices of rows.
/// @return whether anything is left that may be cheaper.
bool LevelSearch::narrow_by_row_prices() {
  row_bounds_.emplace(costs_, open_, limits_);
  const RowBound bound = row_bounds_->of_prices(row_box_, row_prices_);
  if (bound.value >= cost_) return false;
  const WideInteger room = cost_ - bound.value;
  OpenRows left = row_bounds_->narrowed(row_box_, bound, room);
  for (std::size_t i = 0; i < left.rows.size(); ++i) {
    if (left.first[i] == left.first[i + 1]) return false;
  }
  open_ = std::move(left);
  priced_rows_ = std::make_shared<const std::vector<std::int64_t>>(open_.rows);
  row_bounds_.emplace(costs_, open_, limits_);
  open_box_ = levels_of_rows(costs_, open_, limits_);
  leave_out_levels(bound, room, row_box_);
  for (std::size_t k = 0; k < at(clusters_); ++k) {
    open_box_.low[k] = std::max(open_box_.low[k], row_box_.low[k]);
    open_box_.high[k] = std::min(open_box_.high[k], row_box_.high[k]);
  }
  return true;
}

/// Prices of rows for the whole search; where they prove little more than the linear program, not
/// before it is much longer.
/// @return whether anything is left that may be cheaper.
bool LevelSearch::start_row_prices() {
  constexpr int most_steps = 200;
  constexpr double worth_while = 0.1;
  constexpr std::int64_t later = 8;
  row_bounds_.emplace(costs_, open_, limits_);
  RowBound bound = row_bounds_->of_prices(row_box_, row_bounds_->prices_between(root_.prices));
  bound = row_bounds_->improved(row_box_, std::move(bound), cost_, most_steps);
  work_ += most_steps * std::ssize(open_.clusters) / steps_as_a_bound;
  if (bound.value >= cost_) return false;
  const auto gain = static_cast<double>(bound.value - root_.value);
  if (gain < worth_while * static_cast<double>(cost_ - root_.value)) {
    next_row_prices_ *= later;
    return true;
  }
  row_prices_ = std::move(bound.prices);
  return narrow_by_row_prices();
}

std::vector<std::int64_t> LevelSearch::row_prices_of(const Node& node) const {
  std::vector<std::int64_t> prices = row_prices_;
  if (!node.row_prices) return prices;
  const std::vector<std::int64_t>& rows = *node.row_prices->rows;
  for (std::size_t i = 0; i < rows.size(); ++i) prices[at(rows[i])] = node.row_prices->prices[i];
  return prices;
}

/// For what will be cut from the node, unless the parts that wait keep too many.
void LevelSearch::keep_row_prices(Node& node, std::span<const std::int64_t> prices) const {
  constexpr std::size_t most_kept = std::size_t{1} << 24;
  node.row_prices = nullptr;
  if (queue_.size() * open_.rows.size() > most_kept) return;
  RowPrices kept{priced_rows_, {}};
  for (const std::int64_t row : open_.rows) kept.prices.push_back(prices[at(row)]);
  node.row_prices = std::make_shared<const RowPrices>(std::move(kept));
}

/// From the prices of the part that the node was cut from.
/// @return whether it need not be cut.
bool LevelSearch::bound_by_rows(Node& node) {
  constexpr int most_steps = 30;
  RowBound bound = row_bounds_->of_prices(node.box, row_prices_of(node));
  bound = row_bounds_->improved(node.box, std::move(bound), cost_, most_steps);
  work_ += most_steps * std::ssize(open_.clusters) / steps_as_a_bound;
  learn(node, narrowed(bound.value));
  node.bound = std::max(node.bound, narrowed(bound.value));
  if (is_close(node.bound)) return true;
  leave_out_levels(bound, cost_ - bound.value, node.box);
  keep_row_prices(node, bound.prices);
  return false;
}

void LevelSearch::visit(Node node) {
  ++nodes_;
  if (nodes_ == next_row_prices_ && row_prices_.empty() && !start_row_prices()) return leave_all();
  if (cost_ < cost_when_narrowed_) {
    narrow_rows();
    if (!row_prices_.empty() && !narrow_by_row_prices()) return leave_all();
  }
  if (!tighten(node.box)) return;
  if (is_narrow(node.box)) {
    node.bound = std::max(node.bound, cost_within(node.box.low, most_of(node.box.high)));
    take_transports_if_balanced();
    if (is_close(node.bound)) return leave(node.bound);
  }
  if (!row_prices_.empty()) {
    if (bound_by_rows(node)) return leave(node.bound);
    if (!tighten(node.box)) return;
  }
  const AssignmentBound bound = assignment_bound(costs_, open_, limits_, node.box, cost_);
  count_work();
  if (row_prices_.empty()) learn(node, narrowed(bound.value));
  node.bound = std::max(node.bound, narrowed(bound.value));
  if (is_close(node.bound)) return leave(node.bound);
  try_rounded(node.box, bound);
  if (is_close(node.bound)) return leave(node.bound);
  leave_out_levels(limits_, bound, cost_ - bound.value, node.box);
  if (nodes_ >= next_dive_) {
    next_dive_ = nodes_ + nodes_ / 2;
    dive(node.box, bound);
    if (is_close(node.bound)) return leave(node.bound);
  }
  branch(std::move(node), bound);
}

/// Solved again where its own prices have left out many levels.
/// @return whether any levels are left that may be cheaper.
bool LevelSearch::solve_root(LevelBox& box) {
  constexpr int most_rounds = 6;
  for (int round = 0; round < most_rounds; ++round) {
    root_ = assignment_bound(costs_, open_, limits_, box, cost_);
    try_rounded(box, root_);
    if (is_close(narrowed(root_.value))) return true;
    const std::int64_t before = width_of(box);
    leave_out_levels(limits_, root_, cost_ - root_.value, box);
    narrow_rows();
    if (!tighten(box)) return false;
    if (10 * width_of(box) > 9 * before) break;
  }
  dive(box, root_);
  return true;
}

bool LevelSearch::is_at_a_limit() const noexcept {
  return !options_.until_proven && (nodes_ >= options_.max_nodes || work_ >= options_.max_work);
}

void LevelSearch::run() {
  LevelBox box = whole_box();
  nodes_ = 1;
  if (!solve_root(box)) return leave(cost_);
  const std::int64_t bound = narrowed(root_.value);
  if (is_close(bound)) return leave(bound);
  row_box_ = box;
  Node root;
  root.box = std::move(box);
  root.bound = bound;
  branch(std::move(root), root_);
  while (!queue_.empty()) {
    base::stop_point();
    Node node = queue_.top();
    if (watch_) watch_(cost_, std::min(node.bound, lower_));
    if (is_close(node.bound) || is_at_a_limit()) {
      return leave(node.bound);  // the others' are no smaller
    }
    queue_.pop();
    visit(std::move(node));
  }
  leave(cost_);
}

std::vector<std::int32_t> LevelSearch::labels() {
  cost_within(levels_, most_of(levels_));
  std::vector<std::int32_t> labels(costs_.group.size());
  for (const Transport& transport : transports_) {
    for (std::size_t i = 0; i < transport.rows().size(); ++i) {
      labels[at(transport.rows()[i])] = transport.labels()[i];
    }
  }
  return labels;
}

}  // namespace fairfront::clustering
