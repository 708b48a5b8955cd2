#include "archive/front_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "archive/merged_fronts.hpp"
#include "pareto/front.hpp"
#include "pareto/hypervolume.hpp"

namespace fairfront::archive {
namespace {

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
  if (!pareto::has_hypervolume(group.objectives.size())) return true;
  const double expected = pareto::hypervolume(front, reference_of(group, task));
  constexpr double tolerance = 1e-12;
  return std::abs(group.hypervolume[task] - expected) <= tolerance * std::abs(expected);
}

// Bit for bit, so NaN is NaN.
bool same_doubles(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(
      a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

void check_merged(const Content& content, std::vector<std::string>& lines) {
  const std::vector<MergedFront> expected = merged_fronts(content);
  const bool same_names =
      std::ranges::equal(content.merged, expected, {}, &MergedFront::name, &MergedFront::name);
  if (!same_names) {
    lines.emplace_back("/merged: its groups are not those of /fronts");
    return;
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const MergedFront& stored = content.merged[i];
    if (stored.offsets == expected[i].offsets && stored.point == expected[i].point &&
        same_doubles(stored.reference, expected[i].reference) &&
        same_doubles(stored.hypervolume, expected[i].hypervolume)) {
      continue;
    }
    lines.push_back(fmt::format("/merged/{}: does not follow from /fronts", stored.name));
  }
}

void check_group(const FrontGroup& group, std::vector<std::string>& lines) {
  const std::string place = "/fronts/" + group.name;
  bool dominated = false;
  bool disagrees = false;
  for (std::size_t task = 0; task + 1 < group.offsets.size(); ++task) {
    const pareto::Points points = task_points(group, task);
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
  check_merged(content, lines);
  return lines;
}

}  // namespace fairfront::archive
