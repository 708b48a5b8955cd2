/// @file
/// Options that the config sets and that change nothing: by the conditions that sections declare.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/conditions.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// An option that changes nothing for a task, whatever its value.
struct IdleOption {
  std::string name;      ///< "section.option", or "seed"
  std::string why;       ///< such as "data.subsample = 0 draws no rows"
  std::string remedy{};  ///< what would give it a meaning, such as "set alternating.problem = data"
};

/// Options that others of the task make void, each once.
/// @param conditions  config::conditions_of() the sections of the task's experiment.
[[nodiscard]] std::vector<IdleOption> idle_options(
    const std::vector<config::OptionCondition>& conditions, const Task& task);

/// Why that option is one of them, if it is.
[[nodiscard]] std::optional<std::string> why_idle(
    const std::vector<config::OptionCondition>& conditions, const Task& task,
    const std::string& option);

/// Warnings of what the config sets and what changes nothing for any task of a method.
/// @throws base::InputError  an axis changes nothing for any method that has it.
[[nodiscard]] std::vector<std::string> warnings_of_idle_options(const Experiment& experiment,
                                                                const Plan& plan);

}  // namespace fairfront::sweep
