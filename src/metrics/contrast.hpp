/// @file
/// The interval of a gap: a gap is the largest of many contrasts of estimates, and this is the one
/// place where contrasts become an interval.
///
/// R = max_k theta_k over `count` contrasts has the interval
///
///     [ max_k low_k((alpha / 2 - beta) / reaching),  max_k high_k(alpha / 2) ]
///
/// at level 1 - alpha, low_k and high_k the limits of theta_k at one-sided tails. The upper end
/// needs no correction, since that of the contrast which truly is the largest covers R (Berger,
/// 1982, intersection-union tests). The lower end is Bonferroni's over the contrasts that can be
/// the largest: those that reach it with high_k(beta / count), beta = alpha / 20, found from all
/// contrasts downwards. Nothing is drawn. Limits of a difference come from those of its two
/// estimates by the method of variance estimates recovery (MOVER; Newcombe, 1998; Donner, Zou,
/// 2012).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// From what distribution the limits of an estimate are taken.
enum class Law {
  proportion,  ///< `size` draws of 0 or 1, also in effect: Clopper, Pearson (1934)
  /// A mean >= 0 without a bound: Student's t below, above its exponential form, m expm1(t s / m),
  /// m the mean, or s if that is more, as is that of rows of which all but one are 0.
  positive_mean,
  mean,    ///< a mean of any sign: Student's t
  normal,  ///< a sum of many: the normal distribution
};

/// A number estimated from rows that no other estimate of the same gap shares.
struct Estimate {
  double value = 0;
  Law law = Law::proportion;
  double size = 1;            ///< rows of the mean, or as many as it is worth
  double standard_error = 0;  ///< unused by Law::proportion
  double bias = 0;            ///< by how much the estimate may lie above the truth on average
  /// Of freedom of the standard error that `size` came from, and the least that it can be in truth;
  /// 0: the size is known.
  double degrees = 0;
  double least_size = 0;
  /// Of Law::positive_mean, for the limit above, where more is known than the rows show: a larger
  /// standard error and mean; 0: those below.
  double error_above = 0;
  double mean_above = 0;
};

/// How far the truth may lie below and above an estimate, at one tail probability each.
struct Limits {
  double value = 0;
  double below = 0;
  double above = 0;
  double bias = 0;

  [[nodiscard]] double low() const noexcept { return value - bias - below; }
  [[nodiscard]] double high() const noexcept { return value + above; }
};

/// @param tail  in (0, 1/2).
[[nodiscard]] Limits limits_of(const Estimate& estimate, double tail);

/// A proportion of `hits` in `of` rows, >= 1.
[[nodiscard]] Estimate proportion(double hits, double of);

/// A mean of values in [0, 1] as the proportion that it is worth: n_e = max(n, v (1 - v) / s^2), at
/// far tails less, but not below n, since s is estimated from n rows (Korn, Graubard, 1998).
[[nodiscard]] Estimate bounded_mean(double value, double rows, double standard_error);

/// Mean and deviation of values that come one by one: Welford (1962).
struct Moments {
  double rows = 0;
  double mean = 0;
  double squares = 0;  ///< sum of the squared deviations from the mean

  void add(double value, double copies = 1) noexcept {
    const double off = value - mean;
    rows += copies;
    mean += off * copies / rows;
    squares += copies * off * (value - mean);
  }
  /// Of the mean, with the divisor n - 1; NaN below two rows.
  [[nodiscard]] double standard_error() const noexcept;
};

/// How many contrasts reach a bar, or an upper bound of that.
using Reaching = std::function<double(double bar)>;

/// The contrasts of a gap: their largest lower and largest upper limit at a tail probability.
struct Contrasts {
  double count = 1;  ///< how many there are
  double least = 0;  ///< the largest of them is no less, whatever the truth
  std::function<double(double tail)> largest_low;
  std::function<double(double tail)> largest_high;
  std::function<Reaching(double tail)> reaching;  ///< with their upper limits
};

