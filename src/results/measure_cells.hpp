/// @file
/// The cells of a measure's values: one for each part and group, parts outermost.
#pragma once

#include <cstddef>

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

}  // namespace fairfront::results
