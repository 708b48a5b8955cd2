#include "config/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/condition.hpp"

namespace fairfront::config {

std::vector<OptionCondition> conditions_of(std::span<const Section> sections) {
  std::vector<OptionCondition> all;
  for (const Section& section : sections) {
    const auto table = section.open();
    const auto in_full = [&](const std::string& name) {
      return table->has(name) ? fmt::format("{}.{}", section.name, name) : name;
    };
    for (const base::OnlyIf& only_if : table->conditions()) {
      for (const std::string& option : only_if.options) {
        all.push_back({section.name, section.is_method, in_full(option),
                       only_if.condition.renamed(in_full), only_if.why});
      }
    }
  }
  const auto weight = [](const OptionCondition& of) {
    return of.condition.tests().empty() ? 0 : of.is_of_section() ? 1 : 2;
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto& left, const auto& right) {
    return weight(left) < weight(right);
  });
  return all;
}

void add_condition(Section& section, base::OnlyIf condition) {
  section.open = [open = std::move(section.open), condition = std::move(condition)] {
    std::shared_ptr<base::OptionTable> table = open();
    table->only_if(condition.options, condition.condition, condition.why);
    return table;
  };
}

}  // namespace fairfront::config
