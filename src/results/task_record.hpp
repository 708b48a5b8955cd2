/// @file
/// What one task leaves behind: a record of the journal, a row of the archive.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "results/content.hpp"

namespace fairfront::results {

/// One trajectory of one task.
struct Trajectory {
  std::vector<std::int64_t> steps;
  std::vector<double> values;
  std::vector<double> seconds{};  ///< volatile: CPU seconds at each entry, or empty

  /// Whether the results are the same; seconds are none.
  bool operator==(const Trajectory& other) const {
    return steps == other.steps && values == other.values;
  }
};

using SolutionValues =
    std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<double>>;

/// The front of one task; solution i of the task belongs to point i if there are solutions.
struct TaskFront {
  std::vector<double> points;  ///< row-major (n, m), in the units of the schema's objectives
  std::vector<double> reference;
  double hypervolume = 0;
  /// The same points on the part that is reported; empty where it is the one that decides.
  std::vector<double> report{};
  bool operator==(const TaskFront&) const = default;
};

/// What a task computed. Names are those of the experiment's schema.
struct TaskResult {
  std::map<std::string, double> metrics;
  std::map<std::string, Trajectory> series;
  std::map<std::string, std::vector<SolutionValues>> solutions;
  TaskFront front;  ///< empty points: the method has none
  /// For the user, such as why a metric is NaN; no part of the result. It becomes the message.
  std::string remark{};
  bool operator==(const TaskResult&) const = default;
};

/// How one task ended.
struct TaskRecord {
  std::string key;  ///< content address of the task
  TaskStatus status = TaskStatus::missing;
  std::string message;  ///< of a failed task, or the remark of a done one
  TaskResult result;    ///< of a done task
  double started = 0;   ///< Unix time; volatile, like all below
  double seconds = 0;
  std::int32_t rank = 0;
  std::int32_t attempt = 1;
};

}  // namespace fairfront::results
