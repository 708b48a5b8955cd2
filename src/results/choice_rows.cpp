#include "results/choice_rows.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "metrics/measure.hpp"
#include "metrics/quantile.hpp"
#include "metrics/rows_needed.hpp"
#include "results/measure_cells.hpp"

namespace fairfront::results {
namespace {

constexpr double power_of_choice = 0.9;
/// Where what both parts say is the truth. Limits of rates are wider than those of normal
/// numbers, the more so the fewer rows there are: so that the power comes out between .88 and .95.
constexpr double power_at_estimates = 0.87;

/// Of one point.
struct PointInMeasures {
  const std::vector<Measure>& measures;
  const PartRoles& roles;
  std::size_t row;
  double tail;  ///< quantile of the limits
};

/// Nothing where there is none.
const Measure* measure_named(const std::string& name, const std::vector<Measure>& measures) {
  const auto found =
      std::ranges::find(measures, name, [](const Measure& each) { return each.what.name; });
  return found == measures.end() ? nullptr : &*found;
}

/// The numbers of the groups whose largest difference a measure is; empty where nobody stored
/// them.
metrics::GroupNumbers groups_of(const Measure& measure, const PointInMeasures& point,
                                const std::string& name) {
  metrics::GroupNumbers numbers;
  const auto found_part = std::ranges::find(measure.parts, name);
  if (found_part == measure.parts.end()) return numbers;
  const auto part = static_cast<std::size_t>(found_part - measure.parts.begin());
  for (std::size_t g = 0; g < measure.groups.size(); ++g) {
    if (measure.groups[g] == MeasuredRows{}.group) continue;
    const Measured found = measured_at(measure, point.row, part * measure.groups.size() + g);
    const double error = (found.high - found.low) / (2 * point.tail);
    if (!(error > 0)) return {};
    numbers.value.push_back(found.value);
    numbers.error.push_back(error);
  }
  return numbers;
}

/// What the rows that decide and those that test say of the groups of a gap; nothing where a group
/// is not known.
std::optional<metrics::SeenGap> gap_of(const std::string& name, double limit,
                                       const PointInMeasures& point) {
  const Measure* measure = measure_named(name, point.measures);
  if (!measure) return std::nullopt;
  metrics::GroupNumbers tested = groups_of(*measure, point, point.roles.tests);
  metrics::GroupNumbers decided = groups_of(*measure, point, point.roles.decides);
  if (tested.value.size() < 2 || decided.value.size() != tested.value.size()) return std::nullopt;
  return metrics::SeenGap{std::move(tested), std::move(decided), limit};
}

/// The gaps that a bound is of, by the numbers of groups; empty where they are not known.
std::vector<metrics::SeenGap> gaps_of(const Bound& bound, const PointInMeasures& point) {
  if (!bound.at_most) return {};
  std::vector<std::string> names = metrics::gaps_in(bound.name);
  if (names.empty()) names.push_back(bound.name);
  std::vector<metrics::SeenGap> gaps;
  for (const std::string& name : names) {
    auto gap = gap_of(name, bound.limit, point);
    if (!gap) return {};
    gaps.push_back(*std::move(gap));
  }
  return gaps;
}

/// The groups that a measure compares; 0: it is of all rows alone.
std::size_t groups_compared(const std::string& name, const std::vector<Measure>& measures) {
  const Measure* found = measure_named(name, measures);
  if (!found || found->at_groups != AtGroups::made_by) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(
      found->groups, [](const std::string& group) { return group != MeasuredRows{}.group; }));
}

/// Groups whose numbers spread evenly from 0 to a gap, all as sharp.
metrics::GroupNumbers spread_evenly(std::size_t groups, double gap, double error) {
  metrics::GroupNumbers numbers;
  for (std::size_t g = 0; g < groups; ++g) {
    numbers.value.push_back(gap * static_cast<double>(g) / static_cast<double>(groups - 1));
    numbers.error.push_back(error);
  }
  return numbers;
}

/// Where no numbers of groups are known.
struct LimitAlone {
  const FailedBound& failed;
  std::size_t groups;  ///< that the measure compares
  double tail;

