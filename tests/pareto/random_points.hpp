/// @file
/// Random points: on a coarse grid, so that ties and duplicates are the rule, and fronts.
#pragma once

#include <cmath>
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

/// On the part of the unit sphere where no objective is above 0: nondominated, and of very unlike
/// shares of the hypervolume.
inline Points points_on_sphere(std::uint64_t seed, std::size_t objectives, std::size_t count) {
  base::Stream stream(base::StreamKey(seed, "test", "sphere"), objectives);
  Points points(objectives);
  std::vector<double> point(objectives);
  for (std::size_t i = 0; i < count; ++i) {
    double square = 0;
    for (double& value : point) {
      value = stream.normal();
      square += value * value;
    }
    for (double& value : point) value = -std::abs(value) / std::sqrt(square);
    points.add(point, i);
  }
  return points;
}

}  // namespace fairfront::pareto
