/// @file
/// All tasks of a sweep: for each method the product of the axes that concern it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "results/content.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::sweep {

/// A sweep with more tasks is an error.
inline constexpr std::int64_t max_tasks = 10'000'000;

/// The tasks of a config, made on demand. Methods come in config order; within a method the last
/// axis of the config runs fastest.
///
/// Roles of axes group the tasks of a method. A problem is one combination of values of `problem`
/// axes and of the replicate and setting axes of shared sections (such as split_seed, or the models
/// that an audit compares): its tasks read the same data. A configuration is one combination of all
/// values but those of trade-off and replicate axes, a curve one of all but those of trade-off
/// axes.
class Plan {
 public:
  /// @throws base::InputError  more than max_tasks tasks.
  Plan(config::Config config, const Experiment& experiment);

  [[nodiscard]] const config::Config& config() const noexcept { return config_; }
  [[nodiscard]] const std::vector<results::Axis>& axes() const noexcept { return axes_; }
  [[nodiscard]] std::int64_t num_tasks() const noexcept { return num_tasks_; }
  [[nodiscard]] std::int64_t num_problems() const noexcept { return num_problems_; }

  /// The task without its key. 0 <= index < num_tasks().
  [[nodiscard]] Task task(std::int64_t index) const;

  /// Its method and its place on every axis, as of task(); next to no work.
  [[nodiscard]] const std::string& method_of(std::int64_t task_index) const;
  [[nodiscard]] std::vector<std::int32_t> axis_index_of(std::int64_t task_index) const;

  [[nodiscard]] std::int64_t problem_of(std::int64_t task_index) const;
  /// Of a task's problem among those of its method, from 0 on.
  [[nodiscard]] std::int64_t place_of_problem(std::int64_t task_index) const;
  [[nodiscard]] std::int64_t first_task_of(std::int64_t problem) const;
  [[nodiscard]] std::int64_t configuration_of(std::int64_t task_index) const;
  [[nodiscard]] std::int64_t num_configurations() const noexcept { return num_configurations_; }
  [[nodiscard]] const std::string& method_of_configuration(std::int64_t configuration) const;
  [[nodiscard]] std::int64_t curve_of(std::int64_t task_index) const;

  /// The same for tasks of one method on problems that differ along replicate axes alone: what one
  /// of them takes tells what the others will.
  [[nodiscard]] std::int64_t kind_of(std::int64_t task_index) const;

  /// The same for tasks of one method that differ in the config's seed alone, which never decides
  /// how much work there is.
  [[nodiscard]] std::int64_t place_without_seed(std::int64_t task_index) const;

  /// "method=revision" of each method, in config order.
  [[nodiscard]] std::vector<std::string> revisions() const;

  /// SHA-256 over method, the method's revision, all values and the data's digest.
  [[nodiscard]] std::string key_of(const Task& task, std::string_view data_digest) const;

  /// "safairkm_front, clustering.k=3, seed=2": the method and the task's place on the axes.
  [[nodiscard]] std::string label(const Task& task) const;

 private:
  friend class TaskWalk;
  /// The tasks of one method: a mixed-radix number over `axes`.
  struct Block {
    std::string method;
    std::int64_t revision = 1;
    std::vector<std::size_t> axes;  ///< those that concern the method
    Task first;                     ///< of its tasks
    std::int64_t first_task = 0;
    std::int64_t tasks = 1;
    std::int64_t first_problem = 0;
    std::int64_t problems = 1;
    std::int64_t first_configuration = 0;
    std::int64_t configurations = 1;
    std::int64_t first_curve = 0;
    std::int64_t curves = 1;
  };
  void add_block(const std::string& method, std::int64_t revision);
  [[nodiscard]] const Block& block_of_task(std::int64_t index) const;
  [[nodiscard]] Task first_task(const Block& block) const;
  /// From another task of the block.
  void move_to(const Block& block, std::int64_t index, Task& task) const;
  [[nodiscard]] std::vector<std::int32_t> axis_index(const Block& block, std::int64_t index) const;
  [[nodiscard]] bool makes_problems(std::size_t axis) const;
  [[nodiscard]] bool makes_kinds(std::size_t axis) const;
  [[nodiscard]] bool makes_configurations(std::size_t axis) const;
  [[nodiscard]] bool makes_curves(std::size_t axis) const;
  [[nodiscard]] bool is_not_seed(std::size_t axis) const;
  /// The place of a task among the combinations of those axes of its block that `counts` names.
  [[nodiscard]] std::int64_t place_among(const Block& block, std::int64_t task_index,
                                         bool (Plan::*counts)(std::size_t) const) const;
  [[nodiscard]] std::int64_t size_of(std::size_t axis) const;

  config::Config config_;
  std::vector<results::Axis> axes_;
  std::vector<Block> blocks_;
  std::int64_t num_tasks_ = 0;
  std::int64_t num_problems_ = 0;
  std::int64_t num_configurations_ = 0;
  std::int64_t num_curves_ = 0;
};

/// Tasks of a plan one after another, without making the options that they share again and again.
///
///     TaskWalk walk(plan);
///     for (std::int64_t i = 0; i < plan.num_tasks(); ++i) use(walk.task(i));
class TaskWalk {
 public:
  /// @param plan  must outlive it.
  explicit TaskWalk(const Plan& plan) : plan_{plan} {}

  /// As plan.task(index), until the next call.
  [[nodiscard]] const Task& task(std::int64_t index);

 private:
  const Plan& plan_;
  const Plan::Block* block_ = nullptr;
  Task task_;
};

}  // namespace fairfront::sweep
