#include "print_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "config/config.hpp"
#include "results/content.hpp"
#include "results/enum_names.hpp"
#include "sweep/forecast.hpp"
#include "table.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::int64_t most_tasks = 10;

std::string options_text(const config::Config& config) {
  Table table({"option", "value", "unit", "from"});
  for (const config::ConfigOption& option : config.options) {
    const std::string value = option.is_axis() ? format_list(option.values) : option.text();
    table.add({option.name(), value, option.info.unit, option.origin});
  }
  return "options\n" + table.text();
}

std::string axes_text(const sweep::Plan& plan) {
  if (plan.axes().empty()) return "axes: none\n";
  Table table({"axis", "role", "values", ""});
  for (const results::Axis& axis : plan.axes()) {
    table.add({axis.name, results::name_of(axis.role), std::to_string(axis.values.size()),
               format_list(axis.values)});
  }
  return "axes\n" + table.text();
}

std::string tasks_text(const sweep::Plan& plan) {
  std::string text = fmt::format("tasks: {}\n", plan.num_tasks());
  for (std::int64_t i = 0; i < std::min(plan.num_tasks(), most_tasks); ++i) {
    text += fmt::format("  {:>3}  {}\n", i, plan.label(plan.task(i)));
  }
  if (plan.num_tasks() > most_tasks) {
    text += fmt::format("  ... and {} more\n", plan.num_tasks() - most_tasks);
  }
  return text;
}

std::string problem_text(const sweep::PlannedProblem& problem) {
  const sweep::TaskForecast& forecast = problem.forecast;
  const std::string files = forecast.data.files.empty() ? std::string{"generated"}
                                                        : base::join(forecast.data.files, ", ");
  std::string text =
      fmt::format("  [{}] on {} ({}), {} tasks\n    {}\n", problem.first_task.method,
                  forecast.data.name, files, problem.amounts.size(), forecast.problem);
  if (!forecast.data.recipe.empty()) text += fmt::format("    {}\n", forecast.data.recipe);
  text += fmt::format("    memory per rank {}", format_bytes(forecast.work.bytes_per_rank));
  if (forecast.work.amount > 0) {
    text += fmt::format(", at most {:.3g} {} a task", forecast.work.amount, forecast.work.unit);
  }
  text += '\n';
  for (const std::string& warning : forecast.warnings) {
    text += fmt::format("    warning: {}\n", warning);
  }
  return text;
}

}  // namespace

std::string plan_text(const Sweep& sweep, const sweep::RunContext& context, std::int64_t ranks) {
  const sweep::Plan& plan = sweep.plan;
  std::string text = fmt::format("{}: {} ({})\n\n", plan.config().file, plan.config().experiment,
                                 sweep.experiment.title());
  for (const std::string& warning : plan.config().warnings) {
    text += fmt::format("warning: {}\n", warning);
  }
  text +=
      fmt::format("{}\n{}\n{}\n", options_text(plan.config()), axes_text(plan), tasks_text(plan));
  text += fmt::format("problems, forecast for {} rank{}\n", ranks, ranks == 1 ? "" : "s");
  for (const auto& problem : sweep::forecast_problems(sweep.experiment, plan, context, ranks)) {
    text += problem_text(problem);
  }
  return text;
}

}  // namespace fairfront::drivers