  /// Of the estimate that was tested.
  [[nodiscard]] double half_width() const {
    const double limit = failed.bound.at_most ? failed.tested.high : failed.tested.low;
    return std::abs(limit - failed.tested.value);
  }
  /// A ratio is as far from 1 as a gap is from 0.
  [[nodiscard]] double gap(double value) const { return failed.bound.at_most ? value : 1 - value; }
  [[nodiscard]] bool is_gap() const {
    return groups >= 2 && std::min(gap(failed.decided), gap(failed.tested.value)) >= 0;
  }
  [[nodiscard]] double error() const { return half_width() / (tail * std::sqrt(2.0)); }
  /// Midway between what both parts say.
  [[nodiscard]] double midway() const { return (failed.decided + failed.tested.value) / 2; }
};

/// Half-widths shrink with the root of the rows, and to be below the bound with the power the
/// distance must have room for the estimate's own deviation beside the limit's. Near a gap of 0 the
/// limits of all pairs of groups must pass: of two even ones that takes 1.27 times the rows.
double growth_by_limit(const LimitAlone& known, double truth) {
  const double sign = known.failed.bound.at_most ? 1 : -1;
  const double room = sign * (known.failed.bound.limit - truth);
  if (!(room > 0)) return std::numeric_limits<double>::infinity();
  const double gap = known.gap(truth);
  if (known.groups < 2 || gap < 0) {
    const double factor =
        known.half_width() / room * (1 + metrics::normal_quantile(power_of_choice) / known.tail);
    return factor * factor;
  }
  const metrics::BoundedGap even{spread_evenly(known.groups, gap, known.error()), gap + room};
  return metrics::growth_for_power({&even, 1}, known.tail, power_at_estimates);
}

/// The point was the first in line as it looks good where rows decide, and has failed as it looks
/// bad where they test: what it is in truth is taken to lie between.
double growth_by_limit_of_picked(const LimitAlone& known) {
  return growth_by_limit(known, (known.failed.decided + known.failed.tested.value) / 2);
}

/// Rows of both parts are taken to be as many.
double growth_by_limit_of_fitted(const LimitAlone& known) {
  const double tested = known.failed.tested.value;
  if (!known.is_gap()) return growth_by_limit(known, tested);
  const auto even = [&](double value) {
    return spread_evenly(known.groups, known.gap(value), known.error());
  };
  const metrics::SeenGap seen{even(tested), even(known.failed.decided),
                              known.gap(known.failed.bound.limit)};
  return metrics::growth_after_fit({&seen, 1}, known.tail);
}

/// Where what both parts say together is the truth, of gaps between two groups: estimates of more
/// differ by more than what they estimate, and are no truth to plan for.
double growth_at_estimates(std::span<const metrics::SeenGap> gaps, double tail) {
  std::vector<metrics::BoundedGap> estimated;
  for (const metrics::SeenGap& gap : gaps) {
    if (gap.tested.value.size() > 2) continue;
    estimated.push_back(
        {{metrics::pooled(gap.tested, gap.decided).value, gap.tested.error}, gap.bound});
  }
  return estimated.empty() ? 1 : metrics::growth_for_power(estimated, tail, power_at_estimates);
}

/// A number's error, and how much further than the error times the quantile its limit is, over the
/// error: something over n for a rate, which is much of few rows.
struct RateError {
  double error = 0;
  double beside = 0;
};

/// Limits of Clopper and Pearson: z s and (1/2 + side (1 - 2 p)(z^2 / 3 + 1/6)) / n from a rate p
/// (Brown, Cai, DasGupta, 2002, to second order).
struct LimitOfRate {
  double tail = 0;
  double side = 0;  ///< 1: the upper limit; -1: the lower one; 0: half of both distances

