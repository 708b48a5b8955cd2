/// @file
/// The search for the processors that the including unit is compiled for.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/widest_vector.hpp"
#include "solvers/clustering/nearest_centres.hpp"

namespace fairfront::clustering {
namespace {

constexpr std::int64_t centres_at_once = 4;
constexpr double beyond_all = 1e240;  // the unused lanes of the last block are there

#if defined(__AVX2__)

using Distances [[gnu::vector_size(centres_at_once * sizeof(double))]] = double;
using Numbers [[gnu::vector_size(centres_at_once * sizeof(double))]] = std::int64_t;

/// Lane by lane first: without vectors of its width that takes longer than one centre after
/// another.
inline std::int64_t nearest_centre(const CentresAndRows& given, const double* x) noexcept {
  Distances least = Distances{} + beyond_all;
  Numbers of_block = {};
  const double* centre = given.centres;
  for (std::int64_t block = 0; block < given.blocks; ++block) {
    Distances distance = {};
    for (std::int64_t i = 0; i < given.columns; ++i, centre += centres_at_once) {
      Distances coordinates;
      std::memcpy(&coordinates, centre, sizeof coordinates);
      const Distances difference = x[i] - coordinates;
      distance += difference * difference;
    }
    of_block = distance < least ? Numbers{} + block : of_block;
    least = distance < least ? distance : least;
  }
  std::int64_t best = of_block[0] * centres_at_once;
  double best_distance = least[0];
  for (int lane = 1; lane < centres_at_once; ++lane) {
    const std::int64_t k = of_block[lane] * centres_at_once + lane;
    const bool first =
        (least[lane] < best_distance) | ((least[lane] == best_distance) & (k < best));
    best = first ? k : best;
    best_distance = first ? least[lane] : best_distance;
  }
  return best;
}

#else

inline std::int64_t nearest_centre(const CentresAndRows& given, const double* x) noexcept {
  std::int64_t best = 0;
  double best_distance = beyond_all;
  const double* centre = given.centres;
  for (std::int64_t block = 0; block < given.blocks; ++block) {
    double distance[centres_at_once] = {};
    for (std::int64_t i = 0; i < given.columns; ++i, centre += centres_at_once) {
      for (int lane = 0; lane < centres_at_once; ++lane) {
        const double difference = x[i] - centre[lane];
        distance[lane] += difference * difference;
      }
    }
    for (int lane = 0; lane < centres_at_once; ++lane) {
      const bool nearer = distance[lane] < best_distance;
      best = nearer ? block * centres_at_once + lane : best;
      best_distance = nearer ? distance[lane] : best_distance;
    }
  }
  return best;
}

#endif

constexpr std::int64_t points_at_once = base::widest_vector;
constexpr std::int64_t most_columns_held = 16;

using OfPoints [[gnu::vector_size(points_at_once * sizeof(double))]] = double;
using NumbersOfPoints [[gnu::vector_size(points_at_once * sizeof(double))]] = std::int64_t;

/// The same of several points of few columns, each a lane: nothing crosses lanes.
inline void nearest_together(const CentresAndRows& given, const std::int64_t* points,
                             std::int64_t* nearest) noexcept {
  OfPoints x[most_columns_held];
  for (std::int64_t i = 0; i < given.columns; ++i) {
    for (std::int64_t lane = 0; lane < points_at_once; ++lane) {
      x[i][lane] = given.rows[points[lane] * given.columns + i];
    }
  }
  OfPoints least = OfPoints{} + beyond_all;
  NumbersOfPoints best = {};
  const double* centre = given.centres;
  for (std::int64_t block = 0; block < given.blocks; ++block) {
    OfPoints distances[centres_at_once] = {};
    for (std::int64_t i = 0; i < given.columns; ++i, centre += centres_at_once) {
      for (std::int64_t k = 0; k < centres_at_once; ++k) {
        const OfPoints difference = x[i] - centre[k];
        distances[k] += difference * difference;
      }
    }
    for (std::int64_t k = 0; k < centres_at_once; ++k) {
      best = distances[k] < least ? NumbersOfPoints{} + (block * centres_at_once + k) : best;
      least = distances[k] < least ? distances[k] : least;
    }
  }
  std::memcpy(nearest, &best, sizeof best);
}

void nearest_of_points(const CentresAndRows& from, const std::int64_t* points, std::int64_t count,
                       std::int64_t* nearest) noexcept {
  const CentresAndRows given = from;  // a copy: it stays in registers
  std::int64_t i = 0;
  for (; given.columns <= most_columns_held && i + points_at_once <= count; i += points_at_once) {
    nearest_together(given, points + i, nearest + i);
  }
  for (; i < count; ++i) {
    nearest[i] = nearest_centre(given, given.rows + points[i] * given.columns);
  }
}

}  // namespace
}  // namespace fairfront::clustering
