/// @file
/// How long it takes from a file with names and numbers to the prepared rows of a split: reading,
/// hashing, one-hot encoding, scaling. On UCI Adult where it is there (FAIRFRONT_DATA), and on a
/// generated file in its form. Every run checks what came out.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/random.hpp"
#include "data/supervised.hpp"
#include "support/data_dir.hpp"

namespace fairfront::data {
namespace {

/// What a prepared set must fulfil: one indicator per category in each row, and scaled numbers of
/// mean 0 and mean square 1 over the training rows.
bool is_sound(const SupervisedSet& set, std::size_t numbers, std::int64_t categories) {
  const auto train = static_cast<double>(set.split.train.size());
  std::vector<double> sum(numbers, 0);
  std::vector<double> squares(numbers, 0);
  double indicators = 0;
  for (const std::int64_t row : set.split.train) {
    const auto values = set.set.row(row);
    std::size_t number = 0;
    for (std::size_t c = 0; c < values.size(); ++c) {
      if (set.set.feature_names[c].find('=') != std::string::npos) {
        indicators += values[c];
      } else {
        sum[number] += values[c];
        squares[number++] += values[c] * values[c];
      }
    }
  }
  bool sound = indicators == static_cast<double>(categories) * train;
  for (std::size_t c = 0; c < numbers; ++c) {
    sound = sound && std::abs(sum[c]) < 1e-6 * train && std::abs(squares[c] / train - 1) < 1e-9;
  }
  return sound;
}

void run(benchmark::State& state, const SupervisedOptions& options,
         const std::filesystem::path& dir, std::int64_t columns) {
  for (auto step : state) {
    const RawTable raw = load_raw(options, dir, false);
    const SupervisedSet set =
        prepare(raw, split_of(raw, {.validation = 0.1}), {.scaling = FittedScaling::zscore});
    state.PauseTiming();
    if (set.set.columns != columns || !is_sound(set, 6, 7)) {
      state.SkipWithError("the prepared rows are wrong");
      return;
    }
    state.ResumeTiming();
    benchmark::DoNotOptimize(set.set.features.data());
  }
}

/// UCI Adult, classification: 45,222 complete rows of two files, 102 columns.
void adult_end_to_end(benchmark::State& state) {
  run(state, {}, test::public_data_dir().value(), 102);
}

/// Splitting and preparing alone, as a sweep over split_seed does it.
void adult_prepare(benchmark::State& state) {
  const RawTable raw = load_raw({}, test::public_data_dir().value(), false);
  SplitOptions split{.by = SplitRule::fractions};
  for (auto step : state) {
    ++split.split_seed;
    const SupervisedSet set = prepare(raw, split_of(raw, split), {});
    state.PauseTiming();
    if (!is_sound(set, 6, 7)) {
      state.SkipWithError("the prepared rows are wrong");
      return;
    }
    state.ResumeTiming();
  }
}

/// 40,000 rows of six numbers and seven names with 14 levels each.
void generated_end_to_end(benchmark::State& state) {
  const auto folder = std::filesystem::temp_directory_path() / "fairfront-bench-data";
  std::filesystem::create_directories(folder);
  SupervisedOptions options;
  options.data = "csv";
  options.file = (folder / "generated.csv").string();
  options.sensitive = {"c0"};
  options.label = "x0 > 500";
  std::ofstream file(options.file);
  for (int c = 0; c < 7; ++c) {
    options.features.push_back(fmt::format("x{}", c));
    file << (c == 0 ? "" : ",") << 'x' << c << ",c" << c;
  }
  options.features.erase(options.features.begin());
  options.categorical.clear();
  for (int c = 0; c < 7; ++c) options.categorical.push_back(fmt::format("c{}", c));
  options.features.insert(options.features.end(), options.categorical.begin(),
                          options.categorical.end());
  base::Stream stream({1, "bench_data", "cells"}, 0);
  for (int i = 0; i < 40'000; ++i) {
    for (int c = 0; c < 7; ++c) {
      file << (c == 0 ? "\n" : ",") << stream.below(1000) << ",Some-level-" << stream.below(14);
    }
  }
  file.close();
  run(state, options, ".", 6 + 7 * 14);
  std::filesystem::remove_all(folder);
}

/// Where the data are missing there is nothing to time, which is no error.
[[maybe_unused]] const bool with_adult = [] {
  if (!test::public_data_dir()) return false;
  benchmark::RegisterBenchmark("adult_end_to_end", adult_end_to_end)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("adult_prepare", adult_prepare)->Unit(benchmark::kMillisecond);
  return true;
}();
BENCHMARK(generated_end_to_end)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fairfront::data

BENCHMARK_MAIN();
