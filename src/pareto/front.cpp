#include "pareto/front.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "pareto/corner_blocks.hpp"

namespace fairfront::pareto {
namespace {

/// Takes points in their total order and keeps the nondominated ones. A later point never
/// dominates an earlier one, so what is kept stays kept.
class OrderedFilter {
 public:
  explicit OrderedFilter(Points& kept) : kept_{kept} {}

  void offer(std::span<const double> point, std::uint64_t origin) {
    switch (point.size()) {
      case 2:
        if (!(point[1] < least_second_)) return;
        least_second_ = point[1];
        break;
      case 3:  // none before it has a greater first value: what counts are the other two
        if (!corners_.offer(point[1], point[2])) return;
        break;
      default:
        if (covered(point)) return;
    }
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
  CornerBlocks corners_;
};

/// Whether a point is worse in every objective than the one of the least sum. On most sets it is
/// the case for nearly all, and they need not be sorted.
class Sieve {
 public:
  explicit Sieve(const Points& points) : points_{points} {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < points.size(); ++i) {
      double sum = 0;
      for (const double value : points[i]) sum += value;
      if (!(sum < least)) continue;
      least = sum;
      best_ = i;
    }
  }
  [[nodiscard]] bool holds_back(std::size_t i) const {
    return std::ranges::equal(points_[best_], points_[i], std::less{});
  }

 private:
  const Points& points_;
  std::size_t best_ = 0;
};

/// A point beside its origin: sorted as it is, without a look elsewhere.
template <std::size_t m>
struct Row {
  std::array<double, m> point;
  std::uint64_t origin;
  bool operator<(const Row& other) const noexcept {
    for (std::size_t k = 0; k < m; ++k) {
      if (point[k] != other.point[k]) return point[k] < other.point[k];
    }
    return origin < other.origin;
  }
};

/// How many of the rows, in their order, no earlier one covers.
std::size_t nondominated_among(std::span<const Row<2>> rows) {
  std::size_t count = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const Row<2>& row : rows) {
    if (!(row.point[1] < least)) continue;
    least = row.point[1];
    ++count;
  }
  return count;
}

template <std::size_t m>
void filter_rows(const Points& points, Points& kept) {
  const Sieve sieve(points);
  std::vector<Row<m>> rows;
  rows.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (sieve.holds_back(i)) continue;
    rows.push_back({{}, points.origin(i)});
    std::ranges::copy(points[i], rows.back().point.begin());
  }
  std::sort(rows.begin(), rows.end());
  // To count them is quicker than to move, while they grow, those that are kept.
  if constexpr (m == 2) kept.reserve(nondominated_among(rows));
  OrderedFilter filter(kept);
  for (const Row<m>& row : rows) filter.offer(row.point, row.origin);
}

void filter_places(const Points& points, Points& kept) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return precedes(points[i], points.origin(i), points[j], points.origin(j));
  });
  OrderedFilter filter(kept);
  for (const std::size_t i : order) filter.offer(points[i], points.origin(i));
}

}  // namespace

Points::Points(std::size_t objectives) : objectives_{objectives} {
  if (objectives < 1) throw std::invalid_argument("Points::objectives = 0, must be >= 1");
}

Points::Points(std::size_t objectives, std::vector<double> values,
               std::vector<std::uint64_t> origins)
    : Points(objectives) {
  if (values.size() != origins.size() * objectives) {
    throw std::invalid_argument("Points: values and origins of different numbers of points");
  }
  values_ = std::move(values);
  origins_ = std::move(origins);
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
  if (points.objectives() == 2) {
    filter_rows<2>(points, points_);
  } else if (points.objectives() == 3) {
    filter_rows<3>(points, points_);
  } else {
    filter_places(points, points_);
  }
}

Front Front::of_ordered(const Points& points) {
  Front result(points.objectives());
  result.points_.reserve(points.size());
  OrderedFilter filter(result.points_);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0 && precedes(points[i], points.origin(i), points[i - 1], points.origin(i - 1))) {
      throw std::invalid_argument("Front::of_ordered: the points are in another order");
    }
    filter.offer(points[i], points.origin(i));
  }
  return result;
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
