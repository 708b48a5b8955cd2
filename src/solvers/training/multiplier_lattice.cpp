#include "solvers/training/multiplier_lattice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/index.hpp"
#include "base/stop.hpp"

namespace fairfront::training {
namespace {

using base::at;
using Point = std::vector<std::int64_t>;

/// The sum of the multipliers that a point takes, in steps: values below 0 are as many.
std::int64_t size_of(const Point& point) {
  std::int64_t sum = 0;
  for (const std::int64_t value : point) sum += std::max<std::int64_t>(value, 0);
  return sum;
}

/// Lists the points within some steps, up to a number of points.
class Points {
 public:
  Points(bool is_signed, std::int64_t groups, std::int64_t events, std::int64_t steps,
         std::int64_t most)
      : is_signed_{is_signed}, groups_{groups}, most_{most}, point_(at(groups * events), 0) {
    add_from(0, steps);
  }

  std::vector<Point> take() { return std::move(found_); }

 private:
  [[nodiscard]] bool is_full() const { return std::ssize(found_) >= most_; }

  /// All values of the cells from `first` on, which begins an event.
  void add_from(std::int64_t first, std::int64_t left) {
    if (at(first) == point_.size()) {
      found_.push_back(point_);
      return;
    }
    if (is_signed_) {
      add_signed(first, first, 0, 0, left);
    } else {
      add_unsigned(first, left);
    }
  }

  void add_unsigned(std::int64_t cell, std::int64_t left) {
    for (std::int64_t value = 0; value <= left && !is_full(); ++value) {
      point_[at(cell)] = value;
      add_from(cell + 1, left - value);
    }
  }

  /// @param given, taken  sums of the event's values above and below 0 so far.
  void add_signed(std::int64_t first, std::int64_t cell, std::int64_t given, std::int64_t taken,
                  std::int64_t left) {
    if (cell == first + groups_ - 1) {  // the last one of the event closes the sum
      point_[at(cell)] = taken - given;
      add_from(cell + 1, left - std::max(given, taken));
      return;
    }
    for (std::int64_t value = taken - left; value <= left - given && !is_full(); ++value) {
      point_[at(cell)] = value;
      add_signed(first, cell + 1, given + std::max<std::int64_t>(value, 0),
                 taken + std::max<std::int64_t>(-value, 0), left);
    }
  }

  bool is_signed_;
  std::int64_t groups_, most_;
  Point point_;
  std::vector<Point> found_;
};

}  // namespace

MultiplierLattice::MultiplierLattice(BoundOf of, const RateCells& cells, std::int64_t most_points,
                                     double limit)
    : is_signed_{of != BoundOf::worst_group}, groups_{cells.groups()}, events_{cells.events()} {
  const auto within = [&](std::int64_t steps) {
    base::stop_point();
    return Points(is_signed_, groups_, events_, steps, most_points + 1).take();
  };
  const auto fits = [&](std::int64_t steps) { return std::ssize(within(steps)) <= most_points; };
  if (!fits(1)) {
    throw std::invalid_argument(
        fmt::format("a grid of {} points has none but 0: of {} cells it needs at least {}",
                    most_points, cells.size(), least_lattice(of, cells)));
  }
  std::int64_t beyond = 2;
  while (fits(beyond)) beyond *= 2;
  steps_ = beyond / 2;
  while (beyond - steps_ > 1) {
    const std::int64_t middle = (steps_ + beyond) / 2;
    (fits(middle) ? steps_ : beyond) = middle;
  }
  step_ = limit / static_cast<double>(steps_);
  points_ = within(steps_);
  std::ranges::stable_sort(points_, {}, size_of);
}

std::vector<double> MultiplierLattice::multipliers(std::span<const std::int64_t> point,
                                                   std::span<const RateInequality> limits) const {
  std::vector<double> found(limits.size(), 0.0);
  const auto of = [&](std::int64_t a, std::int64_t b) -> double& {
    const auto limit = std::ranges::find_if(
        limits, [&](const RateInequality& one) { return one.a == at(a) && one.b == at(b); });
    return found[at(limit - limits.begin())];
  };
  if (!is_signed_) {
    for (std::int64_t k = 0; k < std::ssize(point); ++k) {
      of(k, k) = step_ * static_cast<double>(point[at(k)]);
    }
    return found;
  }
  for (std::int64_t first = 0; first < std::ssize(point); first += groups_) {
    Point left(point.begin() + first, point.begin() + first + groups_);
    std::int64_t a = 0, b = 0;
    while (true) {
      while (a < groups_ && left[at(a)] <= 0) ++a;
      while (b < groups_ && left[at(b)] >= 0) ++b;
      if (a == groups_) break;
      const std::int64_t moved = std::min(left[at(a)], -left[at(b)]);
      of(first + a, first + b) = step_ * static_cast<double>(moved);
      left[at(a)] -= moved;
      left[at(b)] += moved;
    }
  }
  return found;
}

std::int64_t least_lattice(BoundOf of, const RateCells& cells) {
  if (of == BoundOf::worst_group) return cells.size() + 1;
  return cells.events() * cells.groups() * (cells.groups() - 1) + 1;
}

}  // namespace fairfront::training
