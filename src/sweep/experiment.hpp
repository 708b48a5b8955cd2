/// @file
/// The one thing the run loop knows about an experiment.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "config/section.hpp"
#include "data/catalogue/data_folder.hpp"
#include "data/dataset.hpp"
#include "parallel/comm.hpp"
#include "results/content.hpp"
#include "results/task_record.hpp"
#include "solvers/common/control.hpp"
#include "sweep/cache.hpp"

namespace fairfront::data {
struct SupervisedSet;
}
namespace fairfront::models {
class FittedModel;
}

namespace fairfront::sweep {

/// One run of one method with one value per option.
struct Task {
  std::int64_t index = 0;                     ///< position in the plan
  std::string method;                         ///< section name
  std::map<std::string, std::string> values;  ///< "section.option" -> text, defaults included
  std::vector<std::int32_t> axis_index;       ///< per axis of the plan; -1: not an axis here
  std::string key;                            ///< content address; set once the data is known
  std::string stream;  ///< address of its random numbers, beside the seed; empty: as the data say
  bool is_trial = false;  ///< run for its score alone: see Experiment::trials
};

/// What a trial has come to.
struct TrialOutcome {
  double score = 0;
  std::optional<std::string> failure{};  ///< why there is no score: an error of the input
};
/// By address_of(trial).
using TrialOutcomes = std::map<std::string, TrialOutcome>;

/// Content address of a trial.
[[nodiscard]] std::string address_of(const Task& trial);

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

/// What a run reports while it goes on.
using TaskProgress = solvers::Progress;

/// A task has stopped before its end, because RunContext::stop_wanted said so; it goes on from its
/// last checkpoint, or begins anew if its method has none. Thrown by every rank of the team.
using TaskInterrupted = solvers::Interrupted;

/// Where a task finds its data, whom it tells about its progress, and how it can be left.
struct RunContext {
  data::DataFolder data_dir{};
  bool allow_changed_data = false;
  std::shared_ptr<Cache> cache = std::make_shared<Cache>();
  /// Of all trials of the tasks that run; without, a task makes its own.
  std::shared_ptr<const TrialOutcomes> trials{};
  /// Called on the team's rank 0 only. May be empty, as all of these.
  std::function<void(const TaskProgress&)> report;
  /// Polled by every task. If it is true on any rank, the whole team must stop: reduce with max.
  std::function<bool()> stop_wanted;
  double checkpoint_seconds = 30;                           ///< between two checkpoints of a task
  std::function<void(const std::string&)> save_checkpoint;  ///< team's rank 0
  /// Team's rank 0. @throws base::CheckpointError  it is damaged.
  std::function<std::optional<std::string>()> load_checkpoint;
  /// Called after each of many results that are measured or proven again: so many of all.
  std::function<void(std::size_t done, std::size_t all)> counted;
};

using results::Measured;
using results::MeasuredRows;
using results::SolutionValues;
using results::TaskFront;
using results::TaskResult;
using results::Trajectory;

/// A trajectory and what its steps count.
struct SeriesQuantity {
  base::Quantity what;
  std::string step = "iteration";
};

/// A measure and the parts that it is taken on.
struct MeasuredQuantity {
  base::Quantity what;
  std::vector<std::string> parts;  ///< such as "train", "test", in the order of an archive
  results::AtGroups at_groups = results::AtGroups::own;
};

/// Results by name.
struct Columns {
  std::vector<base::Quantity> metrics{};
  std::vector<MeasuredQuantity> measures{};
  std::vector<SeriesQuantity> series{};
  std::vector<base::Quantity> solutions{};
};

/// Quantities that have another unit where an option of a shared section has another value.
struct UnitByOption {
  std::string option;              ///< "section.option"
  std::string usual;               ///< the value with which they have the unit of their column
  std::string unit;                ///< with any other; a sweep over both has "this or that"
  std::vector<std::string> names;  ///< of objectives, metrics, measures, series, solutions
};

/// The results that an experiment's tasks may have.
struct ResultSchema : Columns {
  std::vector<UnitByOption> units;
  std::string front_solutions;             ///< which solutions belong to front points
  std::vector<base::Quantity> objectives;  ///< of the fronts
};

/// What a task is expected to need.
struct Work {
  double bytes_per_rank = 0;  ///< peak memory of a task beside its problem, all ranks in one team
  double amount = 0;          ///< in `unit`, about; also how long it takes beside other tasks
  std::string unit{};         ///< such as "gradients", "runs of k-means"; plural
  double result_bytes = 0;    ///< of what is found, where it is much; rank 0 has that of all tasks
};

/// What `plan` says about a task before anything runs.
struct TaskForecast {
  data::Provenance data;
  std::string problem;  ///< such as "N = 5000, d = 5, K = 10, J = 2 (3333, 1667)"
  Work work{};
  std::vector<std::string> warnings{};  ///< what is allowed, but perhaps not meant: small groups
};

/// The rows of a task as its methods see them, and the part that each is in, if there are any.
using PreparedRows = std::shared_ptr<const data::SupervisedSet>;

/// What a task has found, to be measured.
struct Found {
  const results::Findings& findings;
  models::FittedModel* model = nullptr;  ///< that its measures are of; null: it left none
  std::optional<std::size_t> point{};    ///< of the front, whose model it is
};

/// Something that what was found claims, and that findings and data can prove.
struct Claim {
  std::string text;  ///< such as "no clustering with a balance of at least 0.25 costs less than 1"
  std::string refuted;  ///< what was found in its place; empty: the claim is proven
};

/// A family of methods on a family of problems.
class Experiment {
 public:
  virtual ~Experiment() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string title() const = 0;
  /// Shared sections first, then the methods.
  [[nodiscard]] virtual std::vector<config::Section> sections() const = 0;
  [[nodiscard]] virtual ResultSchema schema() const = 0;

