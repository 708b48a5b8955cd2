/// @file
/// An option that a task takes from trial runs of its own method: the value that achieves most on
/// the validation part, once for all tasks of a panel.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// How an option of a method is chosen.
struct Tuning {
  std::string option{};  ///< of the method's section, a number
  /// Tasks with a value of the option each, in the order in which they are tried. They must be the
  /// same for all tasks of a panel: then a run makes them once. None: the task's own value stands.
  std::function<std::vector<sweep::Task>(const sweep::Task&)> trials = nullptr;
  /// What a trial has achieved, by its columns and points of the validation part alone: the more
  /// the better, the earlier one of equals.
  std::function<double(const sweep::TaskResult&)> score = nullptr;
  /// @throws base::InputError  the trials cannot be run.
  std::function<void(const sweep::Task&)> check = nullptr;
};

/// The trials of a task, marked as such, each with the same key: they draw the same random numbers,
/// so that nothing but the option makes a difference. Empty without a tuning.
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
/// @param value  of the option. @param scores  by ascending values of it.
void add_tuning(sweep::TaskResult& result, const Tuning& tuning, const std::string& value,
                const std::vector<double>& scores);

}  // namespace fairfront::experiments
