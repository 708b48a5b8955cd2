#include <algorithm>
#include <cmath>
#include <utility>

#include "metrics/auc.hpp"
#include "metrics/auc_differences.hpp"
#include "metrics/auc_interval.hpp"
#include "metrics/group_estimates.hpp"
#include "metrics/measure.hpp"
#include "metrics/ordered_sample.hpp"

namespace fairfront::metrics {
namespace {

/// Larger of the absolute values; whichever is undefined.
Value larger(Value largest, Value next, const ComparedGroups& of) {
  if (!largest.defined()) return largest;
  if (!next.defined()) return next;
  const double size = std::abs(next.value);
  if (!(size > largest.value)) return largest;
  return defined(size, {of.group, next.value}, {of.other, of.other < 0 ? 0 : -next.value});
}

template <DifferencesOf differences, ComparedOf compared>
Value largest_over(const Scored& scored) {
  if (std::string alone = missing_pair(scored.groups); !alone.empty()) return undefined(alone);
  const auto sample = ordered(scored);
  const SortedCells& cells = sample->cells();
  const std::vector<AucSum> sums = differences(scored.groups);
  const std::vector<ComparedGroups> of = compared(scored.groups);
  Value largest = defined(0);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    largest = larger(std::move(largest), sums[i].of(cells), of[i]);
  }
  return largest;
}

template <DifferencesOf differences>
Interval interval_over(const Scored& scored, double level) {
  if (std::string alone = missing_pair(scored.groups); !alone.empty()) {
    return {.undefined_reason = alone};
  }
  return interval_of_largest(scored, differences(scored.groups), level);
}

constexpr const char* two_groups = "a signed difference is between two groups";

/// Of the protected group, which is group 1.
template <DifferenceOf difference>
Value of_group_1(const Scored& scored) {
  if (scored.groups != 2) return undefined(two_groups);
  return difference(1, 0).of(ordered(scored)->cells());
}

template <DifferenceOf difference>
Interval interval_of_group_1(const Scored& scored, double level) {
  if (scored.groups != 2) return {.undefined_reason = two_groups};
  return interval_of(scored, difference(1, 0), level, -1, 1);
}

Value auc(const Scored& scored) {
  const AucTerm term = positives_above_negatives();
  return ordered(scored)->cells().auc(term.above, term.below);
}

Interval delong(const Scored& scored, double level) {
  return interval_of(scored, {{positives_above_negatives()}, 0}, level, 0, 1);
}

/// The smallest AUC within a group.
Value worst_group_auc(const Scored& scored) {
  const auto sample = ordered(scored);
  const SortedCells& cells = sample->cells();
  Value smallest = defined(1);
  for (std::int32_t g = 0; g < scored.groups; ++g) {
    Value of_group = cells.auc(Subset{true, g}, Subset{false, g});
    if (!of_group.defined()) return of_group;
    const bool first = smallest.made_by.front().group < 0;
    if (first || of_group.value < smallest.value) {
      smallest = defined(of_group.value, {g, of_group.value});
    }
  }
  return smallest;
}

Interval interval_of_worst_group_auc(const Scored& scored, double level) {
  const auto sample = ordered(scored);
  GroupEstimates estimates;
  for (std::int32_t g = 0; g < scored.groups; ++g) {
    const EstimatedSum found = sample->estimate({{{1, Subset{true, g}, Subset{false, g}}}, 0});
    if (!found.missing.empty()) return {.undefined_reason = found.missing};
    estimates.of_group.push_back(found.sum.estimates.front());
  }
  return smallest_interval(estimates, level);
}

base::Quantity gap(std::string name, std::string definition, std::string source) {
  return {std::move(name), std::move(definition), "probability", base::Direction::minimise,
          std::move(source)};
}

base::Quantity signed_gap(std::string name, std::string definition, std::string source) {
  return {std::move(name), std::move(definition), "probability", base::Direction::none,
          std::move(source)};
}

std::vector<Measure> measures() {
  const std::string kallus = "Kallus, Zhou (2019); Beutel et al. (2019)";
  const std::string borkan = "Borkan et al. (2019)";
  const std::string yao = "Yao, Lin, Yang (2023), table 1";
  return {
      {{"auc", "probability that a row with label 1 scores above one with label 0, ties one half",
        "probability", base::Direction::maximise, "Hanley, McNeil (1982)"},
       Needs::score,
       auc,
       delong,
       true,
       true},
      {{"worst_group_auc", "smallest AUC within a group", "probability", base::Direction::maximise,
        ""},
       Needs::score,
       worst_group_auc,
       interval_of_worst_group_auc},
      {gap("group_auc_gap", "largest |AUC(a group, another) - 1/2|", yao), Needs::score,
       largest_over<of_pairs<group_difference>, pairs_among>,
       interval_over<of_pairs<group_difference>>},
      {gap("inter_group_auc_gap",
           "largest |AUC(label 1 of g, label 0 of h) - AUC(label 1 of h, label 0 of g)|", kallus),
       Needs::score, largest_over<of_pairs<inter_difference>, pairs_among>,
       interval_over<of_pairs<inter_difference>>},
      {gap("intra_group_auc_gap", "largest difference of the AUCs within two groups", kallus),
       Needs::score, largest_over<of_pairs<intra_difference>, pairs_among>,
       interval_over<of_pairs<intra_difference>>},
      {gap("any_group_positive_average_gap",
           "largest, of all groups, |AUC(label 1 of a group, label 1) - 1/2|", borkan),
       Needs::score, largest_over<of_groups<positive_average_difference>, each_among>,
       interval_over<of_groups<positive_average_difference>>},
      {gap("any_group_negative_average_gap",
           "largest, of all groups, |AUC(label 0 of a group, label 0) - 1/2|", borkan),
       Needs::score, largest_over<of_groups<negative_average_difference>, each_among>,
       interval_over<of_groups<negative_average_difference>>},
      {gap("any_group_background_auc_gap",
           "largest, of all groups, |AUC(label 1, label 0 of a group) - AUC(label 1 of it, label "
           "0)| (BPSN, BNSP)",
           borkan),
       Needs::score, largest_over<of_groups<background_difference>, each_among>,
       interval_over<of_groups<background_difference>>},
      {signed_gap("group_auc_difference", "AUC(group 1, group 0) - 1/2", yao), Needs::score,
       of_group_1<group_difference>, interval_of_group_1<group_difference>, true},
      {signed_gap("inter_group_auc_difference",
                  "AUC(label 1 of group 1, label 0 of group 0) - "
                  "AUC(label 1 of group 0, label 0 of group 1)",
                  yao),
       Needs::score, of_group_1<inter_difference>, interval_of_group_1<inter_difference>, true},
      {signed_gap("intra_group_auc_difference", "AUC within group 1 less the AUC within group 0",
                  yao),
       Needs::score, of_group_1<intra_difference>, interval_of_group_1<intra_difference>, true},
      {signed_gap("positive_average_difference", "AUC(label 1 of group 1, label 1) - 1/2", yao),
       Needs::score, of_group_1<positive_average_difference>,
       interval_of_group_1<positive_average_difference>, true},
      {signed_gap("negative_average_difference", "AUC(label 0 of group 1, label 0) - 1/2", yao),
       Needs::score, of_group_1<negative_average_difference>,
       interval_of_group_1<negative_average_difference>, true},
      {signed_gap("background_auc_difference",
                  "AUC(label 1, label 0 of group 1) - AUC(label 1 of group 1, label 0)", yao),
       Needs::score, of_group_1<background_difference>, interval_of_group_1<background_difference>,
       true},
  };
}

}  // namespace

std::span<const Measure> ranking() {
  static const std::vector<Measure> rows = measures();
  return rows;
}

}  // namespace fairfront::metrics
