/// @file
/// Mutually nondominated corners of the plane.
#pragma once

#include <iterator>
#include <map>

namespace fairfront::pareto {

/// Corners whose x ascends while y descends: what the points added so far leave of a plane in which
/// both are minimised. O(log n) for a question; O(log n) for a corner, amortised.
class Staircase {
 public:
  using Corners = std::map<double, double>;  ///< x -> y

  /// Some corner is no worse in both.
  [[nodiscard]] bool covers(double x, double y) const noexcept {
    const auto after = corners_.upper_bound(x);
    return after != corners_.begin() && std::prev(after)->second <= y;
  }

  /// y of the last corner left of x, or what stands for it where there is none.
  [[nodiscard]] double height_before(double x, double without) const noexcept {
    const auto right = corners_.lower_bound(x);
    return right == corners_.begin() ? without : std::prev(right)->second;
  }

  /// Takes a corner; those that are no better in both give way.
  /// @param x, y      not covered.
  /// @param give_way  called with x and y of each that goes, from left to right.
  /// @return  where the corner stands.
  template <class GiveWay>
  Corners::const_iterator add(double x, double y, GiveWay give_way) {
    auto right = corners_.lower_bound(x);
    while (right != corners_.end() && right->second >= y) {
      give_way(right->first, right->second);
      right = corners_.erase(right);
    }
    return corners_.emplace_hint(right, x, y);
  }
  void add(double x, double y) {
    add(x, y, [](double, double) {});
  }

  [[nodiscard]] const Corners& corners() const noexcept { return corners_; }

 private:
  Corners corners_;
};

}  // namespace fairfront::pareto
