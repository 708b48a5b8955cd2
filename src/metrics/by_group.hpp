/// @file
/// The rows of every group apart, so that a measure of rows is one of each group, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "metrics/measure.hpp"
#include "metrics/ordered_sample.hpp"

namespace fairfront::metrics {

/// A sample taken apart by its groups; the rows of each are in the order of the sample.
class GroupSamples {
 public:
  /// O(n). The sample need not outlive it. Rows that it has in order are not sorted again.
  /// @param intervals  will be asked for, see OrderedSample.
  explicit GroupSamples(const Scored& scored, bool intervals = false);

  [[nodiscard]] std::int64_t groups() const noexcept { return std::ssize(first_) - 1; }
  /// The rows of a group, maybe none, as a sample of one group. Valid as long as this is.
  [[nodiscard]] Scored of(std::size_t group) const;

 private:
  [[nodiscard]] Scored rows_of(std::size_t group) const;
  void take_order(const Scored& scored);

  std::vector<std::size_t> first_;  ///< of every group's rows, and behind the last
  std::vector<double> score_, label_, decided_;
  std::vector<std::int32_t> group_;  ///< 0 for all: each is a group alone
  double threshold_;
  std::string_view no_probability_;
  std::vector<OrderedSample> ordered_;  ///< of every group
};

/// What a measure says of a group's rows alone. @param measure  with Measure::of_each_group.
[[nodiscard]] Value value_of_group(const Measure& measure, const GroupSamples& samples,
                                   std::size_t group);
/// Its interval, at a level in (0, 1) that is that of this group alone. Undefined, with the reason,
/// as Measure::interval.
[[nodiscard]] Interval interval_of_group(const Measure& measure, const GroupSamples& samples,
                                         std::size_t group, double level);

/// Reasons speak of the groups by number: "no row with label 1 in group 2".
[[nodiscard]] std::string in_group(const std::string& reason, std::size_t group);

}  // namespace fairfront::metrics
