/// @file
/// A family of methods on one kind of problem as a value, and the experiment that it makes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "experiments/load.hpp"
#include "experiments/method.hpp"
#include "parallel/agree.hpp"
#include "parallel/comm.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// A problem, and what `plan` and the archive say of it.
template <class Problem>
struct Loaded {
  Problem problem;
  data::Provenance data;
  std::string text;                   ///< such as "N = 5000, d = 5, K = 10"
  std::vector<std::string> warnings;  ///< what is allowed, but perhaps not meant
  std::size_t bytes = 0;              ///< that the problem holds, about
};

template <class Problem>
struct Family {
  std::string name;   ///< of the experiment
  std::string title;  ///< one line for help
  std::vector<config::Section> shared;
  std::vector<base::Quantity> objectives;
  sweep::Columns columns;  ///< of all methods
  std::vector<sweep::UnitByOption> units{};
  std::string front_solutions;  ///< which solutions belong to front points
  /// From the shared sections of a task; called once for all tasks of a rank that have the same.
  /// @throws base::InputError, std::invalid_argument
  std::function<Loaded<Problem>(const sweep::Task&, const sweep::RunContext&)> load;
  /// How the ranks of a node have a problem's own rows once; may be empty, as all of the same rows
  /// share those that it is made of.
  std::function<void(base::PageWriter&, const Loaded<Problem>&)> lay_down = nullptr;
  std::function<Loaded<Problem>(const sweep::Task&, const sweep::RunContext&, base::PageReader&)>
      take = nullptr;
  /// The rows that load() makes its problem of.
  /// @throws base::InputError
  std::function<sweep::PreparedRows(const sweep::Task&, const sweep::RunContext&)> rows;
  std::vector<Method<Problem>> methods;
  /// Beside those of load(): warnings that hang on the task's method; may be empty.
  std::function<std::vector<std::string>(const Problem&, const sweep::Task&)> warn = nullptr;
  /// What run() of the task's method measures, of what it has found. Empty: the family has no
  /// measures.
  /// @throws  as sweep::Experiment::measure().
  std::function<results::Measures(const parallel::Comm& team, const Problem&, const sweep::Task&,
                                  const sweep::Found&)>
      measure = nullptr;
  /// Proves what the task's method claims. Empty: the methods make no claims.
  /// @throws  as sweep::Experiment::prove().
  std::function<std::vector<sweep::Claim>(const Problem&, const sweep::Task&,
                                          const results::Findings&)>
      prove = nullptr;
  /// See sweep::Experiment::measures_of_points().
  std::vector<sweep::MeasuredQuantity> point_measures{};
};

/// The control of a task: reports, checkpoints and the state to resume from on the team's rank 0.
[[nodiscard]] solvers::Control control_of(const parallel::Comm& team,
                                          const sweep::RunContext& context);

/// Says of the model, if there is one, which data it was fitted to.
void add_data(sweep::TaskResult& result, const data::Provenance& data);

/// Appends columns; those that have the name of an earlier one are left out.
/// @throws std::logic_error  two columns of one name mean different things.
void add_columns(sweep::Columns& columns, const sweep::Columns& more);

/// A family as the run loop sees it.
template <class Problem>
class FamilyExperiment : public sweep::Experiment {
 public:
  explicit FamilyExperiment(Family<Problem> family) : family_{std::move(family)} {
    schema_.objectives = family_.objectives;
    schema_.units = family_.units;
    schema_.front_solutions = family_.front_solutions;
    add_columns(schema_, family_.columns);
    for (const Method<Problem>& method : family_.methods) add_columns(schema_, method.columns);
  }

  [[nodiscard]] std::string name() const override { return family_.name; }
  [[nodiscard]] std::string title() const override { return family_.title; }
  [[nodiscard]] sweep::ResultSchema schema() const override { return schema_; }

  [[nodiscard]] std::vector<config::Section> sections() const override {
    std::vector<config::Section> all = family_.shared;
    for (const Method<Problem>& method : family_.methods) all.push_back(method.section);
    return all;
  }

  [[nodiscard]] sweep::TaskForecast forecast(const sweep::Task& task,
                                             const sweep::RunContext& context,
                                             std::int64_t ranks) const override {
    const auto loaded = checked(task, context);
    std::vector<std::string> warnings = loaded->warnings;
    if (family_.warn) {
      std::ranges::move(family_.warn(loaded->problem, task), std::back_inserter(warnings));
    }
    return {loaded->data, loaded->text, work_of(*loaded, task, ranks), std::move(warnings)};
  }

  void check(const sweep::Task& task, const sweep::RunContext& context) const override {
    (void)checked(task, context);
  }

  [[nodiscard]] sweep::PreparedRows rows(const sweep::Task& task,
                                         const sweep::RunContext& context) const override {
    return family_.rows(task, context);
  }

  [[nodiscard]] double amount(const sweep::Task& task,
                              const sweep::RunContext& context) const override {
    return work_of(*load(task, context), task, 1).amount;
  }

