#include "sweep/reopen.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fairfront::sweep {
namespace {

std::string full_name(const archive::ConfigEntry& entry) {
  return entry.section.empty() ? entry.key : entry.section + "." + entry.key;
}

/// The row of the task in the archive, or what is wrong with it.
std::string difference_in_task(const archive::Content& content, const Plan& plan, std::size_t row) {
  const Task task = plan.task(static_cast<std::int64_t>(row));
  const archive::TaskTable& table = content.tasks;
  if (table.method[row] != task.method) {
    return fmt::format("method is {}, must be {}", table.method[row], task.method);
  }
  if (table.problem[row] != plan.problem_of(task.index)) {
    return fmt::format("problem is {}, must be {}", table.problem[row],
                       plan.problem_of(task.index));
  }
  for (std::size_t axis = 0; axis < plan.axes().size(); ++axis) {
    if (table.axis_index[axis][row] == task.axis_index[axis]) continue;
    return fmt::format("place on axis {} is {}, must be {}", plan.axes()[axis].name,
                       table.axis_index[axis][row], task.axis_index[axis]);
  }
  const bool known = std::ranges::any_of(content.datasets, [&](const data::Provenance& dataset) {
    return plan.key_of(task, dataset.digest) == table.key[row];
  });
  return known ? "" : "its key does not follow from its options and the archive's data sets";
}

}  // namespace

StoredConfig stored_config(std::span<const archive::ConfigEntry> config,
                           std::span<const archive::Axis> axes) {
  StoredConfig stored;
  std::string section;
  const auto is_axis = [&](const archive::ConfigEntry& entry) {
    return std::ranges::find(axes, full_name(entry), &archive::Axis::name) != axes.end();
  };
  const auto assign = [&](const archive::ConfigEntry& entry) {
    stored.assignments.push_back(fmt::format("{}={}", full_name(entry), entry.value));
  };
  for (const archive::ConfigEntry& entry : config) {
    if (entry.section.empty() && entry.key == "experiment") {
      stored.text = fmt::format("experiment = {}\n{}", entry.value, stored.text);
    } else if (entry.section != section) {
      stored.text += fmt::format("[{}]\n", entry.section);
    }
    section = entry.section;
  }
  for (const archive::Axis& axis : axes) {
    const auto entry = std::ranges::find(config, axis.name, full_name);
    if (entry != config.end()) assign(*entry);
  }
  for (const archive::ConfigEntry& entry : config) {
    if (!is_axis(entry)) assign(entry);
  }
  return stored;
}

std::vector<std::string> differences_from_plan(const archive::Content& content, const Plan& plan) {
  constexpr std::size_t most = 10;
  std::vector<std::string> lines;
  const auto tasks = static_cast<std::size_t>(plan.num_tasks());
  if (content.tasks.key.size() != tasks) {
    return {fmt::format("/tasks: has {} tasks, but the config makes {}", content.tasks.key.size(),
                        tasks)};
  }
  const bool same_axes = std::ranges::equal(content.axes, plan.axes(), {}, &archive::Axis::name,
                                            &archive::Axis::name) &&
                         std::ranges::equal(content.axes, plan.axes(), {}, &archive::Axis::values,
                                            &archive::Axis::values);
  if (!same_axes) return {"/axes: are not those of the config"};
  for (std::size_t row = 0; row < tasks && lines.size() < most; ++row) {
    const std::string difference = difference_in_task(content, plan, row);
    if (!difference.empty()) lines.push_back(fmt::format("/tasks: row {}: {}", row, difference));
  }
  return lines;
}

}  // namespace fairfront::sweep
