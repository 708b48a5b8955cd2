/// @file
/// What a person calls the problem of a task.
#pragma once

#include <cstddef>
#include <string>

#include "results/content.hpp"

namespace fairfront::drivers {

/// Whether the axis makes problems, as a Plan does: replicates of what all methods share, but not
/// seeds, which every method uses on its own.
[[nodiscard]] bool makes_problems(const results::Content& content, const results::Axis& axis);

/// The axes that make the problem with the task's values on them, as "data.data=adult,
/// split.split_seed=2"; without such axes the archive's one data set, as "adult".
[[nodiscard]] std::string problem_name(const results::Content& content, std::size_t task);

}  // namespace fairfront::drivers
