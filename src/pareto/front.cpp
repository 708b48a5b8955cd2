#include "pareto/front.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace fairfront::pareto {
namespace {

/// Takes points in their total order and keeps the nondominated ones. A later point never
/// dominates an earlier one, so what is kept stays kept.
class OrderedFilter {
 public:
  explicit OrderedFilter(Points& kept) : kept_{kept} {}

  void offer(std::span<const double> point, std::uint64_t origin) {
    if (point.size() == 2 ? !(point[1] < least_second_) : covered(point)) return;
    if (point.size() == 2) least_second_ = point[1];
    kept_.add(point, origin);
  }

 private:
  [[nodiscard]] bool covered(std::span<const double> point) const {
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (std::ranges::equal(kept_[i], point, std::less_equal{})) return true;
    }
    return false;
  }

  Points& kept_;
  double least_second_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Points::Points(std::size_t objectives) : objectives_{objectives} {
  if (objectives < 1) throw std::invalid_argument("Points::objectives = 0, must be >= 1");
}

void Points::add(std::span<const double> point, std::uint64_t origin) {
  values_.insert(values_.end(), point.begin(), point.end());
  origins_.push_back(origin);
}

void Points::reserve(std::size_t count) {
  values_.reserve(count * objectives_);
  origins_.reserve(count);
}

void Points::clear() noexcept {
  values_.clear();
  origins_.clear();
}

bool dominates(std::span<const double> a, std::span<const double> b) noexcept {
  return std::ranges::equal(a, b, std::less_equal{}) && !std::ranges::equal(a, b);
}

bool precedes(std::span<const double> a, std::uint64_t origin_a, std::span<const double> b,
              std::uint64_t origin_b) noexcept {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] != b[k]) return a[k] < b[k];
  }
  return origin_a < origin_b;
}

Front::Front(const Points& points) : points_{points.objectives()} {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return precedes(points[i], points.origin(i), points[j], points.origin(j));
  });
  OrderedFilter filter(points_);
  for (const std::size_t i : order) filter.offer(points[i], points.origin(i));
}

bool Front::covers(std::span<const double> point) const noexcept {
  if (objectives() != 2) {
    for (std::size_t i = 0; i < size(); ++i) {
      if (std::ranges::equal(points_[i], point, std::less_equal{})) return true;
    }
    return false;
  }
  // The second objective descends along the front, so of all members that are no worse in the
  // first objective the last one is the best in the second.
  std::size_t begin = 0;
  std::size_t end = size();
  while (begin < end) {
    const std::size_t middle = (begin + end) / 2;
    if (points_[middle][0] <= point[0]) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin > 0 && points_[begin - 1][1] <= point[1];
}

Front Front::subset(std::span<const std::size_t> positions) const {
  Front result(objectives());
  result.points_.reserve(positions.size());
  for (const std::size_t i : positions) result.points_.add(points_[i], points_.origin(i));
  return result;
}

Front merge(const Front& a, const Front& b) {
  Front result(a.objectives());
  result.points_.reserve(a.size() + b.size());
  OrderedFilter filter(result.points_);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const bool take_a =
        j == b.size() || (i < a.size() && precedes(a[i], a.origin(i), b[j], b.origin(j)));
    if (take_a) {
      filter.offer(a[i], a.origin(i));
      ++i;
    } else {
      filter.offer(b[j], b.origin(j));
      ++j;
    }
  }
  return result;
}

}  // namespace fairfront::pareto
