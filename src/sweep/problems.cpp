#include "sweep/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace fairfront::sweep {

std::vector<Problem> forecast_problems(const Experiment& experiment, const Plan& plan,
                                       const RunContext& context, std::int64_t ranks) {
  std::vector<Problem> problems;
  for (std::int64_t i = 0; i < plan.num_problems(); ++i) {
    Problem problem{plan.task(plan.first_task_of(i)), 0, {}};
    try {
      problem.forecast = experiment.forecast(problem.first_task, context, ranks);
    } catch (const base::InputError& broken) {
      if (plan.num_problems() == 1) throw;
      throw base::InputError(fmt::format("{}: {}", plan.label(problem.first_task), broken.what()));
    }
    problems.push_back(std::move(problem));
  }
  for (std::int64_t task = 0; task < plan.num_tasks(); ++task) {
    ++problems[static_cast<std::size_t>(plan.problem_of(task))].tasks;
  }
  return problems;
}

std::vector<std::string> warnings_of(const std::vector<Problem>& problems) {
  std::vector<std::string> all;
  for (const Problem& problem : problems) {
    for (const std::string& warning : problem.forecast.warnings) {
      if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
    }
  }
  return all;
}

std::vector<data::Provenance> datasets_of(const std::vector<Problem>& problems) {
  std::vector<data::Provenance> datasets;
  for (const Problem& problem : problems) {
    const data::Provenance& data = problem.forecast.data;
    const bool known = std::any_of(datasets.begin(), datasets.end(), [&](const auto& earlier) {
      return earlier.name == data.name && earlier.digest == data.digest;
    });
    if (!known) datasets.push_back(data);
  }
  return datasets;
}

}  // namespace fairfront::sweep
