/// @file
/// The cells of a measure's values: one for each part and group, parts outermost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "results/content.hpp"
#include "results/fields.hpp"
#include "results/task_record.hpp"

namespace fairfront::results {

[[nodiscard]] inline std::size_t count_cells(const Measure& measure) {
  return measure.parts.size() * measure.groups.size();
}

/// @param cell  below count_cells(measure).
[[nodiscard]] inline MeasuredRows rows_of_cell(const Measure& measure, std::size_t cell) {
  const std::size_t groups = measure.groups.size();
  return {measure.parts[cell / groups], measure.groups[cell % groups]};
}

/// What the measure says of a task in a cell.
[[nodiscard]] inline Measured measured_at(const Measure& measure, std::size_t task,
                                          std::size_t cell) {
  std::size_t at = (task * count_cells(measure) + cell) * field_count<Measured>;
  Measured measured;
  for_each_field<Measured>([&](const auto& end) { measured.*end.member = measure.values[at++]; });
  return measured;
}

/// Whether the measure says anything of a task.
[[nodiscard]] inline bool is_known_at(const Measure& measure, std::size_t task) {
  for (std::size_t cell = 0; cell < count_cells(measure); ++cell) {
    if (measured_at(measure, task, cell).known()) return true;
  }
  return false;
}

/// Whether a cell is the part of a group in a gap that is known of all rows, and so no value of the
/// measure.
[[nodiscard]] inline bool is_part_in_gap(const Measure& measure, const MeasuredRows& rows) {
  const std::string of_all = MeasuredRows{}.group;
  return measure.at_groups == AtGroups::made_by && rows.group != of_all &&
         std::ranges::find(measure.groups, of_all) != measure.groups.end();
}

}  // namespace fairfront::results
