/// @file
/// An experiment without solvers, for tests of configs, plans and the run loop.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/conditions.hpp"
#include "config/fake_sections.hpp"
#include "results/content.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep::test {

using config::test::AlphaOptions;
using config::test::config_error;
using config::test::DataOptions;
using config::test::message_of;
using config::test::option_of;

/// Two shared sections, two methods; what it computes is up to the test.
class FakeExperiment : public Experiment {
 public:
  std::int64_t alpha_revision = 1;
  bool alpha_coupled = true;
  std::function<TaskResult(const parallel::Comm&, const Task&, const RunContext&)> on_run;
  std::function<void(const Task&)> on_forecast;
  std::function<void(const Task&, TaskForecast&)> on_filled;  ///< adds to a forecast
  std::function<double(const Task&)> on_amount;
  std::function<bool(const Task&)> on_shared;
  std::optional<base::OnlyIf> only_if;  ///< declared by [problem]
  std::function<std::string(const Task&)> on_shared_loop;
  std::function<std::vector<TaskResult>(std::span<const Task>, const RunContext&)> on_run_abreast;
  std::vector<std::string> warnings;  ///< of every forecast

  [[nodiscard]] std::string name() const override { return "fake"; }
  [[nodiscard]] std::string title() const override { return "nothing at all"; }
  [[nodiscard]] std::vector<config::Section> sections() const override {
    auto sections = config::test::fake_sections(alpha_coupled, alpha_revision);
    if (only_if) config::add_condition(sections[1], *only_if);
    return sections;
  }
  [[nodiscard]] ResultSchema schema() const override {
    ResultSchema schema;
    schema.metrics = {{"loss", "", "", results::Direction::minimise, ""},
                      {"gain", "", "", results::Direction::maximise, ""},
                      {"unused", "", "", results::Direction::none, ""}};
    schema.measures = {{{"error", "", "", results::Direction::minimise, ""}, {"train", "test"}}};
    schema.series = {{{"path", "", "", results::Direction::none, ""}}};
    schema.solutions = {{"labels", "", "", results::Direction::none, ""}};
    schema.front_solutions = "labels";
    schema.objectives = {{"cost", "", "", results::Direction::minimise, ""},
                         {"balance", "", "", results::Direction::maximise, ""}};
    return schema;
  }
  [[nodiscard]] TaskForecast forecast(const Task& task, const RunContext& /*context*/,
                                      std::int64_t ranks) const override {
    if (on_forecast) on_forecast(task);
    TaskForecast forecast;
    forecast.data.name = task.values.at("data.name");
    forecast.data.digest = "digest-of-" + forecast.data.name;
    forecast.work.bytes_per_rank = 100.0 / static_cast<double>(ranks);
    forecast.warnings = warnings;
    if (on_filled) on_filled(task, forecast);
    return forecast;
  }
  [[nodiscard]] double amount(const Task& task, const RunContext& /*context*/) const override {
    return on_amount ? on_amount(task) : 1;
  }
  [[nodiscard]] bool is_shared(const Task& task, const RunContext& /*context*/) const override {
    return !on_shared || on_shared(task);
  }
  [[nodiscard]] std::string shared_loop(const Task& task) const override {
    return on_shared_loop ? on_shared_loop(task) : std::string{};
  }
  [[nodiscard]] std::vector<TaskResult> run_abreast(const parallel::Comm& team,
                                                    std::span<const Task> tasks,
                                                    const RunContext& context) const override {
    EXPECT_EQ(team.size(), 1);
    return on_run_abreast(tasks, context);
  }
  [[nodiscard]] TaskResult run(const parallel::Comm& team, const Task& task,
                               const RunContext& context) const override {
    return on_run ? on_run(team, task, context) : TaskResult{};
  }
};

inline config::Config config_of(const std::string& text,
                                const std::vector<std::string>& overrides = {},
                                const Experiment& experiment = FakeExperiment{}) {
  return config::test::config_of(text, overrides, experiment.sections());
}

}  // namespace fairfront::sweep::test
