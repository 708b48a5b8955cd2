#include "config/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/plain_text.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "config/option_values.hpp"

namespace fairfront::config {
namespace {

using base::fail;

const std::string experiment_key = "experiment";

std::string full_name(const std::string& section, const std::string& option) {
  return section.empty() ? option : section + "." + option;
}

/// Options of the experiment-wide section.
struct GlobalOptions {
  std::int64_t seed = 1;
};

base::OptionTable options_of(GlobalOptions& options) {
  base::OptionTable table("config");
  table.add("seed", options.seed, base::at_least<std::int64_t>(0), "",
            "All random numbers come from this seed; several seeds repeat every run.");
  table.assign_role(base::Role::replicate, {"seed"});
  return table;
}

const TextEntry* find_experiment_entry(const ConfigText& text) {
  const auto names_it = [](const TextEntry& entry) {
    return entry.section.empty() && entry.key == experiment_key;
  };
  const auto last = std::find_if(text.overrides.rbegin(), text.overrides.rend(), names_it);
  if (last != text.overrides.rend()) return &*last;
  const auto found = std::find_if(text.entries.begin(), text.entries.end(), names_it);
  return found == text.entries.end() ? nullptr : &*found;
}

template <class Value>
bool is_in(const std::vector<Value>& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// One section of the config that takes part, and its options' place in Config::options.
struct UsedSection {
  Section section;
  std::size_t first = 0;
};

/// Turns a ConfigText into a Config.
class Resolver {
 public:
  Resolver(const ConfigText& text, const std::string& experiment, std::vector<Section> sections)
      : text_{text}, sections_{std::move(sections)} {
    config_.file = text.file;
    config_.experiment = experiment;
  }

  Config resolve() {
    use_sections();
    for (const TextEntry& entry : text_.entries) assign(entry, false);
    for (const TextEntry& entry : text_.overrides) assign(entry, true);
    take_first_values();
    for (const std::size_t index : assigned_) {
      if (config_.options[index].is_axis()) config_.axes.push_back(index);
    }
    for (std::size_t i = 0; i < config_.options.size(); ++i) {
      if (!config_.options[i].is_axis() && is_another_problem(i)) config_.axes.push_back(i);
    }
    return std::move(config_);
  }

 private:
  void use_sections() {
    use(global_section());
    for (const Section& section : sections_) {
      if (!section.is_method) use(section);
    }
    for (const TextSection& written : text_.sections) use_written(written);
    if (config_.methods.empty()) {
      fail(text_.file, fmt::format("no method takes part: add the section of at least one (valid: "
                                   "{})",
                                   base::join(section_names(true), ", ")));
    }
  }

  void use_written(const TextSection& written) {
    const Section* section = find_section(written.name);
    if (section == nullptr) {
      fail(written.where, fmt::format("experiment '{}' has no section [{}]{}", config_.experiment,
                                      base::excerpt(written.name),
                                      base::name_hint(written.name, section_names(false))));
    }
    if (!section->is_method) return;
    use(*section);
    config_.methods.push_back(section->name);
  }

  void use(const Section& section) {
    used_.push_back({section, config_.options.size()});
    const auto table = section.open();
    for (base::OptionInfo& info : table->infos()) {
      const std::string value = table->get(info.name);
      const base::Role role = role_of(section, info);
      config_.options.push_back({section.name, std::move(info), {value}, role, value});
    }
  }

  void assign(const TextEntry& entry, bool override_earlier) {
    if (entry.section.empty() && entry.key == experiment_key) return;
    const std::size_t index =
        entry.section.empty() ? find_top_level(entry) : find_in_section(entry);
    ConfigOption& option = config_.options[index];
    warn_of_former_name(entry, option);
    const bool again = is_in(assigned_, index);
    if (again && !override_earlier) {
      fail(entry.where,
           fmt::format("'{}' occurs twice, first at {}", option.name(), option.origin));
    }
    if (!again) assigned_.push_back(index);
    option.values = values_of(entry, option);
    option.origin = entry.where;
  }

  void take_first_values() {
    for (std::size_t i = 0; i < config_.options.size(); ++i) {
      ConfigOption& option = config_.options[i];
      if (!option.info.unless_set || is_in(assigned_, i)) continue;
      const base::FirstValue& first = *option.info.unless_set;
      if (!is_in(config_.methods, first.method)) continue;
      const auto other = find_option(option.section, first.option);
      option.values = {config_.options[other.value()].values.front()};
    }
  }

  /// Whether another method's option of this name, which changes the problem, has other values.
  bool is_another_problem(std::size_t index) const {
    const ConfigOption& option = config_.options[index];
    if (option.role != base::Role::problem || !is_in(config_.methods, option.section)) return false;
    return std::any_of(
        config_.options.begin(), config_.options.end(), [&](const ConfigOption& other) {
          return other.info.name == option.info.name && other.role == base::Role::problem &&
                 is_in(config_.methods, other.section) && other.values != option.values;
        });
  }

  void warn_of_former_name(const TextEntry& entry, const ConfigOption& option) {
    const std::string written = full_name(entry.section, entry.key);
    if (written == option.name() || written == option.info.name) return;
    config_.warnings.push_back(
        fmt::format("{}: '{}' is now called '{}'; the former name is accepted in this version",
                    entry.where, written, option.name()));
  }

  std::vector<std::string> values_of(const TextEntry& entry, const ConfigOption& option) const {
    const auto table = used_section(option.section)->section.open();
    try {
      return read_values(*table, option.info, entry.value);
    } catch (const base::InputError& broken) {
      fail(entry.where, broken.what());
    }
  }

  std::size_t find_in_section(const TextEntry& entry) const {
    if (const auto index = find_option(entry.section, entry.key)) return *index;
    fail(entry.where,
         fmt::format("section [{}] has no option '{}'{}", entry.section, base::excerpt(entry.key),
                     base::name_hint(entry.key, option_names(entry.section))));
  }

  /// A key above the sections or of --set: "seed", "section.option", or an option's bare name.
  std::size_t find_top_level(const TextEntry& entry) const {
    if (const auto global = find_option("", entry.key)) return *global;
    const auto dot = entry.key.find('.');
    if (dot != std::string::npos) {
      return find_dotted(entry, entry.key.substr(0, dot), entry.key.substr(dot + 1));
    }
    std::vector<std::size_t> found;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < config_.options.size(); ++i) {
      if (!config_.options[i].info.is_called(entry.key)) continue;
      found.push_back(i);
      names.push_back(config_.options[i].name());
    }
    if (found.size() == 1) return found[0];
    if (found.empty()) fail(entry.where, unknown_key(entry.key));
    fail(entry.where, fmt::format("'{}' is ambiguous: write one of {}", base::excerpt(entry.key),
                                  base::join(names, ", ")));
  }

  std::size_t find_dotted(const TextEntry& entry, const std::string& section,
                          const std::string& key) const {
    if (find_section(section) == nullptr) {
      fail(entry.where,
           fmt::format("experiment '{}' has no section [{}]{}", config_.experiment,
                       base::excerpt(section), base::name_hint(section, section_names(false))));
    }
    if (used_section(section) == nullptr) {
      fail(entry.where, fmt::format("[{0}] does not take part in this config; write the section "
                                    "[{0}] into it",
                                    section));
    }
    return find_in_section({section, key, entry.value, entry.where});
  }

  std::string unknown_key(const std::string& key) const {
    for (const Section& section : sections_) {
      if (used_section(section.name) != nullptr || !section.open()->has(key)) continue;
      return fmt::format("'{}' is an option of [{}], which this config does not use",
                         base::excerpt(key), section.name);
    }
    std::vector<std::string> names{experiment_key};
    for (const ConfigOption& option : config_.options) names.push_back(option.info.name);
    return fmt::format("no option '{}'{}", base::excerpt(key), base::name_hint(key, names));
  }

  const UsedSection* used_section(const std::string& name) const {
    const auto found = std::find_if(used_.begin(), used_.end(), [&](const UsedSection& used) {
      return used.section.name == name;
    });
    return found == used_.end() ? nullptr : &*found;
  }

  const Section* find_section(const std::string& name) const {
    const auto found = std::find_if(sections_.begin(), sections_.end(),
                                    [&](const Section& section) { return section.name == name; });
    return found == sections_.end() ? nullptr : &*found;
  }

  std::optional<std::size_t> find_option(const std::string& section, const std::string& key) const {
    for (std::size_t i = 0; i < config_.options.size(); ++i) {
      const ConfigOption& option = config_.options[i];
      if (option.section == section && option.info.is_called(key)) return i;
    }
    for (std::size_t i = 0; !section.empty() && i < config_.options.size(); ++i) {
      // It may have been in that section in earlier versions.
      if (config_.options[i].info.is_called(full_name(section, key))) return i;
    }
    return std::nullopt;
  }

  std::vector<std::string> option_names(const std::string& section) const {
    std::vector<std::string> names;
    for (const ConfigOption& option : config_.options) {
      if (option.section == section) names.push_back(option.info.name);
    }
    return names;
  }

  std::vector<std::string> section_names(bool methods_only) const {
    std::vector<std::string> names;
    for (const Section& section : sections_) {
      if (section.is_method || !methods_only) names.push_back(section.name);
    }
    return names;
  }

  const ConfigText& text_;
  std::vector<Section> sections_;  ///< of the experiment
  std::vector<UsedSection> used_;
  std::vector<std::size_t> assigned_;  ///< options in the order in which the file sets them
  Config config_;
};

}  // namespace

std::string ConfigOption::name() const { return full_name(section, info.name); }
std::string ConfigOption::text() const { return write_values(info, values); }

Section global_section() {
  return make_section<GlobalOptions>(
      {.title = "Options of every experiment, above the first section"});
}

std::size_t choose_experiment(const ConfigText& text, std::span<const std::string> names) {
  const TextEntry* entry = find_experiment_entry(text);
  if (entry == nullptr) {
    fail(text.file, fmt::format("no experiment is named: write 'experiment = ...' above the first "
                                "section (valid: {})",
                                base::join(names, ", ")));
  }
  const auto found = std::find(names.begin(), names.end(), entry->value);
  if (found == names.end()) {
    fail(entry->where,
         fmt::format("experiment = '{}': there is no such experiment{}",
                     base::excerpt(entry->value), base::name_hint(entry->value, names)));
  }
  return static_cast<std::size_t>(found - names.begin());
}

Config resolve(const ConfigText& text, const std::string& experiment,
               std::vector<Section> sections) {
  return Resolver(text, experiment, std::move(sections)).resolve();
}

std::string place_of(const Config& config, std::string_view message) {
  const auto belongs_to_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '/';
  };
  // The first place in the message where `name` stands as a word, with `behind` behind it.
  const auto find = [&](const std::string& name, std::string_view behind) {
    for (auto at = message.find(name); at != message.npos; at = message.find(name, at + 1)) {
      const std::string_view rest = message.substr(at + name.size());
      const bool begins = at == 0 || !belongs_to_word(message[at - 1]);
      const bool ends = rest.empty() || !(belongs_to_word(rest[0]) && rest[0] != '.');
      if (begins && ends && rest.starts_with(behind)) return at;
    }
    return message.npos;
  };
  const ConfigOption* named = nullptr;
  auto first = message.npos;
  for (const bool in_full : {true, false}) {
    for (const ConfigOption& option : config.options) {
      auto at = find(option.name(), "");
      if (in_full && !option.section.empty()) {
        at = std::min(at, find(option.section + "::" + option.info.name, ""));
      }
      if (!in_full) at = find(option.info.name, " = ");
      const bool set = option.origin != "default";
      if (at > first || (at == first && !set) || at == message.npos) continue;
      first = at;
      named = &option;
    }
    if (named != nullptr) break;
  }
  return named == nullptr || named->origin == "default" ? config.file : named->origin;
}

std::vector<results::ConfigEntry> config_entries(const Config& config) {
  std::vector<results::ConfigEntry> entries{{"", experiment_key, config.experiment}};
  for (const ConfigOption& option : config.options) {
    entries.push_back({option.section, option.info.name, option.text()});
  }
  return entries;
}

std::string to_text(const Config& config) {
  std::string text;
  std::string section;
  for (const results::ConfigEntry& entry : config_entries(config)) {
    if (entry.section != section) text += fmt::format("\n[{}]\n", entry.section);
    section = entry.section;
    text += fmt::format("{} = {}\n", entry.key, entry.value);
  }
  return text;
}

}  // namespace fairfront::config
