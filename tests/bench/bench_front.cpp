// Filtering, merging, measuring and thinning fronts of two to five objectives. The points are laid
// out so that every answer is known beforehand, or is checked against another way to it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "pareto/front.hpp"
#include "pareto/hypervolume.hpp"
#include "pareto/random_points.hpp"

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

/// On the plane x + y + z = const, in random order: all nondominated.
Points on_plane(std::int64_t count, std::int64_t first = 0, std::int64_t stride = 1) {
  base::Stream stream(base::StreamKey(1, "bench", "plane"), 0);
  Points points(3);
  for (std::int64_t i = 0; i < first + count * stride; ++i) {
    const double x = stream.below(1u << 25);  // sums of these are exact
    const double y = stream.below(1u << 25);
    if (i % stride == first) points.add(std::array{x, y, -x - y}, static_cast<std::uint64_t>(i));
  }
  return points;
}

void filter_three(benchmark::State& state) {
  const Points points = on_plane(state.range(0));
  std::size_t size = 0;
  for (auto _ : state) {
    const Front front(points);
    benchmark::DoNotOptimize(front.points().values().data());
    size = front.size();
  }
  if (size != points.size()) state.SkipWithError("wrong number of points");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void merge_three(benchmark::State& state) {
  const Front even(on_plane(state.range(0) / 2, 0, 2));
  const Front odd(on_plane(state.range(0) / 2, 1, 2));
  std::size_t size = 0;
  for (auto _ : state) {
    const Front front = merge(even, odd);
    benchmark::DoNotOptimize(front.points().values().data());
    size = front.size();
  }
  if (size != even.size() + odd.size()) state.SkipWithError("wrong number of points");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// The same points with their objectives in the other order.
Points reversed(const Points& points) {
  Points other(points.objectives());
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<double> point(points[i].begin(), points[i].end());
    std::reverse(point.begin(), point.end());
    other.add(point, i);
  }
  return other;
}

void measure_more(benchmark::State& state) {
  const auto m = static_cast<std::size_t>(state.range(0));
  const Points points = points_on_sphere(1, m, static_cast<std::size_t>(state.range(1)));
  const Front front(points);
  const std::vector<double> reference(m, 0.1);
  double volume = 0;
  for (auto _ : state) {
    volume = hypervolume(front, reference);
    benchmark::DoNotOptimize(volume);
  }
  const double other = hypervolume(Front(reversed(points)), reference);
  if (!(std::abs(volume / other - 1) < 1e-13)) state.SkipWithError("wrong hypervolume");
}

BENCHMARK(filter_three)->Arg(1'000)->Arg(30'000)->Arg(100'000);
BENCHMARK(merge_three)->Arg(20'000)->Arg(100'000);
BENCHMARK(measure_more)->Args({3, 3'000})->Args({4, 3'000})->Args({5, 1'000});
BENCHMARK(filter)->RangeMultiplier(10)->Range(1'000, 1'000'000);
BENCHMARK(merge_two)->RangeMultiplier(10)->Range(1'000, 1'000'000);
BENCHMARK(measure)->RangeMultiplier(10)->Range(1'000, 1'000'000);
BENCHMARK(thin_to_half)->RangeMultiplier(10)->Range(1'000, 1'000'000);

}  // namespace
}  // namespace fairfront::pareto
