/// @file
/// All tasks of a sweep: for each method the product of the axes that concern it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "archive/content.hpp"
#include "sweep/config.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::sweep {

/// A sweep with more tasks is an error.
inline constexpr std::int64_t max_tasks = 10'000'000;

/// The tasks of a config, made on demand. Methods come in config order; within a method the last
/// axis of the config runs fastest.
///
/// A problem is one combination of a method and values of the shared sections: its tasks read the
/// same data and differ in seed and the method's own options.
class Plan {
 public:
  /// @throws base::InputError  more than max_tasks tasks.
  Plan(Config config, const Experiment& experiment);

  [[nodiscard]] const Config& config() const noexcept { return config_; }
  [[nodiscard]] const std::vector<archive::Axis>& axes() const noexcept { return axes_; }
  [[nodiscard]] std::int64_t num_tasks() const noexcept { return num_tasks_; }
  [[nodiscard]] std::int64_t num_problems() const noexcept { return num_problems_; }

  /// The task without its key. 0 <= index < num_tasks().
  [[nodiscard]] Task task(std::int64_t index) const;

  [[nodiscard]] std::int64_t problem_of(std::int64_t task_index) const;
  [[nodiscard]] std::int64_t first_task_of(std::int64_t problem) const;

  /// "method=revision" of each method, in config order.
  [[nodiscard]] std::vector<std::string> revisions() const;

  /// SHA-256 over method, the method's revision, all values and the data's digest.
  [[nodiscard]] std::string key_of(const Task& task, std::string_view data_digest) const;

  /// "safairkm_front, clustering.k=3, seed=2": the method and the task's place on the axes.
  [[nodiscard]] std::string label(const Task& task) const;

 private:
  /// The tasks of one method: a mixed-radix number over `axes`.
  struct Block {
    std::string method;
    std::int64_t revision = 1;
    std::vector<std::size_t> axes;  ///< those that concern the method
    std::int64_t first_task = 0;
    std::int64_t tasks = 1;
    std::int64_t first_problem = 0;
    std::int64_t problems = 1;
  };
  void add_block(const std::string& method, std::int64_t revision);
  [[nodiscard]] const Block& block_of_task(std::int64_t index) const;
  [[nodiscard]] std::vector<std::int32_t> axis_index(const Block& block, std::int64_t index) const;
  [[nodiscard]] bool is_shared(std::size_t axis) const;
  [[nodiscard]] std::int64_t size_of(std::size_t axis) const;

  Config config_;
  std::vector<archive::Axis> axes_;
  std::vector<Block> blocks_;
  std::int64_t num_tasks_ = 0;
  std::int64_t num_problems_ = 0;
};

}  // namespace fairfront::sweep
