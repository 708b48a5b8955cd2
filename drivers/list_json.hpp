/// @file
/// What `fairfront list --json` prints.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "config/conditions.hpp"
#include "config/section.hpp"
#include "data/catalogue/catalogue.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::drivers {

using Experiments = std::vector<const sweep::Experiment*>;

/// Where an option matters, in words; options of the section by their short names. Empty: nowhere.
[[nodiscard]] std::string only_if_text(const config::OptionCondition& of,
                                       const config::Section& section);

/// Arrays of objects, in the order of the lists for people. Fields that have no value are left out.
[[nodiscard]] nlohmann::ordered_json experiments_json(const Experiments& experiments);
[[nodiscard]] nlohmann::ordered_json solvers_json(const Experiments& experiments);
[[nodiscard]] nlohmann::ordered_json datasets_json(std::span<const data::CatalogueEntry> sets);
[[nodiscard]] nlohmann::ordered_json options_json(const Experiments& experiments);
[[nodiscard]] nlohmann::ordered_json metrics_json(const Experiments& experiments);

}  // namespace fairfront::drivers
