#include "metrics/interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/elementary.hpp"
#include "base/stop.hpp"

namespace fairfront::metrics {
namespace {

/// numerator(x) / denominator(x), coefficients from the constant upwards.
template <std::size_t N>
double ratio_of_polynomials(const double (&numerator)[N], const double (&denominator)[N],
                            double x) {
  double above = 0;
  double below = 0;
  for (std::size_t i = N; i-- > 0;) {
    above = above * x + numerator[i];
    below = below * x + denominator[i];
  }
  return above / below;
}

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
    }
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
      }
    }
    whole_.score = drawn_score_;
    whole_.label = drawn_label_;
    whole_.group = drawn_group_;
    return whole_;
  }

 private:
  Scored whole_;
  std::vector<std::uint32_t> count_;
  std::vector<std::vector<std::uint32_t>> strata_;
  std::vector<double> score_, label_, drawn_score_, drawn_label_;
  std::vector<std::int32_t> group_, drawn_group_;
};

/// Between the two nearest of the ascending values.
double quantile(std::span<const double> sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// @param values          of one measure in the resamples in which it is defined.
/// @param last_undefined  why it is not in another one.
BootstrapInterval percentile_interval(std::vector<double> values, const Value& last_undefined,
                                      const BootstrapOptions& options) {
  BootstrapInterval result;
  result.undefined = options.resamples - std::ssize(values);
  if (2 * result.undefined > options.resamples) {
    result.interval.undefined_reason =
        fmt::format("undefined in {} of {} resamples: {}", result.undefined, options.resamples,
                    last_undefined.undefined_reason);
    return result;
  }
  std::ranges::sort(values);
  result.interval.low = quantile(values, (1 - options.level) / 2);
  result.interval.high = quantile(values, (1 + options.level) / 2);
  return result;
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

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    constexpr double a[]{3.3871328727963666080e0,  1.3314166789178437745e+2,
                         1.9715909503065514427e+3, 1.3731693765509461125e+4,
                         4.5921953931549871457e+4, 6.7265770927008700853e+4,
                         3.3430575583588128105e+4, 2.5090809287301226727e+3};
    constexpr double b[]{1.0,
                         4.2313330701600911252e+1,
                         6.8718700749205790830e+2,
                         5.3941960214247511077e+3,
                         2.1213794301586595867e+4,
                         3.9307895800092710610e+4,
                         2.8729085735721942674e+4,
                         5.2264952788528545610e+3};
    return q * ratio_of_polynomials(a, b, 0.180625 - q * q);
  }
  const double r = std::sqrt(-base::log(q < 0 ? p : 1 - p));
  double tail = 0;
  if (r <= 5) {
    constexpr double c[]{1.42343711074968357734e0,  4.63033784615654529590e0,
                         5.76949722146069140550e0,  3.64784832476320460504e0,
                         1.27045825245236838258e0,  2.41780725177450611770e-1,
                         2.27238449892691845833e-2, 7.74545014278341407640e-4};
    constexpr double d[]{1.0,
                         2.05319162663775882187e0,
                         1.67638483018380384940e0,
                         6.89767334985100004550e-1,
                         1.48103976427480074590e-1,
                         1.51986665636164571966e-2,
                         5.47593808499534494600e-4,
                         1.05075007164441684324e-9};
    tail = ratio_of_polynomials(c, d, r - 1.6);
  } else {
    constexpr double e[]{6.65790464350110377720e0,  5.46378491116411436990e0,
                         1.78482653991729133580e0,  2.96560571828504891230e-1,
                         2.65321895265761230930e-2, 1.24266094738807843860e-3,
                         2.71155556874348757815e-5, 2.01033439929228813265e-7};
    constexpr double f[]{1.0,
                         5.99832206555887937690e-1,
                         1.36929880922735805310e-1,
                         1.48753612908506148525e-2,
                         7.86869131145613259100e-4,
                         1.84631831751005468180e-5,
                         1.42151175831644588870e-7,
                         2.04426310338993978564e-15};
    tail = ratio_of_polynomials(e, f, r - 5);
  }
  return q < 0 ? -tail : tail;
}

Interval wilson_interval(std::int64_t hits, std::int64_t of, double level) {
  const double z = normal_quantile((1 + level) / 2);
  const auto n = static_cast<double>(of);
  const double rate = static_cast<double>(hits) / n;
  const double shrink = 1 + z * z / n;
  const double centre = (rate + z * z / (2 * n)) / shrink;
  const double half = z * std::sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / shrink;
  // The ends are 0 and 1 exactly where no row or every row is a hit, but for rounding.
  return {hits == 0 ? 0 : std::max(0.0, centre - half),
          hits == of ? 1 : std::min(1.0, centre + half),
          {}};
}

Interval normal_interval(double value, double standard_error, double level, double lowest,
                         double highest) {
  if (std::isnan(standard_error)) return {.undefined_reason = "a set of fewer than two rows"};
  const double half = normal_quantile((1 + level) / 2) * standard_error;
  return {std::max(lowest, value - half), std::min(highest, value + half), {}};
}

std::vector<BootstrapInterval> percentile_intervals(
    std::size_t measures, const BootstrapOptions& options, base::StreamKey key,
    const std::function<void(base::Stream)>& draw, const std::function<Value(std::size_t)>& value) {
  validate(options);
  std::vector<std::vector<double>> values(measures);
  std::vector<Value> last_undefined(measures);
  for (std::int64_t r = 0; r < options.resamples; ++r) {
    base::stop_point();
    if (options.between) options.between();
    draw(base::Stream(key, static_cast<std::uint64_t>(r)));
    for (std::size_t m = 0; m < measures; ++m) {
      Value found = value(m);
      if (found.defined()) {
        values[m].push_back(found.value);
      } else {
        last_undefined[m] = std::move(found);
      }
    }
  }
  std::vector<BootstrapInterval> intervals;
  for (std::size_t m = 0; m < measures; ++m) {
    intervals.push_back(percentile_interval(std::move(values[m]), last_undefined[m], options));
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
  return percentile_intervals(
      measures.size(), options, key, [&](base::Stream stream) { drawn = &resampler.draw(stream); },
      [&](std::size_t m) { return measures[m].of(*drawn); });
}

BootstrapInterval bootstrap_interval(const Measure& measure, const Scored& scored,
                                     const BootstrapOptions& options, base::StreamKey key) {
  return bootstrap_intervals({&measure, 1}, scored, options, key).front();
}

}  // namespace fairfront::metrics
