/// @file
/// Results of two runs, task by task, for the terminal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/task_record.hpp"
#include "sweep/plan.hpp"

namespace fairfront::drivers {

struct Comparison {
  std::int64_t equal = 0;
  std::int64_t different = 0;
  std::int64_t only_there = 0;  ///< tasks that the other side does not have or has not run
  std::int64_t only_here = 0;
  std::string text;  ///< a line for each of the first differences
};

/// Matches tasks by their keys; those that are missing on both sides do not count.
/// @param plan  of `there`, to name its tasks.
[[nodiscard]] Comparison compare_records(const std::vector<results::TaskRecord>& there,
                                         const std::vector<results::TaskRecord>& here,
                                         const sweep::Plan& plan, double relative_tolerance);

}  // namespace fairfront::drivers
