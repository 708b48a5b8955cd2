#include "sweep/measure_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "results/fields.hpp"
#include "results/measure_cells.hpp"
#include "results/records.hpp"
#include "results/stored_model.hpp"
#include "results/task_record.hpp"
#include "sweep/same_data.hpp"

namespace fairfront::sweep {
namespace {

using results::Content;
using results::Measures;
using results::PointMeasures;

std::size_t points_of(const Content& content, std::size_t task) {
  std::int64_t points = 0;
  for (const results::FrontGroup& group : content.fronts) {
    points += group.offsets[task + 1] - group.offsets[task];
  }
  return static_cast<std::size_t>(points);
}

/// What the points have of one measure, by part and group.
using Cells = std::map<results::MeasuredRows, results::Measured>;
const Cells& cells_of(const Measures& measures, const std::string& name) {
  static const Cells nothing;
  const auto found = measures.find(name);
  return found == measures.end() ? nothing : found->second;
}

/// The column of a measure that some points have: parts in the order of the schema, all rows before
/// single groups.
results::Measure column_of(const MeasuredQuantity& what, const std::vector<Measures>& of_points) {
  results::Measure column{what.what, {}, {results::MeasuredRows{}.group}, {}, what.at_groups};
  std::set<std::string> parts, groups;
  for (const Measures& measures : of_points) {
    for (const auto& [rows, measured] : cells_of(measures, what.what.name)) {
      if (!measured.known()) continue;
      parts.insert(rows.part);
      groups.insert(rows.group);
    }
  }
  std::ranges::copy_if(what.parts, std::back_inserter(column.parts),
                       [&](const std::string& part) { return parts.contains(part); });
  groups.erase(column.groups.front());
  column.groups.insert(column.groups.end(), groups.begin(), groups.end());
  for (const Measures& measures : of_points) {
    const Cells& cells = cells_of(measures, what.what.name);
    for (std::size_t cell = 0; cell < results::count_cells(column); ++cell) {
      const auto found = cells.find(results::rows_of_cell(column, cell));
      const results::Measured measured = found == cells.end() ? results::Measured{} : found->second;
      results::for_each_field<results::Measured>(
          [&](const auto& end) { column.values.push_back(measured.*end.member); });
    }
  }
  return column;
}

}  // namespace

std::vector<PlaceOfPoint> all_points(const Content& content,
                                     const std::vector<std::size_t>& tasks) {
  std::vector<PlaceOfPoint> points;
  for (const std::size_t task : tasks) {
    for (std::size_t point = 0; point < points_of(content, task); ++point) {
      points.emplace_back(task, point);
    }
  }
  return points;
}

PointMeasures measure_points(const parallel::Comm& team, const Plan& plan,
                             const Experiment& experiment, const Content& content,
                             const std::vector<PlaceOfPoint>& points, const RunContext& context) {
  const std::vector<MeasuredQuantity> columns = experiment.measures_of_points();
  if (columns.empty()) {
    throw base::InputError(fmt::format(
        "the experiment {} keeps no rows back on which its points could be measured: it takes "
        "bounds on the fronts' objectives, without a confidence",
        content.experiment));
  }
  PointMeasures all;
  std::vector<Measures> of_points;
  const std::vector<results::TaskRecord> records = results::records_of(content);
  std::optional<std::size_t> checked;
  for (const auto& [index, point] : points) {
    base::stop_point();
    const Task task = plan.task(static_cast<std::int64_t>(index));
    if (checked != index) require_same_data(content, experiment.forecast(task, context, 1).data);
    checked = index;
    const results::StoredModel stored = results::model_of(content, static_cast<std::int64_t>(index),
                                                          static_cast<std::int64_t>(point));
    all.row[{index, point}] = of_points.size();
    of_points.push_back(experiment.measure(
        team, task, {records[index].result, stored.model.get(), point}, context));
    if (context.counted) context.counted(of_points.size(), points.size());
  }
  for (const MeasuredQuantity& what : columns) {
    results::Measure column = column_of(what, of_points);
    if (!column.parts.empty()) all.measures.push_back(std::move(column));
  }
  return all;
}

}  // namespace fairfront::sweep
