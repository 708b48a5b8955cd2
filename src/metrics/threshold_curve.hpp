/// @file
/// The thresholds of one group as points on a monotone staircase of rates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "metrics/confusion.hpp"
#include "metrics/measure.hpp"
#include "metrics/threshold_front.hpp"

namespace fairfront::metrics {

/// Two rates, of which a point or the corner of a window consists.
struct Rates {
  Share x, y;
};

/// The thresholds of a group from infinity downwards. Both rates rise along them, weakly, to 1.
struct Curve {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  std::vector<double> threshold;
  std::vector<std::int64_t> x;       ///< rows counted by the first rate
  std::vector<std::int64_t> y;       ///< by the second; for demographic parity the same
  std::vector<std::int64_t> errors;  ///< rows decided wrongly
  std::int64_t x_of = 0;             ///< rows that the rates are taken of
  std::int64_t y_of = 0;
  std::vector<std::uint32_t> before;       ///< the last earlier point with fewer errors, or `none`
  std::vector<std::uint32_t> after;        ///< the next later one
  std::vector<std::int64_t> least_before;  ///< least errors up to here
  std::vector<std::int64_t> least_after;   ///< from here on

  [[nodiscard]] std::size_t size() const noexcept { return threshold.size(); }
  [[nodiscard]] Share x_at(std::size_t i) const noexcept {
    return {static_cast<double>(x[i]), static_cast<double>(x_of)};
  }
  [[nodiscard]] Share y_at(std::size_t i) const noexcept {
    return {static_cast<double>(y[i]), static_cast<double>(y_of)};
  }
  [[nodiscard]] Rates rates_at(std::size_t i) const noexcept { return {x_at(i), y_at(i)}; }

  /// How far a point is beyond `from` in the rate in which it is more; rises along the curve.
  template <bool two_rates>
  [[nodiscard]] double beyond(std::size_t i, const Rates& from) const noexcept {
    const double by_x = difference(x_at(i), from.x);
    if constexpr (!two_rates) return by_x;
    const double by_y = difference(y_at(i), from.y);
    return by_x < by_y ? by_y : by_x;
  }
  /// How far it is short of it; falls.
  template <bool two_rates>
  [[nodiscard]] double short_of(std::size_t i, const Rates& from) const noexcept {
    const double by_x = difference(from.x, x_at(i));
    if constexpr (!two_rates) return by_x;
    const double by_y = difference(from.y, y_at(i));
    return by_x < by_y ? by_y : by_x;
  }
};

/// Every group's curve, or why a group has none.
struct Curves {
  std::vector<Curve> of_group;
  std::string missing;
};

/// @param thresholds_per_group  see ThresholdFrontOptions
/// @throws base::InputError       a score is NaN
/// @throws std::invalid_argument  a group of 2^26 rows or more
[[nodiscard]] Curves threshold_curves(const Scored& scored, ThresholdGap gap,
                                      std::int64_t thresholds_per_group);

/// Of which labels a group without a row has no curve.
struct NeededLabels {
  bool negatives = true;
  bool positives = true;
};
/// The same where not all rates of the curves are compared.
[[nodiscard]] Curves threshold_curves(const Scored& scored, ThresholdGap gap,
                                      std::int64_t thresholds_per_group, NeededLabels needed);

}  // namespace fairfront::metrics
