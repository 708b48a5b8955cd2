/// @file
/// What a plan will work on, checked before any task runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// One problem of a plan with the forecast of its first task.
struct Problem {
  Task first_task;
  std::int64_t tasks = 0;
  TaskForecast forecast;
};

/// Loads, checks and forecasts every problem of the plan, in plan order. Local.
/// @param ranks  size of the team that will run each task.
/// @throws base::InputError  the first problem that is not sound, named when there are several.
[[nodiscard]] std::vector<Problem> forecast_problems(const Experiment& experiment, const Plan& plan,
                                                     const RunContext& context, std::int64_t ranks);

/// What the forecasts warn of, each text once, in order of first appearance.
[[nodiscard]] std::vector<std::string> warnings_of(const std::vector<Problem>& problems);

/// The distinct data sets of the problems, in order of first use.
[[nodiscard]] std::vector<data::Provenance> datasets_of(const std::vector<Problem>& problems);

}  // namespace fairfront::sweep
