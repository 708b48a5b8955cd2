#include "metrics/interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/stop.hpp"
#include "metrics/contrast.hpp"

namespace fairfront::metrics {
namespace {

/// The number of every row's stratum.
std::vector<std::int64_t> strata_of(const Scored& scored, Strata strata) {
  std::vector<std::int64_t> of_row(scored.rows(), 0);
  if (strata == Strata::none) return of_row;
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    of_row[i] = scored.group[i];
    if (strata == Strata::group_and_label && scored.label[i] > 0) of_row[i] += scored.groups;
  }
  return of_row;
}

/// A sample drawn again and again from the same rows, kept by ascending score.
class Resampler {
 public:
  Resampler(const Scored& scored, Strata strata) : whole_{scored}, count_(scored.rows()) {
    std::vector<std::size_t> order(scored.rows());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return scored.score[i]; });
    const std::vector<std::int64_t> stratum = strata_of(scored, strata);
    strata_.resize(static_cast<std::size_t>(2 * scored.groups));
    for (const std::size_t i : order) {
      strata_[static_cast<std::size_t>(stratum[i])].push_back(
          static_cast<std::uint32_t>(score_.size()));
      score_.push_back(scored.score[i]);
      label_.push_back(scored.label[i]);
      group_.push_back(scored.group[i]);
      if (!scored.decided.empty()) decided_.push_back(scored.decided[i]);
    }
    drawn_decided_.resize(decided_.size());
    drawn_score_.resize(scored.rows());
    drawn_label_.resize(scored.rows());
    drawn_group_.resize(scored.rows());
  }

  /// Valid until the next call.
  const Scored& draw(base::Stream stream) {
    std::ranges::fill(count_, 0);
    for (const auto& rows : strata_) {
      for (std::size_t drawn = 0; drawn < rows.size(); ++drawn) {
        ++count_[rows[stream.below(static_cast<std::uint32_t>(rows.size()))]];
      }
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < count_.size(); ++i) {
      for (std::uint32_t copy = 0; copy < count_[i]; ++copy, ++next) {
        drawn_score_[next] = score_[i];
        drawn_label_[next] = label_[i];
        drawn_group_[next] = group_[i];
        if (!decided_.empty()) drawn_decided_[next] = decided_[i];
      }
    }
    whole_.score = drawn_score_;
    whole_.label = drawn_label_;
    whole_.group = drawn_group_;
    whole_.decided = drawn_decided_;
    whole_.ordered = nullptr;
    return whole_;
  }

 private:
  Scored whole_;
  std::vector<std::uint32_t> count_;
  std::vector<std::vector<std::uint32_t>> strata_;
  std::vector<double> score_, label_, decided_, drawn_score_, drawn_label_, drawn_decided_;
  std::vector<std::int32_t> group_, drawn_group_;
};

/// Between the two nearest of the ascending values, which may be infinite.
double quantile(std::span<const double> sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  if (part == 0 || sorted[below] == sorted[above]) return sorted[below];
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

/// @param values          of one measure in the resamples in which it is defined.
/// @param last_undefined  why it is not in another one.
BootstrapInterval percentile_interval(std::vector<double> values, const std::string& last_undefined,
                                      const BootstrapOptions& options) {
  BootstrapInterval result;
  result.undefined = options.resamples - std::ssize(values);
  if (2 * result.undefined > options.resamples) {
    result.interval.undefined_reason = fmt::format(
        "undefined in {} of {} resamples: {}", result.undefined, options.resamples, last_undefined);
    return result;
  }
  std::ranges::sort(values);
  const double low = quantile(values, (1 - options.level) / 2);
  const double high = quantile(values, (1 + options.level) / 2);
  if (low == high) {
    result.interval.undefined_reason = "the same value in nearly all resamples: it bounds nothing";
    return result;
  }
  result.interval.low = low;
  result.interval.high = high;
  return result;
}

/// @throws std::invalid_argument  they are of other measures, or more than wanted.
Resamples begin_of(const BootstrapOptions& options, std::size_t measures) {
  Resamples begin = options.earlier;
  if (begin.done == 0) {
    begin.values.assign(measures, {});
    begin.undefined.assign(measures, {});
  }
  const bool fits = begin.done >= 0 && begin.done <= options.resamples &&
                    begin.values.size() == measures && begin.undefined.size() == measures &&
                    std::ranges::all_of(begin.values, [&](const std::vector<double>& values) {
                      return std::ssize(values) <= begin.done;
                    });
  if (!fits) {
    throw std::invalid_argument(
        fmt::format("BootstrapOptions::earlier: {} resamples of {} measures, must be of {} and at "
                    "most {}",
                    begin.done, begin.values.size(), measures, options.resamples));
  }
  return begin;
}

}  // namespace

