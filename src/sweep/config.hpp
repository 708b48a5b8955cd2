/// @file
/// A config checked against its experiment: every option of every section in use, with its values.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "archive/content.hpp"
#include "base/options.hpp"
#include "sweep/config_text.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::sweep {

/// One option of a section in use.
struct ConfigOption {
  std::string section;  ///< empty for the options of every experiment, such as `seed`
  base::OptionInfo info;
  std::vector<std::string> values;  ///< as OptionTable::get writes them; several make an axis
  std::string origin = "default";   ///< or "quickstart.ini:8", "--set clustering.k=3"

  [[nodiscard]] std::string name() const;  ///< "section.option", or "seed"
  [[nodiscard]] std::string text() const;  ///< the values as a config would write them
  [[nodiscard]] bool is_axis() const { return values.size() > 1; }
};

struct Config {
  std::string file;
  std::string experiment;
  std::vector<std::string> methods;   ///< sections of methods, in the order of the file
  std::vector<ConfigOption> options;  ///< seed, the shared sections, the methods
  std::vector<std::size_t> axes;      ///< options with several values, in the order of the file
};

/// The options of every experiment, in a section without a name.
[[nodiscard]] Section global_section();

/// The experiment that the config names.
/// @throws base::InputError  none named, or no such experiment.
[[nodiscard]] const Experiment& choose_experiment(
    const ConfigText& text, std::span<const std::unique_ptr<const Experiment>> experiments);

/// Resolves keys, expands axes, checks and canonicalises every value.
/// @throws base::InputError  with place, key, value, rule and the nearest valid name.
[[nodiscard]] Config resolve(const ConfigText& text, const Experiment& experiment);

/// What the archive keeps: experiment, seed and every option with its values.
[[nodiscard]] std::vector<archive::ConfigEntry> config_entries(const Config& config);

/// INI text that resolves to the same values.
[[nodiscard]] std::string to_text(const Config& config);

}  // namespace fairfront::sweep
