#include "pareto/hypervolume.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <queue>
#include <stdexcept>
#include <utility>

#include "pareto/sliced_volume.hpp"
#include "pareto/staircase.hpp"
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
class DominatedArea {
 public:
  DominatedArea(double x, double y) : x_{x}, y_{y} {}
  [[nodiscard]] double area() const noexcept { return area_; }

  void add(double x, double y) {
    if (corners_.covers(x, y)) return;
    // Corners behind the new one give way; each leaves a rectangle that it had not covered.
    double left = x;
    double upper = corners_.height_before(x, y_);
    const auto own = corners_.add(x, y, [&](double corner_x, double corner_y) {
      area_ += (corner_x - left) * (upper - y);
      left = corner_x;
      upper = corner_y;
    });
    const auto right = std::next(own);
    area_ += ((right == corners_.corners().end() ? x_ : right->first) - left) * (upper - y);
  }

 private:
  double x_;
  double y_;
  double area_ = 0;
  Staircase corners_;
};

double volume_3(const Front& front, std::span<const double> reference) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const bool inside = std::ranges::equal(front[i], reference, std::less{});
    if (inside) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return front[i][2]; });
  DominatedArea dominated(reference[0], reference[1]);
  double sum = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto point = front[order[i]];
    dominated.add(point[0], point[1]);
    const double above = i + 1 < order.size() ? front[order[i + 1]][2] : reference[2];
    sum += dominated.area() * (above - point[2]);
  }
  return sum;
}

template <std::size_t m>
double volume_of(const Front& front, std::span<const double> reference) {
  std::vector<Vector<m>> points;
  for (std::size_t i = 0; i < front.size(); ++i) {
    if (!std::ranges::equal(front[i], reference, std::less{})) continue;
    std::ranges::copy(front[i], points.emplace_back().begin());
  }
  Vector<m> corner;
  std::ranges::copy(reference, corner.begin());
  return sliced_volume(std::move(points), corner);
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
    throw std::invalid_argument("hypervolume: needs 2 to 5 objectives and a reference as long");
  }
  switch (reference.size()) {
    case 2:
      return hypervolume(front, std::array{reference[0], reference[1]});
    case 3:
      return volume_3(front, reference);
    case 4:
      return volume_of<4>(front, reference);
    default:
      return volume_of<5>(front, reference);
  }
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
