#include "fitted_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "choice_samples.hpp"
#include "fitted_points.hpp"
#include "metrics/contrast.hpp"
#include "metrics/quantile.hpp"
#include "metrics/rows_needed.hpp"
#include "results/choice_rows.hpp"

namespace fairfront::bench {
namespace {

using training::RateKind;

struct FitSetting {
  Fit fit;
  std::size_t groups;
  std::size_t decide, test;  ///< rows
  double times;              ///< the bound, as a multiple of the median true gap

  [[nodiscard]] std::string name() const {
    return fmt::format("{} {} {} {} {}", fit.name, groups, decide, test, times);
  }
};

/// A draw that has failed. Infinite numbers: none is said.
struct Failure {
  bool kept;      ///< by the truth
  double exact;   ///< growth by the true rates
  double called;  ///< growth that is said where the rates of groups are known
  double power;   ///< at it
  double called_by_limit, power_by_limit;  ///< where the gap's limit alone is known
};

std::vector<double> rates_of(const Counts& counts, std::size_t rate) {
  std::vector<double> rates;
  for (std::size_t g = 0; g < counts.rows[rate].size(); ++g) {
    rates.push_back(counts.hits[rate][g] / counts.rows[rate][g]);
  }
  return rates;
}

double gap_of(const Counts& counts) {
  double gap = 0;
  for (std::size_t rate = 0; rate < counts.rows.size(); ++rate) {
    const std::vector<double> rates = rates_of(counts, rate);
    const auto [least, most] = std::ranges::minmax(rates);
    gap = std::max(gap, most - least);
  }
  return gap;
}

std::vector<metrics::Limits> limits_of(const Counts& counts, std::size_t rate) {
  std::vector<metrics::Limits> limits;
  for (std::size_t g = 0; g < counts.rows[rate].size(); ++g) {
    // Expected counts add up to a whole one with an error of rounding.
    const double rows = std::max(1.0, counts.rows[rate][g]);
    const double hits = std::min(rows, counts.hits[rate][g]);
    limits.push_back(metrics::limits_of(metrics::proportion(hits, rows), 1 - confidence));
  }
  return limits;
}

/// The upper limit of the gap.
double highest(const Counts& counts) {
  double high = 0;
  for (std::size_t rate = 0; rate < counts.rows.size(); ++rate) {
    const std::vector<metrics::Limits> limits = limits_of(counts, rate);
    for (const metrics::Limits& a : limits) {
      for (const metrics::Limits& b : limits) {
        if (&a == &b) continue;
        high = std::max(high, a.value - b.value + std::hypot(a.above, b.below));
      }
    }
  }
  return high;
}

/// A gap of the archive, of one rate or of all; the cells of groups are known of one rate alone.
results::Measure measure_of(const std::string& name, const Counts& decides, const Counts& tests,
                            std::optional<std::size_t> rate) {
  const double nan = std::nan("");
  results::Measure measure;
  measure.what.name = name;
  measure.at_groups = results::AtGroups::made_by;
  measure.parts = {"validation", "choice"};
  measure.groups = {"all"};
  for (std::size_t g = 0; g < tests.rows[0].size(); ++g) {
    measure.groups.push_back(std::to_string(g));
  }
  for (const Counts* counts : {&decides, &tests}) {
    measure.values.insert(measure.values.end(), {gap_of(*counts), 0, highest(*counts)});
    for (std::size_t g = 0; g < tests.rows[0].size(); ++g) {
      if (!rate) {
        measure.values.insert(measure.values.end(), 3, nan);
        continue;
      }
      const metrics::Limits limits = limits_of(*counts, *rate)[g];
      measure.values.insert(measure.values.end(), {limits.value, limits.low(), limits.high()});
    }
  }
  return measure;
}

/// The growth that is said.
double called_for(const Counts& decides, const Counts& tests, double bound, bool groups_known) {
  std::vector<results::Measure> measures;
  const bool two = tests.rows.size() == 2;
  const std::string name = two ? "separation_gap" : "rate_gap";
  const auto one_rate = groups_known && !two ? std::optional<std::size_t>{0} : std::nullopt;
  measures.push_back(measure_of(name, decides, tests, one_rate));
  if (two && groups_known) {
    measures.push_back(measure_of("false_positive_gap", decides, tests, 0));
    measures.push_back(measure_of("true_positive_gap", decides, tests, 1));
  }
  results::FailedBound failed;
  failed.bound = {name, true, bound};
  failed.decided = gap_of(decides);
  failed.tested = {gap_of(tests), 0, highest(tests)};
  return results::rows_needed({&failed, 1}, measures, {"validation", "choice", ""}, 0, confidence,
                              true);
}

/// The share of draws of so many times the rows that show the bound.
double power_at(const FittedPoint& point, double rows, double bound, base::Stream& stream) {
  constexpr int draws = 100;
  if (std::isinf(rows) || gap_of(point.in_truth()) >= bound) return 0;
  int passed = 0;
  for (int draw = 0; draw < draws; ++draw) {
    passed += highest(point.on_new(std::ceil(rows), stream)) <= bound ? 1 : 0;
  }
  return static_cast<double>(passed) / draws;
}

/// By the true rates, with the errors of decisions that are certain.
double exact_growth(const FittedPoint& point, double rows, double bound) {
  const Counts truth = point.in_truth();
  std::vector<metrics::BoundedGap> gaps;
  for (std::size_t rate = 0; rate < truth.rows.size(); ++rate) {
    metrics::BoundedGap gap{{rates_of(truth, rate), {}}, bound};
    for (std::size_t g = 0; g < truth.rows[rate].size(); ++g) {
      const double value = gap.of_groups.value[g];
      gap.of_groups.error.push_back(std::sqrt(value * (1 - value) / (rows * truth.rows[rate][g])));
    }
    gaps.push_back(std::move(gap));
  }
  return std::max(1.0, metrics::growth_for_power(gaps, metrics::normal_quantile(confidence), 0.9));
}

double median_true_gap(const Scores& scores, const FitSetting& setting, base::Stream& stream) {
  std::vector<double> gaps;
  for (int repeat = 0; repeat < 25; ++repeat) {
    gaps.push_back(gap_of(FittedPoint(scores, setting.fit, setting.decide, stream).in_truth()));
  }
  std::ranges::nth_element(gaps, gaps.begin() + 12);
  return gaps[12];
}

/// Of at most ten times as many draws as are to fail.
std::vector<Failure> failures_of(const FitSetting& setting, std::int64_t draws) {
  base::Stream stream(base::StreamKey(11, "fitted_rows", setting.name()), 0);
  const Scores scores = drawn_scores(setting.groups, !setting.fit.draws, stream);
  const double bound = setting.times * median_true_gap(scores, setting, stream);
  const auto rows = static_cast<double>(setting.test);
  std::vector<Failure> failures;
  for (std::int64_t i = 0; i < 10 * draws && std::ssize(failures) < draws; ++i) {
    const FittedPoint point(scores, setting.fit, setting.decide, stream);
    const Counts tests = point.on_new(rows, stream);
    if (highest(tests) <= bound) continue;
    const double called = called_for(point.on_fitted(), tests, bound, true);
    const double by_limit = called_for(point.on_fitted(), tests, bound, false);
    // Of its own, so that the models are the same whatever is called for.
    base::Stream anew(base::StreamKey(12, "fitted_rows", setting.name()),
                      static_cast<std::uint64_t>(i));
    failures.push_back({gap_of(point.in_truth()) < bound, exact_growth(point, rows, bound), called,
                        power_at(point, called * rows, bound, anew), by_limit,
                        power_at(point, by_limit * rows, bound, anew)});
  }
  return failures;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile_of(std::vector<double> values, double along) {
  if (values.empty()) return std::nan("");
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(along * static_cast<double>(values.size() - 1))];
}

/// Prints a line. @returns the mean power where the bound holds in truth and a number is said.
double print(const std::string& name, const std::vector<Failure>& failures, bool by_limit) {
  std::vector<double> kept, all, beside, called;
  double none = 0;
  for (const Failure& one : failures) {
    const double growth = by_limit ? one.called_by_limit : one.called;
    const double power = by_limit ? one.power_by_limit : one.power;
    if (std::isinf(growth)) {
      none += one.kept ? 1 : 0;
      continue;
    }
    all.push_back(power);
    if (!one.kept) continue;
    kept.push_back(power);
    beside.push_back(growth / one.exact);
    called.push_back(growth);
  }
  const double holds = static_cast<double>(kept.size()) + none;
  fmt::print("{:44}{:8}{:7.2f}{:7.2f}{:8.3f}{:8.3f}{:9.2f}{:8.1f}{:9.1f}\n", name, failures.size(),
             holds / static_cast<double>(failures.size()), none / holds, mean_of(kept),
             mean_of(all), quantile_of(beside, 0.5), quantile_of(beside, 0.95),
             quantile_of(called, 0.5));
  return mean_of(kept);
}

std::vector<FitSetting> settings() {
  const std::vector<Fit> fits{
      {"drawn, demographic parity", RateKind::demographic_parity, true},
      {"drawn, equal opportunity", RateKind::equal_opportunity, true},
      {"drawn, equalised odds", RateKind::equalised_odds, true},
      {"one threshold, demographic parity", RateKind::demographic_parity, false}};
  struct Parts {
    std::size_t decide, test;
  };
  std::vector<FitSetting> all;
  for (const Fit& fit : fits) {
    for (const std::size_t groups : std::array<std::size_t, 3>{2, 4, 8}) {
      for (const Parts& parts : {Parts{1000, 1000}, Parts{2400, 2400}, Parts{4000, 2400},
                                 Parts{4000, 4000}, Parts{10'000, 10'000}}) {
        for (const double times : {1.2, 2.0, 4.0}) {
          all.push_back({fit, groups, parts.decide, parts.test, times});
        }
      }
    }
  }
  return all;
}

}  // namespace

bool simulate_fitted_rows(std::int64_t draws) {
  fmt::print("{:44}{:>8}{:>7}{:>7}{:>8}{:>8}{:>9}{:>8}{:>9}\n", "fitted, after a failure", "failed",
             "holds", "none", "power", "all", "median", "95 %", "growth");
  std::map<std::string, std::vector<Failure>> lines;
  for (const FitSetting& setting : settings()) {
    for (const Failure& one : failures_of(setting, draws)) {
      for (const std::string& line :
           {fmt::format("1 {}, {} groups", setting.fit.name, setting.groups),
            fmt::format("2 rows {:5} and {:5}", setting.decide, setting.test),
            fmt::format("3 bound {} times the gap", setting.times), std::string{"4 all"}}) {
        lines[line].push_back(one);
      }
    }
  }
  bool met = true;
  for (const bool by_limit : {false, true}) {
    if (by_limit) fmt::print("\nthe gap's limit alone is known\n");
    double power = 0;
    for (const auto& [line, failures] : lines) power = print(line.substr(2), failures, by_limit);
    // The last line is of all.
    const double error = 3 * std::sqrt(0.9 * 0.1 / static_cast<double>(lines["4 all"].size()));
    met = met && power >= 0.85 - error && power <= 0.95 + error;
  }
  return met;
}

}  // namespace fairfront::bench
