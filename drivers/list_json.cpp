#include "list_json.hpp"

#include <utility>

#include "base/text.hpp"
#include "config/config.hpp"
#include "data/supervised_options.hpp"
#include "results/content.hpp"
#include "results/enum_names.hpp"

namespace fairfront::drivers {
namespace {

using ListJson = nlohmann::ordered_json;

void add_text(ListJson& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

ListJson file_json(const data::CatalogueFile& file) {
  ListJson found = {{"path", file.path}, {"sha256", file.sha256}};
  add_text(found, "stored_sha256", file.stored_sha256);
  if (file.rows > 0) found["rows"] = file.rows;
  add_text(found, "address", file.address);
  add_text(found, "derived_by", file.derived_by);
  add_text(found, "origin", file.origin);
  return found;
}

ListJson task_json(data::SupervisedTask task) {
  const base::OptionTable options = data::options_of(task);
  ListJson found = {{"name", task.name}, {"target", options.get("target")}};
  add_text(found, "label", task.label);
  if (task.label_divisor > 0) found["label_divisor"] = task.label_divisor;
  if (!task.positive.empty()) found["positive"] = task.positive;
  found["sensitive"] = task.sensitive;
  if (!task.group_map.empty()) found["group_map"] = task.group_map;
  found["features"] = task.features.empty() ? std::vector<std::string>{"*"} : task.features;
  if (!task.categorical.empty()) found["categorical"] = task.categorical;
  found["recipe"] = task.recipe;
  found["file"] = file_json(task.published_file);
  if (task.published_test_file) found["test_file"] = file_json(*task.published_test_file);
  return found;
}

/// Why the option changes nothing without others, or anywhere.
ListJson condition_json(const config::OptionCondition& of, const config::Section& section) {
  ListJson found = ListJson::object();
  const std::string text = only_if_text(of, section);
  found["only_if"] = text.empty() ? ListJson(nullptr) : ListJson(text);
  found["why"] = of.why;
  return found;
}

using OptionConditions = std::vector<config::OptionCondition>;

ListJson option_json(const config::Section& section, const base::OptionInfo& info,
                     const std::string& standard, const OptionConditions& conditions) {
  ListJson found = {{"name", info.name}, {"default", standard}, {"type", info.type}};
  add_text(found, "rule", info.rule);
  add_text(found, "unit", info.unit);
  found["role"] = results::name_of(config::role_of(section, info));
  found["meaning"] = info.meaning;
  if (!info.former.empty()) found["former_names"] = info.former;
  const std::string name = section.name.empty() ? info.name : section.name + "." + info.name;
  ListJson own = ListJson::array();
  for (const config::OptionCondition& of : conditions) {
    if (of.option != name || (of.of_method && of.section != section.name)) continue;
    own.push_back(condition_json(of, section));
  }
  if (!own.empty()) found["conditions"] = std::move(own);
  return found;
}

/// What is said of all options of the section, and by a method of options of others.
ListJson section_conditions_json(const config::Section& section,
                                 const OptionConditions& conditions) {
  ListJson found = ListJson::array();
  for (const config::OptionCondition& of : conditions) {
    const bool of_others =
        of.section == section.name && of.of_method && !of.option.starts_with(section.name + ".");
    if (!of_others && (of.of_method || of.option != section.name + ".*")) continue;
    ListJson one = {{"option", of.option}};
    one.update(condition_json(of, section));
    found.push_back(std::move(one));
  }
  return found;
}

ListJson section_json(const config::Section& section, const OptionConditions& conditions) {
  ListJson found = {
      {"section", section.name}, {"title", section.title}, {"method", section.is_method}};
  if (ListJson said = section_conditions_json(section, conditions); !said.empty()) {
    found["conditions"] = std::move(said);
  }
  ListJson options = ListJson::array();
  const auto table = section.open();
  for (const base::OptionInfo& info : table->infos()) {
    options.push_back(option_json(section, info, table->get(info.name), conditions));
  }
  found["options"] = std::move(options);
  return found;
}

ListJson quantity_json(const char* kind, const results::Quantity& what) {
  ListJson found = {{"kind", kind}, {"name", what.name}};
  add_text(found, "unit", what.unit);
  found["direction"] = results::name_of(what.direction);
  found["definition"] = what.definition;
  add_text(found, "source", what.source);
  return found;
}

ListJson results_json(const sweep::ResultSchema& schema) {
  ListJson found = ListJson::array();
  for (const auto& what : schema.objectives) found.push_back(quantity_json("objective", what));
  for (const auto& what : schema.metrics) found.push_back(quantity_json("metric", what));
  for (const sweep::MeasuredQuantity& measure : schema.measures) {
    found.push_back(quantity_json("measure", measure.what));
    found.back()["parts"] = measure.parts;
  }
  for (const auto& [what, step] : schema.series) {
    found.push_back(quantity_json("series", what));
    found.back()["step"] = step;
  }
  for (const auto& what : schema.solutions) found.push_back(quantity_json("solution", what));
  return found;
}

}  // namespace

std::string only_if_text(const config::OptionCondition& of, const config::Section& section) {
  const std::string prefix = section.name + ".";
  const auto short_name = [&](const std::string& option) {
    return option.starts_with(prefix) ? option.substr(prefix.size()) : option;
  };
  return of.condition.renamed(short_name).text();
}

nlohmann::ordered_json experiments_json(const Experiments& experiments) {
  ListJson found = ListJson::array();
  for (const sweep::Experiment* experiment : experiments) {
    ListJson methods = ListJson::array();
    for (const config::Section& section : experiment->sections()) {
      if (section.is_method) methods.push_back(section.name);
    }
    found.push_back({{"name", experiment->name()},
                     {"title", experiment->title()},
                     {"methods", std::move(methods)}});
  }
  return found;
}

nlohmann::ordered_json solvers_json(const Experiments& experiments) {
  ListJson found = ListJson::array();
  for (const sweep::Experiment* experiment : experiments) {
    for (const config::Section& section : experiment->sections()) {
      if (!section.is_method) continue;
      found.push_back({{"section", section.name},
                       {"experiment", experiment->name()},
                       {"title", section.title}});
      add_text(found.back(), "source", section.source);
      found.back()["revision"] = section.revision;
    }
  }
  return found;
}

nlohmann::ordered_json datasets_json(std::span<const data::CatalogueEntry> sets) {
  ListJson found = ListJson::array();
  for (const data::CatalogueEntry& entry : sets) {
    ListJson one = {{"name", entry.name}, {"title", entry.title}};
    add_text(one, "recipe", entry.recipe);
    add_text(one, "source", entry.source);
    add_text(one, "licence", entry.licence);
    if (!entry.sensitive_choices.empty()) one["attributes_of_people"] = entry.sensitive_choices;
    ListJson tasks = ListJson::array();
    for (const data::SupervisedTask& task : entry.tasks) tasks.push_back(task_json(task));
    one["tasks"] = std::move(tasks);
    found.push_back(std::move(one));
  }
  return found;
}

nlohmann::ordered_json options_json(const Experiments& experiments) {
  ListJson found = ListJson::array();
  for (const sweep::Experiment* experiment : experiments) {
    const std::vector<config::Section> sections = experiment->sections();
    const OptionConditions conditions = config::conditions_of(sections);
    ListJson all = ListJson::array();
    all.push_back(section_json(config::global_section(), conditions));
    for (const config::Section& section : sections) {
      all.push_back(section_json(section, conditions));
    }
    found.push_back({{"experiment", experiment->name()}, {"sections", std::move(all)}});
  }
  return found;
}

nlohmann::ordered_json metrics_json(const Experiments& experiments) {
  ListJson found = ListJson::array();
  for (const sweep::Experiment* experiment : experiments) {
    found.push_back(
        {{"experiment", experiment->name()}, {"results", results_json(experiment->schema())}});
  }
  return found;
}

}  // namespace fairfront::drivers