  [[nodiscard]] double beside(double rate) const {
    return 0.5 + side * (1 - 2 * rate) * (tail * tail / 3 + 1.0 / 6);
  }
  /// Of as many rows as have this limit around the rate, if the truth is another rate.
  /// @param distance  from the rate to the limit.
  [[nodiscard]] RateError error_at(double truth, double rate, double distance) const {
    const double deviation = std::sqrt(rate * (1 - rate));
    if (!(deviation > 0) || !(truth > 0 && truth < 1)) return {distance / tail, 0};
    const double along = tail * deviation;
    const double square = along * along + 4 * beside(rate) * distance;
    // 1/sqrt(n), of along / sqrt(n) + beside / n = distance
    const double root = 2 * distance / (along + std::sqrt(std::max(0.0, square)));
    const double in_truth = std::sqrt(truth * (1 - truth));
    return {in_truth * root, beside(truth) * root / in_truth};
  }
};

/// Whether the intervals are those of rates, or, as of mean squares, next to these.
bool is_of_rates(const std::string& name, const std::vector<Measure>& measures) {
  const Measure* found = measure_named(name, measures);
  return found && found->what.unit == "share";
}

/// Of one bound: what it is on in truth, and as gaps that are to keep their bounds.
struct BoundAtTruth {
  double truth = 0;
  std::vector<metrics::BoundedGap> gaps;
  std::vector<double> beside;  ///< of every number, see RateError
};

/// The numbers of groups around their mean, so many times as far from it.
metrics::GroupNumbers stretched(const metrics::SeenGap& gap, double times) {
  metrics::GroupNumbers numbers{metrics::pooled(gap.tested, gap.decided).value, gap.tested.error};
  const double mean = std::accumulate(numbers.value.begin(), numbers.value.end(), 0.0) /
                      static_cast<double>(numbers.value.size());
  for (double& value : numbers.value) value = mean + times * (value - mean);
  return numbers;
}

double range_of(const metrics::SeenGap& gap) {
  const std::vector<double> values = metrics::pooled(gap.tested, gap.decided).value;
  const auto [least, most] = std::ranges::minmax(values);
  return most - least;
}

/// Of gaps the largest is this part of the bound.
BoundAtTruth gaps_at(double part, std::span<const metrics::SeenGap> gaps, bool of_rates,
                     double tail) {
  BoundAtTruth at{part * gaps[0].bound, {}, {}};
  double largest = 0;
  for (const metrics::SeenGap& gap : gaps) largest = std::max(largest, range_of(gap));
  for (const metrics::SeenGap& gap : gaps) {
    const metrics::GroupNumbers& tested = gap.tested;
    metrics::GroupNumbers numbers = stretched(gap, largest > 0 ? at.truth / largest : 0);
    for (std::size_t g = 0; g < tested.value.size(); ++g) {
      if (!(largest > 0))
        numbers.value[g] += spread_evenly(tested.value.size(), at.truth, 0).value[g];
      if (!of_rates) continue;
      const RateError error =
          LimitOfRate{tail}.error_at(numbers.value[g], tested.value[g], tail * tested.error[g]);
      numbers.error[g] = error.error;
      at.beside.push_back(error.beside);
    }
    at.gaps.push_back({std::move(numbers), gap.bound});
  }
  return at;
}

/// As a gap to a number that is known: next to exactly, as a gap's numbers have errors.
BoundAtTruth limit_at(double part, const LimitAlone& known, bool of_rates) {
  const double sign = known.failed.bound.at_most ? 1 : -1;
  const double begin = known.midway();
  const double truth = begin + part * (known.failed.bound.limit - begin);
  const double room = sign * (known.failed.bound.limit - truth);
  const double rate = known.failed.tested.value;
  const RateError error =
      of_rates ? LimitOfRate{known.tail, sign}.error_at(truth, rate, known.half_width())
               : RateError{known.half_width() / known.tail, 0};
  const double far = 100 * error.error;  // beyond all draws: only one order of the two counts
  return {truth, {{{{far, 0}, {error.error, 1e-6 * error.error}}, far + room}}, {error.beside}};
}

/// Whether it is of all rows and says the same of single groups: no gap, and no sum of gaps.
bool is_of_all_rows(const std::string& name, const std::vector<Measure>& measures) {
  const Measure* found = measure_named(name, measures);
  return !found || (found->at_groups == AtGroups::own && found->groups.size() > 1);
}

/// A bound at a part of the way to it; nothing where truths on the way are not known, as of what
/// several groups make whose numbers are not, or of a bound that both parts break.
std::optional<BoundAtTruth> bound_at(double part, const FailedBound& failed,
                                     const PointInMeasures& point) {
  const bool of_rates = is_of_rates(failed.bound.name, point.measures);
  const std::vector<metrics::SeenGap> gaps = gaps_of(failed.bound, point);
  if (!gaps.empty()) {
    if (!(failed.bound.limit > 0)) return std::nullopt;
    return gaps_at(part, gaps, of_rates, point.tail);
  }
  const LimitAlone known{failed, 0, point.tail};
  const double sign = failed.bound.at_most ? 1 : -1;
  if (!(sign * (failed.bound.limit - known.midway()) > 0)) return std::nullopt;
  if (!is_of_all_rows(failed.bound.name, point.measures)) return std::nullopt;
  return limit_at(part, known, of_rates);
}

std::size_t numbers_in(std::span<const metrics::BoundedGap> gaps) {
  std::size_t count = 0;
  for (const metrics::BoundedGap& gap : gaps) count += gap.of_groups.value.size();
  return count;
}

/// Of the rows to come, too, intervals of rates are wider than the quantile says.
double times_at_truth(const metrics::RowsToCome& rows, std::span<const metrics::BoundedGap> gaps,
                      std::span<const double> beside, double tail) {
  constexpr int rounds = 2;  // the root of the rows changes it by little
  const double sum = std::accumulate(beside.begin(), beside.end(), 0.0);
  const double mean = beside.empty() ? 0 : sum / static_cast<double>(beside.size());
  double times = rows.growth(gaps, tail, power_of_choice);
  for (int round = 0; round < rounds && mean != 0 && times > 0; ++round) {
    times = rows.growth(gaps, tail + mean / std::sqrt(times), power_of_choice);
  }
  return times;
}

}  // namespace

