/// @file
/// Measures of the points of fronts, each of its own model. What an archive holds are those of one
/// model a task.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "results/content.hpp"

namespace fairfront::results {

/// A row for each point that was measured.
struct PointMeasures {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> row;  ///< by task, point of its front
  std::vector<Measure> measures;  ///< as in Content, with points in the place of tasks

  [[nodiscard]] bool empty() const noexcept { return row.empty(); }
};

}  // namespace fairfront::results
