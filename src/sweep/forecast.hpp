/// @file
/// What a plan will work on, checked before any task runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "data/dataset.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// One problem of a plan with the forecast of its first task.
struct PlannedProblem {
  Task first_task;
  TaskForecast forecast;
  std::vector<double> amounts;       ///< of work, of every task, in plan order
  std::vector<std::uint8_t> shared;  ///< 1: the task has work for a team, see Experiment::is_shared
};

/// The tasks of every problem of the plan, in plan order.
[[nodiscard]] std::vector<std::vector<std::int64_t>> tasks_by_problem(const Plan& plan);

/// Loads, checks and forecasts one problem. Local.
/// @param tasks  of the problem, at least one.
/// @param ranks  size of the team that will run each task.
/// @throws base::InputError  it is not sound, named when there are several, with the place in the
///         config.
/// @throws base::Interrupted  see base::stop_point().
[[nodiscard]] PlannedProblem forecast_problem(const Experiment& experiment, const Plan& plan,
                                              const RunContext& context, std::int64_t ranks,
                                              const std::vector<std::int64_t>& tasks);

/// Options that the config sets and that change nothing become a warning of the first problem.
/// @param problems  every one of the plan.
/// @throws base::InputError  an axis changes nothing.
void warn_of_idle_options(const Experiment& experiment, const Plan& plan,
                          std::vector<PlannedProblem>& problems);

/// Loads, checks and forecasts every problem of the plan, in plan order. Local.
/// @throws base::InputError  as forecast_problem, of the first problem that is not sound, and as
///         warn_of_idle_options.
/// @throws base::Interrupted  see base::stop_point().
[[nodiscard]] std::vector<PlannedProblem> forecast_problems(const Experiment& experiment,
                                                            const Plan& plan,
                                                            const RunContext& context,
                                                            std::int64_t ranks);

/// `error` with the place in the config of the option that it is about, or of the data set.
[[nodiscard]] base::InputError with_place(const Plan& plan, const Task& task,
                                          const base::InputError& error);

/// What the forecasts warn of, each text once, in order of first appearance.
[[nodiscard]] std::vector<std::string> warnings_of(const std::vector<PlannedProblem>& problems);

/// The distinct data sets of the problems, in order of first use.
[[nodiscard]] std::vector<data::Provenance> datasets_of(
    const std::vector<PlannedProblem>& problems);

}  // namespace fairfront::sweep
