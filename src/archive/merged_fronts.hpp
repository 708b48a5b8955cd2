/// @file
/// The nondominated sets over all tasks of a problem.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "archive/content.hpp"
#include "pareto/front.hpp"

namespace fairfront::archive {

/// Row-major values of a group's objectives with all of them minimised: a maximised one changes
/// its sign. Its own inverse.
[[nodiscard]] std::vector<double> minimised(std::span<const double> rows,
                                            std::span<const Quantity> objectives);

/// The points of one task, minimised, with their places in the task's front as origins.
[[nodiscard]] pareto::Points task_points(const FrontGroup& group, std::size_t task);

/// The reference point of one task, minimised. Shape (m,).
[[nodiscard]] std::vector<double> reference_of(const FrontGroup& group, std::size_t task);

/// The columns of merged fronts.
/// @param problem_of_task  as TaskTable::problem.
/// @param fronts           per problem, minimised, with rows of group.points as origins.
[[nodiscard]] MergedFront merged_front(const FrontGroup& group,
                                       std::span<const std::int32_t> problem_of_task,
                                       std::span<const pareto::Front> fronts);

/// The merged fronts of every group, computed from its points alone: what one process can do for
/// an archive that is there, and the check of what many ranks have reduced.
[[nodiscard]] std::vector<MergedFront> merged_fronts(const Content& content);

/// One more than the last problem of the tasks.
[[nodiscard]] std::size_t count_problems(const TaskTable& tasks);

}  // namespace fairfront::archive
