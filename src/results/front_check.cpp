#include "results/front_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "pareto/front.hpp"
#include "pareto/hypervolume.hpp"
#include "results/fields.hpp"
#include "results/merged_fronts.hpp"

namespace fairfront::results {
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

bool same_sets(const MergedSet& a, const MergedSet& b) {
  return a.offsets == b.offsets && a.point == b.point && same_doubles(a.reference, b.reference) &&
         same_doubles(a.hypervolume, b.hypervolume);
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
    for_each_field<MergedFront>([&](const auto& set) {
      if (same_sets(stored.*set.member, expected[i].*set.member)) return;
      lines.push_back(
          fmt::format("/merged/{}/{}: does not follow from /fronts", stored.name, set.name));
    });
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

}  // namespace fairfront::results
