#include "sweep/probe.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/cpu_time.hpp"
#include "base/stop.hpp"
#include "parallel/task_queue.hpp"
#include "sweep/schedule.hpp"
#include "sweep/trials.hpp"

namespace fairfront::sweep {
namespace {

/// The tasks of a kind and their work.
struct Kind {
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> shortest;  ///< equally short ones
  double least = 0, most = 0, sum = 0;

  void add(std::int64_t task, double amount) {
    if (all.empty() || amount < least) {
      shortest.clear();
      least = amount;
    }
    if (amount == least) shortest.push_back(task);
    most = std::max(most, amount);
    sum += amount;
    all.push_back(task);
  }

  /// Of tasks that say nothing of their work all are alike.
  [[nodiscard]] double in_shortest(double work) const { return least > 0 ? work / least : 1; }
  [[nodiscard]] double count() const { return static_cast<double>(all.size()); }
};

/// By their number, which is in plan order.
std::map<std::int64_t, Kind> kinds_of(const Plan& plan,
                                      const std::vector<PlannedProblem>& problems) {
  std::map<std::int64_t, Kind> kinds;
  const std::vector<std::vector<std::int64_t>> tasks = tasks_by_problem(plan);
  for (std::size_t problem = 0; problem < problems.size(); ++problem) {
    for (std::size_t i = 0; i < tasks[problem].size(); ++i) {
      const std::int64_t task = tasks[problem][i];
      kinds[plan.kind_of(task)].add(task, problems[problem].amounts[i]);
    }
  }
  return kinds;
}

/// As many equally short tasks as a run gives a rank at once, where there are so many of one loop
/// that it will; else none.
std::vector<Task> tasks_abreast(const Experiment& experiment, const Plan& plan, const Kind& kind,
                                const Task& middle) {
  const std::string loop = experiment.shared_loop(middle);
  if (loop.empty()) return {};
  std::vector<Task> tasks;
  std::size_t alike = 0;
  for (const std::int64_t index : kind.shortest) {
    if (plan.problem_of(index) != plan.problem_of(middle.index)) continue;
    const Task task = plan.task(index);
    if (experiment.shared_loop(task) != loop) continue;
    ++alike;
    if (tasks.size() < parallel::most_at_once) tasks.push_back(task);
  }
  return alike < 2 * parallel::most_at_once ? std::vector<Task>{} : tasks;
}

/// Of CPU time: what other programs on the machine take of its cores is none of the task's.
double seconds_of(const std::function<void()>& work) {
  const double begin = base::cpu_seconds();
  work();
  return base::cpu_seconds() - begin;
}

/// Of a task, alone or as one of several that share a loop, as a run will have it.
double measured_seconds(const parallel::Comm& team, const Experiment& experiment, const Plan& plan,
                        const RunContext& context, const Kind& kind, const Task& middle) {
  const double alone =
      seconds_of([&] { static_cast<void>(experiment.run(team, middle, context)); });
  constexpr auto several = static_cast<double>(parallel::most_at_once);
  if (several * alone > most_seconds_abreast) return alone;
  const std::vector<Task> tasks = tasks_abreast(experiment, plan, kind, middle);
  if (tasks.empty()) return alone;
  const auto run = [&] { static_cast<void>(experiment.run_abreast(team, tasks, context)); };
  return seconds_of(run) / several;
}

/// The trials that decide an option of a task, and what those of all tasks of its kind take: a run
/// makes each of them once.
struct ProbedTrials {
  TrialOutcomes outcomes;
  double all_seconds = 0;
};

/// @param counted  addresses of the trials of earlier kinds, to which those of this one are added.
ProbedTrials probe_trials(const parallel::Comm& team, const Experiment& experiment,
                          const Plan& plan, const RunContext& context, const Kind& kind,
                          const Task& middle, std::set<std::string>& counted) {
  ProbedTrials found;
  std::size_t at_first = 0;  // before what they come to widens the list
  double seconds = 0;
  for (std::size_t before = 1; before != found.outcomes.size();) {
    before = found.outcomes.size();
    for (const Task& trial : experiment.trials(middle, found.outcomes)) {
      const std::string address = address_of(trial);
      if (found.outcomes.contains(address)) continue;
      double& score = found.outcomes[address].score;
      seconds += seconds_of([&] { score = experiment.score(team, trial, context); });
    }
    if (before == 0) at_first = found.outcomes.size();
  }
  if (at_first == 0) return found;
  std::size_t further = 0;
  for (const PlannedTrial& trial : planned_trials(experiment, plan, kind.all, {})) {
    const auto place = static_cast<std::size_t>(trial.place);
    const Task needed = experiment.trials(plan.task(trial.task), {})[place];
    if (counted.insert(address_of(needed)).second) ++further;
  }
  found.all_seconds = seconds * static_cast<double>(further) / static_cast<double>(at_first) *
                      kind.in_shortest(kind.sum / kind.count());
  return found;
}

Probe probe_kind(const parallel::Comm& team, const Experiment& experiment, const Plan& plan,
                 const RunContext& context, const Kind& kind, std::set<std::string>& counted) {
  // At an end of a list of trade-offs lies what takes less than its work says, as a weight of 0.
  const std::int64_t middle = kind.shortest[kind.shortest.size() / 2];
  Probe probe{.task = plan.task(middle), .tasks = std::ssize(kind.all), .failure = {}};
  double of_trials = 0;
  try {
    ProbedTrials trials = probe_trials(team, experiment, plan, context, kind, probe.task, counted);
    of_trials = trials.all_seconds;
    RunContext with_trials = context;
    if (!trials.outcomes.empty()) {
      with_trials.trials = std::make_shared<const TrialOutcomes>(std::move(trials.outcomes));
    }
    probe.seconds = measured_seconds(team, experiment, plan, with_trials, kind, probe.task);
  } catch (const base::Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    probe.failure = error.what();
    return probe;
  }
  const bool measured = kind.least > 0;
  probe.all_seconds = of_trials + probe.seconds * (measured ? kind.sum / kind.least : kind.count());
  probe.longest_seconds = probe.seconds * kind.in_shortest(kind.most);
  return probe;
}

}  // namespace

std::vector<Probe> probe_kinds(const parallel::Comm& team, const Experiment& experiment,
                               const Plan& plan, const RunContext& context,
                               const std::vector<PlannedProblem>& problems) {
  std::vector<Probe> probes;
  std::set<std::string> counted;
  for (const auto& [number, kind] : kinds_of(plan, problems)) {
    base::stop_point();
    probes.push_back(probe_kind(team, experiment, plan, context, kind, counted));
  }
  return probes;
}

double seconds_of_all(const std::vector<Probe>& probes, std::int64_t teams) {
  double sum = 0;
  double longest = 0;
  for (const Probe& probe : probes) {
    sum += probe.all_seconds;
    longest = std::max(longest, probe.longest_seconds);
  }
  return std::max(longest, sum / static_cast<double>(teams));
}

}  // namespace fairfront::sweep
