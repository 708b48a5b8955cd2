// Filtering, merging, measuring and thinning fronts of two objectives. The points are laid out so
// that every answer is known beforehand.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "pareto/front.hpp"
#include "pareto/hypervolume.hpp"

namespace fairfront::pareto {
namespace {

std::array<double, 2> on_diagonal(std::int64_t i) {
  return {static_cast<double>(i), -static_cast<double>(i)};
}

/// `count` points in random order: the first half on the diagonal (nondominated), the others one
/// above it and one to the right (each dominated).
Points half_dominated(std::int64_t count) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  base::Stream stream(base::StreamKey(1, "bench", "order"), 0);
  stream.shuffle(std::span<std::int64_t>{order});
  Points points(2);
  for (const std::int64_t i : order) {
    const bool good = i < count / 2;
    std::array point = on_diagonal(good ? i : i - count / 2);
    for (double& value : point) value += good ? 0 : 1;
    points.add(point, static_cast<std::uint64_t>(i));
  }
  return points;
}

/// Every `stride`-th point of the diagonal, `count` in all.
Front diagonal(std::int64_t count, std::int64_t first = 0, std::int64_t stride = 1) {
  Points points(2);
  for (std::int64_t i = 0; i < count; ++i) {
    points.add(on_diagonal(first + i * stride), static_cast<std::uint64_t>(first + i * stride));
  }
  return Front(points);
}

void filter(benchmark::State& state) {
  const Points points = half_dominated(state.range(0));
  std::size_t size = 0;
  for (auto _ : state) {
    const Front front(points);
    benchmark::DoNotOptimize(front.points().values().data());
    size = front.size();
  }
  if (size != points.size() / 2) state.SkipWithError("wrong number of points");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void merge_two(benchmark::State& state) {
  const Front even = diagonal(state.range(0) / 2, 0, 2);
  const Front odd = diagonal(state.range(0) / 2, 1, 2);
  bool right = true;
  for (auto _ : state) {
    const Front front = merge(even, odd);
    benchmark::DoNotOptimize(front.points().values().data());
    right = right && front.size() == static_cast<std::size_t>(state.range(0)) &&
            front.origin(front.size() - 1) == front.size() - 1;
  }
  if (!right) state.SkipWithError("wrong front");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void measure(benchmark::State& state) {
  const auto count = static_cast<double>(state.range(0));
  const Front front = diagonal(state.range(0));
  double volume = 0;
  for (auto _ : state) {
    volume = hypervolume(front, {count, 1});
    benchmark::DoNotOptimize(volume);
  }
  if (volume != count * (count + 1) / 2) state.SkipWithError("wrong hypervolume");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void thin_to_half(benchmark::State& state) {
  const auto count = static_cast<double>(state.range(0));
  const Front front = diagonal(state.range(0));
  const auto budget = static_cast<std::size_t>(state.range(0) / 2);
  Thinned thinned;
  for (auto _ : state) {
    thinned = thin(front, budget);
    benchmark::DoNotOptimize(thinned.kept.data());
  }
  const double left = hypervolume(front.subset(thinned.kept), {count, 1});
  if (thinned.kept.size() != budget ||
      thinned.hypervolume_lost != hypervolume(front, {count, 1}) - left) {
    state.SkipWithError("wrong thinning");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(filter)->RangeMultiplier(10)->Range(1'000, 1'000'000);
BENCHMARK(merge_two)->RangeMultiplier(10)->Range(1'000, 1'000'000);
BENCHMARK(measure)->RangeMultiplier(10)->Range(1'000, 1'000'000);
BENCHMARK(thin_to_half)->RangeMultiplier(10)->Range(1'000, 1'000'000);

}  // namespace
}  // namespace fairfront::pareto
