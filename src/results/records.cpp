#include "results/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "base/index.hpp"
#include "results/enum_names.hpp"
#include "results/fields.hpp"
#include "results/measure_cells.hpp"

namespace fairfront::results {
namespace {

using Difference = std::optional<std::string>;

template <class T>
std::vector<T> part(const std::vector<T>& all, std::int64_t first, std::int64_t last) {
  return {all.begin() + first, all.begin() + last};
}

using base::at;

template <class Columns>
void take_head(const Columns& columns, std::vector<TaskRecord>& records) {
  for_each_task_column<Columns>([&](const auto& entry, const auto& column) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      records[i].*entry.member = (columns.*column.member)[i];
    }
  });
}

void take_metrics(const Content& content, std::vector<TaskRecord>& records) {
  for (const Metric& metric : content.metrics) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (records[i].status != TaskStatus::done) continue;
      records[i].result.metrics[metric.what.name] = metric.values[i];
    }
  }
}

void take_measures(const Content& content, std::vector<TaskRecord>& records) {
  for (const Measure& measure : content.measures) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      for (std::size_t cell = 0; cell < count_cells(measure); ++cell) {
        const Measured measured = measured_at(measure, i, cell);
        if (!measured.known()) continue;
        records[i].result.measured[measure.what.name][rows_of_cell(measure, cell)] = measured;
      }
    }
  }
}

void take_series(const Content& content, std::vector<TaskRecord>& records) {
  for (const Series& series : content.series) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      const std::int64_t first = series.offsets[i];
      const std::int64_t last = series.offsets[i + 1];
      if (first == last) continue;
      Trajectory& path = records[i].result.series[series.what.name];
      path.steps = part(series.steps, first, last);
      path.values = part(series.values, first, last);
      if (!series.seconds.empty()) path.seconds = part(series.seconds, first, last);
    }
  }
}

void take_solutions(const Content& content, std::vector<TaskRecord>& records) {
  for (const Solutions& column : content.solutions) {
    for (std::size_t s = 0; s < column.task.size(); ++s) {
      TaskRecord& owner = records[static_cast<std::size_t>(column.task[s])];
      std::visit(
          [&](const auto& values) {
            owner.result.solutions[column.what.name].emplace_back(
                part(values, column.offsets[s], column.offsets[s + 1]));
          },
          column.values);
    }
  }
}

void take_fronts(const Content& content, std::vector<TaskRecord>& records) {
  for (const FrontGroup& group : content.fronts) {
    const std::int64_t width = std::ssize(group.objectives);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const std::int64_t first = group.offsets[i];
      const std::int64_t last = group.offsets[i + 1];
      if (first == last) continue;
      const auto row = static_cast<std::int64_t>(i);
      TaskFront& front = records[i].result.front;
      front.points = part(group.points, first * width, last * width);
      front.reference = part(group.reference, row * width, (row + 1) * width);
      front.hypervolume = group.hypervolume[i];
      if (group.report.empty() || std::isnan(group.report[at(first * width)])) continue;
      front.report = part(group.report, first * width, last * width);
    }
  }
}

bool same(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b)) return true;
  return tolerance > 0 && std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

Difference differ(const std::string& what, double there, double here, double tolerance) {
  if (same(there, here, tolerance)) return std::nullopt;
  return fmt::format("{}: {} there, {} here", what, there, here);
}

template <class T>
Difference differ(const std::string& what, const std::vector<T>& there, const std::vector<T>& here,
                  double tolerance) {
  if (there.size() != here.size()) {
    return fmt::format("{}: {} values there, {} here", what, there.size(), here.size());
  }
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (same(static_cast<double>(there[i]), static_cast<double>(here[i]), tolerance)) continue;
    return fmt::format("{}[{}]: {} there, {} here", what, i, there[i], here[i]);
  }
  return std::nullopt;
}

Difference differ(const std::string& what, const Trajectory& there, const Trajectory& here,
                  double tolerance) {
  if (auto found = differ(what + " steps", there.steps, here.steps, 0)) return found;
  return differ(what, there.values, here.values, tolerance);
}

Difference differ(const std::string& what, const std::vector<SolutionValues>& there,
                  const std::vector<SolutionValues>& here, double tolerance) {
  if (there.size() != here.size()) {
    return fmt::format("{}: {} there, {} here", what, there.size(), here.size());
  }
  for (std::size_t i = 0; i < there.size(); ++i) {
    const auto found = std::visit(
        [&](const auto& a, const auto& b) {
          // The type of a column depends on the other tasks, too: compare the numbers.
          const std::vector<double> x(a.begin(), a.end());
          const std::vector<double> y(b.begin(), b.end());
          return differ(fmt::format("{} {}", what, i), x, y, tolerance);
        },
        there[i], here[i]);
    if (found) return found;
  }
  return std::nullopt;
}

