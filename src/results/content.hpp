/// @file
/// What an archive holds, as plain columns in memory. The format's standard, version 1; the HDF5
/// layout follows these structs name by name.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/options.hpp"
#include "base/quantity.hpp"
#include "data/dataset.hpp"

namespace fairfront::results {

inline constexpr int format_version = 1;

using base::Direction;
using base::Quantity;

/// One option of the resolved config. An option that is an axis has every value, joined by ", ".
struct ConfigEntry {
  std::string section;
  std::string key;
  std::string value;
  bool operator==(const ConfigEntry&) const = default;
};

/// Volatile facts about the run: kept in the file, never part of the results' digest.
struct LaunchFacts {
  std::string program_version;
  std::string git_revision;
  bool git_dirty = false;
  std::string compiler;
  std::string compiler_flags;
  std::string libraries;    ///< "HDF5 1.10.8; Open MPI v4.1.4; ..."
  std::string created;      ///< UTC, ISO 8601
  std::string hosts;        ///< comma-separated, one per rank, repeated names folded as "name x4"
  std::string processors;   ///< model and features, one per rank, folded like hosts
  std::string c_libraries;  ///< "glibc 2.36", one per rank, folded like hosts
  std::int64_t ranks = 0;
  std::int64_t team_size = 0;
  std::string command_line;
  std::string slurm;  ///< "job=.. nodes=.."; empty outside SLURM
};

/// One axis of the sweep and its values, in config order.
struct Axis {
  std::string name;  ///< "section.option"
  base::Role role = base::Role::setting;
  std::vector<std::string> values;
};

enum class TaskStatus : std::uint8_t { missing = 0, done = 1, failed = 2 };

/// One row per task, in plan order.
struct TaskTable {
  std::vector<std::string> key;       ///< content address, 64 hexadecimal digits
  std::vector<std::string> method;    ///< section name
  std::vector<std::int32_t> problem;  ///< tasks of one method on the same data have the same one
  /// Tasks of one method that differ along trade-off and replicate axes alone have the same one.
  std::vector<std::int32_t> configuration;
  /// Tasks of one method that differ along trade-off axes alone: together they trace one front.
  std::vector<std::int32_t> curve;
  std::vector<std::vector<std::int32_t>> axis_index;  ///< per axis, per task; -1: not an axis here
  std::vector<TaskStatus> status;
  std::vector<std::string> message;  ///< of a failed task, or the remark of a done one
  std::vector<std::string> model;    ///< see Findings::model; empty: the task has none
};

/// Volatile: one row per task.
struct Timing {
  std::vector<double> started;  ///< Unix time; 0: not known
  std::vector<double> seconds;
  std::vector<std::int32_t> rank;  ///< root of the team that ran it
  std::vector<std::int32_t> attempt;
};

/// One number per task that its method found; NaN where the method has no such metric.
struct Metric {
  Quantity what;
  std::vector<double> values;
};

/// What a measure says at single groups.
enum class AtGroups : std::uint8_t {
  own,  ///< what it says of all rows, of the group's rows alone
  /// Of a gap. Without an interval, the groups that make it: see metrics::Value::made_by. With one,
  /// every group's number whose differences the gap is of; on parts that a choice looks at.
  made_by,
};

/// What one measure says of what the tasks found, on parts of the rows and there of all rows or of
/// single groups: its value and both ends of its interval, see `fields<Measured>`.
struct Measure {
  Quantity what;
  std::vector<std::string> parts;   ///< such as "train", "test"
  std::vector<std::string> groups;  ///< such as "all", or the name of one group
  /// Row-major (tasks, parts, groups, 3); NaN where it is not known.
  std::vector<double> values;
  AtGroups at_groups = AtGroups::own;  ///< of groups other than "all"
};

/// A ragged trajectory per task: task i owns entries offsets[i] .. offsets[i+1]-1.
struct Series {
  Quantity what;
  std::string step_name;  ///< such as "iteration"
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> steps;
  std::vector<double> values;
  std::vector<double> seconds;  ///< volatile: CPU seconds at each entry, or empty
};

/// Ragged solutions: solution i is values[offsets[i]] .. values[offsets[i+1]-1].
struct Solutions {
  Quantity what;
  std::vector<std::int64_t> task;     ///< owner of each solution
  std::vector<std::int64_t> offsets;  ///< solutions + 1
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<double>> values;
};

/// The fronts of every task of one method: task i owns points offsets[i] .. offsets[i+1]-1.
struct FrontGroup {
  std::string name;                   ///< method
  std::vector<Quantity> objectives;   ///< m >= 2, in the units and directions of the paper
  std::vector<std::int64_t> offsets;  ///< tasks + 1
  std::vector<double> points;         ///< row-major (n, m): what decides, such as the training part
  /// The same points on the part that is reported, such as the test part; empty where it is that
  /// which decides. Dominance, hypervolume and merging never look at it.
  std::vector<double> report;
  std::vector<std::int64_t> task;      ///< owner of each point
  std::vector<std::int64_t> solution;  ///< index into solutions; -1: none
  std::string solutions_name;          ///< name in /solutions, may be empty
  std::vector<double> reference;       ///< row-major (tasks, m); NaN for tasks without front
  std::vector<double> hypervolume;     ///< per task, with respect to its reference point
};

/// Nondominated points of several tasks together. Group g of tasks owns entries
/// offsets[g] .. offsets[g+1]-1; groups of other methods own none.
struct MergedSet {
  std::vector<std::int64_t> offsets;  ///< groups + 1
  std::vector<std::int64_t> point;    ///< row of the front group's points
  std::vector<double> reference;      ///< row-major (groups, m): the worst of the configuration's
                                      ///< tasks, so that replicates can be compared; or NaN
  std::vector<double> hypervolume;    ///< per group; NaN without points and for m > 3
};

/// The trade-offs that a method has found along the trade-off axes. Settings, step sizes and
/// problems are never mixed.
struct MergedFront {
  std::string name;           ///< of the FrontGroup that has the points
  MergedSet per_replicate;    ///< groups are the values of TaskTable::curve
  MergedSet over_replicates;  ///< groups are the values of TaskTable::configuration
};

/// Everything an archive holds.
struct Content {
  std::string experiment;
  std::vector<ConfigEntry> config;
  std::vector<std::string> revisions;  ///< "method=revision": raised when a solver's results change
  LaunchFacts provenance;
  std::vector<data::Provenance> datasets;
  std::vector<Axis> axes;
  TaskTable tasks;
  Timing timing;
  std::vector<Metric> metrics;
  std::vector<Measure> measures;
  std::vector<Series> series;
  std::vector<Solutions> solutions;
  std::vector<FrontGroup> fronts;
  std::vector<MergedFront> merged;
};

}  // namespace fairfront::results
