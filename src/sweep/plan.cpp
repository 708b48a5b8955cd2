#include "sweep/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/sha256.hpp"

namespace fairfront::sweep {
namespace {

bool is_method(const config::Config& config, const std::string& section) {
  return std::find(config.methods.begin(), config.methods.end(), section) != config.methods.end();
}

}  // namespace

Plan::Plan(config::Config config, const Experiment& experiment) : config_{std::move(config)} {
  for (const std::size_t option : config_.axes) {
    const config::ConfigOption& axis = config_.options[option];
    axes_.push_back({axis.name(), axis.role, axis.values});
  }
  const std::vector<config::Section> sections = experiment.sections();
  for (const std::string& method : config_.methods) {
    const auto found = std::find_if(sections.begin(), sections.end(),
                                    [&](const config::Section& s) { return s.name == method; });
    add_block(method, found->revision);
  }
}

bool Plan::makes_problems(std::size_t axis) const {
  const base::Role role = axes_[axis].role;
  if (role == base::Role::problem) return true;
  const std::string& section = config_.options[config_.axes[axis]].section;
  const bool shared = !section.empty() && !is_method(config_, section);
  return shared && (role == base::Role::replicate || role == base::Role::setting);
}

bool Plan::makes_kinds(std::size_t axis) const { return axes_[axis].role == base::Role::problem; }

bool Plan::makes_configurations(std::size_t axis) const {
  return axes_[axis].role != base::Role::trade_off && axes_[axis].role != base::Role::replicate;
}

bool Plan::makes_curves(std::size_t axis) const {
  return axes_[axis].role != base::Role::trade_off;
}

bool Plan::is_not_seed(std::size_t axis) const { return axes_[axis].name != "seed"; }

std::int64_t Plan::size_of(std::size_t axis) const {
  return static_cast<std::int64_t>(axes_[axis].values.size());
}

void Plan::add_block(const std::string& method, std::int64_t revision) {
  Block block;
  block.method = method;
  block.revision = revision;
  block.first_task = num_tasks_;
  block.first_problem = num_problems_;
  block.first_configuration = num_configurations_;
  block.first_curve = num_curves_;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const std::string& section = config_.options[config_.axes[axis]].section;
    if (section != method && is_method(config_, section)) continue;
    block.axes.push_back(axis);
    if (size_of(axis) > max_tasks / block.tasks) block.tasks = max_tasks + 1;
    if (block.tasks > max_tasks) break;
    block.tasks *= size_of(axis);
    if (makes_problems(axis)) block.problems *= size_of(axis);
    if (makes_configurations(axis)) block.configurations *= size_of(axis);
    if (makes_curves(axis)) block.curves *= size_of(axis);
  }
  num_tasks_ += block.tasks;
  num_problems_ += block.problems;
  num_configurations_ += block.configurations;
  num_curves_ += block.curves;
  if (num_tasks_ > max_tasks) {
    throw base::InputError(fmt::format("{}: the axes make more than {} tasks for [{}]",
                                       config_.file, max_tasks, method));
  }
  block.first = first_task(block);
  blocks_.push_back(std::move(block));
}

const Plan::Block& Plan::block_of_task(std::int64_t index) const {
  const auto behind = std::upper_bound(
      blocks_.begin(), blocks_.end(), index,
      [](std::int64_t value, const Block& block) { return value < block.first_task; });
  return *std::prev(behind);
}

std::vector<std::int32_t> Plan::axis_index(const Block& block, std::int64_t index) const {
  std::vector<std::int32_t> places(axes_.size(), -1);
  std::int64_t rest = index - block.first_task;
  for (auto next = block.axes.rbegin(); next != block.axes.rend(); ++next) {
    const std::size_t axis = *next;
    places[axis] = static_cast<std::int32_t>(rest % size_of(axis));
    rest /= size_of(axis);
  }
  return places;
}

Task Plan::first_task(const Block& block) const {
  Task task;
  task.index = block.first_task;
  task.method = block.method;
  for (const config::ConfigOption& option : config_.options) {
    if (option.section != block.method && is_method(config_, option.section)) continue;
    task.values[option.name()] = option.values.front();
  }
  task.axis_index = axis_index(block, task.index);
  return task;
}

