/// @file
/// From a config file and the command line to a plan.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <string>
#include <vector>

#include "data/catalogue/catalogue.hpp"
#include "results/content.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::drivers {

/// A plan and the experiment that runs it.
struct Sweep {
  const sweep::Experiment& experiment;
  sweep::Plan plan;
};

/// Local.
/// @param text       the config file's content.
/// @param file       its name in messages.
/// @param overrides  "key=value" of --set.
/// @throws base::InputError
[[nodiscard]] Sweep load_sweep(const std::string& text, const std::string& file,
                               const std::vector<std::string>& overrides);

/// The sweep of an archive, from what the archive says. Local.
/// @throws base::InputError  the archive is of an experiment or has options that this program does
///         not know.
[[nodiscard]] Sweep reopen_sweep(const results::Content& content, const std::string& file);

/// --catalogue.
void add_catalogue_option(boost::program_options::options_description& options);

/// The sets of --catalogue; null without. @throws base::InputError  as data::read_own_catalogue.
[[nodiscard]] data::OwnSets own_sets_of(const boost::program_options::variables_map& values);

/// Options of every command that runs tasks: --data-dir, --allow-changed-data, --catalogue.
void add_data_options(boost::program_options::options_description& options);

/// Options of every command that reads a config: --set and those of add_data_options.
void add_sweep_options(boost::program_options::options_description& options);

[[nodiscard]] std::vector<std::string> overrides_of(
    const boost::program_options::variables_map& values);

/// Data directory: --data-dir, else $FAIRFRONT_DATA, else ./data. Local.
/// @throws base::InputError  as own_sets_of().
[[nodiscard]] sweep::RunContext context_of(const boost::program_options::variables_map& values);

}  // namespace fairfront::drivers
