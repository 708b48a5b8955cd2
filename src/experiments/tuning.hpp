/// @file
/// An option that a task takes from trial runs of its own method: the value that achieves most on
/// the validation part, once for all tasks of a panel.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// What a trial has come to; nothing while it has no score.
using KnownScore = std::function<std::optional<double>(const sweep::Task& trial)>;

/// How an option of a method is chosen.
struct Tuning {
  std::string option{};  ///< of the method's section, a number
  /// Tasks with a value of the option each, by ascending values: those that are tried first, and
  /// those that the scores of all these ask for. They must be the same for all tasks of a panel:
  /// then a run makes them once. None: the task's own value stands.
  std::function<std::vector<sweep::Task>(const sweep::Task&, const KnownScore&)> trials = nullptr;
  /// What a trial has achieved, by its columns and points of the validation part alone: the more
  /// the better, the earlier one of equals.
  std::function<double(const sweep::TaskResult&)> score = nullptr;
  /// Why no value beyond that one was tried, where the best is an end of those tried.
  std::function<std::string(const sweep::Task&, double value)> why_ended = nullptr;
  /// @throws base::InputError  the trials cannot be run.
  std::function<void(const sweep::Task&)> check = nullptr;
};

/// The trials of a task, marked as such, each with the same key: they draw the same random numbers,
/// so that nothing but the option makes a difference. Empty without a tuning.
[[nodiscard]] std::vector<sweep::Task> trials_of(const std::optional<Tuning>& tuning,
                                                 const sweep::Task& task,
                                                 const sweep::TrialOutcomes& known);

/// The score of a trial that `run` makes; NaN where its iterates are not finite.
[[nodiscard]] double score_of(const Tuning& tuning, const std::function<sweep::TaskResult()>& run);

/// The place of the best score; nothing where all are NaN.
[[nodiscard]] std::optional<std::size_t> place_of_best(std::span<const double> scores);
/// @throws std::domain_error  all are NaN.
[[nodiscard]] std::size_t best_of(const Tuning& tuning, const std::vector<double>& scores);

/// Whether a better value may lie below the least and above the largest of those tried: the best is
/// that end. Where values at an end come to the same, further ones do so, too, and it is closed;
/// where all come to the same, larger ones may do better, and where none has a score, smaller ones.
struct OpenEnds {
  bool least = false;
  bool largest = false;
};
/// @param scores  by ascending values, not empty.
[[nodiscard]] OpenEnds open_ends(std::span<const double> scores);

/// The columns of a task whose option was tuned, beside those of its run.
[[nodiscard]] sweep::Columns tuning_columns(const std::string& option,
                                            const std::string& score_definition);
/// Where the best value is an end of those tried, the task's remark says so, and why.
/// @param tried  the task's trials, by ascending values. @param scores  of each.
void add_tuning(sweep::TaskResult& result, const Tuning& tuning,
                const std::vector<sweep::Task>& tried, const std::vector<double>& scores);

}  // namespace fairfront::experiments