void Plan::move_to(const Block& block, std::int64_t index, Task& task) const {
  task.index = index;
  std::vector<std::int32_t> places = axis_index(block, index);
  for (const std::size_t axis : block.axes) {
    if (places[axis] == task.axis_index[axis]) continue;
    task.values[axes_[axis].name] = axes_[axis].values[static_cast<std::size_t>(places[axis])];
  }
  task.axis_index = std::move(places);
}

Task Plan::task(std::int64_t index) const {
  const Block& block = block_of_task(index);
  Task task = block.first;
  move_to(block, index, task);
  return task;
}

const Task& TaskWalk::task(std::int64_t index) {
  const Plan::Block& block = plan_.block_of_task(index);
  if (&block != block_) task_ = block.first;
  block_ = &block;
  plan_.move_to(block, index, task_);
  return task_;
}

const std::string& Plan::method_of(std::int64_t task_index) const {
  return block_of_task(task_index).method;
}

std::vector<std::int32_t> Plan::axis_index_of(std::int64_t task_index) const {
  return axis_index(block_of_task(task_index), task_index);
}

std::int64_t Plan::place_among(const Block& block, std::int64_t task_index,
                               bool (Plan::*counts)(std::size_t) const) const {
  const std::vector<std::int32_t> places = axis_index(block, task_index);
  std::int64_t place = 0;
  for (const std::size_t axis : block.axes) {
    if ((this->*counts)(axis)) place = place * size_of(axis) + places[axis];
  }
  return place;
}

std::int64_t Plan::problem_of(std::int64_t task_index) const {
  return block_of_task(task_index).first_problem + place_of_problem(task_index);
}

std::int64_t Plan::place_of_problem(std::int64_t task_index) const {
  return place_among(block_of_task(task_index), task_index, &Plan::makes_problems);
}

/// Numbers of problems serve for kinds, too: a method never has more kinds.
std::int64_t Plan::kind_of(std::int64_t task_index) const {
  const Block& block = block_of_task(task_index);
  return block.first_problem + place_among(block, task_index, &Plan::makes_kinds);
}

std::int64_t Plan::configuration_of(std::int64_t task_index) const {
  const Block& block = block_of_task(task_index);
  return block.first_configuration + place_among(block, task_index, &Plan::makes_configurations);
}

std::int64_t Plan::curve_of(std::int64_t task_index) const {
  const Block& block = block_of_task(task_index);
  return block.first_curve + place_among(block, task_index, &Plan::makes_curves);
}

std::int64_t Plan::place_without_seed(std::int64_t task_index) const {
  return place_among(block_of_task(task_index), task_index, &Plan::is_not_seed);
}

const std::string& Plan::method_of_configuration(std::int64_t configuration) const {
  const auto behind = std::upper_bound(
      blocks_.begin(), blocks_.end(), configuration,
      [](std::int64_t value, const Block& block) { return value < block.first_configuration; });
  return std::prev(behind)->method;
}

std::int64_t Plan::first_task_of(std::int64_t problem) const {
  const auto behind = std::upper_bound(
      blocks_.begin(), blocks_.end(), problem,
      [](std::int64_t value, const Block& block) { return value < block.first_problem; });
  const Block& block = *std::prev(behind);
  std::int64_t rest = problem - block.first_problem;
  std::int64_t stride = 1;
  std::int64_t task = block.first_task;
  for (auto next = block.axes.rbegin(); next != block.axes.rend(); ++next) {
    const std::size_t axis = *next;
    if (makes_problems(axis)) {
      task += rest % size_of(axis) * stride;
      rest /= size_of(axis);
    }
    stride *= size_of(axis);
  }
  return task;
}

std::vector<std::string> Plan::revisions() const {
  std::vector<std::string> texts;
  for (const Block& block : blocks_) {
    texts.push_back(fmt::format("{}={}", block.method, block.revision));
  }
  return texts;
}

std::string Plan::key_of(const Task& task, std::string_view data_digest) const {
  base::Sha256 hash;
  hash.add_text(task.method);
  const std::array revision{block_of_task(task.index).revision};
  hash.add_values(std::span<const std::int64_t>{revision});
  for (const auto& [name, value] : task.values) {  // a map: sorted by name
    hash.add_text(name);
    hash.add_text(value);
  }
  hash.add_text(data_digest);
  return hash.finish();
}

std::string Plan::label(const Task& task) const {
  std::string text = task.method;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (task.axis_index[axis] < 0) continue;
    text += fmt::format(", {}={}", axes_[axis].name, task.values.at(axes_[axis].name));
  }
  return text;
}

}  // namespace fairfront::sweep
