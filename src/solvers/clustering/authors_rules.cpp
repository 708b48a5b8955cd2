#include "solvers/clustering/authors_rules.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace fairfront::clustering {
namespace {

constexpr std::size_t small_list = 50;

std::vector<std::size_t> all_positions(std::size_t count) {
  std::vector<std::size_t> positions(count);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return positions;
}

/// Positions in ascending order of their value; ties keep the order of the list.
std::vector<std::size_t> ordered_by(const std::vector<double>& values) {
  std::vector<std::size_t> order = all_positions(values.size());
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  return order;
}

std::vector<double> column(const pareto::Points& points, std::size_t objective, double sign) {
  std::vector<double> values;
  for (std::size_t i = 0; i < points.size(); ++i) values.push_back(sign * points[i][objective]);
  return values;
}

/// For every point: is there one that is no worse in `loose` and better in `strict`?
std::vector<bool> beaten(const pareto::Points& points, std::size_t loose, std::size_t strict) {
  std::vector<bool> result(points.size());
  const std::vector<std::size_t> order = ordered_by(column(points, loose, 1));
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && points[order[end]][loose] == points[order[begin]][loose]) {
      least = std::min(least, points[order[end]][strict]);
      ++end;
    }
    for (; begin < end; ++begin) result[order[begin]] = least < points[order[begin]][strict];
  }
  return result;
}

void keep_along(const std::vector<double>& values, double threshold, std::vector<bool>& kept) {
  const std::vector<std::size_t> order = ordered_by(values);
  auto value = [&](std::size_t position) { return values[order[position]]; };
  const std::size_t last = order.size() - 1;
  const double gap = threshold * (value(last) - value(0)) + 1e-16;
  kept[order.front()] = kept[order[last]] = true;
  for (std::size_t i = 1; i + 1 < last;) {
    std::size_t j = i;
    double length = value(i + 1) - value(i);
    while (length <= gap && j + 1 < last) {
      ++j;
      length += value(j + 1) - value(j);
    }
    kept[order[i + (j - i) / 2]] = true;
    i = j > i ? j : i + 1;
  }
}

}  // namespace

std::vector<std::size_t> authors_clear(const pareto::Points& points) {
  if (points.size() <= small_list) return all_positions(points.size());
  const std::vector<bool> worse_second = beaten(points, 0, 1);
  const std::vector<bool> worse_first = beaten(points, 1, 0);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!(worse_second[i] && worse_first[i])) kept.push_back(i);
  }
  return kept;
}

std::vector<std::size_t> authors_thin(const pareto::Points& points, double threshold) {
  if (points.size() <= small_list) return all_positions(points.size());
  std::vector<bool> kept(points.size(), false);
  keep_along(column(points, 0, 1), threshold, kept);
  keep_along(column(points, 1, -1), threshold, kept);  // the program sorts by the balance itself
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (kept[i]) positions.push_back(i);
  }
  return positions;
}

}  // namespace fairfront::clustering
