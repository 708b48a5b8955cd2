#include "experiments/group_measures.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/stop.hpp"
#include "experiments/measured.hpp"
#include "metrics/by_group.hpp"

namespace fairfront::experiments {
namespace {

using metrics::Interval;
using metrics::Value;

sweep::MeasuredRows rows_of(const MeasuredGroups& groups, std::size_t group) {
  return {std::string{groups.part}, cell_of_group(groups.names[group])};
}

}  // namespace

std::string cell_of_group(const std::string& name) {
  const bool taken = name.empty() || name.front() == '\'' || name == sweep::MeasuredRows{}.group;
  return taken ? "'" + name + "'" : name;
}

base::Quantity rows_quantity() {
  return {"rows", "rows that it is measured on", "rows", base::Direction::none, ""};
}

void add_rows(sweep::TaskResult& result, const MeasuredGroups& groups,
              std::span<const std::int32_t> group) {
  const std::string name = rows_quantity().name;
  std::vector<double> counts(groups.names.size(), 0.0);
  for (const std::int32_t g : group) ++counts[static_cast<std::size_t>(g)];
  add_value(result, name, groups.part, static_cast<double>(group.size()));
  for (std::size_t g = 0; g < counts.size(); ++g) {
    add_value(result, name, rows_of(groups, g), counts[g]);
  }
}

void add_of_group(sweep::TaskResult& result, Remarks& remarks, const std::string& measure,
                  const MeasuredGroups& groups, std::size_t group, const Value& value,
                  const std::function<Interval(double level)>& interval) {
  const std::string text = text_of(measure, groups.part);
  if (!value.defined()) return remarks.add_of_group(value.undefined_reason, group, text);
  add_value(result, measure, rows_of(groups, group), value.value);
  if (!groups.level || !interval) return;
  const Interval found = interval(*groups.level);
  if (!found.defined()) {
    return remarks.add_of_group(found.undefined_reason, group, "interval of " + text);
  }
  add_interval(result, measure, rows_of(groups, group), found);
}

void add_of_groups(sweep::TaskResult& result, Remarks& remarks,
                   std::span<const metrics::Measure> measures, const metrics::Scored& scored,
                   const MeasuredGroups& groups) {
  const metrics::GroupSamples samples(scored, groups.level.has_value());
  for (const metrics::Measure& measure : measures) {
    if (!measure.of_each_group) continue;
    for (std::size_t g = 0; g < groups.names.size(); ++g) {
      base::stop_point();
      add_of_group(result, remarks, measure.what.name, groups, g,
                   value_of_group(measure, samples, g),
                   [&, g](double level) { return interval_of_group(measure, samples, g, level); });
    }
  }
}

void add_of_groups(sweep::TaskResult& result, Remarks& remarks,
                   std::span<const metrics::RandomisedMeasure> measures,
                   const metrics::AtomSums& sums, const MeasuredGroups& groups) {
  for (std::size_t g = 0; g < groups.names.size(); ++g) {
    const metrics::AtomSums of_group = sums.of_group(g);
    for (const metrics::RandomisedMeasure& measure : measures) {
      if (!measure.of_each_group) continue;
      Value value = measure.of(of_group);
      if (!value.defined()) value.undefined_reason = metrics::in_group(value.undefined_reason, g);
      add_of_group(result, remarks, measure.what.name, groups, g, value, [&, g](double level) {
        Interval interval = measure.interval(of_group, level);
        if (!interval.defined()) {
          interval.undefined_reason = metrics::in_group(interval.undefined_reason, g);
        }
        return interval;
      });
    }
  }
}

void add_makers(sweep::TaskResult& result, const std::string& measure, const MeasuredGroups& groups,
                const Value& gap) {
  for (const auto& [group, value] : gap.made_by) {
    if (group < 0) continue;
    add_value(result, measure, rows_of(groups, static_cast<std::size_t>(group)), value);
  }
}

}  // namespace fairfront::experiments
