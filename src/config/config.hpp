/// @file
/// A config checked against its experiment: every option of every section in use, with its values.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.hpp"
#include "config/config_text.hpp"
#include "config/section.hpp"
#include "results/content.hpp"

namespace fairfront::config {

/// One option of a section in use.
struct ConfigOption {
  std::string section;  ///< empty for the options of every experiment, such as `seed`
  base::OptionInfo info;
  std::vector<std::string> values;  ///< as OptionTable::get writes them; several make an axis
  base::Role role = base::Role::setting;
  std::string standard{};          ///< the value when the config says nothing
  std::string origin = "default";  ///< or "quickstart.ini:8", "--set clustering.k=3"

  [[nodiscard]] std::string name() const;  ///< "section.option", or "seed"
  [[nodiscard]] std::string text() const;  ///< the values as a config would write them
  [[nodiscard]] bool is_axis() const { return values.size() > 1; }
};

struct Config {
  std::string file;
  std::string experiment;
  std::vector<std::string> methods;   ///< sections of methods, in the order of the file
  std::vector<ConfigOption> options;  ///< seed, the shared sections, the methods
  /// Options with several values, in the order of the file; then those of methods that change the
  /// problem where methods do not agree: their problems are told apart though each has one value.
  std::vector<std::size_t> axes;
  std::vector<std::string> warnings{};  ///< for the user: names that options have no longer
};

/// Where the option stands that a message about the values of `config` speaks of, as
/// "section.option" or "option = ...": "quickstart.ini:8". The file alone when it speaks of none,
/// or of one that the config leaves at its default.
[[nodiscard]] std::string place_of(const Config& config, std::string_view message);

/// The options of every experiment, in a section without a name.
[[nodiscard]] Section global_section();

/// The experiment that the config names, as a place among `names`.
/// @throws base::InputError  none named, or no such experiment.
[[nodiscard]] std::size_t choose_experiment(const ConfigText& text,
                                            std::span<const std::string> names);

/// Resolves keys, expands axes, checks and canonicalises every value.
/// @param sections  of the experiment: shared ones first, then its methods.
/// @throws base::InputError  with place, key, value, rule and the nearest valid name.
[[nodiscard]] Config resolve(const ConfigText& text, const std::string& experiment,
                             std::vector<Section> sections);

/// What the archive keeps: experiment, seed and every option with its values.
[[nodiscard]] std::vector<results::ConfigEntry> config_entries(const Config& config);

/// INI text that resolves to the same values.
[[nodiscard]] std::string to_text(const Config& config);

}  // namespace fairfront::config
