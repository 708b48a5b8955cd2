#include "sweep/idle_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fairfront::sweep {
namespace {

std::string_view value_in(const Task& task, const std::string& option) {
  return option == "method" ? task.method : task.values.at(option);
}

std::string prefix_of(const config::OptionCondition& of_section) {
  return of_section.option.substr(0, of_section.option.size() - 1);
}

/// Whether it is of one of these options.
bool concerns(const config::OptionCondition& of, const std::set<std::string>& options) {
  if (!of.is_of_section()) return options.contains(of.option);
  const std::string prefix = prefix_of(of);
  const auto first = options.lower_bound(prefix);
  return first != options.end() && first->starts_with(prefix);
}

IdleOption idle_option(const config::OptionCondition& of, const Task& task) {
  const base::Condition& condition = of.condition;
  std::string why = of.why;
  if (const auto at = why.find("{}"); at != why.npos) {
    why.replace(at, 2, value_in(task, condition.tests().front()->options.front()));
  }
  return {of.option, std::move(why), condition.is_one_value ? "set " + condition.text() : ""};
}

/// Options that the config sets and that change nothing for any task of a method.
class IdleOptions {
 public:
  IdleOptions(const Experiment& experiment, const Plan& plan)
      : conditions_{config::conditions_of(experiment.sections())}, plan_{plan} {
    for (const config::ConfigOption& option : plan_.config().options) {
      if (is_meant(option)) meant_.insert(option.name());
    }
    std::erase_if(conditions_, [&](const auto& of) { return !concerns(of, meant_); });
    if (conditions_.empty()) return;
    std::map<std::string, std::unordered_set<std::int64_t>> seen;  // a million seeds ask once
    TaskWalk walk(plan);
    for (std::int64_t i = 0; i < plan.num_tasks(); ++i) {
      const Task& task = walk.task(i);
      const auto known = idle_.find(task.method);
      if (known != idle_.end() && known->second.empty()) continue;
      if (!seen[task.method].insert(plan.place_without_seed(i)).second) continue;
      if (known == idle_.end()) {
        idle_[task.method] = of_task(task);
      } else {
        keep_common(known->second, of_task(task));
      }
    }
  }

  /// @throws base::InputError  an axis changes nothing for any method that has it.
  [[nodiscard]] std::vector<std::string> warnings() const {
    std::vector<Reason> reasons;  // in the order of the config
    std::map<Reason, std::vector<const config::ConfigOption*>> options;
    for (const config::ConfigOption& option : plan_.config().options) {
      const auto reason = is_meant(option) ? why_idle(option) : std::nullopt;
      if (!reason) continue;
      if (options[*reason].empty()) reasons.push_back(*reason);
      options[*reason].push_back(&option);
    }
    std::vector<std::string> texts;
    for (const Reason& reason : reasons) texts.push_back(text(options[reason], reason));
    return texts;
  }

 private:
  struct Reason {
    std::string why;
    std::string remedy;
    auto operator<=>(const Reason&) const = default;
  };
  using Reasons = std::map<std::string, Reason>;  ///< by option

  static bool is_meant(const config::ConfigOption& option) {
    return option.origin != "default" &&
           (option.is_axis() || option.values.front() != option.standard);
  }

  [[nodiscard]] Reasons of_task(const Task& task) const {
    Reasons reasons;
    for (IdleOption& option : idle_options(conditions_, task)) {
      if (!meant_.contains(option.name)) continue;
      reasons[option.name] = {std::move(option.why), std::move(option.remedy)};
    }
    return reasons;
  }

  static void keep_common(Reasons& all, const Reasons& of_other) {
    std::erase_if(all, [&](const auto& reason) { return !of_other.contains(reason.first); });
  }

  /// Why the option changes nothing for one of the methods that have it.
  /// @throws base::InputError  for none of them, and it is an axis.
  [[nodiscard]] std::optional<Reason> why_idle(const config::ConfigOption& option) const {
    std::optional<Reason> why;
    std::size_t concerned = 0;
    std::size_t idle = 0;
    for (const auto& [method, reasons] : idle_) {
      const bool of_other = std::ranges::find(plan_.config().methods, option.section) !=
                                plan_.config().methods.end() &&
                            option.section != method;
      if (of_other) continue;
      ++concerned;
      const auto reason = reasons.find(option.name());
      if (reason == reasons.end()) continue;
      ++idle;
      why = reason->second;
    }
    if (idle == 0 || (idle < concerned && !option.is_axis())) return std::nullopt;
    if (idle == concerned && option.is_axis()) {
      throw base::InputError(fmt::format("{}: {} has {} values, which change nothing: {}",
                                         option.origin, option.name(), option.values.size(),
                                         why->why));
    }
    return why;
  }

  static std::string text(const std::vector<const config::ConfigOption*>& options,
                          const Reason& reason) {
    std::vector<std::string> names;
    for (const config::ConfigOption* option : options) names.push_back(option->name());
    const std::string what = base::join(names, ", ");
    const char* ending = names.size() == 1 ? "s" : "";
    if (reason.remedy.empty()) {
      return fmt::format("{}: {} change{} nothing: {}", options.front()->origin, what, ending,
                         reason.why);
    }
    return fmt::format("{}: {}, or leave out {}, which change{} nothing: {}",
                       options.front()->origin, reason.remedy, what, ending, reason.why);
  }

  std::vector<config::OptionCondition> conditions_;  ///< of what is meant
  const Plan& plan_;
  std::set<std::string> meant_;          ///< options that the config sets to something
  std::map<std::string, Reasons> idle_;  ///< of every method
};

}  // namespace

std::vector<IdleOption> idle_options(const std::vector<config::OptionCondition>& conditions,
                                     const Task& task) {
  std::map<std::string, IdleOption> idle;  // the first reason counts
  const auto value_of = [&](const std::string& option) { return value_in(task, option); };
  for (const config::OptionCondition& of : conditions) {
    if ((of.of_method && of.section != task.method) || of.condition.holds(value_of)) continue;
    IdleOption option = idle_option(of, task);
    if (!of.is_of_section()) {
      idle.try_emplace(of.option, std::move(option));
      continue;
    }
    const std::string prefix = prefix_of(of);
    for (auto value = task.values.lower_bound(prefix);
         value != task.values.end() && value->first.starts_with(prefix); ++value) {
      option.name = value->first;
      idle.try_emplace(option.name, option);
    }
  }
  std::vector<IdleOption> all;
  for (auto& [name, option] : idle) all.push_back(std::move(option));
  return all;
}

std::optional<std::string> why_idle(const std::vector<config::OptionCondition>& conditions,
                                    const Task& task, const std::string& option) {
  for (IdleOption& idle : idle_options(conditions, task)) {
    if (idle.name == option) return std::move(idle.why);
  }
  return std::nullopt;
}

std::vector<std::string> warnings_of_idle_options(const Experiment& experiment, const Plan& plan) {
  return IdleOptions(experiment, plan).warnings();
}

}  // namespace fairfront::sweep