/// The interval of the largest contrast, and no other: see above.
[[nodiscard]] Interval interval_of_largest(const Contrasts& contrasts, double level);
/// That of the smallest of contrasts whose negatives are given.
[[nodiscard]] Interval interval_of_smallest(const Contrasts& negatives, double level);

/// Whether the tail of an upper end is 1/200 or less: the levels of 99 % and more, where MOVER's
/// upper end of a difference is too small, and the one of the box is taken, u_a - l_b at half the
/// tail each.
[[nodiscard]] bool takes_box(double tail);

/// How many of these upper limits reach the bar.
[[nodiscard]] double number_reaching(const std::vector<double>& limits, double bar);

/// Contrasts from what visits the limits of all of them.
/// @param each_low   called with (tail, visit): the lower limits.
/// @param each_high  called with (tail, box, visit): the upper ones, of the box where told so.
template <class EachLow, class EachHigh>
[[nodiscard]] Contrasts contrasts_of(double count, double least, EachLow each_low,
                                     EachHigh each_high) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const auto low = [each_low](double tail) {
    double largest = -infinite;
    each_low(tail, [&](double limit) { largest = std::max(largest, limit); });
    return largest;
  };
  const auto high = [each_high](double tail) {
    double largest = -infinite;
    each_high(tail, takes_box(tail), [&](double limit) { largest = std::max(largest, limit); });
    return largest;
  };
  const auto reaching = [each_high](double tail) -> Reaching {
    std::vector<double> limits;
    each_high(tail, false, [&](double limit) { limits.push_back(limit); });
    return [limits](double bar) { return number_reaching(limits, bar); };
  };
  return {count, least, low, high, reaching};
}

/// Of a - b, the two independent.
[[nodiscard]] double difference_low(const Limits& a, const Limits& b);
[[nodiscard]] double difference_high(const Estimate& a, const Estimate& b, double tail);

/// v_a - v_b over all ordered pairs of estimates, >= 2.
[[nodiscard]] Contrasts differences(std::vector<Estimate> of_groups);
/// +-weight_g (v_g - rest_g).
struct AgainstRest {
  Estimate group;
  Estimate rest;
  double weight;  ///< 1 - w_g makes it v_g less the value of all rows
};
[[nodiscard]] Contrasts against_rest(std::vector<AgainstRest> groups);
/// The estimates themselves, and their negatives.
[[nodiscard]] Contrasts values(std::vector<Estimate> of_groups);
[[nodiscard]] Contrasts negative_values(std::vector<Estimate> of_groups);
/// -v_a / v_b over all ordered pairs of proportions; not all are 0.
[[nodiscard]] Contrasts negative_ratios(std::vector<Estimate> of_groups);
/// constant + sum of weights estimate: estimates of overlapping rows, each with limits of its own.
struct WeightedSum {
  double constant = 0;
  std::vector<double> weights;
  std::vector<Estimate> estimates;
  std::vector<double> correlations;  ///< of the estimates, row-major; empty: independent
};
/// MOVER of correlated estimates (Zou, 2007).
[[nodiscard]] Limits limits_of(const WeightedSum& sum, double tail);
/// Those of upper ends, of the sum and of its negative: at tails of 1/200 and less of the box.
[[nodiscard]] Limits outer_limits_of(const WeightedSum& sum, double tail);
/// The sums and their negatives.
[[nodiscard]] Contrasts absolute_values(std::vector<WeightedSum> sums);
/// The contrasts of both.
[[nodiscard]] Contrasts either(Contrasts a, Contrasts b);
/// (v_a - v_b) + (w_c - w_d) over all ordered pairs (a, b) and (c, d).
[[nodiscard]] Contrasts sums_of_differences(std::vector<Estimate> first,
                                            std::vector<Estimate> second);

}  // namespace fairfront::metrics
