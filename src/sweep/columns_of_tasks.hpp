/// @file
/// From what single tasks computed to the columns of an archive.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "results/content.hpp"
#include "results/task_record.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// How one task ended.
using TaskOutcome = results::TaskRecord;

/// Checks that a result has the names and shapes that the schema allows.
/// @throws std::logic_error  naming what does not fit.
/// @throws std::domain_error  a front point is not finite.
void check_result(const ResultSchema& schema, const TaskResult& result);

/// Which columns the outcomes of tasks fill, and how wide these are: what parts of one archive's
/// tasks must know of each other before each of them can be made into columns.
struct ColumnShape {
  std::vector<std::uint8_t> metrics;           ///< 1: filled; in the schema's order
  std::vector<std::set<std::string>> parts;    ///< of each measure, known ones
  std::vector<std::set<std::string>> groups;   ///< of each measure, known ones
  std::vector<std::uint8_t> series;            ///< 1: has values, 2: and seconds
  std::vector<std::uint8_t> solutions;         ///< 0: none, else 1 + index of the widest type
  std::map<std::string, std::uint8_t> fronts;  ///< of a method; 1: has points, 2: and a report

  /// What both fill.
  void merge(const ColumnShape& other);
  bool operator==(const ColumnShape&) const = default;
};

/// Some tasks of a plan and how they ended.
struct TaskOutcomes {
  std::vector<std::int64_t> tasks;    ///< ascending
  std::vector<TaskOutcome> outcomes;  ///< of each; results fit the schema
};

/// What these tasks alone fill.
[[nodiscard]] ColumnShape shape_of(const Plan& plan, const ResultSchema& schema,
                                   const TaskOutcomes& some);

/// The columns of these tasks alone, one row for each, of the shape of all tasks of the archive,
/// without what put_head() adds.
/// In FrontGroup::solution stands a solution's place among those of its task: see link_fronts().
/// @param some  its solutions are gone then: they need not be held twice.
[[nodiscard]] results::Content columns_of(const Plan& plan, const ResultSchema& schema,
                                          const ColumnShape& shape, TaskOutcomes some);

/// What the plan alone says: the config, revisions and axes.
void put_head(const Plan& plan, results::Content& content);

/// Once every task of the archive has its row: what counts over all of them.
void link_fronts(results::Content& content, const ResultSchema& schema);

/// The content of an archive without its provenance, data sets and merged fronts; columns that no
/// task fills are left out.
/// @param outcomes  one per task, in plan order; results fit the schema.
[[nodiscard]] results::Content content_of(const Plan& plan, const ResultSchema& schema,
                                          std::vector<TaskOutcome> outcomes);

}  // namespace fairfront::sweep
