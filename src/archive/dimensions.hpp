/// @file
/// Internal: what the rows and columns of a data set are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/fields.hpp"

namespace fairfront::archive {

/// The attribute "dimensions" of a column: such as "task", or "point" and "objective"; empty where
/// rows are entries of no name.
[[nodiscard]] inline std::vector<std::string> dimensions_of(const results::Use& use,
                                                            std::string_view name) {
  const bool points = name == "points" || name == "report";
  std::vector<std::string> dimensions;
  if (use.per_task) dimensions.emplace_back("task");
  if (points) dimensions.emplace_back("point");
  if (use.wide && !use.per_task && !points) dimensions.emplace_back("group");
  if (use.wide) dimensions.emplace_back("objective");
  return dimensions;
}

}  // namespace fairfront::archive
