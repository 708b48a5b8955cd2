#include "load_sweep.hpp"

#include "config/config.hpp"
#include "config/config_text.hpp"
#include "data/catalogue/catalogue_file.hpp"
#include "experiments/registry.hpp"
#include "results/content.hpp"
#include "sweep/launch.hpp"
#include "sweep/stored_config.hpp"

namespace fairfront::drivers {

namespace options = boost::program_options;

Sweep load_sweep(const std::string& text, const std::string& file,
                 const std::vector<std::string>& overrides) {
  config::ConfigText config = config::scan_config(text, file);
  for (const std::string& assignment : overrides) config::add_override(config, assignment);
  std::vector<std::string> names;
  for (const auto& experiment : experiments::registry()) names.push_back(experiment->name());
  const sweep::Experiment& experiment =
      *experiments::registry()[config::choose_experiment(config, names)];
  return {experiment, sweep::Plan(config::resolve(config, experiment.name(), experiment.sections()),
                                  experiment)};
}

Sweep reopen_sweep(const results::Content& content, const std::string& file) {
  const sweep::StoredConfig stored = sweep::stored_config(content.config, content.axes);
  return load_sweep(stored.text, file, stored.assignments);
}

void add_catalogue_option(options::options_description& description) {
  description.add_options()(
      "catalogue", options::value<std::string>()->value_name("FILE"),
      "This file says what data sets of your own are, beside those of the program.");
}

data::OwnSets own_sets_of(const options::variables_map& values) {
  if (values.count("catalogue") == 0) return {};
  return data::read_own_catalogue(values["catalogue"].as<std::string>());
}

void add_data_options(options::options_description& description) {
  description.add_options()(
      "data-dir", options::value<std::string>()->value_name("DIR"),
      "The data sets are in this folder (default: $FAIRFRONT_DATA, else ./data).")(
      "allow-changed-data",
      "A data file is used even if its SHA-256 differs from the catalogue's.");
  add_catalogue_option(description);
}

void add_sweep_options(options::options_description& description) {
  description.add_options()(
      "set", options::value<std::vector<std::string>>()->composing()->value_name("KEY=VALUE"),
      "This sets an option over the config, as section.key=value or key=value. It may be repeated, "
      "and the last one wins.");
  add_data_options(description);
}

std::vector<std::string> overrides_of(const options::variables_map& values) {
  if (values.count("set") == 0) return {};
  return values["set"].as<std::vector<std::string>>();
}

sweep::RunContext context_of(const options::variables_map& values) {
  sweep::RunContext context;
  context.data_dir = values.count("data-dir") > 0
                         ? values["data-dir"].as<std::string>()
                         : sweep::process_environment("FAIRFRONT_DATA").value_or("data");
  context.data_dir.own_sets = own_sets_of(values);
  context.allow_changed_data = values.count("allow-changed-data") > 0;
  return context;
}

}  // namespace fairfront::drivers