  [[nodiscard]] bool is_shared(const sweep::Task& task,
                               const sweep::RunContext& context) const override {
    const Method<Problem>& method = method_of(task);
    if (!method.section.coupled || !method.is_shared) return method.section.coupled;
    return method.is_shared(load(task, context)->problem, task);
  }

  [[nodiscard]] std::string shared_loop(const sweep::Task& task) const override {
    const Method<Problem>& method = method_of(task);
    return method.shared_loop ? method.shared_loop(task) : std::string{};
  }

  [[nodiscard]] std::vector<sweep::Task> trials(const sweep::Task& task,
                                                const sweep::TrialOutcomes& known) const override {
    return trials_of(method_of(task).tuning, task, known);
  }

  [[nodiscard]] double score(const parallel::Comm& team, const sweep::Task& trial,
                             const sweep::RunContext& context) const override {
    double score = 0;
    end_together(team, context, [&] {
      if (team.is_root()) score = score_alone(team, trial, context, control_of(team, context));
    });
    return score;
  }

  [[nodiscard]] sweep::TaskResult run(const parallel::Comm& team, const sweep::Task& task,
                                      const sweep::RunContext& context) const override {
    const Method<Problem>& method = method_of(task);
    std::shared_ptr<const Loaded<Problem>> loaded;
    solvers::Control control;
    const auto prepare = [&] {
      loaded = load(task, context);
      // Before the run this was a warning, but for the first task of a problem.
      method.check(loaded->problem, task);
      control = control_of(team, context);
    };
    sweep::TaskResult result;
    if (method.section.coupled && team.size() > 1) {
      end_together(team, context, prepare);
      result = run_addressed(team, *loaded, task, control);
      return team.is_root() ? std::move(result) : sweep::TaskResult{};
    }
    end_together(team, context, [&] {
      if (!team.is_root()) return;  // one chain of steps: nothing to share
      prepare();
      result = run_tuned(team, *loaded, task, context, control);
    });
    return result;
  }

  [[nodiscard]] std::vector<sweep::TaskResult> run_abreast(
      const parallel::Comm& team, std::span<const sweep::Task> tasks,
      const sweep::RunContext& context) const override {
    std::vector<sweep::TaskResult> results;
    end_together(team, context, [&] {
      const Method<Problem>& method = method_of(tasks.front());
      const auto loaded = load(tasks.front(), context);
      std::vector<sweep::Task> own;
      for (const sweep::Task& task : tasks) {
        if (load(task, context) != loaded) throw std::logic_error("tasks abreast of two problems");
        method.check(loaded->problem, task);
        own.push_back(addressed(*loaded, task));
      }
      results = method.run_abreast(loaded->problem, own, control_of(team, context));
      for (sweep::TaskResult& result : results) add_data(result, loaded->data);
    });
    return results;
  }

  [[nodiscard]] results::Measures measure(const parallel::Comm& team, const sweep::Task& task,
                                          const sweep::Found& found,
                                          const sweep::RunContext& context) const override {
    if (!family_.measure) return {};
    const auto loaded = load(task, context);
    return family_.measure(team, loaded->problem, addressed(*loaded, task), found);
  }

  [[nodiscard]] std::vector<sweep::Claim> prove(const sweep::Task& task,
                                                const results::Findings& findings,
                                                const sweep::RunContext& context) const override {
    if (!family_.prove) return {};
    return family_.prove(load(task, context)->problem, task, findings);
  }

  [[nodiscard]] std::vector<sweep::MeasuredQuantity> measures_of_points() const override {
    return family_.point_measures;
  }

 private:
  /// Calls `work`, which communicates nothing and may end at a stop point. Collective.
  template <class Work>
  static void end_together(const parallel::Comm& team, const sweep::RunContext& context,
                           const Work& work) {
    bool interrupted = false;
    parallel::agree(team, "", [&] {
      const base::StopScope scope(context.stop_wanted);
      try {
        work();
      } catch (const solvers::Interrupted&) {
        interrupted = true;
      }
    });
    if (parallel::all_reduce_max(team, interrupted ? 1 : 0) != 0) throw solvers::Interrupted();
  }

  /// The problem of a task.
  /// @throws base::InputError  its data cannot be had, or the task's options do not go with them.
  std::shared_ptr<const Loaded<Problem>> checked(const sweep::Task& task,
                                                 const sweep::RunContext& context) const try {
    auto loaded = load(task, context);
    const Method<Problem>& method = method_of(task);
    method.check(loaded->problem, task);
    if (method.tuning && method.tuning->check) method.tuning->check(task);
    return loaded;
  } catch (const std::invalid_argument& error) {
    throw base::InputError(error.what());
  } catch (const std::domain_error& error) {
    throw base::InputError(error.what());
  }