  /// Checks the task as a whole (data, K <= N, option combinations) and forecasts it. Local.
  /// @throws base::InputError
  [[nodiscard]] virtual TaskForecast forecast(const Task& task, const RunContext& context,
                                              std::int64_t ranks) const = 0;

  /// The rows that the task's problem is made of. Local.
  /// @throws base::InputError, base::Interrupted
  [[nodiscard]] virtual PreparedRows rows(const Task& /*task*/,
                                          const RunContext& /*context*/) const {
    throw std::logic_error("an experiment without rows");
  }

  /// Asked for tasks that differ in more than the seed. Local.
  /// @throws base::InputError  the options of the task do not go with its problem: it would fail.
  virtual void check(const Task& /*task*/, const RunContext& /*context*/) const {}

  /// Work of a task, finite and >= 0, in the unit of its problem: longer ones run first. Asked
  /// after a forecast of the problem, for every task, sound or not. Local.
  [[nodiscard]] virtual double amount(const Task& /*task*/, const RunContext& /*context*/) const {
    return 1;
  }

  /// Whether a task of a coupled method has work for more than one rank: those that have none are
  /// run as tasks of other methods are, by one rank each. Asked as amount(). Local.
  [[nodiscard]] virtual bool is_shared(const Task& /*task*/, const RunContext& /*context*/) const {
    return true;
  }

  /// parallel::most_at_once tasks on one problem that have the same such text may be given to
  /// run_abreast(), as they share a loop in which they take less time. Empty: the task runs alone.
  /// Local.
  [[nodiscard]] virtual std::string shared_loop(const Task& /*task*/) const { return {}; }

  /// Runs that decide options of the task, as far as what earlier ones came to tells which. The run
  /// loop makes each of them once, before the first task that needs it, and asks again until all
  /// are known; run() finds what they came to in its context. They do not depend on the config's
  /// seed. None of a coupled task. The outcomes are those of the trials that were made. Local.
  [[nodiscard]] virtual std::vector<Task> trials(const Task& /*task*/,
                                                 const TrialOutcomes& /*known*/) const {
    return {};
  }

  /// Makes one of them. Collective over `team`, complete on the team's rank 0.
  /// @throws  as run().
  [[nodiscard]] virtual double score(const parallel::Comm& /*team*/, const Task& /*trial*/,
                                     const RunContext& /*context*/) const {
    throw std::logic_error("an experiment without trials");
  }

  /// Runs the task. Collective over `team`; the result is complete on the team's rank 0.
  /// @throws base::InputError, std::invalid_argument, std::domain_error  the task's result: it
  /// cannot
  ///         be done, or its values are not finite; on every rank, in every run.
  /// @throws base::CheckpointError  what load_checkpoint gave is damaged or of another task: run()
  /// is
  ///         called again without. On every rank of the team.
  /// @throws base::DataError, anything else  tells nothing about the task, which then has no
  /// result;
  ///         not on some ranks of the team only, unless the processes may end.
  [[nodiscard]] virtual TaskResult run(const parallel::Comm& team, const Task& task,
                                       const RunContext& context) const = 0;

  /// run() of parallel::most_at_once tasks that share a loop, on one rank, each with the bits that
  /// it has alone; without checkpoints.
  /// @throws  as run(), for any of them.
  [[nodiscard]] virtual std::vector<TaskResult> run_abreast(const parallel::Comm& /*team*/,
                                                            std::span<const Task> /*tasks*/,
                                                            const RunContext& /*context*/) const {
    throw std::logic_error("an experiment without tasks abreast");
  }

  /// The measures of a task that has run, without running it again: those that are a function of
  /// what it found and of the data, with the bits that run() gives them. Called on the team's rank
  /// 0 alone.
  /// @throws base::InputError, std::invalid_argument, std::domain_error, base::DamagedError  what
  ///         was found is not of this problem.
  [[nodiscard]] virtual results::Measures measure(const parallel::Comm& /*team*/,
                                                  const Task& /*task*/, const Found& /*found*/,
                                                  const RunContext& /*context*/) const {
    return {};
  }

  /// Proves the claims of what a task has found from the findings and the data alone, without
  /// trusting the run; as expensive as their proofs were. Empty: the experiment makes none. Called
  /// on the team's rank 0 alone.
  /// @throws base::InputError, base::DamagedError  what was found is not of this problem.
  /// @throws base::Interrupted  see base::stop_point().
  [[nodiscard]] virtual std::vector<Claim> prove(const Task& /*task*/,
                                                 const results::Findings& /*findings*/,
                                                 const RunContext& /*context*/) const {
    return {};
  }

  /// What measure() says of a point of a front by its model, see Found::point: parts in the
  /// order deciding, choice, reported. Objectives are measures, too. Empty: nothing.
  [[nodiscard]] virtual std::vector<MeasuredQuantity> measures_of_points() const { return {}; }
};

}  // namespace fairfront::sweep
