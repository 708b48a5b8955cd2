#include "results/merged_fronts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pareto/hypervolume.hpp"

namespace fairfront::results {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

std::size_t count_points(const FrontGroup& group, std::size_t task) {
  return static_cast<std::size_t>(group.offsets[task + 1] - group.offsets[task]);
}

/// Per configuration the worst of its tasks' reference points, minimised; NaN for one without
/// points.
std::vector<double> worst_references(const FrontGroup& group,
                                     std::span<const std::int32_t> configuration,
                                     std::size_t configurations) {
  const std::size_t width = group.objectives.size();
  std::vector<double> worst(configurations * width, absent);
  for (std::size_t task = 0; task < configuration.size(); ++task) {
    if (count_points(group, task) == 0) continue;
    const std::vector<double> corner = reference_of(group, task);
    for (std::size_t k = 0; k < width; ++k) {
      double& place = worst[static_cast<std::size_t>(configuration[task]) * width + k];
      place = std::isnan(place) ? corner[k] : std::max(place, corner[k]);
    }
  }
  return worst;
}

/// The reference of each curve is that of its configuration, so that replicates can be compared.
std::vector<double> references_of_curves(const FrontGroup& group, const TaskTable& tasks,
                                         std::span<const double> of_configuration) {
  const std::size_t width = group.objectives.size();
  std::vector<double> references(count_groups(tasks.curve) * width, absent);
  for (std::size_t task = 0; task < tasks.curve.size(); ++task) {
    if (count_points(group, task) == 0) continue;
    const auto from = of_configuration.subspan(
        static_cast<std::size_t>(tasks.configuration[task]) * width, width);
    std::ranges::copy(from, references.begin() + tasks.curve[task] * std::ssize(from));
  }
  return references;
}

/// @param references  row-major (groups, m), minimised.
MergedSet merged_set(const FrontGroup& group, std::span<const pareto::Front> fronts,
                     std::span<const double> references) {
  const std::size_t width = group.objectives.size();
  MergedSet set;
  set.offsets = {0};
  set.reference = minimised(references, group.objectives);
  for (std::size_t g = 0; g < fronts.size(); ++g) {
    const pareto::Front& front = fronts[g];
    for (const std::uint64_t row : front.points().origins()) {
      set.point.push_back(static_cast<std::int64_t>(row));
    }
    set.offsets.push_back(std::ssize(set.point));
    const bool measured = !front.empty() && pareto::has_hypervolume(width);
    set.hypervolume.push_back(
        measured ? pareto::hypervolume(front, references.subspan(g * width, width)) : absent);
  }
  return set;
}

/// The nondominated points of each group of tasks, with rows of group.points as origins.
std::vector<pareto::Front> fronts_of_groups(const FrontGroup& group,
                                            std::span<const std::int32_t> group_of_task) {
  std::vector<pareto::Points> points(count_groups(group_of_task),
                                     pareto::Points{group.objectives.size()});
  for (std::size_t task = 0; task < group_of_task.size(); ++task) {
    const pareto::Points own = task_points(group, task);
    pareto::Points& all = points[static_cast<std::size_t>(group_of_task[task])];
    for (std::size_t i = 0; i < own.size(); ++i) {
      all.add(own[i], static_cast<std::uint64_t>(group.offsets[task]) + i);
    }
  }
  return {points.begin(), points.end()};
}

}  // namespace

std::vector<double> minimised(std::span<const double> rows, std::span<const Quantity> objectives) {
  std::vector<double> values(rows.begin(), rows.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool maximise = objectives[i % objectives.size()].direction == Direction::maximise;
    if (maximise) values[i] = -values[i];
  }
  return values;
}

pareto::Points task_points(const FrontGroup& group, std::size_t task) {
  const std::size_t width = group.objectives.size();
  const auto first = static_cast<std::size_t>(group.offsets[task]);
  const std::size_t count = count_points(group, task);
  const std::vector<double> values =
      minimised(std::span{group.points}.subspan(first * width, count * width), group.objectives);
  pareto::Points points{width};
  points.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    points.add(std::span{values}.subspan(i * width, width), i);
  }
  return points;
}

std::vector<double> reference_of(const FrontGroup& group, std::size_t task) {
  const std::size_t width = group.objectives.size();
  return minimised(std::span{group.reference}.subspan(task * width, width), group.objectives);
}

std::size_t count_groups(std::span<const std::int32_t> group_of_task) {
  const auto last = std::ranges::max_element(group_of_task);
  return last == group_of_task.end() || *last < 0 ? 0 : static_cast<std::size_t>(*last) + 1;
}

MergedFront merged_front(const FrontGroup& group, const TaskTable& tasks,
                         std::span<const pareto::Front> over_replicates) {
  const std::vector<double> worst =
      worst_references(group, tasks.configuration, over_replicates.size());
  const std::vector<double> of_curves = references_of_curves(group, tasks, worst);
  return {group.name, merged_set(group, fronts_of_groups(group, tasks.curve), of_curves),
          merged_set(group, over_replicates, worst)};
}

std::vector<MergedFront> merged_fronts(const Content& content) {
  std::vector<MergedFront> all;
  for (const FrontGroup& group : content.fronts) {
    all.push_back(
        merged_front(group, content.tasks, fronts_of_groups(group, content.tasks.configuration)));
  }
  return all;
}

}  // namespace fairfront::results
