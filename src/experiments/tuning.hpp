/// @file
/// An option that a task takes from trial runs of its own method: the value that achieves most on
/// the validation part, once for all tasks of a panel.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "solvers/common/control.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// How an option of a method is chosen.
struct Tuning {
  std::string option{};  ///< of the method's section, a number
  /// Tasks with a value of the option each, in the order in which they are tried. They must be the
  /// same for all tasks of a panel: then a rank makes them once. None: the task's own value stands.
  std::function<std::vector<sweep::Task>(const sweep::Task&)> trials = nullptr;
  /// What a trial has achieved, by its columns and points of the validation part alone: the more
  /// the better, the earlier one of equals.
  std::function<double(const sweep::TaskResult&)> score = nullptr;
  /// @throws base::InputError  the trials cannot be run.
  std::function<void(const sweep::Task&)> check = nullptr;
};

/// The trials of a task, each with the same key: they draw the same random numbers, so that nothing
/// but the option makes a difference. Empty without a tuning.
[[nodiscard]] std::vector<sweep::Task> trials_of(const std::optional<Tuning>& tuning,
                                                 const sweep::Task& task);

/// The score of a trial that `run` makes; NaN where its iterates are not finite.
[[nodiscard]] double score_of(const Tuning& tuning, const std::function<sweep::TaskResult()>& run);

/// The place of the best score.
/// @throws std::domain_error  all are NaN.
[[nodiscard]] std::size_t best_of(const Tuning& tuning, const std::vector<double>& scores);

/// The columns of a task whose option was tuned, beside those of its run.
[[nodiscard]] sweep::Columns tuning_columns(const std::string& option,
                                            const std::string& score_definition);
/// @param value  of the option.
void add_tuning(sweep::TaskResult& result, const Tuning& tuning, const std::string& value,
                const std::vector<double>& scores);

/// A task's trials and then its own run as stages of one run: a checkpoint has the scores of the
/// trials that are done and the state of the stage that goes on.
class TrialStages {
 public:
  /// @param control  of the task; outlives this.
  /// @throws base::CheckpointError  a state to go on from that is none of so many trials.
  TrialStages(const solvers::Control& control, std::size_t trials);

  [[nodiscard]] const std::vector<double>& scores() const { return scores_; }
  void add(double score) { scores_.push_back(score); }
  /// Leaves out what is left of the trials.
  void skip_trials(const std::vector<double>& scores) { scores_ = scores; }

  /// Of the next stage; this outlives it.
  [[nodiscard]] solvers::Control control() const;

 private:
  const solvers::Control& control_;
  std::size_t trials_;
  std::vector<double> scores_;
  std::optional<std::size_t> resumed_;  ///< the stage of state_
  std::string state_;
};

}  // namespace fairfront::experiments
