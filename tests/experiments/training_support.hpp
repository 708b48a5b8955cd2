/// @file
/// Tasks of the experiment `training` on generated predictions with two groups.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "config/config.hpp"
#include "config/config_text.hpp"
#include "experiments/registry.hpp"
#include "experiments/training.hpp"
#include "sweep/columns_of_tasks.hpp"
#include "sweep/plan.hpp"

namespace fairfront::experiments {

class TrainingSweep {
 public:
  explicit TrainingSweep(const std::string& config)
      : plan_{config::resolve(config::scan_config("experiment = training\nseed = 1\n[data]\ndata = "
                                                  "syn_predictions\nsubsample = 600\n" +
                                                      config,
                                                  "test.ini"),
                              "training", find("training").sections()),
              find("training")} {}

  [[nodiscard]] sweep::TaskResult run(std::int64_t index = 0) const {
    const parallel::Comm self(MPI_COMM_SELF);
    sweep::TaskResult result = find("training").run(self, plan_.task(index), context_);
    EXPECT_NO_THROW(sweep::check_result(find("training").schema(), result));
    return result;
  }
  /// What a task with these findings measures.
  [[nodiscard]] results::Measures measured(const sweep::TaskResult& found,
                                           std::int64_t index = 0) const {
    const parallel::Comm self(MPI_COMM_SELF);
    return find("training").measure(self, plan_.task(index), {found}, context_);
  }
  [[nodiscard]] sweep::TaskForecast forecast(std::int64_t index = 0) const {
    return find("training").forecast(plan_.task(index), context_, 1);
  }
  [[nodiscard]] TrainingProblem problem() const {
    return training_family().load(plan_.task(0), context_).problem;
  }

 private:
  sweep::RunContext context_;
  sweep::Plan plan_;
};

}  // namespace fairfront::experiments