void validate(const BootstrapOptions& options) {
  if (options.resamples < 2) {
    throw std::invalid_argument(
        fmt::format("BootstrapOptions::resamples = {}, must be at least 2", options.resamples));
  }
  if (!(options.level > 0 && options.level < 1)) {
    throw std::invalid_argument(
        fmt::format("BootstrapOptions::level = {}, must be in (0, 1)", options.level));
  }
}

Interval rate_interval(double hits, double of, double level) {
  const Limits limits = limits_of(proportion(hits, of), (1 - level) / 2);
  return {limits.low(), std::min(1.0, limits.high()), {}};  // but for rounding
}

BootstrapInterval not_resampled() {
  return {{.undefined_reason = "percentiles of the bootstrap do not hold a maximum"}, 0};
}

std::vector<BootstrapInterval> percentile_intervals(
    std::size_t measures, const BootstrapOptions& options, base::StreamKey key,
    const std::function<void(base::Stream)>& draw, const std::function<Value(std::size_t)>& value) {
  validate(options);
  Resamples all = begin_of(options, measures);
  while (all.done < options.resamples) {
    base::stop_point();
    if (options.between) options.between();
    draw(base::Stream(key, static_cast<std::uint64_t>(all.done)));
    for (std::size_t m = 0; m < measures; ++m) {
      Value found = value(m);
      if (found.defined()) {
        all.values[m].push_back(found.value);
      } else {
        all.undefined[m] = std::move(found.undefined_reason);
      }
    }
    ++all.done;
    if (options.after) options.after(all);
  }
  std::vector<BootstrapInterval> intervals;
  for (std::size_t m = 0; m < measures; ++m) {
    intervals.push_back(percentile_interval(std::move(all.values[m]), all.undefined[m], options));
  }
  return intervals;
}

std::vector<BootstrapInterval> bootstrap_intervals(std::span<const Measure> measures,
                                                   const Scored& scored,
                                                   const BootstrapOptions& options,
                                                   base::StreamKey key) {
  validate(options);
  validate(scored);
  Resampler resampler(scored, options.strata);
  const Scored* drawn = nullptr;
  std::vector<std::size_t> plain;
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (measures[m].may_resample) plain.push_back(m);
  }
  std::vector<BootstrapInterval> of_plain = percentile_intervals(
      plain.size(), options, key, [&](base::Stream stream) { drawn = &resampler.draw(stream); },
      [&](std::size_t i) { return measures[plain[i]].of(*drawn); });
  std::vector<BootstrapInterval> all(measures.size(), not_resampled());
  for (std::size_t i = 0; i < plain.size(); ++i) all[plain[i]] = std::move(of_plain[i]);
  return all;
}

BootstrapInterval bootstrap_interval(const Measure& measure, const Scored& scored,
                                     const BootstrapOptions& options, base::StreamKey key) {
  return bootstrap_intervals({&measure, 1}, scored, options, key).front();
}

std::string too_few_resamples(std::int64_t resamples, double level) {
  // Each end has (1 - level) / 2 of them beyond it: one at least. The level is a decimal number.
  constexpr double rounding = 1e-9;
  const double needed = std::ceil(2 / (1 - level) * (1 - rounding));
  if (static_cast<double>(resamples) >= needed) return {};
  return fmt::format(
      "{} resamples are too few for intervals of confidence {}, whose ends are then the extremes "
      "of "
      "what was drawn: at least {:.0f} are needed",
      resamples, level, needed);
}

}  // namespace fairfront::metrics
