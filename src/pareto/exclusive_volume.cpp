#include "pareto/exclusive_volume.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace fairfront::pareto {
namespace {

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

}  // namespace

double exclusive_volume(const Solid& own, std::span<const Solid> others,
                        std::span<const double> reference) {
  FreeArea free(own.point[0], own.point[1], reference[0], reference[1]);
  double volume = 0;
  double from = own.point[2];
  for (const Solid& other : others) {
    if (other.position == own.position || free.covers(other.point[0], other.point[1])) continue;
    if (other.point[2] > from) {
      volume += free.area() * (other.point[2] - from);
      from = other.point[2];
    }
    free.add(other.point[0], other.point[1]);
    if (free.empty()) return volume;
  }
  return volume + free.area() * (reference[2] - from);
}

}  // namespace fairfront::pareto
