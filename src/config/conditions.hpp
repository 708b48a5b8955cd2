/// @file
/// Where the options of an experiment matter: what the tables of its sections declare.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/condition.hpp"
#include "config/section.hpp"

namespace fairfront::config {

/// What a section says of one option, or of all of a section, in names of the whole config.
struct OptionCondition {
  std::string section;     ///< that says it
  bool of_method = false;  ///< it says it of its own tasks alone
  std::string option;      ///< "section.option", "seed", or "section.*"
  base::Condition condition;
  std::string why;  ///< see base::OnlyIf

  [[nodiscard]] bool is_of_section() const { return option.ends_with(".*"); }
};

/// In the order of the sections; those come first that never hold, as nothing helps there, then
/// those of whole sections, as they say more.
/// @param sections  of an experiment.
[[nodiscard]] std::vector<OptionCondition> conditions_of(std::span<const Section> sections);

/// Adds to what the table of a section declares: see base::OptionTable::only_if().
void add_condition(Section& section, base::OnlyIf condition);

}  // namespace fairfront::config
