#include "sweep/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "sweep/idle_options.hpp"

namespace fairfront::sweep {
namespace {

/// Whether a column is among those that a text names: "a, b", "sex | race", "age > 30".
bool names_column(std::string_view text, std::string_view column) {
  constexpr std::string_view between = " ,|:;=<>!&\"'";
  for (auto at = text.find(column); at != text.npos; at = text.find(column, at + 1)) {
    const std::string_view rest = text.substr(at + column.size());
    const bool begins = at == 0 || between.find(text[at - 1]) != between.npos;
    if (begins && (rest.empty() || between.find(rest.front()) != between.npos)) return true;
  }
  return false;
}

/// Where the config names a column; empty where it does not.
std::string place_of_column(const config::Config& config, const std::string& column) {
  for (const config::ConfigOption& option : config.options) {
    if (option.origin != "default" && option.name() != "data.file" && !column.empty() &&
        names_column(option.text(), column)) {
      return option.origin;
    }
  }
  return {};
}

/// Where the config says what is wrong with the problem of `task`.
std::string place_of(const Plan& plan, const Task& task, const base::InputError& error) {
  const config::Config& config = plan.config();
  std::string place = config::place_of(config, error.what());
  if (place != config.file || dynamic_cast<const base::DataError*>(&error) == nullptr) return place;
  if (const auto* missing = dynamic_cast<const base::MissingColumnError*>(&error)) {
    std::string named = place_of_column(config, missing->column());
    if (!named.empty()) return named;
  }
  const auto file = task.values.find("data.file");
  const bool is_own = file != task.values.end() && !file->second.empty();
  return config::place_of(config, is_own ? "data.file" : "data.data");
}

TaskForecast forecast_of(const Experiment& experiment, const Plan& plan, const Task& task,
                         const RunContext& context, std::int64_t ranks) {
  try {
    return experiment.forecast(task, context, ranks);
  } catch (const base::InputError& broken) {
    throw with_place(plan, task, broken);
  }
}

/// Of the tasks of a problem the first that can run, as the others of them do; the first one if
/// none can. What is wrong with the problem is the same for all, and is not asked of a second one
/// again.
Task first_sound(const Experiment& experiment, const Plan& plan, const RunContext& context,
                 const std::vector<std::int64_t>& tasks) {
  std::string said;
  for (const std::int64_t index : tasks) {
    const Task task = plan.task(index);
    try {
      experiment.check(task, context);
      return task;
    } catch (const base::InputError& broken) {
      if (said == broken.what()) break;
      said = broken.what();
    }
  }
  return plan.task(tasks.front());
}

/// @throws base::InputError  the work of the task is more than a number can tell.
double amount_of(const Experiment& experiment, const Plan& plan, const Task& task,
                 const RunContext& context) {
  const double amount = experiment.amount(task, context);
  if (std::isfinite(amount) && amount >= 0) return amount;
  throw with_place(plan, task,
                   base::InputError(fmt::format("[{}] would never come to an end", task.method)));
}

/// Tasks that differ in more than the seed and cannot run: the others do, and these are failed.
class UnsoundTasks {
 public:
  UnsoundTasks(const Experiment& experiment, const Plan& plan, const RunContext& context)
      : experiment_{experiment}, plan_{plan}, context_{context} {}

  void look_at(const Task& task) {
    try {
      experiment_.check(task, context_);
    } catch (const base::InputError& broken) {
      if (count_++ > 0) return;
      // Without the task's label, so that many problems say it once.
      first_ = fmt::format("{}: {}", place_of(plan_, task, broken), broken.what());
    }
  }
  [[nodiscard]] std::vector<std::string> warnings() const {
    if (count_ == 0) return {};
    if (count_ == 1) return {first_ + "; this task will fail"};
    return {fmt::format("{}; this task will fail, and {} more (seeds are not counted)", first_,
                        count_ - 1)};
  }

 private:
  const Experiment& experiment_;
  const Plan& plan_;
  const RunContext& context_;
  std::size_t count_ = 0;
  std::string first_;
};

}  // namespace

base::InputError with_place(const Plan& plan, const Task& task, const base::InputError& error) {
  const std::string label = plan.num_problems() == 1 ? "" : plan.label(task) + ": ";
  return base::InputError(
      fmt::format("{}: {}{}", place_of(plan, task, error), label, error.what()));
}

std::vector<std::vector<std::int64_t>> tasks_by_problem(const Plan& plan) {
  std::vector<std::vector<std::int64_t>> tasks_of(static_cast<std::size_t>(plan.num_problems()));
  for (std::int64_t task = 0; task < plan.num_tasks(); ++task) {
    tasks_of[static_cast<std::size_t>(plan.problem_of(task))].push_back(task);
  }
  return tasks_of;
}

PlannedProblem forecast_problem(const Experiment& experiment, const Plan& plan,
                                const RunContext& context, std::int64_t ranks,
                                const std::vector<std::int64_t>& tasks) {
  PlannedProblem problem{plan.task(tasks.front()), {}, {}, {}};
  problem.forecast =
      forecast_of(experiment, plan, first_sound(experiment, plan, context, tasks), context, ranks);
  // While the problem is in the cache.
  struct Asked {
    double amount = 0;
    bool shared = false;
  };
  std::unordered_map<std::int64_t, Asked> all;  // a million seeds ask once
  UnsoundTasks unsound(experiment, plan, context);
  for (const std::int64_t task : tasks) {
    const auto [asked, is_new] = all.try_emplace(plan.place_without_seed(task));
    if (is_new) {
      unsound.look_at(plan.task(task));
      asked->second.amount = amount_of(experiment, plan, plan.task(task), context);
      asked->second.shared = experiment.is_shared(plan.task(task), context);
    }
    problem.amounts.push_back(asked->second.amount);
    problem.shared.push_back(asked->second.shared ? 1 : 0);
  }
  for (std::string& warning : unsound.warnings()) {
    problem.forecast.warnings.push_back(std::move(warning));
  }
  return problem;
}

void warn_of_idle_options(const Experiment& experiment, const Plan& plan,
                          std::vector<PlannedProblem>& problems) {
  for (std::string& warning : warnings_of_idle_options(experiment, plan)) {
    problems.front().forecast.warnings.push_back(std::move(warning));
  }
}

std::vector<PlannedProblem> forecast_problems(const Experiment& experiment, const Plan& plan,
                                              const RunContext& context, std::int64_t ranks) {
  std::vector<PlannedProblem> problems;
  for (const std::vector<std::int64_t>& tasks : tasks_by_problem(plan)) {
    problems.push_back(forecast_problem(experiment, plan, context, ranks, tasks));
  }
  warn_of_idle_options(experiment, plan, problems);
  return problems;
}

std::vector<std::string> warnings_of(const std::vector<PlannedProblem>& problems) {
  std::vector<std::string> all;
  for (const PlannedProblem& problem : problems) {
    for (const std::string& warning : problem.forecast.warnings) {
      if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
    }
  }
  return all;
}

std::vector<data::Provenance> datasets_of(const std::vector<PlannedProblem>& problems) {
  std::vector<data::Provenance> datasets;
  for (const PlannedProblem& problem : problems) {
    const data::Provenance& data = problem.forecast.data;
    const bool known = std::any_of(datasets.begin(), datasets.end(), [&](const auto& earlier) {
      return earlier.name == data.name && earlier.digest == data.digest;
    });
    if (!known) datasets.push_back(data);
  }
  return datasets;
}

}  // namespace fairfront::sweep
