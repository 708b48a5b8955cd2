/// @file
/// What one task leaves behind: a record of the journal, a row of the archive.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
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

/// What a method found. Names are those of the experiment's schema.
struct Findings {
  std::map<std::string, double> metrics;
  std::map<std::string, Trajectory> series;
  std::map<std::string, std::vector<SolutionValues>> solutions;
  TaskFront front;  ///< empty points: the method has none
  /// How the solutions make a fitted model, see models::ModelText; empty: they make none.
  std::string model{};
  bool operator==(const Findings&) const = default;
};

/// Of a measure its value and both ends of its interval; NaN where it is not known.
struct Measured {
  double value = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();

  /// Whether anything is known.
  [[nodiscard]] bool known() const noexcept {
    return !(std::isnan(value) && std::isnan(low) && std::isnan(high));
  }
  /// What is not known is equal.
  bool operator==(const Measured& other) const noexcept {
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    return same(value, other.value) && same(low, other.low) && same(high, other.high);
  }
};

/// The rows that a measure is taken on.
struct MeasuredRows {
  std::string part;           ///< such as "test"
  std::string group = "all";  ///< or the name of one group
  auto operator<=>(const MeasuredRows&) const = default;
};

/// Of each measure, by name, what it says of which rows.
using Measures = std::map<std::string, std::map<MeasuredRows, Measured>>;

/// What a task computed. Measures are a function of what was found and of the data: another version
/// of the program may know more of them, and finds the same.
struct TaskResult : Findings {
  Measures measured;
  /// For the user, such as why a metric is NaN; no part of the result. It becomes the message.
  std::string remark{};
  bool operator==(const TaskResult&) const = default;
};

/// How one task ended.
struct TaskRecord {
  std::string key;  ///< content address of the task
  TaskStatus status = TaskStatus::missing;
  std::string message;  ///< of a failed task, or the remark of a done one
  std::string model;    ///< of a done task: that of its findings
  TaskResult result;    ///< of a done task
  double started = 0;   ///< Unix time; volatile, like all below
  double seconds = 0;
  std::int32_t rank = 0;
  std::int32_t attempt = 1;
};

}  // namespace fairfront::results