  /// Of a task, and the memory for the problem of its trials, which its rank may hold beside.
  [[nodiscard]] sweep::Work work_of(const Loaded<Problem>& loaded, const sweep::Task& task,
                                    std::int64_t ranks) const {
    sweep::Work work = method_of(task).work(loaded.problem, task, ranks);
    if (!trials(task, {}).empty()) work.bytes_per_rank += static_cast<double>(loaded.bytes);
    return work;
  }

  /// A task of one rank, with its option as its trials have chosen it.
  [[nodiscard]] sweep::TaskResult run_tuned(const parallel::Comm& team,
                                            const Loaded<Problem>& loaded, const sweep::Task& task,
                                            const sweep::RunContext& context,
                                            const solvers::Control& control) const {
    const Method<Problem>& method = method_of(task);
    if (!method.tuning) return run_addressed(team, loaded, task, control);
    const bool alone = !context.trials;
    const sweep::TrialOutcomes own =
        alone ? own_trials(team, task, context, control) : sweep::TrialOutcomes{};
    const sweep::TrialOutcomes& known = alone ? own : *context.trials;
    const std::vector<sweep::Task> tried = trials(task, known);
    if (tried.empty()) return run_addressed(team, loaded, task, control);
    const Tuning& tuning = *method.tuning;
    std::vector<double> scores;
    for (const sweep::Task& trial : tried) {
      const sweep::TrialOutcome& outcome = known.at(sweep::address_of(trial));
      if (outcome.failure) throw base::InputError(*outcome.failure);
      scores.push_back(outcome.score);
    }
    const std::string option = task.method + "." + tuning.option;
    sweep::Task chosen = task;
    chosen.values.at(option) = tried[best_of(tuning, scores)].values.at(option);
    sweep::TaskResult result = run_addressed(team, loaded, chosen, control);
    add_tuning(result, tuning, tried, scores);
    return result;
  }

  /// Of a task without a run that would have made them: they are made here.
  [[nodiscard]] sweep::TrialOutcomes own_trials(const parallel::Comm& team, const sweep::Task& task,
                                                const sweep::RunContext& context,
                                                const solvers::Control& of_task) const {
    sweep::TrialOutcomes made;
    for (std::size_t before = 1; before != made.size();) {
      before = made.size();
      for (const sweep::Task& trial : trials(task, made)) {
        const std::string address = sweep::address_of(trial);
        if (made.contains(address)) continue;
        made[address].score = score_alone(team, trial, context, {.request = of_task.request});
      }
    }
    return made;
  }

  /// On the team's rank 0.
  [[nodiscard]] double score_alone(const parallel::Comm& team, const sweep::Task& trial,
                                   const sweep::RunContext& context,
                                   const solvers::Control& control) const {
    const auto loaded = load(trial, context);
    const Method<Problem>& method = method_of(trial);
    return score_of(*method.tuning, [&] { return run_addressed(team, *loaded, trial, control); });
  }

  /// The task with the address of its random numbers.
  [[nodiscard]] sweep::Task addressed(const Loaded<Problem>& loaded, sweep::Task task) const {
    if (task.stream.empty()) {
      task.stream = stream_address(method_of(task).section, loaded.data);
    }
    return task;
  }

  [[nodiscard]] sweep::TaskResult run_addressed(const parallel::Comm& team,
                                                const Loaded<Problem>& loaded,
                                                const sweep::Task& task,
                                                const solvers::Control& control) const {
    sweep::TaskResult result =
        method_of(task).run(team, loaded.problem, addressed(loaded, task), control);
    add_data(result, loaded.data);
    return result;
  }

  [[nodiscard]] const Method<Problem>& method_of(const sweep::Task& task) const {
    for (const Method<Problem>& method : family_.methods) {
      if (method.section.name == task.method) return method;
    }
    throw std::logic_error("no method '" + task.method + "'");
  }

  [[nodiscard]] std::shared_ptr<const Loaded<Problem>> load(
      const sweep::Task& task, const sweep::RunContext& context) const {
    std::vector<std::string> sections;
    for (const config::Section& section : family_.shared) sections.push_back(section.name);
    const std::string key = cache_key("problem of " + family_.name, task, sections, context);
    const auto made = [](Loaded<Problem> loaded) {
      auto value = std::make_shared<const Loaded<Problem>>(std::move(loaded));
      const std::size_t bytes = value->bytes;
      return sweep::Made<Loaded<Problem>>{std::move(value), bytes};
    };
    const auto load = [&] { return made(family_.load(task, context)); };
    if (!family_.take) return context.cache->get<Loaded<Problem>>(key, load);
    return context.cache->get<Loaded<Problem>>(key, load,
                                               {family_.lay_down, [&](base::PageReader& pages) {
                                                  return made(family_.take(task, context, pages));
                                                }});
  }

  Family<Problem> family_;
  sweep::ResultSchema schema_;
};

template <class Problem>
[[nodiscard]] std::unique_ptr<const sweep::Experiment> make_experiment(Family<Problem> family) {
  return std::make_unique<const FamilyExperiment<Problem>>(std::move(family));
}

}  // namespace fairfront::experiments
