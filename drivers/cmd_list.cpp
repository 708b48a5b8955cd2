#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "commands.hpp"
#include "config/conditions.hpp"
#include "config/config.hpp"
#include "data/catalogue/catalogue.hpp"
#include "experiments/registry.hpp"
#include "list_json.hpp"
#include "load_sweep.hpp"
#include "output.hpp"
#include "results/content.hpp"
#include "results/enum_names.hpp"
#include "table.hpp"

namespace fairfront::drivers {
namespace {

using Json = nlohmann::ordered_json;

/// Of what is listed.
struct Listing {
  std::string experiment{};  ///< empty: all
  data::OwnSets own{};       ///< of the user's catalogue
};

std::string experiments_text(const Listing& /*listing*/) {
  std::string text = "experiments\n";
  Table table({"name", "methods", "title"});
  for (const auto& experiment : experiments::registry()) {
    std::vector<std::string> methods;
    for (const config::Section& section : experiment->sections()) {
      if (section.is_method) methods.push_back(section.name);
    }
    table.add({experiment->name(), base::join(methods, ", "), experiment->title()});
  }
  return text + table.text();
}

std::string solvers_text(const Listing& /*listing*/) {
  Table table({"section", "experiment", "method", "source"});
  for (const auto& experiment : experiments::registry()) {
    for (const config::Section& section : experiment->sections()) {
      if (!section.is_method) continue;
      table.add(
          {fmt::format("[{}]", section.name), experiment->name(), section.title, section.source});
    }
  }
  return "solvers\n" + table.text();
}

/// @param what  "file" or "test file".
std::string file_text(const data::CatalogueFile& file, std::string_view what) {
  const std::string rows =
      file.rows > 0 ? fmt::format("{} rows", file.rows) : "how many rows is not known";
  std::string text = fmt::format("      {}: {}, {}\n      SHA-256 of its content: {}\n", what,
                                 file.path, rows, file.sha256);
  if (!file.stored_sha256.empty()) {
    text += fmt::format("      SHA-256 of our .gz of it: {}\n", file.stored_sha256);
  }
  return text +
         fmt::format("      from: {}\n",
                     !file.derived_by.empty()
                         ? fmt::format("{}, by jobs/{}", file.address, file.derived_by)
                     : !file.address.empty() ? file.address
                     : !file.origin.empty()
                         ? file.origin + "; no address to download from is known"
                         : "no address to download from is known; put the file there by hand");
}

std::string text_of(data::TargetChoice target) {
  data::SupervisedOptions options;
  options.target = target;
  return options_of(options).get("target");
}

/// What may be learnt from a data set.
std::string task_text(const data::SupervisedTask& task) {
  const bool has_all = task.features.empty() || task.features.front() == "*";
  const std::string all = has_all ? "all" : std::to_string(task.features.size());
  const std::string features = task.categorical == std::vector<std::string>{"auto"}
                                   ? "categories unless they are numbers throughout"
                                   : fmt::format("{} of them categories", task.categorical.size());
  std::string text = fmt::format("    task {}: target {}", task.name, text_of(task.target));
  if (!task.label.empty()) text += ", label " + task.label;
  if (task.label_divisor > 0) text += " / " + base::format_double(task.label_divisor);
  if (!task.positive.empty()) text += fmt::format(" is {}", base::join(task.positive, ", "));
  text += fmt::format("\n      groups: {}", base::join(task.sensitive, ", "));
  if (!task.group_map.empty()) text += fmt::format(" as {}", base::join(task.group_map, ", "));
  text += fmt::format("\n      features: {} of the file's columns, {}\n", all, features);
  text += fmt::format("      rows: {}\n", task.recipe);
  text += file_text(task.published_file, "file");
  if (task.published_test_file) text += file_text(*task.published_test_file, "test file");
  return text;
}

std::string datasets_text(const Listing& listing) {
  std::string text = "data sets\n";
  const auto own = listing.own ? std::span{*listing.own} : std::span<const data::CatalogueEntry>{};
  for (const std::span<const data::CatalogueEntry> sets : {data::catalogue(), own}) {
    for (const data::CatalogueEntry& entry : sets) {
      text += fmt::format("  {}: {}\n", entry.name, entry.title);
      if (!entry.recipe.empty()) text += fmt::format("    {}\n", entry.recipe);
      if (!entry.source.empty()) text += fmt::format("    source: {}\n", entry.source);
      if (!entry.licence.empty()) text += fmt::format("    licence: {}\n", entry.licence);
      if (!entry.sensitive_choices.empty()) {
        text += fmt::format("    attributes of people: {}\n",
                            base::join(entry.sensitive_choices, ", "));
      }
      for (const data::SupervisedTask& task : entry.tasks) text += task_text(task);
    }
  }
  return text;
}

using Conditions = std::vector<config::OptionCondition>;

/// Where an option matters, in words; options of the section by their short names.
std::string condition_text(const config::OptionCondition& of, const config::Section& section) {
  const std::string text = only_if_text(of, section);
  return text.empty() ? "without effect: " + of.why : "only if " + text;
}

/// What a section says of all options of another, and a method of those of others.
std::string section_conditions_text(const config::Section& section, const Conditions& conditions) {
  std::vector<std::pair<std::string, std::vector<std::string>>> said;  // the options of a text
  for (const config::OptionCondition& of : conditions) {
    const bool of_others =
        of.section == section.name && of.of_method && !of.option.starts_with(section.name + ".");
    if (!of_others && (of.of_method || of.option != section.name + ".*")) continue;
    std::string text = condition_text(of, section);
    if (said.empty() || said.back().first != text) said.push_back({std::move(text), {}});
    if (of_others) said.back().second.push_back(of.option);
  }
  std::string text;
  for (const auto& [condition, options] : said) {
    text += options.empty() ? fmt::format("  {}\n", condition)
                            : fmt::format("  {}: {}\n", base::join(options, ", "), condition);
  }
  return text;
}

std::string section_text(const config::Section& section, const Conditions& conditions) {
  const std::string heading =
      section.name.empty() ? "above the first section" : fmt::format("[{}]", section.name);
  std::string text = fmt::format("\n{}  {}\n{}", heading, section.title,
                                 section_conditions_text(section, conditions));
  const auto options = section.open();
  for (const base::OptionInfo& info : options->infos()) {
    const std::string rule = info.rule.empty() ? "" : " " + info.rule;
    const std::string unit = info.unit.empty() ? "" : fmt::format(" [{}]", info.unit);
    text += fmt::format("  {} = {}\n      {}{}{}; {}\n      {}\n", info.name,
                        options->get(info.name), info.type, rule, unit,
                        results::name_of(config::role_of(section, info)), info.meaning);
    const std::string name =
        section.name.empty() ? info.name : fmt::format("{}.{}", section.name, info.name);
    for (const config::OptionCondition& of : conditions) {
      if (of.option != name || (of.of_method && of.section != section.name)) continue;
      text += fmt::format("      {}\n", condition_text(of, section));
    }
  }
  return text;
}

/// The experiments to speak of: the one that is named, or all.
std::vector<const sweep::Experiment*> chosen_experiments(const std::string& name) {
  if (!name.empty()) return {&experiments::find(name)};
  std::vector<const sweep::Experiment*> all;
  for (const auto& experiment : experiments::registry()) all.push_back(experiment.get());
  return all;
}

std::string options_text(const Listing& listing) {
  std::string text;
  for (const sweep::Experiment* experiment : chosen_experiments(listing.experiment)) {
    text += fmt::format("options of experiment = {}\n", experiment->name());
    const std::vector<config::Section> sections = experiment->sections();
    const Conditions conditions = config::conditions_of(sections);
    text += section_text(config::global_section(), conditions);
    for (const config::Section& section : sections) text += section_text(section, conditions);
  }
  return text;
}

std::string direction_text(results::Direction direction) {
  switch (direction) {
    case results::Direction::minimise:
      return "minimise";
    case results::Direction::maximise:
      return "maximise";
    case results::Direction::none:
      break;
  }
  return "";
}

std::string metrics_text(const Listing& listing) {
  std::string text;
  for (const sweep::Experiment* experiment : chosen_experiments(listing.experiment)) {
    const sweep::ResultSchema schema = experiment->schema();
    Table table({"kind", "name", "unit", "better", "definition", "source"});
    const auto add = [&table](const std::string& kind, const results::Quantity& what) {
      table.add({kind, what.name, what.unit, direction_text(what.direction), what.definition,
                 what.source});
    };
    for (const results::Quantity& what : schema.objectives) add("objective", what);
    for (const results::Quantity& what : schema.metrics) add("metric", what);
    for (const sweep::MeasuredQuantity& measure : schema.measures) {
      add("measure: " + base::join(measure.parts, ", "), measure.what);
    }
    for (const auto& [what, step] : schema.series) add("series by " + step, what);
    for (const results::Quantity& what : schema.solutions) add("solution", what);
    text += fmt::format("results of experiment = {}\n{}", experiment->name(), table.text());
  }
  return text;
}

/// Of an experiment, or of all.
template <Json (*json)(const Experiments&)>
Json json_of(const Listing& listing) {
  return json(chosen_experiments(listing.experiment));
}

Json json_of_datasets(const Listing& listing) {
  Json found = datasets_json(data::catalogue());
  if (listing.own) {
    for (Json& entry : datasets_json(*listing.own)) found.push_back(std::move(entry));
  }
  return found;
}

struct Topic {
  const char* name;
  std::string (*text)(const Listing& listing);
  Json (*json)(const Listing& listing);
  bool takes_experiment = false;
};
constexpr std::array topics{Topic{"experiments", experiments_text, json_of<experiments_json>},
                            Topic{"solvers", solvers_text, json_of<solvers_json>},
                            Topic{"datasets", datasets_text, json_of_datasets},
                            Topic{"options", options_text, json_of<options_json>, true},
                            Topic{"metrics", metrics_text, json_of<metrics_json>, true}};

const Topic& find_topic(const std::string& name) {
  for (const Topic& topic : topics) {
    if (topic.name == name) return topic;
  }
  throw base::InputError(
      fmt::format("list: there is no list of '{}'{}", name, base::name_hint(name, list_topics())));
}

void print_json(const Json& json) {
  print("{}\n", json.dump(2, ' ', true, Json::error_handler_t::replace));
}

/// Without a topic: what does not take an experiment.
Json json_of_all(const Listing& listing) {
  Json all = Json::object();
  for (const Topic& topic : topics) {
    if (!topic.takes_experiment) all[topic.name] = topic.json(listing);
  }
  return all;
}

base::ExitCode execute_list(const Call& call) {
  Listing listing{.own = own_sets_of(call.values)};
  const bool as_json = call.values.count("json") > 0;
  if (call.values.count("TOPIC") == 0) {
    if (as_json) {
      print_json(json_of_all(listing));
      return base::ExitCode::done;
    }
    print("{}\n{}\n{}", experiments_text(listing), solvers_text(listing), datasets_text(listing));
    return base::ExitCode::done;
  }
  const Topic& topic = find_topic(call.values["TOPIC"].as<std::string>());
  const bool named = call.values.count("EXPERIMENT") > 0;
  if (named && !topic.takes_experiment) {
    throw base::InputError(fmt::format("list: leave '{}' out: the list of {} is of all experiments",
                                       base::excerpt(call.values["EXPERIMENT"].as<std::string>()),
                                       topic.name));
  }
  if (named) listing.experiment = call.values["EXPERIMENT"].as<std::string>();
  if (as_json) {
    print_json(topic.json(listing));
  } else {
    print("{}", topic.text(listing));
  }
  return base::ExitCode::done;
}

}  // namespace

std::vector<std::string> list_topics() {
  std::vector<std::string> names;
  for (const Topic& topic : topics) names.emplace_back(topic.name);
  return names;
}

Command list_command() {
  Command command;
  command.name = "list";
  command.summary = "List experiments, solvers, data sets, options or metrics.";
  command.arguments = {{"TOPIC", false}, {"EXPERIMENT", false}};
  command.details =
      "TOPIC is one of experiments, solvers, datasets, options, metrics; options and metrics take\n"
      "an EXPERIMENT. Without a topic: experiments, solvers and datasets.\n";
  command.execute = execute_list;
  command.options.add_options()("json", "The list is printed as JSON, for programs.");
  add_catalogue_option(command.options);
  return command;
}

}  // namespace fairfront::drivers
