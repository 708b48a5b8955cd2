#include "metrics/confusion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace fairfront::metrics {
namespace {

double quotient(Share share) { return share.hits / share.of; }

/// The smallest and the largest rate of a group; the reason if a group has none.
struct ExtremeRates {
  Share lowest;
  Share highest;
  std::string missing;
  std::size_t lowest_group = 0;
  std::size_t highest_group = 0;
};

ExtremeRates extreme_rates(std::span<const Confusion> groups, Rate rate) {
  ExtremeRates found;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Share of_group = share(groups[g], rate);
    if (of_group.of == 0) {
      return {{}, {}, fmt::format("no {} in group {}", denominator_of(rate), g)};
    }
    if (g == 0 || less(of_group, found.lowest)) {
      found.lowest = of_group;
      found.lowest_group = g;
    }
    if (g == 0 || less(found.highest, of_group)) {
      found.highest = of_group;
      found.highest_group = g;
    }
  }
  return found;
}

ExtremeRates extreme_rates(const Scored& scored, Rate rate) {
  return extreme_rates(confusion_by_group(scored), rate);
}

}  // namespace

Confusion& Confusion::operator+=(const Confusion& other) noexcept {
  true_positive += other.true_positive;
  false_positive += other.false_positive;
  true_negative += other.true_negative;
  false_negative += other.false_negative;
  return *this;
}

namespace {

Share exact_share(const Confusion& rows, Rate rate) noexcept {
  const double positives = rows.true_positive + rows.false_negative;
  const double negatives = rows.true_negative + rows.false_positive;
  const double decided_1 = rows.true_positive + rows.false_positive;
  const double decided_0 = rows.true_negative + rows.false_negative;
  switch (rate) {
    case Rate::positive:
      return {decided_1, decided_1 + decided_0};
    case Rate::error:
      return {rows.false_positive + rows.false_negative, positives + negatives};
    case Rate::true_positive:
      return {rows.true_positive, positives};
    case Rate::false_positive:
      return {rows.false_positive, negatives};
    case Rate::positive_predictive:
      return {rows.true_positive, decided_1};
    case Rate::negative_predictive:
      return {rows.true_negative, decided_0};
  }
  return {};
}

/// The probabilities of a draw add up to 1 but for rounding.
std::vector<Confusion> expected_by_group(const Scored& scored) {
  std::vector<Confusion> groups(static_cast<std::size_t>(scored.groups));
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    Confusion& group = groups[static_cast<std::size_t>(scored.group[i])];
    const bool positive = scored.label[i] > 0;
    (positive ? group.true_positive : group.false_positive) += scored.decided[i];
    (positive ? group.false_negative : group.true_negative) += 1 - scored.decided[i];
  }
  return groups;
}

}  // namespace

Share share(const Confusion& rows, Rate rate) noexcept {
  constexpr double rounding = 1e-9;
  const Share found = exact_share(rows, rate);
  return found.of < rounding ? Share{0, 0} : found;
}

std::string denominator_of(Rate rate) {
  switch (rate) {
    case Rate::positive:
    case Rate::error:
      return "row";
    case Rate::true_positive:
      return "row with label 1";
    case Rate::false_positive:
      return "row with label 0";
    case Rate::positive_predictive:
      return "row decided 1";
    case Rate::negative_predictive:
      return "row decided 0";
  }
  return {};
}

std::vector<Confusion> confusion_by_group(const Scored& scored) {
  if (!scored.decided.empty()) return expected_by_group(scored);
  // Four counters side by side for each group: decision and label choose one without a branch.
  std::vector<std::int64_t> counts(static_cast<std::size_t>(4 * scored.groups), 0);
  bool nan = false;
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    nan |= std::isnan(scored.score[i]);
    const std::size_t decided_1 = scored.score[i] >= scored.threshold ? 2 : 0;
    const std::size_t positive = scored.label[i] > 0 ? 1 : 0;
    ++counts[4 * static_cast<std::size_t>(scored.group[i]) + decided_1 + positive];
  }
  if (nan) throw base::InputError("a score is NaN");
  std::vector<Confusion> groups;
  for (std::size_t g = 0; g < counts.size(); g += 4) {
    groups.push_back({.true_positive = static_cast<double>(counts[g + 3]),
                      .false_positive = static_cast<double>(counts[g + 2]),
                      .true_negative = static_cast<double>(counts[g]),
                      .false_negative = static_cast<double>(counts[g + 1])});
  }
  return groups;
}

Value rate_of(const Scored& scored, Rate rate) { return rate_of(confusion_by_group(scored), rate); }

Value rate_of(std::span<const Confusion> groups, Rate rate) {
  Confusion all;
  for (const Confusion& group : groups) all += group;
  const Share of_all = share(all, rate);
  if (of_all.of == 0) return undefined(fmt::format("no {}", denominator_of(rate)));
  return defined(quotient(of_all));
}

Value gap_between_groups(const Scored& scored, Rate rate) {
  if (std::string alone = missing_pair(scored.groups); !alone.empty()) return undefined(alone);
  return gap_between_groups(confusion_by_group(scored), rate);
}

Value gap_between_groups(std::span<const Confusion> groups, Rate rate) {
  if (std::string alone = missing_pair(std::ssize(groups)); !alone.empty()) return undefined(alone);
  const ExtremeRates found = extreme_rates(groups, rate);
  if (!found.missing.empty()) return undefined(found.missing);
  return defined_gap(difference(found.highest, found.lowest), found.highest_group,
                     found.lowest_group);
}

Value ratio_between_groups(const Scored& scored, Rate rate) {
  if (std::string alone = missing_pair(scored.groups); !alone.empty()) return undefined(alone);
  const ExtremeRates found = extreme_rates(scored, rate);
  if (!found.missing.empty()) return undefined(found.missing);
  if (found.highest.hits == 0) return undefined("the rate is 0 in every group");
  const double lowest = quotient(found.lowest);
  const double highest = quotient(found.highest);
  if (found.lowest_group == found.highest_group) return defined(lowest / highest);
  return defined(lowest / highest,
                 {static_cast<std::int32_t>(found.lowest_group), lowest / highest},
                 {static_cast<std::int32_t>(found.highest_group), highest / lowest});
}

Value largest_of_groups(const Scored& scored, Rate rate) {
  const ExtremeRates found = extreme_rates(scored, rate);
  if (!found.missing.empty()) return undefined(found.missing);
  const double largest = quotient(found.highest);
  return defined(largest, {static_cast<std::int32_t>(found.highest_group), largest});
}

GroupEstimates estimates_of(const Scored& scored, Rate rate) {
  GroupEstimates estimates;
  const std::vector<Confusion> groups = confusion_by_group(scored);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto [hits, of] = share(groups[g], rate);
    if (of == 0) return {{}, fmt::format("no {} in group {}", denominator_of(rate), g)};
    estimates.of_group.push_back(proportion(hits, of));
  }
  return estimates;
}

}  // namespace fairfront::metrics
