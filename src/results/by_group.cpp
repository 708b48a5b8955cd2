#include "results/by_group.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "results/measure_cells.hpp"

namespace fairfront::results {
namespace {

constexpr std::string_view rows_of_group = "rows";

bool is_of_all(const std::string& group) { return group == MeasuredRows{}.group; }

bool has_groups(const Measure& measure) { return !std::ranges::all_of(measure.groups, is_of_all); }

/// Counts stand in front.
int place_of(const Measure* measure) {
  if (measure->what.name == rows_of_group) return 0;
  return measure->what.name == "base_rate" ? 1 : 2;
}

void add_new(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

}  // namespace

std::vector<std::string> parts_with_groups(const Content& content) {
  std::vector<std::string> parts;
  for (const Measure& measure : content.measures) {
    if (!has_groups(measure)) continue;
    for (const std::string& part : measure.parts) add_new(parts, part);
  }
  return parts;
}

std::vector<const Measure*> group_columns(const Content& content) {
  std::vector<const Measure*> columns;
  for (const Measure& measure : content.measures) {
    if (measure.at_groups == AtGroups::own && has_groups(measure)) columns.push_back(&measure);
  }
  std::ranges::stable_sort(columns, {}, place_of);
  return columns;
}

Measured measured_of(const Measure& measure, std::size_t task, const MeasuredRows& rows) {
  const auto part = std::ranges::find(measure.parts, rows.part);
  const auto group = std::ranges::find(measure.groups, rows.group);
  if (part == measure.parts.end() || group == measure.groups.end()) return {};
  const auto cell = static_cast<std::size_t>(part - measure.parts.begin()) * measure.groups.size() +
                    static_cast<std::size_t>(group - measure.groups.begin());
  return measured_at(measure, task, cell);
}

std::vector<std::string> known_groups(const std::vector<const Measure*>& columns, std::size_t task,
                                      const std::string& part) {
  std::vector<std::string> groups;
  for (const Measure* measure : columns) {
    for (const std::string& group : measure->groups) {
      if (!is_of_all(group) && measured_of(*measure, task, {part, group}).known()) {
        add_new(groups, group);
      }
    }
  }
  if (!groups.empty()) groups.insert(groups.begin(), MeasuredRows{}.group);
  return groups;
}

bool has_few_rows(const std::vector<const Measure*>& columns, std::size_t task,
                  const std::string& part, const std::string& group) {
  return std::ranges::any_of(columns, [&](const Measure* measure) {
    return measure->what.name == rows_of_group &&
           measured_of(*measure, task, {part, group}).value < few_rows;
  });
}

std::vector<MadeGap> made_gaps(const Content& content, std::size_t task, const std::string& part) {
  std::vector<MadeGap> gaps;
  for (const Measure& measure : content.measures) {
    if (measure.at_groups != AtGroups::made_by) continue;
    MadeGap gap{&measure, measured_of(measure, task, {.part = part}), {}};
    for (const std::string& group : measure.groups) {
      const Measured found = measured_of(measure, task, {part, group});
      const bool makes = !std::isnan(found.value) && std::isnan(found.low);
      if (!is_of_all(group) && makes) gap.made_by.emplace_back(group, found.value);
    }
    if (gap.made_by.empty()) continue;
    std::ranges::stable_sort(gap.made_by, std::ranges::greater{},
                             &std::pair<std::string, double>::second);
    gaps.push_back(std::move(gap));
  }
  return gaps;
}

}  // namespace fairfront::results
