/// @file
/// An experiment without solvers, for tests of configs, plans and the run loop.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sweep/config.hpp"
#include "sweep/config_text.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep::test {

struct DataOptions {
  std::string name = "toy";
  std::string separator = ",";
  std::vector<std::string> columns;
};
inline base::OptionTable options_of(DataOptions& options) {
  base::OptionTable table("data");
  table.add("name", options.name, "Data set.");
  table.add("separator", options.separator, "Between cells.");
  table.add("columns", options.columns, "Columns in use.");
  return table;
}

struct ProblemOptions {
  std::int64_t size = 5;
  double scale = 1;
  bool shuffled = false;
  std::string colour = "red";
};
inline base::OptionTable options_of(ProblemOptions& options) {
  base::OptionTable table("problem");
  table.add("size", options.size, base::at_least<std::int64_t>(1), "rows", "Rows.");
  table.add("scale", options.scale, base::above(0.0), "", "Factor.");
  table.add("shuffled", options.shuffled, "Whether rows are shuffled.");
  table.add_choice("colour", options.colour, {"red", "green", "blue"}, "Colour.");
  return table;
}

struct AlphaOptions {
  std::int64_t steps = 10;
  double tolerance = 0.5;
};
inline base::OptionTable options_of(AlphaOptions& options) {
  base::OptionTable table("alpha");
  table.add("steps", options.steps, base::at_least<std::int64_t>(0), "", "Steps.");
  table.add("tolerance", options.tolerance, base::between(0.0, 1e9), "", "Tolerance.");
  return table;
}

struct BetaOptions {
  double tolerance = 0.5;
  double rate = 1;
};
inline base::OptionTable options_of(BetaOptions& options) {
  base::OptionTable table("beta");
  table.add("tolerance", options.tolerance, base::between(0.0, 1e9), "", "Tolerance.");
  table.add("rate", options.rate, base::at_least(0.0), "1/step", "Rate.");
  return table;
}

/// Two shared sections, two methods; what it computes is up to the test.
class FakeExperiment : public Experiment {
 public:
  std::int64_t alpha_revision = 1;
  bool alpha_coupled = true;
  std::function<TaskResult(const parallel::Comm&, const Task&, const RunContext&)> on_run;
  std::function<void(const Task&)> on_forecast;
  std::vector<std::string> warnings;  ///< of every forecast

  [[nodiscard]] std::string name() const override { return "fake"; }
  [[nodiscard]] std::string title() const override { return "nothing at all"; }
  [[nodiscard]] std::vector<Section> sections() const override {
    return {make_section<DataOptions>("data", "Data"),
            make_section<ProblemOptions>("problem", "Problem"),
            make_section<AlphaOptions>("alpha", "Method A", "Nobody (1901)", true, alpha_coupled,
                                       alpha_revision),
            make_section<BetaOptions>("beta", "Method B", "Nobody (1902)", true)};
  }
  [[nodiscard]] ResultSchema schema() const override {
    ResultSchema schema;
    schema.metrics = {{"loss", "", "", archive::Direction::minimise, ""},
                      {"gain", "", "", archive::Direction::maximise, ""},
                      {"unused", "", "", archive::Direction::none, ""}};
    schema.series = {{"path", "", "", archive::Direction::none, ""}};
    schema.solutions = {{"labels", "", "", archive::Direction::none, ""}};
    schema.front_solutions = "labels";
    schema.objectives = {{"cost", "", "", archive::Direction::minimise, ""},
                         {"balance", "", "", archive::Direction::maximise, ""}};
    return schema;
  }
  [[nodiscard]] TaskForecast forecast(const Task& task, const RunContext& /*context*/,
                                      std::int64_t ranks) const override {
    if (on_forecast) on_forecast(task);
    TaskForecast forecast;
    forecast.data.name = task.values.at("data.name");
    forecast.data.digest = "digest-of-" + forecast.data.name;
    forecast.bytes_per_rank = 100.0 / static_cast<double>(ranks);
    forecast.warnings = warnings;
    return forecast;
  }
  [[nodiscard]] TaskResult run(const parallel::Comm& team, const Task& task,
                               const RunContext& context) const override {
    return on_run ? on_run(team, task, context) : TaskResult{};
  }
};

inline Config config_of(const std::string& text, const std::vector<std::string>& overrides = {},
                        const Experiment& experiment = FakeExperiment{}) {
  ConfigText scanned = scan_config(text, "test.ini");
  for (const std::string& assignment : overrides) add_override(scanned, assignment);
  return resolve(scanned, experiment);
}

/// The one option of that full name.
inline const ConfigOption& option_of(const Config& config, const std::string& name) {
  for (const ConfigOption& option : config.options) {
    if (option.name() == name) return option;
  }
  throw std::out_of_range(name);
}

/// The message of the InputError that `work` throws.
template <class Work>
std::string message_of(Work&& work) {
  try {
    work();
  } catch (const base::InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no InputError";
  return {};
}

inline std::string config_error(const std::string& text,
                                const std::vector<std::string>& overrides = {}) {
  return message_of([&] { (void)config_of(text, overrides); });
}

}  // namespace fairfront::sweep::test
