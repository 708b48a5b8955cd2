/// @file
/// Random points on a coarse grid, so that ties and duplicates are the rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "pareto/front.hpp"

namespace fairfront::pareto {

/// `count` points with coordinates 0 .. values-1; origins are distinct and in random order.
inline Points random_points(std::uint64_t seed, std::size_t objectives, std::size_t count,
                            std::uint32_t values) {
  base::Stream stream(base::StreamKey(seed, "test", "points"), objectives);
  std::vector<std::uint64_t> origins(count);
  for (std::size_t i = 0; i < count; ++i) origins[i] = i + 1000 * seed;
  stream.shuffle(std::span<std::uint64_t>{origins});
  Points points(objectives);
  std::vector<double> point(objectives);
  for (std::size_t i = 0; i < count; ++i) {
    for (double& coordinate : point) coordinate = stream.below(values);
    points.add(point, origins[i]);
  }
  return points;
}

/// Mutually nondominated points (2 objectives), at random distances.
inline Front random_front(std::uint64_t seed, std::size_t count) {
  base::Stream stream(base::StreamKey(seed, "test", "front"), 0);
  Points points(2);
  double first = 0;
  double second = 0;
  for (std::size_t i = 0; i < count; ++i) {
    first += 1 + stream.below(8);
    second -= 1 + stream.below(8);
    const double point[] = {first, second};
    points.add(point, i);
  }
  return Front(points);
}

}  // namespace fairfront::pareto
