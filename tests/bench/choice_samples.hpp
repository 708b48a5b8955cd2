/// @file
/// What simulations of choices with a confidence draw, and the archive's content that is made of
/// it.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "results/content.hpp"
#include "results/task_record.hpp"

namespace fairfront::bench {

inline constexpr std::size_t front_points = 30;
inline constexpr double confidence = 0.95;

/// What is counted of a sample: of every group its rows and hits, and errors, at every point.
struct Sample {
  std::vector<double> rows;  ///< per group
  std::array<std::vector<double>, front_points> hits;
  std::array<double, front_points> errors{};
};

/// Between the groups' rates at a point.
double gap_of(const Sample& sample, std::size_t point);

/// The gap with its one-sided limits.
results::Measured measured_of(const Sample& sample, std::size_t point);

/// A front of a task for each point, with error and gap, and of the gap what is known of every
/// group.
/// @param rows  of either sample.
results::Content content_of(const Sample& decides, const Sample& tests, double rows);

}  // namespace fairfront::bench
