/// @file
/// What measures say of the parts of a task's rows, put into its result under their names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/group_estimates.hpp"
#include "metrics/measure.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// Of intervals on a part: their confidence, but that of each end alone on the part that certifies
/// choices, whose bounds are one-sided. @throws base::InputError  that is none, of 0.5 and less.
[[nodiscard]] double level_on(std::string_view part, double confidence);

/// A value that is NaN is not known, and left out.
void add_value(sweep::TaskResult& result, const std::string& measure,
               const sweep::MeasuredRows& rows, double value);
/// Of all rows of a part.
void add_value(sweep::TaskResult& result, const std::string& measure, std::string_view part,
               double value);

/// Ends of an interval come from other sums than its value: one that misses it by rounding alone is
/// moved there, as an estimate lies inside. (Percentiles of the bootstrap may miss it by more.)
void close_around_value(sweep::Measured& measured);

/// One that is undefined is left out.
void add_interval(sweep::TaskResult& result, const std::string& measure,
                  const sweep::MeasuredRows& rows, const metrics::Interval& interval);
/// Of all rows of a part.
void add_interval(sweep::TaskResult& result, const std::string& measure, std::string_view part,
                  const metrics::Interval& interval);

/// What the groups' numbers are of which a measure is the largest difference, with limits as those
/// of the part `choice` have, each end of the confidence by itself. Nothing where the measure is
/// none, a group has no number, or is called as all rows together are. From them follows how many
/// rows a proof takes.
void add_groups(sweep::TaskResult& result, const metrics::Measure& measure, std::string_view part,
                const metrics::Scored& scored, std::span<const std::string> names,
                double confidence);
/// The same of estimates of every group.
void add_groups(sweep::TaskResult& result, const std::string& measure, std::string_view part,
                const metrics::GroupEstimates& estimates, std::span<const std::string> names,
                double confidence);

/// Of all rows of a part; NaN where it is not known.
[[nodiscard]] double value_of(const sweep::TaskResult& result, const std::string& measure,
                              std::string_view part);

/// The solution of that name of a task that has one of it.
/// @throws base::DamagedError  it has none, or several, or its values are no real numbers.
[[nodiscard]] std::vector<double> only_vector(const results::Findings& findings,
                                              const std::string& name);

/// The columns of measures that are taken on the same parts.
[[nodiscard]] std::vector<sweep::MeasuredQuantity> measured_on(
    std::span<const std::string_view> parts, std::span<const metrics::Measure> measures);

/// As messages name it: "error (test)".
[[nodiscard]] std::string text_of(std::string_view measure, std::string_view part);

/// Whether the measure is of AUCs, to which the order of the scores is all: there are scores beyond
/// which all probabilities are 1. Distances are of the values themselves.
[[nodiscard]] bool goes_by_order(const metrics::Measure& measure);

}  // namespace fairfront::experiments
