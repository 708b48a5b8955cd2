#include "experiments/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "base/error.hpp"
#include "data/split.hpp"

namespace fairfront::experiments {

double level_on(std::string_view part, double confidence) {
  if (part != data::name_of(data::Part::choice)) return confidence;
  if (confidence > 0.5) return 2 * confidence - 1;
  throw base::InputError(fmt::format(
      "split.choice needs intervals of a confidence above 0.5, and theirs is {}", confidence));
}

void add_value(sweep::TaskResult& result, const std::string& measure,
               const sweep::MeasuredRows& rows, double value) {
  if (std::isnan(value)) return;
  sweep::Measured& found = result.measured[measure][rows];
  found.value = value;
  close_around_value(found);
}

void close_around_value(sweep::Measured& measured) {
  if (!std::isfinite(measured.value)) return;
  constexpr double of_one = 8 * std::numeric_limits<double>::epsilon();
  const double rounding = of_one * std::max(1.0, std::abs(measured.value));
  const auto misses_by_rounding = [&](double beyond) { return beyond > 0 && beyond <= rounding; };
  if (misses_by_rounding(measured.low - measured.value)) measured.low = measured.value;
  if (misses_by_rounding(measured.value - measured.high)) measured.high = measured.value;
}

void add_value(sweep::TaskResult& result, const std::string& measure, std::string_view part,
               double value) {
  add_value(result, measure, sweep::MeasuredRows{std::string{part}}, value);
}

void add_interval(sweep::TaskResult& result, const std::string& measure, std::string_view part,
                  const metrics::Interval& interval) {
  add_interval(result, measure, sweep::MeasuredRows{std::string{part}}, interval);
}

void add_interval(sweep::TaskResult& result, const std::string& measure,
                  const sweep::MeasuredRows& rows, const metrics::Interval& interval) {
  if (!interval.defined()) return;
  sweep::Measured& found = result.measured[measure][rows];
  found.low = interval.low;
  found.high = interval.high;
  close_around_value(found);
}

void add_groups(sweep::TaskResult& result, const std::string& measure, std::string_view part,
                const metrics::GroupEstimates& estimates, std::span<const std::string> names,
                double confidence) {
  const bool clash = std::ranges::count(names, results::MeasuredRows{}.group) > 0;
  if (!estimates.missing.empty() || clash) return;
  for (std::size_t g = 0; g < names.size(); ++g) {
    const metrics::Limits limits = metrics::limits_of(estimates.of_group[g], 1 - confidence);
    result.measured[measure][{std::string{part}, names[g]}] = {limits.value, limits.low(),
                                                               limits.high()};
  }
}

void add_groups(sweep::TaskResult& result, const metrics::Measure& measure, std::string_view part,
                const metrics::Scored& scored, std::span<const std::string> names,
                double confidence) {
  if (measure.of_groups == nullptr) return;
  add_groups(result, measure.what.name, part, measure.of_groups(scored), names, confidence);
}

double value_of(const sweep::TaskResult& result, const std::string& measure,
                std::string_view part) {
  const auto by_rows = result.measured.find(measure);
  if (by_rows == result.measured.end()) return sweep::Measured{}.value;
  const auto found = by_rows->second.find({std::string{part}});
  return found == by_rows->second.end() ? sweep::Measured{}.value : found->second.value;
}

std::vector<double> only_vector(const results::Findings& findings, const std::string& name) {
  const auto found = findings.solutions.find(name);
  const bool one = found != findings.solutions.end() && found->second.size() == 1;
  const auto* values = one ? std::get_if<std::vector<double>>(&found->second.front()) : nullptr;
  if (values == nullptr) {
    throw base::DamagedError(fmt::format("a task has not one solution '{}' of real numbers", name));
  }
  return *values;
}

std::vector<sweep::MeasuredQuantity> measured_on(std::span<const std::string_view> parts,
                                                 std::span<const metrics::Measure> measures) {
  const std::vector<std::string> names(parts.begin(), parts.end());
  std::vector<sweep::MeasuredQuantity> columns;
  for (const metrics::Measure& measure : measures) {
    columns.push_back(
        {measure.what, names,
         measure.of_each_group ? results::AtGroups::own : results::AtGroups::made_by});
  }
  return columns;
}

std::string text_of(std::string_view measure, std::string_view part) {
  return fmt::format("{} ({})", measure, part);
}

bool goes_by_order(const metrics::Measure& measure) {
  return std::ranges::any_of(metrics::ranking(), [&](const metrics::Measure& of_aucs) {
    return of_aucs.what.name == measure.what.name;
  });
}

}  // namespace fairfront::experiments
