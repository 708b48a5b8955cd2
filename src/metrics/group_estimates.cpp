#include "metrics/group_estimates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fairfront::metrics {
namespace {

/// Why a mean has no limits, or "".
/// @param where  " in group 2", or nothing.
std::string missing_limits(const Moments& moments, Law law, const std::string& where) {
  if (moments.rows == 0) return "no row" + where;
  if (law == Law::proportion) return {};
  if (!std::isfinite(moments.mean)) return "an infinite value" + where;
  if (moments.rows < 2) return "a single row" + where;
  if (moments.squares == 0) {
    return fmt::format("the same value in all rows{}, from which nothing bounds the mean", where);
  }
  return {};
}

/// @param expected  of the same values; null: nothing is known but them.
Estimate estimate_of(const Moments& moments, Law law, const ExpectedLoss* expected) {
  const double error = moments.standard_error();
  const double raised =
      expected != nullptr ? std::sqrt(raised_squared_error(moments, *expected)) : error;
  if (law == Law::proportion) return bounded_mean(moments.mean, moments.rows, raised);
  Estimate estimate{moments.mean, law, moments.rows, error, 0};
  if (expected == nullptr) return estimate;
  estimate.error_above = raised;
  estimate.mean_above = raised_mean(moments, *expected);
  return estimate;
}

/// @param pairs  whether two groups are needed.
template <class IntervalOf>
Interval of_estimates(const GroupEstimates& estimates, bool pairs, IntervalOf interval_of) {
  if (!estimates.missing.empty()) return {.undefined_reason = estimates.missing};
  if (pairs) {
    std::string reason = missing_pair(std::ssize(estimates.of_group));
    if (!reason.empty()) return {.undefined_reason = std::move(reason)};
  }
  Interval interval = interval_of(estimates.of_group);
  if (!interval.defined()) return interval;
  interval.low = std::max(0.0, interval.low);
  interval.high = std::min(estimates.most, interval.high);
  return interval;
}

}  // namespace

GroupEstimates mean_estimates(std::span<const Moments> of_group, Law law,
                              std::span<const ExpectedLoss> expected) {
  GroupEstimates estimates;
  for (std::size_t g = 0; g < of_group.size(); ++g) {
    std::string reason = missing_limits(of_group[g], law, fmt::format(" in group {}", g));
    if (!reason.empty()) return {{}, std::move(reason)};
    estimates.of_group.push_back(
        estimate_of(of_group[g], law, expected.empty() ? nullptr : &expected[g]));
  }
  return estimates;
}

GroupEstimates mean_estimates(std::span<const double> values, std::span<const std::int32_t> group,
                              std::int64_t groups, Law law) {
  std::vector<Moments> of_group(static_cast<std::size_t>(groups));
  for (std::size_t i = 0; i < values.size(); ++i) {
    of_group[static_cast<std::size_t>(group[i])].add(values[i]);
  }
  return mean_estimates(of_group, law);
}

Interval mean_interval(const Moments& moments, Law law, double level,
                       const ExpectedLoss* expected) {
  std::string reason = missing_limits(moments, law, "");
  if (!reason.empty()) return {.undefined_reason = std::move(reason)};
  const Limits limits = limits_of(estimate_of(moments, law, expected), (1 - level) / 2);
  const double low = limits.low();
  return {law == Law::mean ? low : std::max(0.0, low), limits.high(), {}};
}

Interval gap_interval(const GroupEstimates& estimates, double level) {
  return of_estimates(estimates, true, [&](const std::vector<Estimate>& of_group) {
    return interval_of_largest(differences(of_group), level);
  });
}

Interval ratio_interval(const GroupEstimates& estimates, double level) {
  return of_estimates(estimates, true, [&](const std::vector<Estimate>& of_group) -> Interval {
    const bool none = std::ranges::all_of(of_group, [](const Estimate& e) { return e.value == 0; });
    if (none) return {.undefined_reason = "the rate is 0 in every group"};
    Interval interval = interval_of_smallest(negative_ratios(of_group), level);
    interval.high = std::min(1.0, interval.high);
    return interval;
  });
}

Interval largest_interval(const GroupEstimates& estimates, double level) {
  return of_estimates(estimates, false, [&](const std::vector<Estimate>& of_group) {
    return interval_of_largest(values(of_group), level);
  });
}

Interval smallest_interval(const GroupEstimates& estimates, double level) {
  return of_estimates(estimates, false, [&](const std::vector<Estimate>& of_group) {
    return interval_of_smallest(negative_values(of_group), level);
  });
}

}  // namespace fairfront::metrics
