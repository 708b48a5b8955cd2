// The cheapest assignment within a balance: seconds of the whole search, the gap that it proves.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "solvers/clustering/balanced_assignment.hpp"

namespace fairfront::clustering {
namespace {

constexpr std::int64_t columns = 5;

struct Rows {
  std::vector<std::int32_t> group;
  std::vector<double> squares;
};

/// Normal rows in R^5, a third of them in group 0, whose mean is elsewhere; normal centres.
Rows rows_of(std::int64_t count, std::int64_t clusters) {
  base::Stream stream(base::StreamKey(1, "bench", "assignment"), 0);
  std::vector<double> centres;
  for (std::int64_t i = 0; i < clusters * columns; ++i) centres.push_back(stream.normal());
  Rows rows;
  for (std::int64_t row = 0; row < count; ++row) {
    rows.group.push_back(stream.below(3) == 0 ? 0 : 1);
    std::vector<double> x;
    for (std::int64_t i = 0; i < columns; ++i) {
      x.push_back(stream.normal() + (rows.group.back() == 0 ? 0.5 : 0.0));
    }
    for (auto centre = centres.begin(); centre != centres.end(); centre += columns) {
      double sum = 0;
      auto coordinate = centre;
      for (const double value : x) {
        const double difference = value - *coordinate++;
        sum += difference * difference;
      }
      rows.squares.push_back(sum);
    }
  }
  return rows;
}

/// Arguments: N, K, balance in hundredths.
void assignment(benchmark::State& state) {
  const Rows rows = rows_of(state.range(0), state.range(1));
  const double balance = static_cast<double>(state.range(2)) / 100;
  BalancedAssignment found;
  for (auto _ : state) {
    found =
        assign_within_balance(rows.squares, rows.group, 2, state.range(1), {.balance = balance});
  }
  std::vector<std::int64_t> counts(static_cast<std::size_t>(2 * state.range(1)));
  for (std::size_t i = 0; i < rows.group.size(); ++i) {
    ++counts[static_cast<std::size_t>(2 * found.labels[i] + rows.group[i])];
  }
  for (std::size_t k = 0; k < counts.size(); k += 2) {
    const auto [least, most] = std::minmax(counts[k], counts[k + 1]);
    if (static_cast<double>(least) < balance * static_cast<double>(most)) {
      state.SkipWithError("a cluster is out of balance");
    }
  }
  const double gap = (found.cost - found.lower_bound) / found.cost;
  if (!(gap >= 0 && gap < 1e-6)) state.SkipWithError("the bound is far off");
  state.counters["gap"] = gap;
  state.counters["nodes"] = static_cast<double>(found.nodes);
}
BENCHMARK(assignment)
    ->ArgNames({"N", "K", "balance"})
    ->Args({1'000, 5, 45})
    ->Args({10'000, 10, 45})
    ->Args({100'000, 10, 45})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
}  // namespace fairfront::clustering
