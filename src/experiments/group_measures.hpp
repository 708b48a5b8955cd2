/// @file
/// What measures say of single groups: of each group's rows alone, and which groups make a gap.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "experiments/remarks.hpp"
#include "metrics/measure.hpp"
#include "metrics/randomised.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// The groups of a part, and whose intervals are wanted.
struct MeasuredGroups {
  std::string_view part;
  std::span<const std::string> names;
  std::optional<double> level{};  ///< of each group's intervals; none: there are none
};

/// Under which a group stands beside the group "all", which is all rows: its name, in single quotes
/// where that is empty, is "all", or begins with a quote.
[[nodiscard]] std::string cell_of_group(const std::string& name);

/// The number of rows of a part and of each group there: the measure "rows".
void add_rows(sweep::TaskResult& result, const MeasuredGroups& groups,
              std::span<const std::int32_t> group);
[[nodiscard]] base::Quantity rows_quantity();

/// Those measures that say something of one group's rows, of each group, with intervals from
/// formulas. Remarks say which are undefined and why; of intervals where they are wanted.
void add_of_groups(sweep::TaskResult& result, Remarks& remarks,
                   std::span<const metrics::Measure> measures, const metrics::Scored& scored,
                   const MeasuredGroups& groups);
/// The same of randomised predictions.
void add_of_groups(sweep::TaskResult& result, Remarks& remarks,
                   std::span<const metrics::RandomisedMeasure> measures,
                   const metrics::AtomSums& sums, const MeasuredGroups& groups);

/// What one measure says of a group's rows, which may be undefined.
void add_of_group(sweep::TaskResult& result, Remarks& remarks, const std::string& measure,
                  const MeasuredGroups& groups, std::size_t group, const metrics::Value& value,
                  const std::function<metrics::Interval(double level)>& interval);

/// The groups that make a gap, if any do.
void add_makers(sweep::TaskResult& result, const std::string& measure, const MeasuredGroups& groups,
                const metrics::Value& gap);

}  // namespace fairfront::experiments
