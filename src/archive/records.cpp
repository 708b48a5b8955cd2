#include "archive/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "archive/names.hpp"

namespace fairfront::archive {
namespace {

using Difference = std::optional<std::string>;

template <class T>
std::vector<T> part(const std::vector<T>& all, std::int64_t first, std::int64_t last) {
  return {all.begin() + first, all.begin() + last};
}

void take_metrics(const Content& content, std::vector<TaskRecord>& records) {
  for (const Metric& metric : content.metrics) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (records[i].status != TaskStatus::done) continue;
      records[i].result.metrics[metric.what.name] = metric.values[i];
    }
  }
}

void take_series(const Content& content, std::vector<TaskRecord>& records) {
  for (const Series& series : content.series) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      const std::int64_t first = series.offsets[i];
      const std::int64_t last = series.offsets[i + 1];
      if (first == last) continue;
      records[i].result.series[series.what.name] = {part(series.steps, first, last),
                                                    part(series.values, first, last)};
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
      records[i].result.front = {part(group.points, first * width, last * width),
                                 part(group.reference, row * width, (row + 1) * width),
                                 group.hypervolume[i]};
    }
  }
}

bool same(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b)) return true;
  return tolerance > 0 && std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

Difference differ_in_text(std::string_view what, std::string_view there, std::string_view here) {
  if (there == here) return std::nullopt;
  return fmt::format("{}: '{}' there, '{}' here", what, there, here);
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

/// A metric that a method does not have is NaN in an archive.
std::map<std::string, double> present(const std::map<std::string, double>& metrics) {
  std::map<std::string, double> found = metrics;
  std::erase_if(found, [](const auto& metric) { return std::isnan(metric.second); });
  return found;
}

}  // namespace

std::vector<TaskRecord> records_of(const Content& content) {
  std::vector<TaskRecord> records(content.tasks.key.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].key = content.tasks.key[i];
    records[i].status = content.tasks.status[i];
    records[i].message = content.tasks.message[i];
    records[i].seconds = content.timing.seconds[i];
    records[i].rank = content.timing.rank[i];
    records[i].attempt = content.timing.attempt[i];
  }
  take_metrics(content, records);
  take_series(content, records);
  take_solutions(content, records);
  take_fronts(content, records);
  return records;
}

JournalHeader sweep_of(const Content& content) {
  JournalHeader sweep;
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
  const auto name = [](TaskStatus status) {
    return task_status_names()[static_cast<std::size_t>(status)];
  };
  if (auto found = differ_in_text("status", name(there.status), name(here.status))) return found;
  if (auto found = differ_in_text("message", there.message, here.message)) return found;
  const TaskResult& a = there.result;
  const TaskResult& b = here.result;
  if (auto found =
          differ_by_name("metric", present(a.metrics), present(b.metrics), relative_tolerance)) {
    return found;
  }
  if (auto found = differ_by_name("series", a.series, b.series, relative_tolerance)) return found;
  if (auto found = differ("front", a.front.points, b.front.points, relative_tolerance)) {
    return found;
  }
  if (auto found = differ("reference", a.front.reference, b.front.reference, relative_tolerance)) {
    return found;
  }
  if (auto found =
          differ("hypervolume", a.front.hypervolume, b.front.hypervolume, relative_tolerance)) {
    return found;
  }
  return differ_by_name("solution", a.solutions, b.solutions, relative_tolerance);
}

}  // namespace fairfront::archive
