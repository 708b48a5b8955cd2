/// @file
/// How sure a measure is: intervals from formulas, and from the bootstrap.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "metrics/measure.hpp"
#include "metrics/quantile.hpp"

namespace fairfront::metrics {

/// The interval of Clopper and Pearson (1934) for a rate of `hits` in `of` independent rows, above
/// 0: whole numbers, or expected ones of drawn decisions, whose rate varies less. Each end alone
/// misses with a probability of (1 - level) / 2 at most, whatever the rate: a choice is certified
/// by one end.
[[nodiscard]] Interval rate_interval(double hits, double of, double level);

/// Within what rows are drawn again: the sizes of these sets stay as they are.
enum class Strata { none, group, group_and_label };

/// What a bootstrap has drawn so far; it goes on from there to the same bits.
struct Resamples {
  std::int64_t done = 0;
  std::vector<std::vector<double>> values{};  ///< of each measure where it is defined, in order
  std::vector<std::string> undefined{};       ///< why it was not, the last time; empty: always was
};

struct BootstrapOptions {
  std::int64_t resamples = 1000;  ///< samples drawn with replacement, >= 2
  double level = 0.95;            ///< confidence, in (0, 1)
  Strata strata = Strata::group;
  /// Called before every resample; what it throws ends the work.
  std::function<void()> between = nullptr;
  /// Called after every resample with all of them; what it throws ends the work.
  std::function<void(const Resamples&)> after = nullptr;
  Resamples earlier{};  ///< of the same measures, sample and key; empty: it begins anew
};

/// Of so few that an end of the interval is beyond all of them: how many there must be, as a
/// sentence; else "".
[[nodiscard]] std::string too_few_resamples(std::int64_t resamples, double level);

struct BootstrapInterval {
  Interval interval;           ///< undefined if the measure is in more than half of the resamples
  std::int64_t undefined = 0;  ///< resamples in which the measure is undefined; they are left out
};

/// What a measure gets that may not be resampled; see Measure::may_resample.
[[nodiscard]] BootstrapInterval not_resampled();

/// The percentile interval (Efron, 1979) of every measure that may be resampled, all from the same
/// resamples: between the empirical (1 - level) / 2 and (1 + level) / 2 quantiles, interpolated
/// linearly. Resample r draws from the stream (key, r) alone. O(resamples (n + the measures)):
/// resamples are made in the order of the scores, so that no measure sorts again.
/// @throws std::invalid_argument  an option out of range, `earlier` of other measures or of more
///         resamples; whatever `validate(scored)` throws
[[nodiscard]] std::vector<BootstrapInterval> bootstrap_intervals(std::span<const Measure> measures,
                                                                 const Scored& scored,
                                                                 const BootstrapOptions& options,
                                                                 base::StreamKey key);

/// The same of measures on any kind of sample.
/// @param draw   makes the sample of a resample from its stream.
/// @param value  of measure m on the sample drawn last.
/// @throws base::Interrupted  before a resample; see base::stop_point().
[[nodiscard]] std::vector<BootstrapInterval> percentile_intervals(
    std::size_t measures, const BootstrapOptions& options, base::StreamKey key,
    const std::function<void(base::Stream)>& draw, const std::function<Value(std::size_t)>& value);

/// @throws std::invalid_argument  an option out of range.
void validate(const BootstrapOptions& options);

/// The same for one measure.
[[nodiscard]] BootstrapInterval bootstrap_interval(const Measure& measure, const Scored& scored,
                                                   const BootstrapOptions& options,
                                                   base::StreamKey key);

}  // namespace fairfront::metrics
