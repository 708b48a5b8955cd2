/// @file
/// Internal: what `verify --deep` proves of the points of a front.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "results/task_record.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// How points follow from their solutions.
struct PointsOf {
  std::string solutions;   ///< such as "labels"
  std::string have;        ///< "costs and balances"
  std::size_t objectives;  ///< numbers of a point
  /// A point by its solution; empty where it is none of the problem.
  std::function<std::vector<double>(const results::SolutionValues&)> objectives_of;
};

/// That the points of a task's front are, bit for bit, what their solutions have.
[[nodiscard]] sweep::Claim front_claim(const PointsOf& points, const results::Findings& findings);

}  // namespace fairfront::experiments
