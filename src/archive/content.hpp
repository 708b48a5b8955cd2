/// @file
/// What an archive holds, as plain columns in memory. The format's standard, version 1; the HDF5
/// layout follows these structs name by name.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "data/dataset.hpp"

namespace fairfront::archive {

inline constexpr int format_version = 1;

/// Which way a quantity is better.
enum class Direction { minimise, maximise, none };

/// Name and meaning of a result column.
struct Quantity {
  std::string name;
  std::string definition;
  std::string unit;
  Direction direction = Direction::none;
  std::string source;  ///< paper and equation, where there is one
};

/// One option of the resolved config. An option that is an axis has every value, joined by ", ".
struct ConfigEntry {
  std::string section;
  std::string key;
  std::string value;
  bool operator==(const ConfigEntry&) const = default;
};

/// Volatile facts about the run: kept in the file, never part of the results' digest.
struct Provenance {
  std::string program_version;
  std::string git_revision;
  bool git_dirty = false;
  std::string compiler;
  std::string compiler_flags;
  std::string libraries;  ///< "HDF5 1.10.8; Open MPI v4.1.4; ..."
  std::string created;    ///< UTC, ISO 8601
  std::string hosts;      ///< comma-separated, one per rank, repeated names folded as "name x4"
  std::int64_t ranks = 0;
  std::int64_t team_size = 0;
  std::string command_line;
  std::string slurm;  ///< "job=.. nodes=.."; empty outside SLURM
};

/// One axis of the sweep and its values, in config order.
struct Axis {
  std::string name;  ///< "section.option"
  std::vector<std::string> values;
};

enum class TaskStatus : std::uint8_t { missing = 0, done = 1, failed = 2 };

/// One row per task, in plan order.
struct TaskTable {
  std::vector<std::string> key;       ///< content address, 64 hexadecimal digits
  std::vector<std::string> method;    ///< section name
  std::vector<std::int32_t> problem;  ///< tasks of one method on the same data have the same one
  std::vector<std::vector<std::int32_t>> axis_index;  ///< per axis, per task; -1: not an axis here
  std::vector<TaskStatus> status;
  std::vector<std::string> message;  ///< of a failed task, else empty
};

/// Volatile: one row per task.
struct Timing {
  std::vector<double> seconds;
  std::vector<std::int32_t> rank;  ///< root of the team that ran it
  std::vector<std::int32_t> attempt;
};

/// One number per task; NaN where the method has no such metric.
struct Metric {
  Quantity what;
  std::vector<double> values;
};

/// A ragged trajectory per task: task i owns entries offsets[i] .. offsets[i+1]-1.
struct Series {
  Quantity what;
  std::string step_name;  ///< such as "iteration"
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> steps;
  std::vector<double> values;
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
  std::string name;                    ///< method
  std::vector<Quantity> objectives;    ///< m >= 2, in the units and directions of the paper
  std::vector<std::int64_t> offsets;   ///< tasks + 1
  std::vector<double> points;          ///< row-major (n, m)
  std::vector<std::int64_t> task;      ///< owner of each point
  std::vector<std::int64_t> solution;  ///< index into solutions; -1: none
  std::string solutions_name;          ///< name in /solutions, may be empty
  std::vector<double> reference;       ///< row-major (tasks, m); NaN for tasks without front
  std::vector<double> hypervolume;     ///< per task, with respect to its reference point
};

/// Per problem, the nondominated points of all its tasks together: the trade-offs that a method has
/// found over its weights, options and seeds. Problem p owns entries offsets[p] .. offsets[p+1]-1;
/// problems of other methods own none.
struct MergedFront {
  std::string name;                   ///< of the FrontGroup that has the points
  std::vector<std::int64_t> offsets;  ///< problems + 1
  std::vector<std::int64_t> point;    ///< row of the group's points
  std::vector<double> reference;      ///< row-major (problems, m): the worst of the tasks'; or NaN
  std::vector<double> hypervolume;    ///< per problem; NaN without points and for m > 3
};

/// Everything an archive holds.
struct Content {
  std::string experiment;
  std::vector<ConfigEntry> config;
  std::vector<std::string> revisions;  ///< "method=revision": raised when a solver's results change
  Provenance provenance;
  std::vector<data::Provenance> datasets;
  std::vector<Axis> axes;
  TaskTable tasks;
  Timing timing;
  std::vector<Metric> metrics;
  std::vector<Series> series;
  std::vector<Solutions> solutions;
  std::vector<FrontGroup> fronts;
  std::vector<MergedFront> merged;
};

}  // namespace fairfront::archive
