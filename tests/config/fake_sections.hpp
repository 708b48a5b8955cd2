/// @file
/// Sections of an experiment that does not exist, for tests of configs, plans and the run loop.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/config.hpp"
#include "config/config_text.hpp"
#include "config/section.hpp"

namespace fairfront::config::test {

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
  table.formerly("scale", "factor").formerly("scale", "stretch");
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
  table.assign_role(base::Role::trade_off, {"steps"});
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

/// Two shared sections, two methods.
inline std::vector<Section> fake_sections(bool alpha_coupled = true,
                                          std::int64_t alpha_revision = 1) {
  return {make_section<DataOptions>({.name = "data", .title = "Data"}),
          make_section<ProblemOptions>({.name = "problem", .title = "Problem"}),
          make_section<AlphaOptions>({.name = "alpha",
                                      .title = "Method A",
                                      .source = "Nobody (1901)",
                                      .is_method = true,
                                      .coupled = alpha_coupled,
                                      .revision = alpha_revision}),
          make_section<BetaOptions>(
              {.name = "beta", .title = "Method B", .source = "Nobody (1902)", .is_method = true})};
}

inline Config config_of(const std::string& text, const std::vector<std::string>& overrides = {},
                        std::vector<Section> sections = fake_sections()) {
  ConfigText scanned = scan_config(text, "test.ini");
  for (const std::string& assignment : overrides) add_override(scanned, assignment);
  return resolve(scanned, "fake", std::move(sections));
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

}  // namespace fairfront::config::test