double rows_needed(std::span<const FailedBound> bounds, const std::vector<Measure>& measures,
                   const PartRoles& roles, std::size_t row, double confidence, bool fitted) {
  const PointInMeasures point{measures, roles, row, metrics::normal_quantile(confidence)};
  std::vector<metrics::SeenGap> gaps;
  double most = 1;
  for (const FailedBound& failed : bounds) {
    std::vector<metrics::SeenGap> mine = gaps_of(failed.bound, point);
    if (mine.empty()) {
      const LimitAlone known{failed, groups_compared(failed.bound.name, measures), point.tail};
      most = std::max(most,
                      fitted ? growth_by_limit_of_fitted(known) : growth_by_limit_of_picked(known));
    }
    std::ranges::move(mine, std::back_inserter(gaps));
  }
  if (gaps.empty() || std::isinf(most)) return most;
  if (fitted) return std::max(most, metrics::growth_after_fit(gaps, point.tail));
  most = std::max(most, metrics::growth_after_failure(gaps, point.tail, power_of_choice));
  // Estimates that break the bound are none of the truths that call for a number.
  const double at_estimates = growth_at_estimates(gaps, point.tail);
  return std::isinf(at_estimates) ? most : std::max(most, at_estimates);
}

std::vector<RowsAtTruth> rows_at_truths(std::span<const FailedBound> bounds,
                                        const std::vector<Measure>& measures,
                                        const PartRoles& roles, std::size_t row,
                                        double confidence) {
  const PointInMeasures point{measures, roles, row, metrics::normal_quantile(confidence)};
  std::optional<metrics::RowsToCome> rows;
  std::vector<RowsAtTruth> found;
  for (const double part : {0.0, 0.5, 0.8}) {
    RowsAtTruth at;
    std::vector<metrics::BoundedGap> gaps;
    std::vector<double> beside;
    for (const FailedBound& failed : bounds) {
      std::optional<BoundAtTruth> of_bound = bound_at(part, failed, point);
      if (!of_bound) return {};
      at.truth.push_back(of_bound->truth);
      std::ranges::move(of_bound->gaps, std::back_inserter(gaps));
      std::ranges::copy(of_bound->beside, std::back_inserter(beside));
    }
    if (!rows) rows.emplace(numbers_in(gaps));
    at.times = times_at_truth(*rows, gaps, beside, point.tail);
    found.push_back(std::move(at));
  }
  return found;
}

}  // namespace fairfront::results