/// Of one measure that both know. Single groups may be known to a program that knows more; of all
/// rows of a part both must know it.
Difference differ_in_measure(const std::string& name, const std::map<MeasuredRows, Measured>& there,
                             const std::map<MeasuredRows, Measured>& here, double tolerance) {
  const auto text_of = [&](const MeasuredRows& rows) {
    return fmt::format("measure {} ({}, {})", name, rows.part, rows.group);
  };
  const auto must_be_known = [](const MeasuredRows& rows) {
    return rows.group == MeasuredRows{}.group;
  };
  for (const auto& entry : there) {
    const MeasuredRows& rows = entry.first;
    const auto other = here.find(rows);
    if (other == here.end()) {
      if (must_be_known(rows)) return text_of(rows) + ": not here";
      continue;
    }
    Difference first;
    for_each_field<Measured>([&](const auto& end) {
      if (first) return;
      first = differ(fmt::format("{} {}", text_of(rows), end.name), entry.second.*end.member,
                     other->second.*end.member, tolerance);
    });
    if (first) return first;
  }
  for (const auto& [rows, measured] : here) {
    if (must_be_known(rows) && !there.contains(rows)) return text_of(rows) + ": not there";
  }
  return std::nullopt;
}

/// Of measures that both know: one side may have been measured by a program that knows more.
Difference differ_in_measures(const Measures& there, const Measures& here, double tolerance) {
  for (const auto& [name, by_rows] : there) {
    const auto other = here.find(name);
    if (other == here.end()) continue;
    if (auto found = differ_in_measure(name, by_rows, other->second, tolerance)) return found;
  }
  return std::nullopt;
}

/// Compares what stands under the same names; a name that only one has is a difference.
template <class Value>
Difference differ_by_name(const std::string& kind, const std::map<std::string, Value>& there,
                          const std::map<std::string, Value>& here, double tolerance) {
  for (const auto& [name, value] : there) {
    const auto other = here.find(name);
    if (other == here.end()) return fmt::format("{} {}: not here", kind, name);
    if (auto found = differ(kind + " " + name, value, other->second, tolerance)) return found;
  }
  for (const auto& [name, value] : here) {
    if (there.find(name) == there.end()) return fmt::format("{} {}: not there", kind, name);
  }
  return std::nullopt;
}

Difference differ_in_fronts(const TaskFront& there, const TaskFront& here, double tolerance) {
  Difference first;
  for_each_field<TaskFront>([&](const auto& field) {
    if (first) return;
    first = differ(fmt::format("front {}", field.name), there.*field.member, here.*field.member,
                   tolerance);
  });
  return first;
}

/// A metric that a method does not have is NaN in an archive.
std::map<std::string, double> present(const std::map<std::string, double>& metrics) {
  std::map<std::string, double> found = metrics;
  std::erase_if(found, [](const auto& metric) { return std::isnan(metric.second); });
  return found;
}

}  // namespace

std::vector<TaskRecord> records_of(const Content& content) {
  std::vector<TaskRecord> records(content.tasks.key.size());
  take_head(content.tasks, records);
  take_head(content.timing, records);
  take_metrics(content, records);
  take_measures(content, records);
  take_series(content, records);
  take_solutions(content, records);
  take_fronts(content, records);
  return records;
}

SweepIdentity sweep_of(const Content& content) {
  SweepIdentity sweep;
  sweep.experiment = content.experiment;
  sweep.config = content.config;
  sweep.axes = content.axes;
  sweep.datasets = content.datasets;
  sweep.revisions = content.revisions;
  sweep.tasks = std::ssize(content.tasks.key);
  sweep.program_version = content.provenance.program_version;
  sweep.sweep_digest = sweep_digest_of(sweep);
  return sweep;
}

Difference first_difference(const TaskRecord& there, const TaskRecord& here,
                            double relative_tolerance) {
  if (there.status != here.status) {
    return fmt::format("status: '{}' there, '{}' here", name_of(there.status),
                       name_of(here.status));
  }
  if (there.model != here.model) {
    return fmt::format("model: '{}' there, '{}' here", there.model, here.model);
  }
  const TaskResult& a = there.result;
  const TaskResult& b = here.result;
  if (auto found =
          differ_by_name("metric", present(a.metrics), present(b.metrics), relative_tolerance)) {
    return found;
  }
  if (auto found = differ_by_name("series", a.series, b.series, relative_tolerance)) return found;
  if (auto found = differ_in_fronts(a.front, b.front, relative_tolerance)) return found;
  if (auto found = differ_by_name("solution", a.solutions, b.solutions, relative_tolerance)) {
    return found;
  }
  return differ_in_measures(a.measured, b.measured, relative_tolerance);
}

}  // namespace fairfront::results
