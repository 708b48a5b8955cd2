/// @file
/// A measure is one row: what it is called and means, and the function that computes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.hpp"

namespace fairfront::metrics {

class OrderedSample;

/// What a model said of n rows, and what is true of them. Spans only: nothing is owned.
struct Scored {
  std::span<const double> score;        ///< (n,) not NaN; what it may be, `Needs` says
  std::span<const double> label;        ///< (n,) positive where above 0 (0/1 and -1/+1 both
                                        ///< fit); the target, for measures of regression
  std::span<const std::int32_t> group;  ///< (n,) in 0 .. groups-1
  std::int64_t groups = 1;              ///< groups that there are, also those without a row here
  double threshold = 0.5;               ///< a row is decided 1 where score >= threshold
  /// What measures of these rows share, or null; of other rows it is not looked at.
  const OrderedSample* ordered = nullptr;
  /// (n,) where decisions are drawn, the probability that a row is decided 1, in [0, 1]: measures
  /// of decisions are then those of expected counts. Empty: score and threshold decide.
  std::span<const double> decided{};
  /// Why the score is meant as no probability of label 1: measures of probabilities are undefined
  /// then, also where the scores of these rows all happen to be in [0, 1]. Outlives the sample.
  /// Empty: it may be one.
  std::string_view no_probability{};

  [[nodiscard]] std::size_t rows() const noexcept { return score.size(); }
};

/// What a measure reads of a score.
enum class Needs {
  decision,     ///< score >= threshold alone. Decisions of one's own are scores of 0 and 1
  score,        ///< any number: its order, for distances its values, too
  probability,  ///< of label 1, in [0, 1]; see missing_probability()
  prediction,   ///< of a real target, in the target's unit
};

/// A group that makes a gap, and its part in it.
struct GapMaker {
  std::int32_t group = -1;  ///< -1: none
  double value = 0;
};

/// A number, or NaN and the reason why there is none ("no row with label 1 in group 2").
struct Value {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::string undefined_reason;  ///< empty where the value is defined
  /// Of a gap the two groups that make it, the first of those that do: with what each has more than
  /// the other, of a ratio with its share of the other's, of a distance, which has no sign, with
  /// the distance. Of a group against all rows, and of the worst group, that one. None where no
  /// group stands out: a gap of 0, a sum of gaps.
  std::array<GapMaker, 2> made_by{};

  [[nodiscard]] bool defined() const noexcept { return undefined_reason.empty(); }
};

[[nodiscard]] inline Value defined(double value) { return {value, {}}; }
/// Made by one group, or by two.
[[nodiscard]] inline Value defined(double value, GapMaker first, GapMaker second = {}) {
  return {value, {}, {first, second}};
}
/// A difference of two groups, >= 0: none makes it where it is 0.
[[nodiscard]] inline Value defined_gap(double gap, std::size_t above, std::size_t below) {
  if (!(gap > 0)) return defined(gap);
  return defined(gap, {static_cast<std::int32_t>(above), gap},
                 {static_cast<std::int32_t>(below), -gap});
}
[[nodiscard]] inline Value undefined(std::string reason) {
  return {std::numeric_limits<double>::quiet_NaN(), std::move(reason)};
}

/// Where the true value lies with the given confidence; both NaN, with the reason, if unknown.
struct Interval {
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  std::string undefined_reason;

  [[nodiscard]] bool defined() const noexcept { return undefined_reason.empty(); }
};

struct GroupEstimates;

/// A measure of a scored sample. `of` is a pure function of the sample; the order of the rows does
/// not matter but for the rounding of sums.
struct Measure {
  base::Quantity what;
  Needs needs = Needs::decision;
  std::function<Value(const Scored&)> of = nullptr;
  /// The interval from a formula at a level in (0, 1): nothing is drawn. Undefined with a reason
  /// where no interval is known that holds; null for a measure that never has one.
  std::function<Interval(const Scored&, double level)> interval = nullptr;
  /// Whether percentiles of resamples hold the truth, too. They do not for a maximum, such as a
  /// gap between groups or a distance: a resample adds noise, which makes a maximum larger.
  bool may_resample = false;
  /// Whether it says something of the rows of one group alone, as it does of all.
  bool of_each_group = false;
  /// Of a gap that is the largest difference of one number between two groups: this number of every
  /// group. Null for other measures.
  std::function<GroupEstimates(const Scored&)> of_groups = nullptr;
};

/// A gap that is the larger of two others, and these; empty for another name.
[[nodiscard]] std::vector<std::string> gaps_in(std::string_view name);

/// Of functions with one name that which measures a sample.
using MeasureFunction = Value (*)(const Scored&);

/// Why there are no two groups to compare, or "".
[[nodiscard]] std::string missing_pair(std::int64_t groups);

/// @throws std::invalid_argument  spans of different lengths, or `groups` below 1
/// @throws base::InputError       a score or a label is NaN, a probability of a decision none, or a
///                                group out of range: which row
void validate(const Scored& scored);

/// Every measure of the sample, in their order. Validates first. O(n log n) each or better.
[[nodiscard]] std::vector<Value> evaluate(std::span<const Measure> measures, const Scored& scored);

/// The measures of these names, in this order. @throws base::InputError  an unknown name
[[nodiscard]] std::vector<Measure> select(std::span<const Measure> measures,
                                          std::span<const std::string> names);

/// Decided 0 or 1 by score >= threshold, or by the score itself: independence (demographic
/// parity), separation (equalised odds), sufficiency, errors; of probabilities Brier score,
/// calibration error and log loss; of scores Wasserstein distances between groups.
///
/// A gap between groups is the largest over all pairs of groups, which for a rate is the largest
/// less the smallest. Every group counts, so one without the rows that a rate is taken of makes
/// the gap undefined, and so does a group alone.
[[nodiscard]] std::span<const Measure> classification();

/// AUCs and their gaps between groups: Yao, Lin, Yang (2023), table 1. Group 1 is the protected
/// one of two. Over more than two groups a gap is the largest over all pairs of groups or, where
/// the definition compares a group with all rows, over all groups. Exact, O(G n + n log n).
[[nodiscard]] std::span<const Measure> ranking();

/// Errors of predictions of a real target, and how far the groups' predictions lie apart.
[[nodiscard]] std::span<const Measure> regression();

}  // namespace fairfront::metrics
