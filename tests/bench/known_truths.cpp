#include "known_truths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "choice_samples.hpp"
#include "metrics/contrast.hpp"
#include "metrics/quantile.hpp"
#include "results/choice_rows.hpp"
#include "results/content.hpp"

namespace fairfront::bench {
namespace {

constexpr std::array parts{0.0, 0.5, 0.8};

double binomial(double rows, double rate, base::Stream& stream) {
  constexpr double normal_from = 20'000;
  if (rows >= normal_from) {
    const double hits = rows * rate + std::sqrt(rows * rate * (1 - rate)) * stream.normal();
    return std::clamp(std::round(hits), 0.0, rows);
  }
  double hits = 0;
  for (double row = 0; row < rows; ++row) hits += stream.uniform() < rate ? 1 : 0;
  return hits;
}

/// Groups of one size each, whose rates differ by the gap.
struct Groups {
  std::vector<double> rates;
  double bound = 0;

  [[nodiscard]] Sample drawn(double rows, base::Stream& stream) const {
    Sample sample{std::vector<double>(rates.size(), rows), {}, {}};
    for (const double rate : rates) sample.hits[0].push_back(binomial(rows, rate, stream));
    return sample;
  }
  [[nodiscard]] bool passes(const Sample& sample) const {
    return measured_of(sample, 0).high <= bound;
  }
};

/// The lowest rate is the base; one group is at the gap, the others between.
Groups groups_of(std::size_t count, double base, double gap, double bound) {
  Groups groups{{}, bound};
  for (std::size_t g = 0; g < count; ++g) {
    const double place =
        static_cast<double>(g * g) / static_cast<double>((count - 1) * (count - 1));
    groups.rates.push_back(base + gap * place);
  }
  return groups;
}

results::Measured measured_rate(double hits, double rows) {
  const metrics::Limits limits =
      metrics::limits_of(metrics::proportion(hits, rows), 1 - confidence);
  return {limits.value, limits.low(), limits.high()};
}

/// Of both parts what the archive has: the gap, and every group's rate with its limits.
results::Measure measure_of(const Sample& decides, const Sample& tests) {
  results::Measure measure;
  measure.what.name = "gap";
  measure.what.unit = "share";
  measure.parts = {"validation", "choice"};
  measure.groups = {"all"};
  for (std::size_t g = 0; g < tests.rows.size(); ++g) measure.groups.push_back(std::to_string(g));
  for (const Sample* sample : {&decides, &tests}) {
    measure.values.insert(measure.values.end(), {gap_of(*sample, 0), std::nan(""), std::nan("")});
    for (std::size_t g = 0; g < sample->rows.size(); ++g) {
      const results::Measured rate = measured_rate(sample->hits[0][g], sample->rows[g]);
      measure.values.insert(measure.values.end(), {rate.value, rate.low, rate.high});
    }
  }
  return measure;
}

/// The mean over draws that have failed, and how many they are.
struct Power {
  double sum = 0;
  double failed = 0;

  [[nodiscard]] double mean() const { return sum / std::max(failed, 1.0); }
  [[nodiscard]] bool is_as_said() const {
    const double error = 3 * std::sqrt(0.9 * 0.1 / std::max(failed, 1.0));
    return mean() >= 0.85 - error && mean() <= 0.95 + error;
  }
};

/// @param part  of `parts`: where the gap is in truth.
Power power_of_gap(const Groups& groups, double rows, std::size_t part, std::int64_t draws) {
  Power power;
  for (std::int64_t draw = 0; draw < draws; ++draw) {
    const auto purpose =
        fmt::format("{} {} {} {}", groups.rates.size(), groups.rates[0], groups.bound, rows);
    base::Stream stream(base::StreamKey(part, "known_truths", purpose),
                        static_cast<std::uint64_t>(draw));
    const Sample decides = groups.drawn(rows, stream), tests = groups.drawn(rows, stream);
    if (groups.passes(tests)) continue;
    results::FailedBound failed;
    failed.bound = {"gap", true, groups.bound};
    failed.decided = gap_of(decides, 0);
    failed.tested = measured_of(tests, 0);
    const auto at = results::rows_at_truths({&failed, 1}, {measure_of(decides, tests)},
                                            {"validation", "choice", ""}, 0, confidence);
    power.failed += 1;
    power.sum += groups.passes(groups.drawn(std::ceil(rows * at[part].times), stream)) ? 1 : 0;
  }
  return power;
}

/// Of a rate that is to be below the bound; the truths are those that the draw names.
Power power_of_rate(double rate, double bound, double rows, std::size_t part, std::int64_t draws) {
  results::Measure error;
  error.what.name = "error";
  error.what.unit = "share";
  error.groups = {"all", "a", "b"};
  Power power;
  for (std::int64_t draw = 0; draw < draws; ++draw) {
    base::Stream stream(base::StreamKey(part, "known_truths", fmt::format("{} {}", bound, rows)),
                        static_cast<std::uint64_t>(draw));
    const double decided = binomial(rows, rate, stream) / rows;
    const results::Measured tested = measured_rate(binomial(rows, rate, stream), rows);
    if (tested.high <= bound) continue;
    results::FailedBound failed;
    failed.bound = {"error", true, bound};
    failed.decided = decided;
    failed.tested = tested;
    const auto truths =
        results::rows_at_truths({&failed, 1}, {error}, {"validation", "choice", ""}, 0, confidence);
    if (truths.empty()) continue;  // both parts break the bound
    const results::RowsAtTruth& at = truths[part];
    const double called = std::ceil(rows * at.times);
    power.failed += 1;
    power.sum += measured_rate(binomial(called, at.truth[0], stream), called).high <= bound ? 1 : 0;
  }
  return power;
}

bool tell(const std::string& what, double rows, double bound, const Power& power) {
  fmt::print("{:32}{:8.0f}{:8.2f}{:8.0f}{:9.3f}\n", what, rows, bound, power.failed, power.mean());
  std::fflush(stdout);
  return power.is_as_said();
}

}  // namespace

bool simulate_known_truths(std::int64_t draws) {
  fmt::print("\n{:32}{:>8}{:>8}{:>8}{:>9}\n", "rows at known truths", "rows", "bound", "failed",
             "power");
  bool met = true;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (const double rows : {60.0, 500.0}) {
      for (const double bound : {0.05, 0.1, 0.2}) {
        for (const std::size_t count : {2U, 8U}) {
          for (const double base : {0.1, 0.4}) {
            const Groups groups = groups_of(count, base, parts[part] * bound, bound);
            const Power power = power_of_gap(groups, rows, part, draws);
            if (power.failed < 50) continue;
            met &= tell(
                fmt::format("{} groups, {} and a gap of {:.2f}", count, base, parts[part] * bound),
                rows, bound, power);
          }
        }
        const double rate = bound - 0.3 * std::sqrt(bound * (1 - bound) / rows);
        const Power power = power_of_rate(rate, bound, rows, part, draws);
        met &= tell(fmt::format("a rate, {} of the way", parts[part]), rows, bound, power);
      }
    }
  }
  return met;
}

}  // namespace fairfront::bench
