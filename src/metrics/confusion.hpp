/// @file
/// Decisions against labels, counted per group, and the rates taken of the counts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "metrics/group_estimates.hpp"
#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// Rows by decision (predicted) and label; of drawn decisions how many are expected.
struct Confusion {
  double true_positive = 0;
  double false_positive = 0;
  double true_negative = 0;
  double false_negative = 0;

  Confusion& operator+=(const Confusion& other) noexcept;
};

enum class Rate {
  positive,             ///< decided 1 among all rows
  error,                ///< decided wrongly among all rows
  true_positive,        ///< decided 1 among label 1
  false_positive,       ///< decided 1 among label 0
  positive_predictive,  ///< label 1 among those decided 1
  negative_predictive,  ///< label 0 among those decided 0
};

/// A rate as the rows that count of the rows it is taken of: whole numbers, or expected ones.
struct Share {
  double hits = 0;
  double of = 1;
};

/// Correctly rounded where both sets have less than 2^26 rows, in whole numbers: equal differences
/// of rates are equal doubles, and the order of different ones is kept.
[[nodiscard]] inline double difference(Share a, Share b) noexcept {
  return (a.hits * b.of - b.hits * a.of) / (a.of * b.of);
}
[[nodiscard]] inline bool less(Share a, Share b) noexcept { return a.hits * b.of < b.hits * a.of; }

/// Of 0 rows, where fewer are expected than rounding of probabilities may leave.
[[nodiscard]] Share share(const Confusion& rows, Rate rate) noexcept;

/// What a rate is taken of: "row", "row with label 1", "row decided 0", as messages name it.
[[nodiscard]] std::string denominator_of(Rate rate);

/// One table for every group, of expected counts where decisions are drawn. O(n).
/// @throws base::InputError  a score is NaN
[[nodiscard]] std::vector<Confusion> confusion_by_group(const Scored& scored);

[[nodiscard]] Value rate_of(const Scored& scored, Rate rate);             ///< over all rows
[[nodiscard]] Value gap_between_groups(const Scored& scored, Rate rate);  ///< largest - smallest
/// The same bits of the tables of all groups.
[[nodiscard]] Value rate_of(std::span<const Confusion> groups, Rate rate);
[[nodiscard]] Value gap_between_groups(std::span<const Confusion> groups, Rate rate);
[[nodiscard]] Value ratio_between_groups(const Scored& scored, Rate rate);  ///< smallest / largest
[[nodiscard]] Value largest_of_groups(const Scored& scored, Rate rate);

/// The rate of every group, as a proportion.
[[nodiscard]] GroupEstimates estimates_of(const Scored& scored, Rate rate);

}  // namespace fairfront::metrics
