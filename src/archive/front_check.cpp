#include "archive/front_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "pareto/front.hpp"
#include "pareto/hypervolume.hpp"

namespace fairfront::archive {
namespace {

// The pareto layer minimises everything: a maximised objective changes its sign.
std::vector<double> minimised(std::span<const double> rows, const FrontGroup& group) {
  const std::size_t width = group.objectives.size();
  std::vector<double> values(rows.begin(), rows.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (group.objectives[i % width].direction == Direction::maximise) values[i] = -values[i];
  }
  return values;
}

pareto::Points points_of(const FrontGroup& group, std::size_t task) {
  const std::size_t width = group.objectives.size();
  const auto first = static_cast<std::size_t>(group.offsets[task]);
  const auto count = static_cast<std::size_t>(group.offsets[task + 1]) - first;
  const std::vector<double> values =
      minimised(std::span{group.points}.subspan(first * width, count * width), group);
  pareto::Points points{width};
  points.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    points.add(std::span{values}.subspan(i * width, width), i);
  return points;
}

// Equal points do not dominate each other and may stand for different solutions.
std::size_t count_distinct(const pareto::Points& points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(points[a], points[b]);
  });
  const auto end = std::unique(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::ranges::equal(points[a], points[b]);
  });
  return static_cast<std::size_t>(end - order.begin());
}

bool hypervolume_agrees(const FrontGroup& group, std::size_t task, const pareto::Front& front) {
  if (group.objectives.size() != 2) return true;
  const std::vector<double> corner =
      minimised(std::span{group.reference}.subspan(task * 2, 2), group);
  const double expected = pareto::hypervolume(front, {corner[0], corner[1]});
  constexpr double tolerance = 1e-12;
  return std::abs(group.hypervolume[task] - expected) <= tolerance * std::abs(expected);
}

void check_group(const FrontGroup& group, std::vector<std::string>& lines) {
  const std::string place = "/fronts/" + group.name;
  bool dominated = false;
  bool disagrees = false;
  for (std::size_t task = 0; task + 1 < group.offsets.size(); ++task) {
    const pareto::Points points = points_of(group, task);
    if (points.empty()) continue;
    const pareto::Front front{points};
    if (!dominated && front.size() != count_distinct(points)) {
      dominated = true;
      lines.push_back(fmt::format("{}/points: task {} has a dominated point", place, task));
    }
    if (!disagrees && !hypervolume_agrees(group, task, front)) {
      disagrees = true;
      lines.push_back(
          fmt::format("{}/hypervolume: of task {} does not follow from its points", place, task));
    }
  }
}

}  // namespace

std::vector<std::string> wrong_fronts(const Content& content) {
  std::vector<std::string> lines;
  for (const FrontGroup& group : content.fronts) check_group(group, lines);
  return lines;
}

}  // namespace fairfront::archive
