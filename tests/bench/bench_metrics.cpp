// Measures of a million scores, bootstrap intervals and exact fronts of thresholds. Answers are
// known beforehand, or are compared with another route to them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "metrics/auc.hpp"
#include "metrics/distance.hpp"
#include "metrics/interval.hpp"
#include "metrics/measure.hpp"
#include "metrics/quantile.hpp"
#include "metrics/random_scored.hpp"
#include "metrics/threshold_front.hpp"

namespace fairfront::metrics {
namespace {

/// Every score k / n once, in random order; label and group by coins, the score moved by neither.
Sample uninformative(std::int64_t rows) {
  base::Stream stream(base::StreamKey(1, "bench", "sample"), 0);
  Sample sample;
  sample.groups = 2;
  for (std::int64_t i = 0; i < rows; ++i) {
    sample.score.push_back(static_cast<double>(i) / static_cast<double>(rows));
    sample.label.push_back(stream.below(2));
    sample.group.push_back(static_cast<std::int32_t>(stream.below(2)));
  }
  stream.shuffle(std::span<double>{sample.score});
  return sample;
}

/// Scores that tell label and group, as a classifier's do: accuracy about 0.8.
Sample informative(std::int64_t rows, std::uint32_t groups) {
  base::Stream stream(base::StreamKey(2, "bench", "sample"), 0);
  Sample sample;
  sample.groups = groups;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::uint32_t group = stream.below(groups);
    const bool positive = stream.uniform() < 0.2 + 0.3 * group / groups;
    const double mean = (positive ? 0.6 : 0.35) + 0.1 * group / groups;
    const double noise = stream.uniform() + stream.uniform() + stream.uniform() - 1.5;
    sample.score.push_back(std::clamp(mean + 0.3 * noise, 0.0, 1.0));
    sample.label.push_back(positive ? 1 : 0);
    sample.group.push_back(static_cast<std::int32_t>(group));
  }
  return sample;
}

/// With distinct scores k / n the AUC follows from the ranks of the positives (Mann, Whitney).
double auc_by_ranks(const Sample& sample) {
  const auto rows = static_cast<double>(sample.score.size());
  double ranks = 0;
  double positives = 0;
  for (std::size_t i = 0; i < sample.score.size(); ++i) {
    if (sample.label[i] == 0) continue;
    ranks += std::round(sample.score[i] * rows);
    ++positives;
  }
  return (ranks - positives * (positives - 1) / 2) / (positives * (rows - positives));
}

void auc(benchmark::State& state) {
  const Sample sample = uninformative(state.range(0));
  const double expected = auc_by_ranks(sample);
  double value = 0;
  for (auto _ : state) {
    value = auc_between(sample.view(), Subset{.positive = true}, Subset{.positive = false}).value;
    benchmark::DoNotOptimize(value);
  }
  if (std::abs(value - expected) > 1e-12) state.SkipWithError("wrong AUC");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// The second group's scores are the first's plus one quarter: W1 = 1/4, KS = a quarter's share.
Sample shifted(std::int64_t rows) {
  Sample sample = uninformative(rows);
  for (std::size_t i = 0; i < sample.score.size(); ++i) {
    sample.group[i] = static_cast<std::int32_t>(i % 2);
    if (i % 2 == 1) sample.score[i] = sample.score[i - 1] + 0.25;
  }
  return sample;
}

void wasserstein(benchmark::State& state) {
  const Sample sample = shifted(state.range(0));
  double value = 0;
  for (auto _ : state) {
    value = wasserstein_1(sample.view()).value;
    benchmark::DoNotOptimize(value);
  }
  if (std::abs(value - 0.25) > 1e-9) state.SkipWithError("wrong distance");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void kolmogorov(benchmark::State& state) {
  const Sample sample = shifted(state.range(0));
  double value = 0;
  for (auto _ : state) {
    value = kolmogorov_smirnov(sample.view()).value;
    benchmark::DoNotOptimize(value);
  }
  // Half of the k / n were drawn for the first group, so a quarter of them is below 1/4 or so.
  if (std::abs(value - 0.25) > 0.01) state.SkipWithError("wrong distance");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void all_of(benchmark::State& state, std::span<const Measure> measures) {
  const Sample sample = informative(state.range(0), 2);
  std::vector<Value> values;
  for (auto _ : state) {
    values = evaluate(measures, sample.view());
    benchmark::DoNotOptimize(values.data());
  }
  if (!std::ranges::all_of(values, &Value::defined)) state.SkipWithError("an undefined measure");
}

/// The intervals of an audit of many groups; each holds its estimate.
void intervals_of(benchmark::State& state, std::span<const Measure> measures) {
  const Sample sample = informative(state.range(0), static_cast<std::uint32_t>(state.range(1)));
  const std::vector<Value> values = evaluate(measures, sample.view());
  std::vector<Interval> intervals;
  for (auto _ : state) {
    intervals.clear();
    for (const Measure& measure : measures) {
      intervals.push_back(measure.interval(sample.view(), 0.95));
    }
    benchmark::DoNotOptimize(intervals.data());
  }
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (!values[m].defined() || !intervals[m].defined()) continue;
    if (values[m].value < intervals[m].low || values[m].value > intervals[m].high) {
      state.SkipWithError("an estimate outside its interval");
    }
  }
}

/// Against DeLong's formula.
void bootstrap_auc(benchmark::State& state) {
  const Sample sample = informative(state.range(0), 2);
  const Measure measure = select(ranking(), std::vector<std::string>{"auc"}).front();
  const Interval formula = measure.interval(sample.view(), 0.95);
  Interval drawn;
  for (auto _ : state) {
    drawn = bootstrap_interval(measure, sample.view(), {.resamples = 200},
                               base::StreamKey(3, "bench", "bootstrap"))
                .interval;
    benchmark::DoNotOptimize(drawn);
  }
  const double ratio = (drawn.high - drawn.low) / (formula.high - formula.low);
  if (std::abs(ratio - 1) > 0.3) state.SkipWithError("wrong interval");
}

/// The front's ends are known: the least error of every group by itself, and a gap of 0.
void thresholds(benchmark::State& state, ThresholdGap gap) {
  const Sample sample = informative(state.range(0), static_cast<std::uint32_t>(state.range(1)));
  ThresholdFront front;
  for (auto _ : state) {
    front = threshold_front(sample.view(), gap);
    benchmark::DoNotOptimize(front.points.data());
  }
  double least = 0;
  for (std::int32_t g = 0; g < sample.groups; ++g) {
    Sample alone;
    for (std::size_t i = 0; i < sample.score.size(); ++i) {
      if (sample.group[i] != g) continue;
      alone.score.push_back(sample.score[i]);
      alone.label.push_back(sample.label[i]);
      alone.group.push_back(0);
    }
    least += static_cast<double>(alone.score.size()) *
             threshold_front(alone.view(), gap).points.front().error;
  }
  const double ends = front.points.front().error * static_cast<double>(sample.score.size());
  if (std::abs(ends - least) > 1e-6 || front.points.back().gap != 0) {
    state.SkipWithError("wrong front");
  }
  state.counters["points"] = static_cast<double>(front.points.size());
}

/// Lower limits of shares of 400 rows that are as small as softmaxes are: quantiles from .02 down
/// to those that no number is small enough for. args: -log10 of hits.
void beta_quantiles(benchmark::State& state) {
  const double hits = std::pow(10.0, -static_cast<double>(state.range(0)));
  constexpr double tail = 0.025;
  double x = 0;
  for (auto _ : state) {
    x = beta_quantile(tail, hits, 401 - hits);
    benchmark::DoNotOptimize(x);
  }
  const double share = incomplete_beta(hits, 401 - hits, x, 1 - x);
  const bool none = x == 0 && incomplete_beta(hits, 401 - hits, 1e-300, 1) > tail;
  if (!none && std::abs(share - tail) > 1e-9) state.SkipWithError("not the quantile");
}

BENCHMARK(beta_quantiles)->Arg(-1)->Arg(1)->Arg(3)->Arg(80);
BENCHMARK(auc)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(wasserstein)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(kolmogorov)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_of, classification, classification())
    ->Arg(50'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_of, ranking, ranking())->Arg(50'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(intervals_of, classification, classification())
    ->Args({20'000, 24})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(intervals_of, ranking, ranking())
    ->Args({20'000, 24})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(bootstrap_auc)->Arg(50'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(thresholds, demographic_parity, ThresholdGap::demographic_parity)
    ->Args({50'000, 2})
    ->Args({50'000, 5})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(thresholds, equalised_odds, ThresholdGap::equalised_odds)
    ->Args({50'000, 2})
    ->Args({10'000, 3})
    ->Args({10'000, 5})
    ->Args({50'000, 3})
    ->Args({50'000, 5})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fairfront::metrics
