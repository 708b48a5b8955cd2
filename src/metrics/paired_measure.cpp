#include "metrics/paired_measure.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "metrics/confusion.hpp"
#include "metrics/paired_gap.hpp"

namespace fairfront::metrics {
namespace {

/// Whether a row counts for a rate, and whether it is a hit of it.
bool counts(Rate rate, bool positive) {
  if (rate == Rate::true_positive) return positive;
  return rate != Rate::false_positive || !positive;
}
bool is_hit(Rate rate, bool positive, bool decided) {
  return rate == Rate::error ? decided != positive : decided;
}

std::vector<PairedShare> shares_of(const Scored& first, const Scored& second, Rate rate) {
  std::vector<PairedShare> shares(static_cast<std::size_t>(first.groups));
  for (std::size_t row = 0; row < first.rows(); ++row) {
    const bool positive = first.label[row] > 0;
    if (!counts(rate, positive)) continue;
    const bool of_first = is_hit(rate, positive, first.score[row] >= first.threshold);
    const bool of_second = is_hit(rate, positive, second.score[row] >= second.threshold);
    PairedShare& share = shares[static_cast<std::size_t>(first.group[row])];
    ++(of_first    ? of_second ? share.both : share.first_only
       : of_second ? share.second_only
                   : share.neither);
  }
  return shares;
}

template <Rate... rates>
Value larger_gap_of(const Scored& scored) {
  Value largest = defined(0);
  for (const Rate rate : {rates...}) {
    Value gap = gap_between_groups(scored, rate);
    if (!gap.defined()) return gap;
    if (gap.value > largest.value) largest = std::move(gap);
  }
  return largest;
}

template <Rate... rates>
Value difference_of_gaps(const Scored& first, const Scored& second) {
  Value a = larger_gap_of<rates...>(first);
  const Value b = larger_gap_of<rates...>(second);
  if (!a.defined()) return a;
  return b.defined() ? defined(a.value - b.value) : b;
}

template <Rate... rates>
Interval interval_of_difference(const Scored& first, const Scored& second, double level) {
  std::vector<PairedShare> all;
  for (const Rate rate : {rates...}) {
    const std::vector<PairedShare> shares = shares_of(first, second, rate);
    for (std::size_t g = 0; g < shares.size(); ++g) {
      if (shares[g].rows() > 0) continue;
      return {.undefined_reason = fmt::format("no {} in group {}", denominator_of(rate), g)};
    }
    all.insert(all.end(), shares.begin(), shares.end());
  }
  return paired_gap_interval(all, level, sizeof...(rates));
}

template <Rate... rates>
PairedMeasure paired_measure(const std::string& gap) {
  return {{gap + "_less_reference",
           fmt::format("{} less that of predictions.reference on the same rows", gap), "share",
           base::Direction::minimise, ""},
          gap,
          difference_of_gaps<rates...>,
          interval_of_difference<rates...>};
}

}  // namespace

std::span<const PairedMeasure> paired_measures() {
  using enum Rate;
  static const std::array measures{paired_measure<positive>("independence_gap"),
                                   paired_measure<true_positive>("true_positive_gap"),
                                   paired_measure<false_positive>("false_positive_gap"),
                                   paired_measure<true_positive, false_positive>("separation_gap"),
                                   paired_measure<error>("error_gap")};
  return measures;
}

}  // namespace fairfront::metrics
