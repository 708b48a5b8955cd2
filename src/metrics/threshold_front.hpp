/// @file
/// What one threshold per group can reach: the exact front of error against unfairness.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// The second objective, over all groups.
enum class ThresholdGap {
  demographic_parity,  ///< largest less smallest share decided 1 of a group
  equalised_odds,      ///< the larger of that of true and that of false positive rates
};

struct ThresholdFrontOptions {
  /// Thresholds tried in a group: 0 for all, which is exact. Otherwise so many, at least 2, about
  /// evenly spaced by rank with both ends, and the one of least error: every point of the front can
  /// then be reached, but a better one may be missed. More of them have all those of fewer, so that
  /// no point of the front with fewer is better.
  std::int64_t thresholds_per_group = 0;
  /// Steps of the search, each some nanoseconds, after which it gives up.
  std::int64_t max_steps = 5'000'000'000;
  /// Called now and then with the share of the places that have been looked at, in [0, 1]; what it
  /// throws ends the search.
  std::function<void(double share)> between = nullptr;
};

struct ThresholdPoint {
  double error = 0;                ///< share of rows decided wrongly
  double gap = 0;                  ///< correctly rounded
  std::vector<double> thresholds;  ///< one per group: decided 1 where score >= threshold. A score
                                   ///< of the group, or infinity where no row of it is decided 1
};

struct ThresholdFront {
  std::vector<ThresholdPoint> points;  ///< nondominated: error ascends strictly, gap descends
  std::string undefined_reason;        ///< a group lacks the rows that a rate is taken of
};

/// The nondominated set of (error, gap) over all combinations of one threshold per group.
///
/// Along a group's thresholds all rates rise together, so a group is a monotone staircase in the
/// plane of the rates.
/// - Two groups: from each point of one staircase the distance along the other first falls, then
///   rises; only points whose error is below that of all nearer ones can be on the front.
///   O(n log n + number of such pairs), at most O(n_a n_b).
/// - More groups: from each lower corner of the rates (for equalised odds a false positive rate and
///   a true positive rate) the window of allowed rates grows, and each group's least error in it is
///   independent of the others'. At most O(n) corners for demographic parity, O(n^2) for equalised
///   odds, each O(n); branch and bound leaves out rectangles of corners that cannot improve.
/// A second or so for 50,000 rows of a classifier's scores, and for 300,000 in two groups. Where
/// `max_steps` is spent, fewer thresholds per group help.
///
/// @throws base::InputError       a score is NaN, or `max_steps` is spent
/// @throws std::invalid_argument  an option out of range, or a group of 2^26 rows or more
[[nodiscard]] ThresholdFront threshold_front(const Scored& scored, ThresholdGap gap,
                                             const ThresholdFrontOptions& options = {});

}  // namespace fairfront::metrics
