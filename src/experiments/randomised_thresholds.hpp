/// @file
/// What a draw among thresholds of each group can reach: M. Hardt, E. Price, N. Srebro (2016),
/// "Equality of opportunity in supervised learning", section 3.3; with slack, A. Cruz, M. Hardt
/// (2024), "Unprocessing seven years of algorithmic fairness".
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "metrics/measure.hpp"
#include "solvers/training/rate_limits.hpp"

namespace fairfront::experiments {

/// One of a group's thresholds, and how often it decides.
struct DrawnThreshold {
  std::int32_t group;
  double threshold;  ///< decided 1 where score >= it; infinity: none is
  double probability;
};

struct DrawnPoint {
  double error = 0;  ///< expected share of rows decided wrongly
  double gap = 0;    ///< of the expected rates
  double lower = 0;  ///< proven: no draw within the slack has a smaller error
  /// Of each group some, whose probabilities add up to 1; thresholds descend.
  std::vector<DrawnThreshold> draw;
};

/// Group, threshold and probability, one after the other, as solutions have them.
[[nodiscard]] std::vector<double> numbers_of(const std::vector<DrawnThreshold>& draw);
[[nodiscard]] std::vector<DrawnThreshold> draw_of(std::span<const double> numbers);

struct DrawnFront {
  std::vector<DrawnPoint> points;  ///< slack descends from the least error's least gap to 0
  std::string undefined_reason;    ///< a group lacks the rows that a rate is taken of
};

/// The least expected error for so many slacks, evenly from 0 to the least gap that a draw with the
/// least error of all has, which is found by a program of its own. Each is a linear program over
/// the draws among the vertices of the groups' convex hulls of (false positive rate, true positive
/// rate); the front is convex, so that between two of the points a draw of both is at most a chord
/// above it.
/// @param gap      of which rates the largest difference of two groups is bounded.
/// Points that others dominate but for rounding are left out; the least error may have no gap,
/// and then is the only one.
/// @param slacks   at least 2.
/// @param between  called before each program with the number of those that are done; what it
///                 throws ends the search.
/// @throws base::InputError  a score is NaN.
[[nodiscard]] DrawnFront drawn_threshold_front(
    const metrics::Scored& scored, training::RateKind gap, std::int64_t slacks,
    const std::function<void(std::int64_t)>& between = {});

/// The same for one bound, which may be of the smallest ratio of two groups' rates instead: the
/// rates of each event lie between a lowest one and its quotient by the bound, which is linear,
/// too. Or of the worst group's error, which each group has for itself: a bound below the least
/// that there is gives the draw of the least error among those that reach this.
struct DrawnWithin {
  DrawnPoint point;
  std::string undefined_reason;  ///< as of DrawnFront
  /// Of errors of groups the least bound that a draw keeps.
  double least_bound = std::numeric_limits<double>::quiet_NaN();
};
/// @throws base::InputError  a score is NaN.
[[nodiscard]] DrawnWithin drawn_thresholds_within(const metrics::Scored& scored,
                                                  const training::RateLimit& limit);

/// Expected error and gap of a draw on any rows; NaN where a rate has no rows.
struct ErrorAndGap {
  double error;
  double gap;
};
[[nodiscard]] ErrorAndGap expected_of(const std::vector<DrawnThreshold>& draw,
                                      const metrics::Scored& scored, training::RateKind gap);

}  // namespace fairfront::experiments
