// What a run is expected to take follows from every option that makes it longer: `plan --probe` and
// the time left reckon with it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/config_text.hpp"
#include "experiments/registry.hpp"
#include "parallel/comm.hpp"
#include "sweep/plan.hpp"

namespace fairfront::experiments::amounts_test {
namespace {

using sweep::Experiment;
using sweep::Plan;
using sweep::RunContext;

/// A method of an experiment, with two values of an option.
struct Case {
  const char* experiment;
  const char* method;
  const char* option;
  const char* others = "";
};

const char* shared_sections(const std::string& experiment) {
  if (experiment == "ranking") {
    return "[data]\ndata = syn_predictions\nsubsample = 300\n[split]\nstratify = group_and_label\n";
  }
  if (experiment == "training") {
    return "[data]\ndata = syn_predictions\nsubsample = 300\n[training]\nbudget = 100000\n";
  }
  if (experiment == "regression") return "[data]\ndata = syn_four_groups\nsubsample = 120\n";
  if (experiment == "clustering") {
    return "[data]\ndata = syn_equal_ds1\n[clustering]\nclusters = 3\n";
  }
  return experiment == "alternating" ? "[alternating]\nproblem = zdt1\n"
                                     : "[alternating]\nproblem = elastic\n";
}

/// Two tasks, of the smaller value and of the larger one.
class TwoTasks {
 public:
  explicit TwoTasks(const Case& of)
      : experiment_{find(of.experiment)},
        plan_{config::resolve(
                  config::scan_config(
                      fmt::format("experiment = {}\n{}[{}]\n{}\n{}\n", of.experiment,
                                  shared_sections(of.experiment), of.method, of.option, of.others),
                      "test.ini"),
                  of.experiment, experiment_.sections()),
              experiment_} {
    static_cast<void>(experiment_.forecast(plan_.task(0), context_, 1));
  }

  /// How many times as much the second one is expected to take.
  [[nodiscard]] double expected() const {
    EXPECT_EQ(plan_.num_tasks(), 2);
    return experiment_.amount(plan_.task(1), context_) /
           experiment_.amount(plan_.task(0), context_);
  }
  /// How many times as large a metric of it is.
  [[nodiscard]] double taken(const std::string& metric) const {
    return metric_of(1, metric) / metric_of(0, metric);
  }

 private:
  [[nodiscard]] double metric_of(std::int64_t index, const std::string& metric) const {
    const parallel::Comm self(MPI_COMM_SELF);
    sweep::Task task = plan_.task(index);
    task.key = plan_.key_of(task, "digest");
    return experiment_.run(self, task, context_).metrics.at(metric);
  }

  const Experiment& experiment_;
  Plan plan_;
  RunContext context_{};
};

/// A run of [sfls] was reckoned with all of its `evaluations`, whatever ended it.
TEST(Amounts, OfTheLevelSetMethodsFollowTheStepsThatAreTaken) {
  const Case cases[] = {
      {"ranking", "sfls", "steps = 200, 3000", "batch = 50\nmost_doublings = 0"},
      {"ranking", "sfls", "most_calls = 2, 12", "batch = 50\nsteps = 1000"},
      {"ranking", "sfls", "most_doublings = 0, 3", "batch = 50\nsteps = 1000"},
      {"ranking", "iqrc", "steps = 100, 1000", "batch = 10\niterations = 2"},
      {"ranking", "iqrc", "iterations = 1, 3", "batch = 10\nsteps = 300"},
      {"ranking", "iqrc", "most_doublings = 0, 2", "batch = 10\nsteps = 300\niterations = 3"},
  };
  for (const Case& of : cases) {
    const TwoTasks tasks(of);
    const double taken = tasks.taken("steps");
    EXPECT_GT(tasks.expected(), 1.5) << of.method << ", " << of.option;
    EXPECT_GT(tasks.expected(), taken / 2) << of.method << ", " << of.option;
    EXPECT_LT(tasks.expected(), taken * 2) << of.method << ", " << of.option;
  }
}

/// What made runs longer by half and more, and nothing of what was expected.
TEST(Amounts, FollowOptionsThatMakeARunLonger) {
  const Case cases[] = {
      {"ranking", "iqrc", "hidden_units = 2, 50"},
      {"ranking", "proxy_lagrangian", "model = linear, network"},
      {"alternating", "epsilon_constraint", "spacing = 0.1, 0.003", "most_gradients = 400000"},
      {"alternating3", "epsilon_constraint", "spacing = 0.2, 0.03", "most_gradients = 400000"},
      {"training", "sgd", "batch = 32, 2"},
      {"regression", "dp_postprocessing", "steps = 3750, 60000", "compare = yes"},
      {"regression", "bounded_group_loss", "max_iterations = 1, 100"},
      {"clustering", "vfairkm", "outer_iterations = 1, 16"},
      {"clustering", "lower_bound", "starts = 1, 16"},
      {"clustering", "lower_bound", "cuts = 10, 1000"},
  };
  for (const Case& of : cases) {
    EXPECT_GT(TwoTasks(of).expected(), 1.5)
        << of.experiment << ": " << of.method << ", " << of.option;
  }
}

}  // namespace
}  // namespace fairfront::experiments::amounts_test
