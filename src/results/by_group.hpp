/// @file
/// What the measures of an archive say of single groups: a table with a row for each group, and who
/// makes each gap.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "results/content.hpp"
#include "results/task_record.hpp"

namespace fairfront::results {

/// The parts of which something is known by group, in the order of the archive.
[[nodiscard]] std::vector<std::string> parts_with_groups(const Content& content);

/// The measures of groups' rows alone, as the columns of a table: "rows" and "base_rate" first.
[[nodiscard]] std::vector<const Measure*> group_columns(const Content& content);

/// What a measure says of a task, part and group; nothing where it has not all three.
[[nodiscard]] Measured measured_of(const Measure& measure, std::size_t task,
                                   const MeasuredRows& rows);

/// The groups of a task's part, after "all", of which one of the columns says something.
[[nodiscard]] std::vector<std::string> known_groups(const std::vector<const Measure*>& columns,
                                                    std::size_t task, const std::string& part);

/// Of a group: with fewer, intervals are so wide that they say little.
inline constexpr double few_rows = 30;

/// Whether it is known that a group of a task's part has fewer than `few_rows`.
[[nodiscard]] bool has_few_rows(const std::vector<const Measure*>& columns, std::size_t task,
                                const std::string& part, const std::string& group);

/// A gap and the groups that make it, the one that has more first.
struct MadeGap {
  const Measure* measure = nullptr;
  Measured gap;
  std::vector<std::pair<std::string, double>> made_by;  ///< group and its part in the gap
};
/// Those of a task's part whose groups are known.
[[nodiscard]] std::vector<MadeGap> made_gaps(const Content& content, std::size_t task,
                                             const std::string& part);

}  // namespace fairfront::results
