/// @file
/// The nondominated sets over all tasks of a problem.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pareto/front.hpp"
#include "results/content.hpp"

namespace fairfront::results {

/// Row-major values of a group's objectives with all of them minimised: a maximised one changes
/// its sign. Its own inverse.
[[nodiscard]] std::vector<double> minimised(std::span<const double> rows,
                                            std::span<const Quantity> objectives);

/// The points of one task, minimised, with their places in the task's front as origins.
[[nodiscard]] pareto::Points task_points(const FrontGroup& group, std::size_t task);

/// The reference point of one task, minimised. Shape (m,).
[[nodiscard]] std::vector<double> reference_of(const FrontGroup& group, std::size_t task);

/// One more than the last group: what a column such as TaskTable::curve counts.
[[nodiscard]] std::size_t count_groups(std::span<const std::int32_t> group_of_task);

/// The merged fronts of one group of fronts.
/// @param over_replicates  per configuration, minimised, with rows of group.points as origins.
[[nodiscard]] MergedFront merged_front(const FrontGroup& group, const TaskTable& tasks,
                                       std::span<const pareto::Front> over_replicates);

/// The merged fronts of every group, computed from its points alone: what one process can do for
/// an archive that is there, and the check of what many ranks have reduced.
[[nodiscard]] std::vector<MergedFront> merged_fronts(const Content& content);

}  // namespace fairfront::results
