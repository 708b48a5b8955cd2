#include "sweep/run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/text.hpp"
#include "parallel/agree.hpp"
#include "sweep/outcomes.hpp"
#include "sweep/problems.hpp"

namespace fairfront::sweep {
namespace {

/// One text per problem on every rank, from rank 0. Collective.
std::vector<std::string> share_digests(const parallel::Comm& world,
                                       const std::vector<Problem>& problems) {
  std::vector<std::string> digests;
  digests.reserve(problems.size());
  for (const Problem& problem : problems) digests.push_back(problem.forecast.data.digest);
  const std::string all = parallel::broadcast(world, 0, base::join(digests, ","));
  digests = base::split_outside_parentheses(all);
  return digests.empty() ? std::vector<std::string>{""} : digests;
}

/// The message of the first rank on which the task failed, on every rank; nothing when all went
/// well. Collective: it also catches a failure that the experiment did not make collective, as
/// long as no rank waits for another inside the task.
std::optional<std::string> share_failure(const parallel::Comm& team,
                                         const std::optional<std::string>& mine) {
  const auto first =
      static_cast<int>(parallel::all_reduce_min(team, mine ? team.rank() : team.size()));
  if (first == team.size()) return std::nullopt;
  return parallel::broadcast(team, first, mine.value_or(""));
}

/// Runs one task by one team. Collective over `team`.
TaskOutcome run_task(const parallel::Comm& team, const Experiment& experiment,
                     const ResultSchema& schema, const Task& task, const RunContext& context) {
  const auto begin = std::chrono::steady_clock::now();
  TaskOutcome outcome;
  outcome.key = task.key;
  std::optional<std::string> failure;
  try {
    outcome.result = experiment.run(team, task, context);
    if (team.is_root()) check_result(schema, outcome.result);
  } catch (const parallel::MpiError&) {
    throw;
  } catch (const std::runtime_error& error) {  // base::Error is one
    failure = error.what();
  } catch (const std::invalid_argument& error) {
    failure = error.what();
  }
  failure = share_failure(team, failure);
  outcome.status = failure ? archive::TaskStatus::failed : archive::TaskStatus::done;
  outcome.message = failure.value_or("");
  if (failure || !team.is_root()) outcome.result = {};
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  outcome.seconds = elapsed.count();
  return outcome;
}

/// All tasks in plan order; only rank 0 keeps the outcomes. Collective.
std::vector<TaskOutcome> run_tasks(const parallel::Comm& world, const Experiment& experiment,
                                   const Plan& plan, const RunContext& context,
                                   const std::vector<std::string>& digests, Progress& progress) {
  const ResultSchema schema = experiment.schema();
  std::vector<TaskOutcome> outcomes;
  for (std::int64_t i = 0; i < plan.num_tasks(); ++i) {
    Task task = plan.task(i);
    task.key = plan.key_of(task, digests.at(static_cast<std::size_t>(plan.problem_of(i))));
    progress.begin_task(plan.label(task));
    TaskOutcome outcome = run_task(world, experiment, schema, task, context);
    progress.end_task(outcome.message);
    if (world.is_root()) outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace

archive::Content run(const parallel::Comm& world, const Experiment& experiment, const Plan& plan,
                     const RunContext& context, Progress& progress) {
  std::vector<Problem> problems;
  parallel::agree(world, "", [&] {
    if (world.is_root()) problems = forecast_problems(experiment, plan, context, world.size());
  });
  const std::vector<std::string> digests = share_digests(world, problems);

  RunContext task_context = context;
  task_context.report = [&](const TaskProgress& task) {
    progress.report(task);
    if (context.report) context.report(task);
  };
  progress.begin(plan.num_tasks());
  std::vector<TaskOutcome> outcomes =
      run_tasks(world, experiment, plan, task_context, digests, progress);
  progress.end();
  if (!world.is_root()) return {};
  archive::Content content = content_of(plan, experiment.schema(), std::move(outcomes));
  content.datasets = datasets_of(problems);
  return content;
}

}  // namespace fairfront::sweep
