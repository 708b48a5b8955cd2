#include "sweep/columns_of_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/index.hpp"
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

results::TaskTable task_table(const Plan& plan, TaskOutcomes& some) {
  results::TaskTable table;
  take_heads(table, some.outcomes);
  table.axis_index.resize(plan.axes().size());
  for (const std::int64_t task : some.tasks) {
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

bool fills(const Quantity& metric, std::span<const TaskOutcome> outcomes) {
  return std::ranges::any_of(outcomes, [&](const TaskOutcome& outcome) {
    return outcome.result.metrics.contains(metric.name);
  });
}

std::vector<results::Metric> metrics_of(const ResultSchema& schema, const ColumnShape& shape,
                                        std::span<const TaskOutcome> outcomes) {
  std::vector<results::Metric> metrics;
  for (std::size_t i = 0; i < schema.metrics.size(); ++i) {
    if (shape.metrics[i] == 0) continue;
    results::Metric& metric = metrics.emplace_back(results::Metric{schema.metrics[i], {}});
    for (const TaskOutcome& outcome : outcomes) {
      const auto found = outcome.result.metrics.find(metric.what.name);
      metric.values.push_back(found != outcome.result.metrics.end() ? found->second : absent);
    }
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

/// The parts and groups of which something is known.
void add_rows(const MeasuredQuantity& measure, std::span<const TaskOutcome> outcomes,
              ColumnShape& shape) {
  std::set<std::string>& parts = shape.parts.emplace_back();
  std::set<std::string>& groups = shape.groups.emplace_back();
  for (const TaskOutcome& outcome : outcomes) {
    for (const auto& [rows, measured] : measured_of(outcome, measure.what.name)) {
      if (!measured.known()) continue;
      parts.insert(rows.part);
      groups.insert(rows.group);
    }
  }
}

/// A measure without values; "all" before single groups.
results::Measure rows_of(const MeasuredQuantity& measure, const std::set<std::string>& parts,
                         std::set<std::string> groups) {
  results::Measure found{measure.what, {}, {}, {}, results::AtGroups::own};
  std::ranges::copy_if(measure.parts, std::back_inserter(found.parts),
                       [&](const std::string& part) { return parts.contains(part); });
  const std::string of_all = MeasuredRows{}.group;
  if (groups.erase(of_all) > 0) found.groups.push_back(of_all);
  found.groups.insert(found.groups.end(), groups.begin(), groups.end());
  if (!groups.empty()) found.at_groups = measure.at_groups;
  return found;
}

std::vector<results::Measure> measures_of(const ResultSchema& schema, const ColumnShape& shape,
                                          std::span<const TaskOutcome> outcomes) {
  std::vector<results::Measure> measures;
  for (std::size_t i = 0; i < schema.measures.size(); ++i) {
    const MeasuredQuantity& what = schema.measures[i];
    results::Measure measure = rows_of(what, shape.parts[i], shape.groups[i]);
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

constexpr std::uint8_t filled = 1;    ///< of a series or a front
constexpr std::uint8_t extended = 2;  ///< and with seconds, or a report

std::uint8_t extent_of(const SeriesQuantity& series, std::span<const TaskOutcome> outcomes) {
  std::uint8_t extent = 0;
  for (const TaskOutcome& outcome : outcomes) {
    const auto found = outcome.result.series.find(series.what.name);
    if (found == outcome.result.series.end() || found->second.values.empty()) continue;
    extent = std::max(extent, found->second.seconds.empty() ? filled : extended);
  }
  return extent;
}

/// Seconds or a report: NaN for who has none where another has.
void append_or_absent(std::vector<double>& column, const std::vector<double>& values,
                      std::size_t rows) {
  column.insert(column.end(), values.begin(), values.end());
  column.resize(rows, absent);
}

std::vector<results::Series> series_of(const ResultSchema& schema, const ColumnShape& shape,
                                       std::span<const TaskOutcome> outcomes) {
  std::vector<results::Series> all;
  for (std::size_t i = 0; i < schema.series.size(); ++i) {
    if (shape.series[i] == 0) continue;
    const auto& [what, step] = schema.series[i];
    results::Series& series = all.emplace_back(results::Series{what, step, {0}, {}, {}, {}});
    for (const TaskOutcome& outcome : outcomes) {
      if (const auto found = outcome.result.series.find(what.name);
          found != outcome.result.series.end()) {
        const Trajectory& path = found->second;
        series.steps.insert(series.steps.end(), path.steps.begin(), path.steps.end());
        series.values.insert(series.values.end(), path.values.begin(), path.values.end());
        if (shape.series[i] == extended) {
          append_or_absent(series.seconds, path.seconds, series.values.size());
        }
      }
      series.offsets.push_back(static_cast<std::int64_t>(series.values.size()));
    }
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

/// 0: no solutions; else 1 + index of the widest type: the alternatives are ordered by width.
std::uint8_t width_of(const Quantity& what, std::span<const TaskOutcome> outcomes) {
  std::size_t widest = 0;
  for (const TaskOutcome& outcome : outcomes) {
    const auto found = outcome.result.solutions.find(what.name);
    if (found == outcome.result.solutions.end()) continue;
    for (const SolutionValues& values : found->second) {
      widest = std::max(widest, 1 + values.index());
    }
  }
  return static_cast<std::uint8_t>(widest);
}

SolutionValues empty_column(std::uint8_t width) {
  if (width == 1) return std::vector<std::uint8_t>{};
  if (width == 2) return std::vector<std::uint16_t>{};
  return std::vector<double>{};
}

std::int64_t length_of(const SolutionValues& values) {
  return std::visit([](const auto& v) { return static_cast<std::int64_t>(v.size()); }, values);
}

results::Solutions solutions_of(const Quantity& what, std::uint8_t width, TaskOutcomes& some) {
  results::Solutions column{what, {}, {0}, empty_column(width)};
  for (std::size_t i = 0; i < some.tasks.size(); ++i) {
    const auto found = some.outcomes[i].result.solutions.find(what.name);
    if (found == some.outcomes[i].result.solutions.end()) continue;
    for (SolutionValues& values : found->second) {
      append(column.values, values);
      values = {};  // the labels of a large sweep need not be held twice
      column.task.push_back(some.tasks[i]);
      column.offsets.push_back(length_of(column.values));
    }
  }
  return column;
}

/// Whether the points of a task's front have solutions.
bool is_linked(const ResultSchema& schema, const TaskOutcome& outcome) {
  const auto found = outcome.result.solutions.find(schema.front_solutions);
  return found != outcome.result.solutions.end() && !found->second.empty();
}

/// Appends the front of one task to its method's group.
void append_front(results::FrontGroup& group, const TaskFront& front, std::int64_t task,
                  bool linked, bool with_report) {
  const std::size_t objectives = group.objectives.size();
  const std::size_t points = front.points.size() / objectives;
  group.points.insert(group.points.end(), front.points.begin(), front.points.end());
  if (with_report) append_or_absent(group.report, front.report, group.points.size());
  for (std::size_t i = 0; i < points; ++i) {
    group.task.push_back(task);
    group.solution.push_back(linked ? static_cast<std::int64_t>(i) : -1);
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

std::map<std::string, std::uint8_t> extents_of_fronts(const Plan& plan, const TaskOutcomes& some) {
  std::map<std::string, std::uint8_t> extents;
  for (std::size_t i = 0; i < some.tasks.size(); ++i) {
    const TaskFront& front = some.outcomes[i].result.front;
    if (front.points.empty()) continue;
    std::uint8_t& extent = extents[plan.method_of(some.tasks[i])];
    extent = std::max(extent, front.report.empty() ? filled : extended);
  }
  return extents;
}

std::vector<results::FrontGroup> fronts_of(const Plan& plan, const ResultSchema& schema,
                                           const ColumnShape& shape, const TaskOutcomes& some) {
  std::vector<results::FrontGroup> groups;
  for (const std::string& method : plan.config().methods) {
    const auto extent = shape.fronts.find(method);
    if (extent == shape.fronts.end()) continue;
    results::FrontGroup& group = groups.emplace_back();
    group.name = method;
    group.objectives = schema.objectives;
    group.offsets = {0};
    for (std::size_t i = 0; i < some.tasks.size(); ++i) {
      const TaskOutcome& outcome = some.outcomes[i];
      const bool mine = plan.method_of(some.tasks[i]) == method;
      append_front(group, mine ? outcome.result.front : TaskFront{}, some.tasks[i],
                   is_linked(schema, outcome), extent->second == extended);
    }
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

void ColumnShape::merge(const ColumnShape& other) {
  const auto widen = [](auto& mine, const auto& others) {
    for (std::size_t i = 0; i < others.size(); ++i) mine.at(i) = std::max(mine[i], others[i]);
  };
  const auto unite = [](auto& mine, const auto& others) {
    for (std::size_t i = 0; i < others.size(); ++i) {
      mine.at(i).insert(others[i].begin(), others[i].end());
    }
  };
  widen(metrics, other.metrics);
  unite(parts, other.parts);
  unite(groups, other.groups);
  widen(series, other.series);
  widen(solutions, other.solutions);
  for (const auto& [method, extent] : other.fronts) {
    fronts[method] = std::max(fronts[method], extent);
  }
}

ColumnShape shape_of(const Plan& plan, const ResultSchema& schema, const TaskOutcomes& some) {
  ColumnShape shape;
  for (const Quantity& metric : schema.metrics) {
    shape.metrics.push_back(fills(metric, some.outcomes) ? 1 : 0);
  }
  for (const MeasuredQuantity& measure : schema.measures) add_rows(measure, some.outcomes, shape);
  for (const SeriesQuantity& series : schema.series) {
    shape.series.push_back(extent_of(series, some.outcomes));
  }
  for (const Quantity& what : schema.solutions) {
    shape.solutions.push_back(width_of(what, some.outcomes));
  }
  shape.fronts = extents_of_fronts(plan, some);
  return shape;
}

void put_head(const Plan& plan, results::Content& content) {
  content.experiment = plan.config().experiment;
  content.config = config::config_entries(plan.config());
  content.revisions = plan.revisions();
  content.axes = plan.axes();
}

results::Content columns_of(const Plan& plan, const ResultSchema& of_all, const ColumnShape& shape,
                            TaskOutcomes some) {
  const ResultSchema schema = with_units(plan, of_all);
  results::Content content;
  content.tasks = task_table(plan, some);
  take_heads(content.timing, some.outcomes);
  content.metrics = metrics_of(schema, shape, some.outcomes);
  content.measures = measures_of(schema, shape, some.outcomes);
  content.series = series_of(schema, shape, some.outcomes);
  content.fronts = fronts_of(plan, schema, shape, some);
  for (std::size_t i = 0; i < schema.solutions.size(); ++i) {
    if (shape.solutions[i] == 0) continue;
    content.solutions.push_back(solutions_of(schema.solutions[i], shape.solutions[i], some));
  }
  return content;
}

void link_fronts(results::Content& content, const ResultSchema& schema) {
  const auto column = std::ranges::find(content.solutions, schema.front_solutions,
                                        [](const auto& solutions) { return solutions.what.name; });
  if (column == content.solutions.end()) return;
  std::vector<std::int64_t> first(content.tasks.key.size(), -1);
  for (std::size_t i = column->task.size(); i-- > 0;) {
    first[base::at(column->task[i])] = static_cast<std::int64_t>(i);
  }
  for (results::FrontGroup& group : content.fronts) {
    for (std::size_t i = 0; i < group.solution.size(); ++i) {
      if (group.solution[i] < 0) continue;
      group.solution[i] += first[base::at(group.task[i])];
      group.solutions_name = schema.front_solutions;
    }
  }
}

results::Content content_of(const Plan& plan, const ResultSchema& schema,
                            std::vector<TaskOutcome> outcomes) {
  TaskOutcomes all{std::vector<std::int64_t>(outcomes.size()), std::move(outcomes)};
  std::iota(all.tasks.begin(), all.tasks.end(), 0);
  const ColumnShape shape = shape_of(plan, schema, all);
  results::Content content = columns_of(plan, schema, shape, std::move(all));
  put_head(plan, content);
  link_fronts(content, schema);
  return content;
}

}  // namespace fairfront::sweep
