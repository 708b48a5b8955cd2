// Thinning of fronts with three objectives.
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <queue>
#include <span>
#include <stdexcept>
#include <vector>

#include "pareto/hypervolume.hpp"
#include "pareto/thin_candidate.hpp"

namespace fairfront::pareto {
namespace {

struct Member {
  double x;
  double y;
  double z;
  std::size_t position;
};

/// The part of a rectangle that corners leave free, in the plane of the first two objectives. A
/// corner beyond the left or the lower edge makes the rectangle smaller; the others are kept as a
/// staircase inside it: x ascends, y descends.
class FreeArea {
 public:
  FreeArea(double left, double lower, double right, double upper)
      : left_{left}, lower_{lower}, right_{right}, upper_{upper} {}

  /// The corner (x, y) takes nothing away.
  [[nodiscard]] bool covers(double x, double y) const noexcept {
    if (x >= right_ || y >= upper_) return true;
    const auto after = std::ranges::upper_bound(corners_, x, {}, &Corner::x);
    return after != corners_.begin() && std::prev(after)->y <= y;
  }
  /// @param x, y  not covered.
  void add(double x, double y) {
    const auto first = std::ranges::lower_bound(corners_, x, {}, &Corner::x);
    auto last = first;
    while (last != corners_.end() && last->y >= y) ++last;
    const auto place = corners_.erase(first, last);
    if (x <= left_) {
      upper_ = std::max(y, lower_);
    } else if (y <= lower_) {
      right_ = x;
    } else {
      corners_.insert(place, Corner{x, y});
    }
  }
  [[nodiscard]] double area() const noexcept {
    double sum = 0;
    double from = left_;
    double height = upper_ - lower_;
    for (const Corner& corner : corners_) {
      sum += (corner.x - from) * height;
      from = corner.x;
      height = corner.y - lower_;
    }
    return sum + (right_ - from) * height;
  }
  [[nodiscard]] bool empty() const noexcept { return upper_ == lower_; }

 private:
  struct Corner {
    double x;
    double y;
  };

  double left_;
  double lower_;
  double right_;
  double upper_;
  std::vector<Corner> corners_;
};

/// The members that are still there and dominate the reference; all others dominate nothing.
class Volumes {
 public:
  Volumes(const Front& front, std::span<const double> reference)
      : front_{front}, reference_{reference} {
    for (std::size_t i = 0; i < front.size(); ++i) {
      if (inside(i)) members_.push_back({front[i][0], front[i][1], front[i][2], i});
    }
    std::ranges::stable_sort(members_, {}, &Member::z);
  }

  /// What member i alone dominates: slices upwards from its third value, each with the part of
  /// the rectangle between member and reference that no lower member covers. O(n log n).
  [[nodiscard]] double contribution(std::size_t i) const {
    if (!inside(i)) return 0;
    const auto point = front_[i];
    FreeArea free(point[0], point[1], reference_[0], reference_[1]);
    double volume = 0;
    double from = point[2];
    for (const Member& other : members_) {
      if (other.position == i || free.covers(other.x, other.y)) continue;
      if (other.z > from) {
        volume += free.area() * (other.z - from);
        from = other.z;
      }
      free.add(other.x, other.y);
      if (free.empty()) return volume;
    }
    return volume + free.area() * (reference_[2] - from);
  }
  void remove(std::size_t i) {
    std::erase_if(members_, [i](const Member& member) { return member.position == i; });
  }

 private:
  [[nodiscard]] bool inside(std::size_t i) const {
    return std::ranges::equal(front_[i], reference_, std::less{});
  }

  const Front& front_;
  std::span<const double> reference_;
  std::vector<Member> members_;  ///< ascending by the third objective
};

/// Per objective the first member with its least value.
std::array<std::size_t, 3> extremes(const Front& front) {
  std::array<std::size_t, 3> best{};
  for (std::size_t k = 0; k < best.size(); ++k) {
    for (std::size_t i = 1; i < front.size(); ++i) {
      if (front[i][k] < front[best[k]][k]) best[k] = i;
    }
  }
  return best;
}

Thinned thin_volume(const Front& front, std::size_t budget, std::span<const double> reference) {
  Volumes volumes(front, reference);
  std::vector<bool> gone(front.size(), false);
  std::priority_queue<Candidate> queue;
  Thinned result;
  if (front.size() > budget) {
    const std::array best = extremes(front);
    for (std::size_t i = 0; i < front.size(); ++i) {
      if (std::ranges::find(best, i) == best.end()) queue.push({volumes.contribution(i), i});
    }
  }
  for (std::size_t left = front.size(); left > budget;) {
    Candidate least = queue.top();
    queue.pop();
    // Contributions only grow while others go, so a queued one bounds the true one from below.
    const double now = volumes.contribution(least.position);
    if (now != least.contribution) {
      queue.push({now, least.position});
      continue;
    }
    volumes.remove(least.position);
    gone[least.position] = true;
    result.hypervolume_lost += now;
    --left;
  }
  for (std::size_t i = 0; i < front.size(); ++i) {
    if (!gone[i]) result.kept.push_back(i);
  }
  return result;
}

}  // namespace

Thinned thin(const Front& front, std::size_t budget, std::span<const double> reference) {
  if (!has_hypervolume(front.objectives()) || reference.size() != front.objectives()) {
    throw std::invalid_argument("thin: needs 2 or 3 objectives and a reference as long");
  }
  if (front.objectives() == 2) return thin(front, budget);
  if (budget < 3) throw std::invalid_argument("thin: budget must be >= 3");
  return thin_volume(front, budget, reference);
}

}  // namespace fairfront::pareto
