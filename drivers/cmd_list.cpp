#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "commands.hpp"
#include "data/catalogue.hpp"
#include "experiments/registry.hpp"
#include "sweep/config.hpp"
#include "table.hpp"

namespace fairfront::drivers {
namespace {

std::string experiments_text(const std::string& /*experiment*/) {
  std::string text = "experiments\n";
  Table table({"name", "methods", "title"});
  for (const auto& experiment : experiments::registry()) {
    std::vector<std::string> methods;
    for (const sweep::Section& section : experiment->sections()) {
      if (section.is_method) methods.push_back(section.name);
    }
    table.add({experiment->name(), base::join(methods, ", "), experiment->title()});
  }
  return text + table.text();
}

std::string solvers_text(const std::string& /*experiment*/) {
  Table table({"section", "experiment", "method", "source"});
  for (const auto& experiment : experiments::registry()) {
    for (const sweep::Section& section : experiment->sections()) {
      if (!section.is_method) continue;
      table.add(
          {fmt::format("[{}]", section.name), experiment->name(), section.title, section.source});
    }
  }
  return "solvers\n" + table.text();
}

std::string file_text(const data::CatalogueFile& file) {
  std::string text = fmt::format("    file: {}, {} rows\n    SHA-256 of its content: {}\n",
                                 file.path, file.rows, file.sha256);
  if (!file.stored_sha256.empty()) {
    text += fmt::format("    SHA-256 of our .gz of it: {}\n", file.stored_sha256);
  }
  return text + fmt::format("    from: {}\n", file.url.empty()
                                                  ? "no address to download from is known; put "
                                                    "the file there by hand"
                                                  : file.url);
}

std::string datasets_text(const std::string& /*experiment*/) {
  std::string text = "data sets\n";
  for (const data::CatalogueEntry& entry : data::catalogue()) {
    text += fmt::format("  {}: {}\n    {}\n    source: {}\n    licence: {}\n", entry.name,
                        entry.title, entry.recipe, entry.source, entry.licence);
    if (!entry.file) continue;
    text += file_text(*entry.file);
    text += fmt::format("    features: {}\n    sensitive: {} (of {})\n",
                        base::join(entry.features, ", "), base::join(entry.sensitive, ", "),
                        base::join(entry.sensitive_choices, ", "));
    if (!entry.label.empty()) text += fmt::format("    label: {}\n", entry.label);
  }
  return text;
}

std::string section_text(const sweep::Section& section) {
  const std::string heading =
      section.name.empty() ? "above the first section" : fmt::format("[{}]", section.name);
  std::string text = fmt::format("\n{}  {}\n", heading, section.title);
  const auto options = section.open();
  for (const base::OptionInfo& info : options->infos()) {
    const std::string rule = info.rule.empty() ? "" : " " + info.rule;
    const std::string unit = info.unit.empty() ? "" : fmt::format(" [{}]", info.unit);
    text += fmt::format("  {} = {}\n      {}{}{}\n      {}\n", info.name, options->get(info.name),
                        info.type, rule, unit, info.meaning);
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

std::string options_text(const std::string& name) {
  std::string text;
  for (const sweep::Experiment* experiment : chosen_experiments(name)) {
    text += fmt::format("options of experiment = {}\n", experiment->name());
    text += section_text(sweep::global_section());
    for (const sweep::Section& section : experiment->sections()) text += section_text(section);
  }
  return text;
}

std::string direction_text(archive::Direction direction) {
  switch (direction) {
    case archive::Direction::minimise:
      return "minimise";
    case archive::Direction::maximise:
      return "maximise";
    case archive::Direction::none:
      break;
  }
  return "";
}

std::string metrics_text(const std::string& name) {
  std::string text;
  for (const sweep::Experiment* experiment : chosen_experiments(name)) {
    const sweep::ResultSchema schema = experiment->schema();
    Table table({"kind", "name", "unit", "better", "definition", "source"});
    const std::array<std::pair<const char*, const std::vector<archive::Quantity>*>, 4> kinds{
        {{"objective", &schema.objectives},
         {"metric", &schema.metrics},
         {"series", &schema.series},
         {"solution", &schema.solutions}}};
    for (const auto& [kind, quantities] : kinds) {
      for (const archive::Quantity& what : *quantities) {
        table.add({kind, what.name, what.unit, direction_text(what.direction), what.definition,
                   what.source});
      }
    }
    text += fmt::format("results of experiment = {}\n{}", experiment->name(), table.text());
  }
  return text;
}

struct Topic {
  const char* name;
  std::string (*text)(const std::string& experiment);
  bool takes_experiment = false;
};
constexpr std::array topics{Topic{"experiments", experiments_text}, Topic{"solvers", solvers_text},
                            Topic{"datasets", datasets_text}, Topic{"options", options_text, true},
                            Topic{"metrics", metrics_text, true}};

const Topic& find_topic(const std::string& name) {
  std::vector<std::string> names;
  for (const Topic& topic : topics) {
    if (topic.name == name) return topic;
    names.emplace_back(topic.name);
  }
  throw base::InputError(
      fmt::format("list: there is no list of '{}'{}", name, base::name_hint(name, names)));
}

base::ExitCode execute_list(const Call& call) {
  if (call.values.count("TOPIC") == 0) {
    fmt::print("{}\n{}\n{}", experiments_text({}), solvers_text({}), datasets_text({}));
    return base::ExitCode::done;
  }
  const Topic& topic = find_topic(call.values["TOPIC"].as<std::string>());
  const bool named = call.values.count("EXPERIMENT") > 0;
  if (named && !topic.takes_experiment) {
    throw base::InputError(fmt::format("list: '{}' takes no experiment", topic.name));
  }
  fmt::print("{}", topic.text(named ? call.values["EXPERIMENT"].as<std::string>() : ""));
  return base::ExitCode::done;
}

}  // namespace

Command list_command() {
  Command command;
  command.name = "list";
  command.summary = "List experiments, solvers, data sets, options or results.";
  command.arguments = {{"TOPIC", false}, {"EXPERIMENT", false}};
  command.details =
      "TOPIC is one of experiments, solvers, datasets, options, metrics; options and metrics take\n"
      "an EXPERIMENT. Without a topic: experiments, solvers and datasets.\n";
  command.execute = execute_list;
  return command;
}

}  // namespace fairfront::drivers
