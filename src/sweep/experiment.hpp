/// @file
/// The one thing the run loop knows about an experiment.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "archive/content.hpp"
#include "archive/task_record.hpp"
#include "base/options.hpp"
#include "data/dataset_cache.hpp"
#include "parallel/comm.hpp"

namespace fairfront::sweep {

/// A section of the config: shared by all methods of the experiment, or one method.
struct Section {
  std::string name;    ///< as written in the config: [data], [clustering], [safairkm_front]
  std::string title;   ///< one line for help
  std::string source;  ///< paper, for a method
  bool is_method = false;
  /// Each task of the method is work for a team of ranks, which it can leave at a checkpoint.
  bool coupled = false;
  std::int64_t revision = 1;  ///< of a method: raised when its results change; part of task keys
  std::function<std::shared_ptr<base::OptionTable>()> open;  ///< a fresh table with the defaults
};

/// A section over an options struct that has options_of(Options&).
template <class Options>
Section make_section(std::string name, std::string title, std::string source = {},
                     bool is_method = false, bool coupled = false, std::int64_t revision = 1) {
  auto open = []() -> std::shared_ptr<base::OptionTable> {
    struct Bound {
      Options options;
      base::OptionTable table = options_of(options);
    };
    auto bound = std::make_shared<Bound>();
    return {bound, &bound->table};
  };
  return {std::move(name), std::move(title), std::move(source), is_method,
          coupled,         revision,         std::move(open)};
}

/// One run of one method with one value per option.
struct Task {
  std::int64_t index = 0;                     ///< position in the plan
  std::string method;                         ///< section name
  std::map<std::string, std::string> values;  ///< "section.option" -> text, defaults included
  std::vector<std::int32_t> axis_index;       ///< per axis of the plan; -1: not an axis here
  std::string key;                            ///< content address; set once the data is known
};

/// The options of one section as a task has them.
template <class Options>
Options read_section(const Task& task, const std::string& section) {
  Options options;
  base::OptionTable table = options_of(options);
  for (const base::OptionInfo& info : table.infos()) {
    table.set(info.name, task.values.at(section + "." + info.name));
  }
  return options;
}

/// What a run reports while it goes on; `fraction` is done work in [0, 1].
struct TaskProgress {
  double fraction = 0;
  std::string text;  ///< such as "iteration 120/2500, list 340, hypervolume 0.8123"
};

/// A task has stopped before its end, because RunContext::stop_wanted said so; it goes on from its
/// last checkpoint. Thrown by every rank of the team.
class TaskInterrupted : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the task was interrupted"; }
};

/// Where a task finds its data, whom it tells about its progress, and how it can be left.
struct RunContext {
  std::filesystem::path data_dir;
  bool allow_changed_data = false;
  std::shared_ptr<data::DatasetCache> datasets = std::make_shared<data::DatasetCache>();
  /// Called on the team's rank 0 only. May be empty, as all of these.
  std::function<void(const TaskProgress&)> report;
  /// Asked by tasks that have checkpoints; what one rank of a team wants, all must do.
  std::function<bool()> stop_wanted;
  double checkpoint_seconds = 30;                           ///< between two checkpoints of a task
  std::function<void(const std::string&)> save_checkpoint;  ///< team's rank 0
  std::function<std::optional<std::string>()> load_checkpoint;  ///< team's rank 0
};

using archive::SolutionValues;
using archive::TaskFront;
using archive::TaskResult;
using archive::Trajectory;

/// The results that an experiment's tasks may have.
struct ResultSchema {
  std::vector<archive::Quantity> metrics;
  std::vector<archive::Quantity> series;
  std::string step_name = "iteration";
  std::vector<archive::Quantity> solutions;
  std::string front_solutions;                ///< which of them belong to front points
  std::vector<archive::Quantity> objectives;  ///< of the fronts
};

/// What `plan` says about a task before anything runs.
struct TaskForecast {
  data::Provenance data;
  std::string problem;                  ///< such as "N = 5000, d = 5, K = 10, J = 2 (3333, 1667)"
  double bytes_per_rank = 0;            ///< peak memory expected, all ranks in one team of `ranks`
  double candidate_evaluations = 0;     ///< upper bound; 0 when unknown
  std::vector<std::string> warnings{};  ///< what is allowed, but perhaps not meant: small groups
};

/// A family of methods on a family of problems.
class Experiment {
 public:
  virtual ~Experiment() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string title() const = 0;
  /// Shared sections first, then the methods.
  [[nodiscard]] virtual std::vector<Section> sections() const = 0;
  [[nodiscard]] virtual ResultSchema schema() const = 0;

  /// Checks the task as a whole (data, K <= N, option combinations) and forecasts it. Local.
  /// @throws base::InputError
  [[nodiscard]] virtual TaskForecast forecast(const Task& task, const RunContext& context,
                                              std::int64_t ranks) const = 0;

  /// Work of the task relative to others of the same problem, >= 0: longer ones run first.
  [[nodiscard]] virtual double unit_cost(const Task& /*task*/) const { return 1; }

  /// Runs the task. Collective over `team`; the result is complete on the team's rank 0.
  [[nodiscard]] virtual TaskResult run(const parallel::Comm& team, const Task& task,
                                       const RunContext& context) const = 0;
};

}  // namespace fairfront::sweep
