#include "sweep/columns_of_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "results/fields.hpp"

namespace fairfront::sweep {
namespace {

using results::Quantity;

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

void require_fit(bool holds, const std::string& rule) {
  if (!holds) throw std::logic_error("the result does not fit the experiment's schema: " + rule);
}

const std::string& name_of(const Quantity& quantity) { return quantity.name; }
const std::string& name_of(const SeriesQuantity& series) { return series.what.name; }
const std::string& name_of(const MeasuredQuantity& measure) { return measure.what.name; }

template <class Value, class Known>
void check_names(const std::map<std::string, Value>& results, const std::vector<Known>& known,
                 std::string_view kind) {
  for (const auto& result : results) {
    const std::string& name = result.first;
    const bool found = std::any_of(known.begin(), known.end(),
                                   [&](const Known& column) { return name_of(column) == name; });
    require_fit(found, fmt::format("no {} '{}'", kind, name));
  }
}

/// The solutions of front points come first in the task's list; more may follow.
void check_front(const ResultSchema& schema, const TaskResult& result) {
  const TaskFront& front = result.front;
  const std::size_t objectives = schema.objectives.size();
  if (front.points.empty()) return;
  require_fit(
      objectives >= 2 && front.points.size() % objectives == 0,
      fmt::format("{} front coordinates for {} objectives", front.points.size(), objectives));
  require_fit(front.reference.size() == objectives, "the reference point has another dimension");
  require_fit(front.report.empty() || front.report.size() == front.points.size(),
              "the report is not of the front's points");
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(front.points.begin(), front.points.end(), finite)) {
    throw std::domain_error("a front point is not finite");
  }
  if (!std::all_of(front.reference.begin(), front.reference.end(), finite)) {
    throw std::domain_error("the reference point of a front is not finite");
  }
  if (!finite(front.hypervolume) || front.hypervolume < 0) {
    throw std::domain_error("the hypervolume of a front is negative or not finite");
  }
  const auto solutions = result.solutions.find(schema.front_solutions);
  if (solutions == result.solutions.end()) return;
  require_fit(solutions->second.size() >= front.points.size() / objectives,
              "front points without a solution");
}

/// Moves what records and columns have under one name into the columns.
template <class Columns>
void take_heads(Columns& columns, std::span<TaskOutcome> outcomes) {
  results::for_each_task_column<Columns>([&](const auto& entry, const auto& column) {
    for (TaskOutcome& outcome : outcomes) {
      (columns.*column.member).push_back(std::move(outcome.*entry.member));
    }
  });
}

results::TaskTable task_table(const Plan& plan, std::span<TaskOutcome> outcomes) {
  results::TaskTable table;
  take_heads(table, outcomes);
  table.axis_index.resize(plan.axes().size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const auto task = static_cast<std::int64_t>(i);
    table.method.push_back(plan.method_of(task));
    table.problem.push_back(static_cast<std::int32_t>(plan.problem_of(task)));
    table.configuration.push_back(static_cast<std::int32_t>(plan.configuration_of(task)));
    table.curve.push_back(static_cast<std::int32_t>(plan.curve_of(task)));
    const std::vector<std::int32_t> places = plan.axis_index_of(task);
    for (std::size_t axis = 0; axis < places.size(); ++axis) {
      table.axis_index[axis].push_back(places[axis]);
    }
  }
  return table;
}

std::vector<results::Metric> metrics_of(const ResultSchema& schema,
                                        std::span<const TaskOutcome> outcomes) {
  std::vector<results::Metric> metrics;
  for (const Quantity& what : schema.metrics) {
    results::Metric metric{what, {}};
    bool filled = false;
    for (const TaskOutcome& outcome : outcomes) {
      const auto found = outcome.result.metrics.find(what.name);
      const bool has = found != outcome.result.metrics.end();
      metric.values.push_back(has ? found->second : absent);
      filled = filled || has;
    }
    if (filled) metrics.push_back(std::move(metric));
  }
  return metrics;
}

/// What a task says by one measure.
const std::map<MeasuredRows, Measured>& measured_of(const TaskOutcome& outcome,
                                                    const std::string& name) {
  static const std::map<MeasuredRows, Measured> nothing;
  const auto found = outcome.result.measured.find(name);
  return found == outcome.result.measured.end() ? nothing : found->second;
}

/// A measure with those parts and groups of which something is known; "all" before single groups.
results::Measure rows_of(const MeasuredQuantity& measure, std::span<const TaskOutcome> outcomes) {
  std::set<std::string> parts;
  std::set<std::string> groups;
  for (const TaskOutcome& outcome : outcomes) {
    for (const auto& [rows, measured] : measured_of(outcome, measure.what.name)) {
      if (!measured.known()) continue;
      parts.insert(rows.part);
      groups.insert(rows.group);
    }
  }
  results::Measure found{measure.what, {}, {}, {}, results::AtGroups::own};
  std::ranges::copy_if(measure.parts, std::back_inserter(found.parts),
                       [&](const std::string& part) { return parts.contains(part); });
  const std::string of_all = MeasuredRows{}.group;
  if (groups.erase(of_all) > 0) found.groups.push_back(of_all);
  found.groups.insert(found.groups.end(), groups.begin(), groups.end());
  if (!groups.empty()) found.at_groups = measure.at_groups;
  return found;
}

std::vector<results::Measure> measures_of(const ResultSchema& schema,
                                          std::span<const TaskOutcome> outcomes) {
  std::vector<results::Measure> measures;
  for (const MeasuredQuantity& what : schema.measures) {
    results::Measure measure = rows_of(what, outcomes);
    if (measure.parts.empty()) continue;
    for (const TaskOutcome& outcome : outcomes) {
      const auto& by_rows = measured_of(outcome, what.what.name);
      for (const std::string& part : measure.parts) {
        for (const std::string& group : measure.groups) {
          const auto found = by_rows.find({part, group});
          const Measured measured = found == by_rows.end() ? Measured{} : found->second;
          results::for_each_field<Measured>(
              [&](const auto& end) { measure.values.push_back(measured.*end.member); });
        }
      }
    }
    measures.push_back(std::move(measure));
  }
  return measures;
}

void check_measures(const ResultSchema& schema, const TaskResult& result) {
  check_names(result.measured, schema.measures, "measure");
  for (const auto& [name, by_rows] : result.measured) {
    const auto known = std::ranges::find(schema.measures, name,
                                         [](const auto& measure) { return measure.what.name; });
    for (const auto& [rows, measured] : by_rows) {
      const bool has = std::ranges::find(known->parts, rows.part) != known->parts.end();
      require_fit(has && !rows.group.empty(), fmt::format("no part '{}' of '{}'", rows.part, name));
    }
  }
}

/// NaN where one trajectory has no seconds and another has.
void append_seconds(results::Series& series, const Trajectory& path) {
  if (path.seconds.empty() && series.seconds.empty()) return;
  series.seconds.resize(series.values.size() - path.values.size(), absent);
  series.seconds.insert(series.seconds.end(), path.seconds.begin(), path.seconds.end());
  series.seconds.resize(series.values.size(), absent);
}

std::vector<results::Series> series_of(const ResultSchema& schema,
                                       std::span<const TaskOutcome> outcomes) {
  std::vector<results::Series> all;
  for (const auto& [what, step] : schema.series) {
    results::Series series{what, step, {0}, {}, {}, {}};
    for (const TaskOutcome& outcome : outcomes) {
      if (const auto found = outcome.result.series.find(what.name);
          found != outcome.result.series.end()) {
        const Trajectory& path = found->second;
        series.steps.insert(series.steps.end(), path.steps.begin(), path.steps.end());
        series.values.insert(series.values.end(), path.values.begin(), path.values.end());
        append_seconds(series, path);
      }
      series.offsets.push_back(static_cast<std::int64_t>(series.values.size()));
    }
    if (!series.values.empty()) all.push_back(std::move(series));
  }
  return all;
}

/// Appends `values`, which has the column's type or one that it holds without loss.
void append(SolutionValues& column, const SolutionValues& values) {
  std::visit(
      [&](auto& to, const auto& from) {
        using Element = typename std::decay_t<decltype(to)>::value_type;
        for (const auto value : from) to.push_back(static_cast<Element>(value));
      },
      column, values);
}

/// Empty and of the widest type among the solutions: the alternatives are ordered by width.
SolutionValues empty_column(const std::string& name, std::span<const TaskOutcome> outcomes) {
  std::size_t widest = 0;
  for (const TaskOutcome& outcome : outcomes) {
    const auto found = outcome.result.solutions.find(name);
    if (found == outcome.result.solutions.end()) continue;
    for (const SolutionValues& values : found->second) widest = std::max(widest, values.index());
  }
  if (widest == 0) return std::vector<std::uint8_t>{};
  if (widest == 1) return std::vector<std::uint16_t>{};
  return std::vector<double>{};
}

std::int64_t length_of(const SolutionValues& values) {
  return std::visit([](const auto& v) { return static_cast<std::int64_t>(v.size()); }, values);
}

results::Solutions solutions_of(const Quantity& what, std::span<TaskOutcome> outcomes) {
  results::Solutions column{what, {}, {0}, empty_column(what.name, outcomes)};
  for (std::size_t task = 0; task < outcomes.size(); ++task) {
    const auto found = outcomes[task].result.solutions.find(what.name);
    if (found == outcomes[task].result.solutions.end()) continue;
    for (SolutionValues& values : found->second) {
      append(column.values, values);
      values = {};  // the labels of a large sweep need not be held twice
      column.task.push_back(static_cast<std::int64_t>(task));
      column.offsets.push_back(length_of(column.values));
    }
  }
  return column;
}

/// NaN where one task has a report and another has none.
void append_report(results::FrontGroup& group, const TaskFront& front) {
  if (front.report.empty() && group.report.empty()) return;
  group.report.resize(group.points.size() - front.points.size(), absent);
  group.report.insert(group.report.end(), front.report.begin(), front.report.end());
  group.report.resize(group.points.size(), absent);
}

/// Appends the front of one task to its method's group.
void append_front(results::FrontGroup& group, const TaskFront& front, std::int64_t task,
                  std::int64_t first_solution) {
  const std::size_t objectives = group.objectives.size();
  const std::size_t points = front.points.size() / objectives;
  group.points.insert(group.points.end(), front.points.begin(), front.points.end());
  append_report(group, front);
  for (std::size_t i = 0; i < points; ++i) {
    group.task.push_back(task);
    group.solution.push_back(first_solution < 0 ? -1
                                                : first_solution + static_cast<std::int64_t>(i));
  }
  group.offsets.push_back(static_cast<std::int64_t>(group.task.size()));
  if (points == 0) {
    group.reference.insert(group.reference.end(), objectives, absent);
    group.hypervolume.push_back(absent);
  } else {
    group.reference.insert(group.reference.end(), front.reference.begin(), front.reference.end());
    group.hypervolume.push_back(front.hypervolume);
  }
}

/// For each task its first entry among the solutions of front points; -1 where it has none.
std::vector<std::int64_t> first_solutions(const ResultSchema& schema,
                                          std::span<const TaskOutcome> outcomes) {
  std::vector<std::int64_t> first;
  std::int64_t next = 0;
  for (const TaskOutcome& outcome : outcomes) {
    const auto found = outcome.result.solutions.find(schema.front_solutions);
    const bool has = found != outcome.result.solutions.end() && !found->second.empty();
    first.push_back(has ? next : -1);
    if (has) next += static_cast<std::int64_t>(found->second.size());
  }
  return first;
}

std::vector<results::FrontGroup> fronts_of(const Plan& plan, const ResultSchema& schema,
                                           std::span<const TaskOutcome> outcomes,
                                           std::span<const std::string> method_of_task) {
  const std::vector<std::int64_t> solutions = first_solutions(schema, outcomes);
  std::vector<results::FrontGroup> groups;
  for (const std::string& method : plan.config().methods) {
    results::FrontGroup group;
    group.name = method;
    group.objectives = schema.objectives;
    group.offsets = {0};
    for (std::size_t task = 0; task < outcomes.size(); ++task) {
      const bool mine = method_of_task[task] == method;
      const TaskFront& front = outcomes[task].result.front;
      append_front(group, mine ? front : TaskFront{}, static_cast<std::int64_t>(task),
                   solutions[task]);
    }
    const bool linked = std::any_of(group.solution.begin(), group.solution.end(),
                                    [](std::int64_t index) { return index >= 0; });
    if (linked) group.solutions_name = schema.front_solutions;
    if (!group.points.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

/// The unit that quantities of the rule have in this sweep, beside the one of their column.
std::string unit_in(const Plan& plan, const UnitByOption& rule, const std::string& usual) {
  for (const config::ConfigOption& option : plan.config().options) {
    if (option.name() != rule.option) continue;
    const auto count = std::ranges::count(option.values, rule.usual);
    if (count == std::ssize(option.values)) return usual;
    return count == 0 ? rule.unit : usual + " or " + rule.unit;
  }
  return usual;
}

/// As the values of this sweep's options make the units.
ResultSchema with_units(const Plan& plan, ResultSchema schema) {
  for (const UnitByOption& rule : schema.units) {
    const auto set = [&](Quantity& what) {
      const bool is_meant = std::ranges::count(rule.names, what.name) > 0;
      if (is_meant) what.unit = unit_in(plan, rule, what.unit);
    };
    std::ranges::for_each(schema.objectives, set);
    std::ranges::for_each(schema.metrics, set);
    std::ranges::for_each(schema.solutions, set);
    for (MeasuredQuantity& measure : schema.measures) set(measure.what);
    for (SeriesQuantity& series : schema.series) set(series.what);
  }
  return schema;
}

}  // namespace

void check_result(const ResultSchema& schema, const TaskResult& result) {
  check_names(result.metrics, schema.metrics, "metric");
  check_measures(schema, result);
  check_names(result.series, schema.series, "series");
  check_names(result.solutions, schema.solutions, "solution");
  for (const auto& [name, path] : result.series) {
    require_fit(path.seconds.empty() || path.seconds.size() == path.values.size(),
                fmt::format("{} seconds for {} values of '{}'", path.seconds.size(),
                            path.values.size(), name));
    require_fit(
        path.steps.size() == path.values.size(),
        fmt::format("{} steps and {} values of '{}'", path.steps.size(), path.values.size(), name));
  }
  check_front(schema, result);
}

results::Content content_of(const Plan& plan, const ResultSchema& of_all,
                            std::vector<TaskOutcome> outcomes) {
  const ResultSchema schema = with_units(plan, of_all);
  results::Content content;
  content.experiment = plan.config().experiment;
  content.config = config::config_entries(plan.config());
  content.revisions = plan.revisions();
  content.axes = plan.axes();
  content.tasks = task_table(plan, outcomes);
  take_heads(content.timing, outcomes);
  content.metrics = metrics_of(schema, outcomes);
  content.measures = measures_of(schema, outcomes);
  content.series = series_of(schema, outcomes);
  content.fronts = fronts_of(plan, schema, outcomes, content.tasks.method);
  for (const Quantity& what : schema.solutions) {
    results::Solutions column = solutions_of(what, outcomes);
    if (!column.task.empty()) content.solutions.push_back(std::move(column));
  }
  return content;
}

}  // namespace fairfront::sweep
