/// @file
/// A sweep of any experiment over a table of the test's own.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "config/config_text.hpp"
#include "experiments/registry.hpp"
#include "parallel/comm.hpp"
#include "results/merged_fronts.hpp"
#include "support/temporary_folder.hpp"
#include "sweep/columns_of_tasks.hpp"
#include "sweep/idle_options.hpp"
#include "sweep/measure_again.hpp"
#include "sweep/measure_points.hpp"
#include "sweep/plan.hpp"

namespace fairfront::experiments {

class TableSweep {
 public:
  /// @param config  sections but [data].
  /// @param data    lines of [data] but the file.
  TableSweep(const std::string& experiment, const std::string& csv, const std::string& config,
             const std::string& data)
      : experiment_{find(experiment)}, plan_{plan_of(csv, config, data)} {}

  /// Runs a task and checks that its results are those which the experiment announces.
  [[nodiscard]] sweep::TaskResult run(std::int64_t index = 0) const {
    const parallel::Comm self(MPI_COMM_SELF);
    sweep::TaskResult result = experiment_.run(self, task(index), context_);
    EXPECT_NO_THROW(sweep::check_result(experiment_.schema(), result));
    return result;
  }
  /// Whether a stop that comes with the task's `asks`-th look for one ends it.
  [[nodiscard]] bool is_stopped(std::int64_t index, int asks) const {
    sweep::RunContext context = context_;
    context.stop_wanted = [&asks] { return --asks <= 0; };
    try {
      const parallel::Comm self(MPI_COMM_SELF);
      (void)experiment_.run(self, task(index), context);
    } catch (const sweep::TaskInterrupted&) {
      return true;
    }
    return false;
  }
  [[nodiscard]] sweep::Task task(std::int64_t index = 0) const {
    sweep::Task task = plan_.task(index);
    task.key = plan_.key_of(task, "digest");
    return task;
  }
  /// The options of a task that change nothing.
  [[nodiscard]] std::set<std::string> idle(std::int64_t index = 0) const {
    std::set<std::string> names;
    const auto conditions = config::conditions_of(experiment_.sections());
    for (const sweep::IdleOption& option : sweep::idle_options(conditions, task(index))) {
      names.insert(option.name);
    }
    return names;
  }
  [[nodiscard]] sweep::TaskForecast forecast(std::int64_t index = 0) const {
    return experiment_.forecast(plan_.task(index), context_, 1);
  }
  /// What this program measures of what an archive of the sweep holds.
  [[nodiscard]] sweep::MeasuredAgain measure_again(const results::Content& content) const {
    const parallel::Comm self(MPI_COMM_SELF);
    return sweep::measure_again(self, plan_, experiment_, content, context_);
  }
  /// Measures of every point of the fronts in an archive of the sweep.
  [[nodiscard]] results::PointMeasures measure_points(const results::Content& content) const {
    const parallel::Comm self(MPI_COMM_SELF);
    std::vector<std::size_t> all;
    for (std::size_t index = 0; index < content.tasks.key.size(); ++index) all.push_back(index);
    return sweep::measure_points(self, plan_, experiment_, content, sweep::all_points(content, all),
                                 context_);
  }
  /// What an archive of the whole sweep holds.
  [[nodiscard]] results::Content content() const {
    std::vector<sweep::TaskOutcome> outcomes(static_cast<std::size_t>(tasks()));
    std::vector<data::Provenance> datasets;
    for (std::int64_t index = 0; index < tasks(); ++index) {
      sweep::TaskOutcome& outcome = outcomes[static_cast<std::size_t>(index)];
      outcome.key = task(index).key;
      outcome.status = results::TaskStatus::done;
      outcome.result = run(index);
      outcome.model = std::exchange(outcome.result.model, {});
      datasets.push_back(forecast(index).data);
    }
    results::Content content = sweep::content_of(plan_, experiment_.schema(), std::move(outcomes));
    content.datasets = std::move(datasets);
    content.merged = results::merged_fronts(content);
    return content;
  }
  [[nodiscard]] sweep::PreparedRows rows(std::int64_t index = 0) const {
    return experiment_.rows(plan_.task(index), context_);
  }
  [[nodiscard]] std::int64_t tasks() const { return plan_.num_tasks(); }
  [[nodiscard]] const sweep::RunContext& context() const { return context_; }

 private:
  sweep::Plan plan_of(const std::string& csv, const std::string& config, const std::string& data) {
    const std::string file = folder_ / "table.csv";
    test::put_bytes(file, csv);
    const std::string text = "experiment = " + experiment_.name() + "\nseed = 1\n" + config +
                             "\n[data]\ndata = csv\nfile = " + file + "\n" + data;
    return {config::resolve(config::scan_config(text, "test.ini"), experiment_.name(),
                            experiment_.sections()),
            experiment_};
  }

  const sweep::Experiment& experiment_;
  test::TemporaryFolder folder_;
  sweep::RunContext context_;
  sweep::Plan plan_;
};

}  // namespace fairfront::experiments
