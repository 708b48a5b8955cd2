#include "pareto/hypervolume.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <queue>
#include <stdexcept>

#include "pareto/thin_candidate.hpp"

namespace fairfront::pareto {
namespace {

void require_two_objectives(const Front& front) {
  if (front.objectives() != 2) {
    throw std::invalid_argument("hypervolume: the front must have two objectives");
  }
}

/// The members still there, as a doubly linked list over positions, and what each contributes:
/// the rectangle between its neighbours. It needs no reference point, because the two members
/// whose rectangle would be open stay.
class Neighbours {
 public:
  explicit Neighbours(const Front& front)
      : front_{front}, previous_(front.size()), next_(front.size()), gone_(front.size(), false) {
    for (std::size_t i = 0; i < front.size(); ++i) {
      previous_[i] = i - 1;
      next_[i] = i + 1;
    }
  }
  [[nodiscard]] bool interior(std::size_t i) const { return i > 0 && i + 1 < front_.size(); }
  [[nodiscard]] double contribution(std::size_t i) const {
    return (front_[next_[i]][0] - front_[i][0]) * (front_[previous_[i]][1] - front_[i][1]);
  }
  void remove(std::size_t i) {
    gone_[i] = true;
    next_[previous_[i]] = next_[i];
    previous_[next_[i]] = previous_[i];
  }
  [[nodiscard]] bool gone(std::size_t i) const { return gone_[i]; }
  [[nodiscard]] std::size_t previous(std::size_t i) const { return previous_[i]; }
  [[nodiscard]] std::size_t next(std::size_t i) const { return next_[i]; }

 private:
  const Front& front_;
  std::vector<std::size_t> previous_;
  std::vector<std::size_t> next_;
  std::vector<bool> gone_;
};

/// The area below (x, y) that mutually nondominated corners dominate, one corner after another.
class Staircase {
 public:
  Staircase(double x, double y) : x_{x}, y_{y} {}
  [[nodiscard]] double area() const noexcept { return area_; }

  void add(double x, double y) {
    auto right = steps_.lower_bound(x);  // the first corner that is not to the left
    const bool equal = right != steps_.end() && right->first == x && right->second <= y;
    double upper = right == steps_.begin() ? y_ : std::prev(right)->second;
    if (equal || upper <= y) return;
    // Corners behind the new one give way; each leaves a rectangle that it had not covered.
    double left = x;
    while (right != steps_.end() && right->second >= y) {
      area_ += (right->first - left) * (upper - y);
      left = right->first;
      upper = right->second;
      right = steps_.erase(right);
    }
    area_ += ((right == steps_.end() ? x_ : right->first) - left) * (upper - y);
    steps_.emplace_hint(right, x, y);
  }

 private:
  double x_;
  double y_;
  double area_ = 0;
  std::map<double, double> steps_;  ///< first objective -> second: one ascends, one descends
};

double volume(const Front& front, std::span<const double> reference) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const bool inside = std::ranges::equal(front[i], reference, std::less{});
    if (inside) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return front[i][2]; });
  Staircase staircase(reference[0], reference[1]);
  double sum = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto point = front[order[i]];
    staircase.add(point[0], point[1]);
    const double above = i + 1 < order.size() ? front[order[i + 1]][2] : reference[2];
    sum += staircase.area() * (above - point[2]);
  }
  return sum;
}

}  // namespace

double hypervolume(const Front& front, std::array<double, 2> reference) {
  require_two_objectives(front);
  double volume = 0;
  double upper = reference[1];
  for (std::size_t i = 0; i < front.size(); ++i) {
    if (front[i][0] >= reference[0]) break;
    if (front[i][1] >= upper) continue;
    volume += (reference[0] - front[i][0]) * (upper - front[i][1]);
    upper = front[i][1];
  }
  return volume;
}

double hypervolume(const Front& front, std::span<const double> reference) {
  if (!has_hypervolume(front.objectives()) || reference.size() != front.objectives()) {
    throw std::invalid_argument("hypervolume: needs 2 or 3 objectives and a reference as long");
  }
  if (reference.size() == 2) return hypervolume(front, std::array{reference[0], reference[1]});
  return volume(front, reference);
}

Thinned thin(const Front& front, std::size_t budget) {
  require_two_objectives(front);
  if (budget < 2) throw std::invalid_argument("thin: budget must be >= 2");
  Neighbours neighbours(front);
  std::priority_queue<Candidate> queue;
  auto push = [&](std::size_t i) {
    if (neighbours.interior(i)) queue.push({neighbours.contribution(i), i});
  };
  if (front.size() > budget) {
    for (std::size_t i = 0; i < front.size(); ++i) push(i);
  }
  Thinned result;
  for (std::size_t left = front.size(); left > budget;) {
    const Candidate least = queue.top();
    queue.pop();
    // A member whose neighbour went was queued anew: the older entry is out of date.
    if (neighbours.gone(least.position) ||
        least.contribution != neighbours.contribution(least.position)) {
      continue;
    }
    neighbours.remove(least.position);
    result.hypervolume_lost += least.contribution;
    push(neighbours.previous(least.position));
    push(neighbours.next(least.position));
    --left;
  }
  for (std::size_t i = 0; i < front.size(); ++i) {
    if (!neighbours.gone(i)) result.kept.push_back(i);
  }
  return result;
}

}  // namespace fairfront::pareto
