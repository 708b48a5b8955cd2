#include "solvers/clustering/box_front.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fairfront::clustering {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

BoxFront::BoxFront(const Problem& problem, std::int64_t boxes)
    : total_variance_{problem.total_variance()},
      width_{problem.balance_bound() / static_cast<double>(boxes)},
      points_(static_cast<std::size_t>(boxes)),
      least_cost_(points_.size() + 1, infinity) {}

std::size_t BoxFront::box_of(double balance) const noexcept {
  return std::min(static_cast<std::size_t>(balance / width_), points_.size() - 1);
}

/// What a point in this box would add to the hypervolume of all other boxes: for every balance
/// below its own, how much cheaper it is than what they have at that balance or above.
double BoxFront::contribution(std::size_t box, double cost, double balance) const {
  double least = std::min(least_cost_[box + 1], total_variance_);
  double area = 0;
  for (std::size_t b = box; b-- > 0 && cost < least;) {
    const Point& below = points_[b];
    if (below.empty() || below.cost >= least) continue;
    area += (least - cost) * (balance - below.balance);
    balance = below.balance;
    least = below.cost;
  }
  return cost < least ? area + (least - cost) * balance : area;
}

std::optional<std::size_t> BoxFront::offer(double cost, double balance) {
  const std::size_t box = box_of(balance);
  if (cost >= least_cost_[box + 1]) return std::nullopt;
  const Point& point = points_[box];
  // Where all points coincide every cost is 0, and there is no hypervolume.
  if (total_variance_ == 0) {
    if (!(balance > point.balance)) return std::nullopt;
    return put(cost, balance);
  }
  const double had = point.empty() ? 0 : contribution(box, point.cost, point.balance);
  // Without hypervolume: balance 0, or the very first one, no cheaper than one cluster.
  const bool cheapest = cost < least_cost_[0] && std::max(point.balance, 0.0) == 0 &&
                        (balance == 0 || std::isinf(least_cost_[0]));
  if (!cheapest && !(contribution(box, cost, balance) > had)) return std::nullopt;
  return put(cost, balance);
}

std::size_t BoxFront::put(double cost, double balance) {
  const std::size_t box = box_of(balance);
  points_[box] = {cost, balance};
  update_least_costs(box);
  hypervolume_.reset();
  return box;
}

void BoxFront::update_least_costs(std::size_t box) {
  for (std::size_t b = box + 1; b-- > 0;) {
    const Point& point = points_[b];
    const double least =
        point.empty() ? least_cost_[b + 1] : std::min(point.cost, least_cost_[b + 1]);
    if (b < box && least == least_cost_[b]) return;  // nothing further down changes, either
    least_cost_[b] = least;
  }
}

std::optional<std::size_t> BoxFront::cheapest_from(double balance) const {
  std::optional<std::size_t> best;
  for (std::size_t b = box_of(balance); b < points_.size(); ++b) {
    if (points_[b].empty()) continue;
    if (!best || points_[b].cost < points_[*best].cost) best = b;
  }
  return best;
}

std::vector<std::size_t> BoxFront::nondominated() const {
  std::vector<std::size_t> boxes;
  for (std::size_t b = 0; b < points_.size(); ++b) {
    if (!points_[b].empty() && points_[b].cost < least_cost_[b + 1]) boxes.push_back(b);
  }
  return boxes;
}

double BoxFront::hypervolume() const {
  if (!hypervolume_) hypervolume_ = measure();
  return *hypervolume_;
}

double BoxFront::measure() const {
  double area = 0;
  double balance = 0;
  double least = total_variance_;
  for (std::size_t b = points_.size(); b-- > 0;) {
    const Point& point = points_[b];
    if (point.empty() || point.cost >= least) continue;
    area += (total_variance_ - least) * (balance - point.balance);
    balance = point.balance;
    least = point.cost;
  }
  return area + (total_variance_ - least) * balance;
}

void BoxFront::clear() {
  std::ranges::fill(points_, Point{});
  std::ranges::fill(least_cost_, infinity);
  hypervolume_.reset();
}

}  // namespace fairfront::clustering
