/// @file
/// Rates of two models that decided the same rows, and what is known of them together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "metrics/confusion.hpp"
#include "metrics/measure.hpp"
#include "metrics/paired_contrast.hpp"

namespace fairfront::metrics {

/// The rows of a group by label and by what both models decide.
struct JointDecisions {
  std::array<std::int64_t, 8> rows{};  ///< see place()

  [[nodiscard]] static std::size_t place(bool label, bool first, bool second) noexcept {
    return (label ? 4u : 0u) + (first ? 2u : 0u) + (second ? 1u : 0u);
  }
  JointDecisions& operator+=(const JointDecisions& other) noexcept;
};

/// Of every group. O(n). @throws std::invalid_argument  decisions of a sample are drawn.
[[nodiscard]] std::vector<JointDecisions> joint_decisions(const Scored& first,
                                                          const Scored& second);

/// Why a group has no such rate, of the first model or of the reference: "no row with label 1 in
/// group 2"; "" if all have. @param by_group  false: the one group is all rows.
[[nodiscard]] std::string missing_rate(std::span<const JointDecisions> groups,
                                       std::span<const Rate> rates, bool by_group);

/// The rates of every group: estimate rate * groups + group, with a block for each group. For the
/// variances a group has two rows more that are hits in half of all cases, spread evenly over what
/// both models may decide (Agresti, Min, 2005: one half in each of four counts), so that few rows
/// which all agree leave some doubt. Rates may be of different rows for two models, as predictive
/// values are: rows that count for one of them alone add nothing to the covariance.
[[nodiscard]] PairedEstimates paired_rates(std::span<const JointDecisions> groups,
                                           std::span<const Rate> rates);

/// Of the first model's largest difference of two groups in any of the rates less the second's.
/// Undefined for fewer than two groups or a group without such rows.
[[nodiscard]] Interval paired_gap_interval(std::span<const JointDecisions> groups,
                                           std::span<const Rate> rates, double level);
/// Of the first model's gaps summed over the two rates less the second's: MOVER of the intervals of
/// the two differences where their rows are different ones (`disjoint`), else at half the tail
/// each.
[[nodiscard]] Interval paired_sum_interval(std::span<const JointDecisions> groups,
                                           std::array<Rate, 2> rates, bool disjoint, double level);
/// Of the largest rate of a group.
[[nodiscard]] Interval paired_largest_interval(std::span<const JointDecisions> groups, Rate rate,
                                               double level);
/// Of the smallest rate of a group over the largest: by the delta method, with rates that half a
/// hit moves off 0.
[[nodiscard]] Interval paired_ratio_interval(std::span<const JointDecisions> groups, Rate rate,
                                             double level);
/// Of constant + sum of weight_r rate_r over all rows, one rate or two: of the eight kinds of rows
/// by label and both decisions, of which those that tell the models apart may be rare; see
/// multinomial_interval().
[[nodiscard]] Interval paired_rate_interval(std::span<const JointDecisions> groups,
                                            std::span<const Rate> rates,
                                            std::span<const double> weights, double level);

/// p value of McNemar's exact test that both models err equally often: the binomial one of the rows
/// on which only one errs, two-sided; 1 if there are none.
[[nodiscard]] double mcnemar_p_value(std::span<const JointDecisions> groups);

}  // namespace fairfront::metrics
