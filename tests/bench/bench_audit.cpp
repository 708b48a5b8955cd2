// What an audit of two models costs: each measure of classification and ranking with its interval,
// of both, and the differences with theirs. Every interval must hold its estimate.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "metrics/measure.hpp"
#include "metrics/paired_coverage.hpp"
#include "metrics/paired_measure.hpp"

namespace fairfront::metrics {
namespace {

/// Those in which two models of the same rows may differ.
std::vector<Measure> measures_of_probabilities() {
  std::vector<Measure> all(classification().begin(), classification().end());
  all.insert(all.end(), ranking().begin(), ranking().end());
  std::erase_if(all, [](const Measure& measure) {
    return std::ranges::count(paired_measures(), measure.what.name, &PairedMeasure::measure) == 0;
  });
  return all;
}

/// So many rows in so many groups of one size.
PairOfSamples two_models(std::int64_t rows, std::int64_t groups) {
  const auto count = static_cast<std::size_t>(groups);
  const PairedSetting setting{"bench", group_rows(count, rows / groups), 0.5, 0.3};
  return population_of(setting, 1, 1);
}

bool holds(const Interval& interval, double value) {
  return !interval.defined() || (interval.low <= value + 1e-12 && interval.high >= value - 1e-12);
}

/// @returns the measures whose interval leaves out its estimate, or "".
std::string audit(const PairOfSamples& models, const std::vector<Measure>& measures) {
  const Scored first = models.first.view();
  const Scored second = models.second.view();
  std::string wrong;
  for (const Measure& measure : measures) {
    const Value of_first = measure.of(first);
    const Value of_second = measure.of(second);
    if (!of_first.defined()) continue;
    const Value difference = less_reference(of_first, of_second);
    const bool all =
        holds(measure.interval(first, 0.95), of_first.value) &&
        holds(measure.interval(second, 0.95), of_second.value) &&
        holds(paired_measure(measure.what.name).interval(first, second, 0.95), difference.value);
    if (!all) wrong += " " + measure.what.name;
  }
  return wrong;
}

void audit_of_two_models(benchmark::State& state) {
  const PairOfSamples models = two_models(state.range(0), state.range(1));
  const std::vector<Measure> measures = measures_of_probabilities();
  std::string wrong;
  for (auto _ : state) wrong = audit(models, measures);
  if (!wrong.empty()) state.SkipWithError(("an estimate is outside its interval:" + wrong).c_str());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(audit_of_two_models)
    ->Args({20'000, 24})
    ->Args({1'000'000, 24})
    ->Unit(benchmark::kMillisecond);

/// One measure at a time of 100,000 rows in 24 groups: its value, its interval, the difference.
void one_measure(benchmark::State& state) {
  static const PairOfSamples models = two_models(100'000, 24);
  static const std::vector<Measure> measures = measures_of_probabilities();
  const Measure& measure = measures[static_cast<std::size_t>(state.range(0))];
  state.SetLabel(measure.what.name);
  std::string wrong;
  for (auto _ : state) wrong = audit(models, {measure});
  if (!wrong.empty()) state.SkipWithError("an estimate is outside its interval");
}
BENCHMARK(one_measure)
    ->DenseRange(0, static_cast<int>(measures_of_probabilities().size()) - 1)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fairfront::metrics
