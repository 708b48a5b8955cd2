/// @file
/// Best first branch and bound over boxes: which are open, and what is proven of the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "solvers/common/state.hpp"

namespace fairfront::clustering {

/// A box in any number of dimensions, and a bound of what it holds.
struct Box {
  double bound = -std::numeric_limits<double>::infinity();
  std::vector<double> low;
  std::vector<double> high;
};

template <solvers::MaybeConst<Box> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.bound, self.low, self.high);
}

/// Open boxes, the one of least bound first, and the least bound of those that are done.
class BoxQueue {
 public:
  void open(Box box) {
    boxes_.push_back(std::move(box));
    std::ranges::push_heap(boxes_, later);
  }
  void close(const Box& box) { closed_ = std::min(closed_, box.bound); }

  /// The least bound of an open box; infinite where there is none.
  [[nodiscard]] double least_open() const {
    return boxes_.empty() ? std::numeric_limits<double>::infinity() : boxes_.front().bound;
  }
  /// Of all boxes, done or not.
  [[nodiscard]] double least() const { return std::min(least_open(), closed_); }

  /// Whether all open boxes have so many sides.
  [[nodiscard]] bool has_sides(std::size_t sides) const {
    return std::ranges::all_of(boxes_, [sides](const Box& box) {
      return box.low.size() == sides && box.high.size() == sides;
    });
  }

  /// Takes out the open box of least bound. There is one.
  [[nodiscard]] Box take() {
    std::ranges::pop_heap(boxes_, later);
    Box box = std::move(boxes_.back());
    boxes_.pop_back();
    return box;
  }

 private:
  template <solvers::MaybeConst<BoxQueue> Self, class Visit>
  friend void each_part(Self& self, Visit&& visit) {
    visit(self.boxes_, self.closed_);
  }

  static bool later(const Box& a, const Box& b) { return a.bound > b.bound; }

  std::vector<Box> boxes_;  ///< heap
  double closed_ = std::numeric_limits<double>::infinity();
};

/// Both halves along the longest side, the lower one first; they keep the bound.
[[nodiscard]] inline std::pair<Box, Box> halves_of(const Box& box) {
  std::size_t longest = 0;
  for (std::size_t i = 1; i < box.low.size(); ++i) {
    if (box.high[i] - box.low[i] > box.high[longest] - box.low[longest]) longest = i;
  }
  const double middle = 0.5 * (box.low[longest] + box.high[longest]);
  std::pair<Box, Box> halves{box, box};
  halves.first.high[longest] = middle;
  halves.second.low[longest] = middle;
  return halves;
}

/// Puts the centre into the middle of some sides of a box.
/// @param low, high, centre  of the same size.
/// @return the squared half diagonal of those sides about the centre, rounded up.
[[nodiscard]] inline double set_centre(std::span<const double> low, std::span<const double> high,
                                       std::span<double> centre) {
  double sum = 0;
  for (std::size_t i = 0; i < centre.size(); ++i) {
    centre[i] = 0.5 * (low[i] + high[i]);
    const double half = std::max(centre[i] - low[i], high[i] - centre[i]);
    sum += half * half;
  }
  return sum * (1 + static_cast<double>(centre.size() + 8) * 0x1p-52);
}

}  // namespace fairfront::clustering
