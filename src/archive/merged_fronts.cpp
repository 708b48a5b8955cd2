#include "archive/merged_fronts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pareto/hypervolume.hpp"

namespace fairfront::archive {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

std::size_t count_points(const FrontGroup& group, std::size_t task) {
  return static_cast<std::size_t>(group.offsets[task + 1] - group.offsets[task]);
}

/// Per problem the worst of its tasks' reference points, minimised; NaN for one without points.
std::vector<double> worst_references(const FrontGroup& group,
                                     std::span<const std::int32_t> problem_of_task,
                                     std::size_t problems) {
  const std::size_t width = group.objectives.size();
  std::vector<double> worst(problems * width, absent);
  for (std::size_t task = 0; task < problem_of_task.size(); ++task) {
    if (count_points(group, task) == 0) continue;
    const std::vector<double> corner = reference_of(group, task);
    for (std::size_t k = 0; k < width; ++k) {
      double& place = worst[static_cast<std::size_t>(problem_of_task[task]) * width + k];
      place = std::isnan(place) ? corner[k] : std::max(place, corner[k]);
    }
  }
  return worst;
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

MergedFront merged_front(const FrontGroup& group, std::span<const std::int32_t> problem_of_task,
                         std::span<const pareto::Front> fronts) {
  MergedFront merged;
  merged.name = group.name;
  merged.offsets = {0};
  const std::size_t width = group.objectives.size();
  const std::vector<double> references = worst_references(group, problem_of_task, fronts.size());
  merged.reference = minimised(references, group.objectives);
  for (std::size_t p = 0; p < fronts.size(); ++p) {
    const pareto::Front& front = fronts[p];
    for (const std::uint64_t row : front.points().origins()) {
      merged.point.push_back(static_cast<std::int64_t>(row));
    }
    merged.offsets.push_back(std::ssize(merged.point));
    const bool measured = !front.empty() && pareto::has_hypervolume(width);
    merged.hypervolume.push_back(
        measured ? pareto::hypervolume(front, std::span{references}.subspan(p * width, width))
                 : absent);
  }
  return merged;
}

std::vector<MergedFront> merged_fronts(const Content& content) {
  std::vector<MergedFront> all;
  for (const FrontGroup& group : content.fronts) {
    std::vector<pareto::Points> points(count_problems(content.tasks),
                                       pareto::Points{group.objectives.size()});
    for (std::size_t task = 0; task < content.tasks.problem.size(); ++task) {
      const pareto::Points own = task_points(group, task);
      pareto::Points& problem = points[static_cast<std::size_t>(content.tasks.problem[task])];
      for (std::size_t i = 0; i < own.size(); ++i) {
        problem.add(own[i], static_cast<std::uint64_t>(group.offsets[task]) + i);
      }
    }
    const std::vector<pareto::Front> fronts(points.begin(), points.end());
    all.push_back(merged_front(group, content.tasks.problem, fronts));
  }
  return all;
}

std::size_t count_problems(const TaskTable& tasks) {
  const auto last = std::ranges::max_element(tasks.problem);
  return last == tasks.problem.end() ? 0 : static_cast<std::size_t>(*last) + 1;
}

}  // namespace fairfront::archive
