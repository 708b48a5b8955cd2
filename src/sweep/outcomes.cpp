#include "sweep/outcomes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

namespace fairfront::sweep {
namespace {

using archive::Quantity;

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

void require(bool holds, const std::string& rule) {
  if (!holds) throw std::runtime_error("the result does not fit the experiment's schema: " + rule);
}

template <class Value>
void check_names(const std::map<std::string, Value>& results, std::span<const Quantity> known,
                 std::string_view kind) {
  for (const auto& result : results) {
    const std::string& name = result.first;
    const bool found = std::any_of(known.begin(), known.end(),
                                   [&](const Quantity& quantity) { return quantity.name == name; });
    require(found, fmt::format("no {} '{}'", kind, name));
  }
}

/// The solutions of front points come first in the task's list; more may follow.
void check_front(const ResultSchema& schema, const TaskResult& result) {
  const TaskFront& front = result.front;
  const std::size_t objectives = schema.objectives.size();
  if (front.points.empty()) return;
  require(objectives >= 2 && front.points.size() % objectives == 0,
          fmt::format("{} front coordinates for {} objectives", front.points.size(), objectives));
  require(front.reference.size() == objectives, "the reference point has another dimension");
  const auto finite = [](double value) { return std::isfinite(value); };
  require(std::all_of(front.points.begin(), front.points.end(), finite),
          "a front point is not finite");
  const auto solutions = result.solutions.find(schema.front_solutions);
  if (solutions == result.solutions.end()) return;
  require(solutions->second.size() >= front.points.size() / objectives,
          "front points without a solution");
}

archive::TaskTable task_table(const Plan& plan, std::span<TaskOutcome> outcomes) {
  archive::TaskTable table;
  table.axis_index.resize(plan.axes().size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Task task = plan.task(static_cast<std::int64_t>(i));
    table.key.push_back(std::move(outcomes[i].key));
    table.method.push_back(task.method);
    table.problem.push_back(static_cast<std::int32_t>(plan.problem_of(task.index)));
    table.status.push_back(outcomes[i].status);
    table.message.push_back(std::move(outcomes[i].message));
    for (std::size_t axis = 0; axis < table.axis_index.size(); ++axis) {
      table.axis_index[axis].push_back(task.axis_index[axis]);
    }
  }
  return table;
}

archive::Timing timing_of(std::span<const TaskOutcome> outcomes) {
  archive::Timing timing;
  for (const TaskOutcome& outcome : outcomes) {
    timing.seconds.push_back(outcome.seconds);
    timing.rank.push_back(outcome.rank);
    timing.attempt.push_back(outcome.attempt);
  }
  return timing;
}

std::vector<archive::Metric> metrics_of(const ResultSchema& schema,
                                        std::span<const TaskOutcome> outcomes) {
  std::vector<archive::Metric> metrics;
  for (const Quantity& what : schema.metrics) {
    archive::Metric metric{what, {}};
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

std::vector<archive::Series> series_of(const ResultSchema& schema,
                                       std::span<const TaskOutcome> outcomes) {
  std::vector<archive::Series> all;
  for (const Quantity& what : schema.series) {
    archive::Series series{what, schema.step_name, {0}, {}, {}};
    for (const TaskOutcome& outcome : outcomes) {
      if (const auto found = outcome.result.series.find(what.name);
          found != outcome.result.series.end()) {
        const Trajectory& path = found->second;
        series.steps.insert(series.steps.end(), path.steps.begin(), path.steps.end());
        series.values.insert(series.values.end(), path.values.begin(), path.values.end());
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

archive::Solutions solutions_of(const Quantity& what, std::span<TaskOutcome> outcomes) {
  archive::Solutions column{what, {}, {0}, empty_column(what.name, outcomes)};
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

/// Appends the front of one task to its method's group.
void append_front(archive::FrontGroup& group, const TaskFront& front, std::int64_t task,
                  std::int64_t first_solution) {
  const std::size_t objectives = group.objectives.size();
  const std::size_t points = front.points.size() / objectives;
  group.points.insert(group.points.end(), front.points.begin(), front.points.end());
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

std::vector<archive::FrontGroup> fronts_of(const Plan& plan, const ResultSchema& schema,
                                           std::span<const TaskOutcome> outcomes,
                                           std::span<const std::string> method_of_task) {
  const std::vector<std::int64_t> solutions = first_solutions(schema, outcomes);
  std::vector<archive::FrontGroup> groups;
  for (const std::string& method : plan.config().methods) {
    archive::FrontGroup group;
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

}  // namespace

void check_result(const ResultSchema& schema, const TaskResult& result) {
  check_names(result.metrics, schema.metrics, "metric");
  check_names(result.series, schema.series, "series");
  check_names(result.solutions, schema.solutions, "solution");
  for (const auto& [name, path] : result.series) {
    require(
        path.steps.size() == path.values.size(),
        fmt::format("{} steps and {} values of '{}'", path.steps.size(), path.values.size(), name));
  }
  check_front(schema, result);
}

archive::Content content_of(const Plan& plan, const ResultSchema& schema,
                            std::vector<TaskOutcome> outcomes) {
  archive::Content content;
  content.experiment = plan.config().experiment;
  content.config = config_entries(plan.config());
  content.revisions = plan.revisions();
  content.axes = plan.axes();
  content.tasks = task_table(plan, outcomes);
  content.timing = timing_of(outcomes);
  content.metrics = metrics_of(schema, outcomes);
  content.series = series_of(schema, outcomes);
  content.fronts = fronts_of(plan, schema, outcomes, content.tasks.method);
  for (const Quantity& what : schema.solutions) {
    archive::Solutions column = solutions_of(what, outcomes);
    if (!column.task.empty()) content.solutions.push_back(std::move(column));
  }
  return content;
}

}  // namespace fairfront::sweep
